"""The model of method ``auto`` as one file: a vocabulary and two forests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms.forest import Forest
from detemplate.detectors.auto.stages import CONTEXT
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


@dataclass(frozen=True, eq=False)
class AutoModel:
    """What method ``auto`` has learnt from labelled pages.

    Attributes
    ----------
    vocabulary
        Words of classes, ids and roles, each with the log-odds of content in elements that have it.
    page
        Forest of the page stage: from :data:`detemplate.features.segment.NAMES` to log-odds of content.
    site
        Forest of the site stage: from :data:`~detemplate.detectors.auto.stages.CONTEXT` to log-odds.
    about
        How it was made, as JSON values.
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

        Raises
        ------
        ValueError
            The bytes are damaged, or the model was made for other columns.
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
