"""The model of method ``auto`` as one file: a vocabulary and two forests."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms.forest import Forest
from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.auto.stages import CONTEXT
from detemplate.detectors.base import Options
from detemplate.detectors.modelreader import ModelFiles
from detemplate.detectors.state import StateError, pack, unpack
from detemplate.features.segment import NAMES as SEGMENT_FEATURES
from detemplate.features.segment import Vocabulary

if TYPE_CHECKING:
    import numpy.typing as npt

    Reals = npt.NDArray[np.float64]

SHIPPED: Final = Path(__file__).parent / "auto.model"
"""The model that is part of the package."""

_NAME: Final = "auto model"

_VERSION: Final = 1

_ARRAYS: Final = {"hashes": "<u8", "weights": "<f4", "page": "|u1", "site": "|u1"}

ALL: Final = "all"
"""Value of ``evidence``: judge by the page and by the site's other pages."""

PAGE: Final = "page"
"""Value of ``evidence``: judge each page by itself."""

CONTENT: Final = "content"
"""Value of ``keep``: keep content and fields."""

RECORDS: Final = "records"
"""Value of ``keep``: take each page for a record."""

KEEP: Final = "keep"
"""Value of ``title``: keep the page's title."""

JUDGE: Final = "judge"
"""Value of ``title`` and of ``comments``: judge the title, or readers' comments, like any other text."""

DROP: Final = "drop"
"""Value of ``comments``: drop readers' comments below an article."""


@dataclasses.dataclass(frozen=True, slots=True)
class AutoOptions(Options):
    """Options of :class:`~detemplate.detectors.auto.detector.Auto`."""

    evidence: str = dataclasses.field(default=ALL, metadata={"help": "all; page: judge each page by itself"})
    model: str = dataclasses.field(
        default="",
        metadata={
            "help": "file of 'python -m lab.auto' (default: the model of the package)",
            "file": True,
        },
    )
    keep: str = dataclasses.field(
        default=CONTENT,
        metadata={
            "help": "content; records: take each page for a record, and keep what is its own in places that "
            "half of the other pages have (shops, databases)"
        },
    )
    title: str = dataclasses.field(
        default=KEEP,
        metadata={
            "help": "keep: the page's title is content where the page shows it; judge: like any other text"
        },
    )
    comments: str = dataclasses.field(
        default=JUDGE,
        metadata={
            "help": "judge: readers' comments below an article are judged like any other text; drop: they go"
        },
    )
    smooth: float = dataclasses.field(
        default=0.5,
        metadata={"help": "penalty for each section of the page when scores are smoothed; 0: no smoothing"},
    )
    lifetime: float = dataclasses.field(
        default=500.0, metadata={"help": "pages for which a key seen once is remembered (inf: for ever)"}
    )
    growth: float = dataclasses.field(
        default=100.0, metadata={"help": "a recurring key is remembered up to this many times as long"}
    )
    max_keys: int = dataclasses.field(
        default=4_000_000,
        metadata={"help": "maximum keys to remember; the rarest are dropped first"},
    )

    def check(self) -> None:
        """Refuse values out of range."""
        self.require(self.evidence in (ALL, PAGE), "evidence", f"'{ALL}' or '{PAGE}'")
        self.require(self.keep in (CONTENT, RECORDS), "keep", f"'{CONTENT}' or '{RECORDS}'")
        self.require(self.title in (KEEP, JUDGE), "title", f"'{KEEP}' or '{JUDGE}'")
        self.require(self.comments in (JUDGE, DROP), "comments", f"'{JUDGE}' or '{DROP}'")
        self.require(isinstance(self.model, str), "model", "the name of a file")
        self.require(0 <= self.smooth < math.inf, "smooth", "at least 0")
        self.require(self.lifetime >= 1, "lifetime", "at least 1")
        self.require(1 <= self.growth < math.inf, "growth", "at least 1 and finite")
        self.require(1 <= self.max_keys <= MOST_ENTRIES, "max_keys", "at least 1 and below 2**31")


@dataclass(frozen=True, eq=False)
class AutoModel:
    """What method ``auto`` has learned from labelled pages.

    ``vocabulary``: words of classes, ids and roles, each with the log-odds of content in elements that have
        it.
    ``page``: forest of the page stage: from :data:`detemplate.features.segment.NAMES` to log-odds of content.
    ``site``: forest of the site stage: from :data:`~detemplate.detectors.auto.stages.CONTEXT` to log-odds.
    ``about``: how it was made, as JSON values.
    """

    vocabulary: Vocabulary
    page: Forest
    site: Forest
    about: dict[str, Any]

    def __post_init__(self) -> None:
        for forest, names in ((self.page, SEGMENT_FEATURES), (self.site, CONTEXT)):
            if forest.features != len(names):
                raise ValueError(f"a forest of {forest.features} columns where there are {len(names)}")

    def to_bytes(self) -> bytes:
        """Give the file's bytes; equal models give equal bytes."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "hashes": self.vocabulary.hashes,
            "weights": self.vocabulary.weights,
            "page": np.frombuffer(self.page.pack(), np.uint8),
            "site": np.frombuffer(self.site.pack(), np.uint8),
        }
        return pack(_NAME, _VERSION, {**self.about, "names": _names()}, arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> AutoModel:
        """Restore a model.

        Raises ValueError: the bytes are damaged, or the model was made for other columns.
        """
        about, arrays = unpack(data, _NAME, _VERSION, _ARRAYS)
        if not isinstance(about, dict) or about.pop("names", None) != _names():
            raise StateError("it was made for other columns")
        return cls(
            Vocabulary(arrays["hashes"], arrays["weights"]),
            Forest.unpack(arrays["page"].tobytes()),
            Forest.unpack(arrays["site"].tobytes()),
            about,
        )


def _names() -> str:
    """Name the columns of both forests: a model fits no others."""
    return f"{' '.join(SEGMENT_FEATURES)}; {', '.join(CONTEXT)}"


_FILES: Final = ModelFiles(SHIPPED, AutoModel.from_bytes, "model of method auto", "python -m lab.auto")


def model_of(path: str) -> AutoModel:
    """Read a model, the shipped one for an empty path; see :meth:`ModelFiles.read`."""
    return _FILES.read(path)
