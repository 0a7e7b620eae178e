"""Options of method ``auto``."""

from __future__ import annotations

import dataclasses
import math
from typing import Final

from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.base import Options

ALL: Final = "all"
"""Value of ``evidence``: judge by the page and by the site's other pages."""

PAGE: Final = "page"
"""Value of ``evidence``: judge each page by itself."""

CONTENT: Final = "content"
"""Value of ``keep``: keep content and fields."""

RECORDS: Final = "records"
"""Value of ``keep``: also keep what is new now and then."""

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
            "help": "content; records: also keep what is new now and then in places that many pages of the "
            "site have (shops, databases)"
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
