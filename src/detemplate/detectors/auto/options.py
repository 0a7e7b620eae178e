"""Options of method ``auto``."""

from __future__ import annotations

import dataclasses
import math
from typing import Final

from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.base import Options

ALL: Final = "all"
PAGE: Final = "page"
CONTENT: Final = "content"
RECORDS: Final = "records"
KEEP: Final = "keep"
JUDGE: Final = "judge"


@dataclasses.dataclass(frozen=True, slots=True)
class AutoOptions(Options):
    """Options of :class:`~detemplate.detectors.auto.detector.Auto`."""

    evidence: str = dataclasses.field(
        default=ALL, metadata={"help": "all; page: judge each page by itself, whatever the site shows"}
    )
    model: str = dataclasses.field(
        default="",
        metadata={"help": "file of 'detemplate train --auto' (default: the model that comes along)"},
    )
    keep: str = dataclasses.field(
        default=CONTENT,
        metadata={
            "help": "content; records: also what is new now and then in places that many pages of the site "
            "have (shops, databases)"
        },
    )
    title: str = dataclasses.field(
        default=KEEP,
        metadata={
            "help": "keep: the page's title, where it shows it, is content; judge: like any other text"
        },
    )
    smooth: float = dataclasses.field(
        default=0.5,
        metadata={"help": "what a section of the page costs when scores are smoothed; 0: nothing"},
    )
    lifetime: float = dataclasses.field(
        default=500.0, metadata={"help": "pages that what was seen once is remembered (inf: for ever)"}
    )
    growth: float = dataclasses.field(
        default=100.0, metadata={"help": "what comes back is remembered up to so many times as long"}
    )
    max_keys: int = dataclasses.field(
        default=4_000_000, metadata={"help": "keys to remember a site at most; the rarest go first"}
    )

    def check(self) -> None:
        """Refuse values out of range."""
        self.require(self.evidence in (ALL, PAGE), "evidence", f"'{ALL}' or '{PAGE}'")
        self.require(self.keep in (CONTENT, RECORDS), "keep", f"'{CONTENT}' or '{RECORDS}'")
        self.require(self.title in (KEEP, JUDGE), "title", f"'{KEEP}' or '{JUDGE}'")
        self.require(isinstance(self.model, str), "model", "the name of a file")
        self.require(0 <= self.smooth < math.inf, "smooth", "at least 0")
        self.require(self.lifetime >= 1, "lifetime", "at least 1")
        self.require(1 <= self.growth < math.inf, "growth", "at least 1 and finite")
        self.require(1 <= self.max_keys <= MOST_ENTRIES, "max_keys", "at least 1 and below 2**31")
