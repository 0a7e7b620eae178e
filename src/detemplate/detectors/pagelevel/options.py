"""Options of method ``pagelevel``."""

from __future__ import annotations

import dataclasses
import re
from typing import Final

from detemplate.detectors.base import Options
from detemplate.detectors.pagelevel.tree import PENALTIES
from detemplate.layout.layout import SMALL

SMOOTH: Final = "smooth"
"""Variant: the classifier's scores, smoothed over the tree (section 4)."""

BASIC: Final = "basic"
"""Variant: the classifier's scores."""

MERGE: Final = "basic+merge"
"""Variant: the mean score of adjacent leaves with similar scores (section 6.1)."""


@dataclasses.dataclass(frozen=True, slots=True)
class PageLevelOptions(Options):
    """Options of :class:`~detemplate.detectors.pagelevel.detector.PageLevel`."""

    variant: str = dataclasses.field(
        default=SMOOTH,
        metadata={
            "help": "smooth: scores smoothed over the tree; basic: the classifier's scores; basic+merge: the "
            "mean score of adjacent leaves with similar scores"
        },
    )
    penalty: str = dataclasses.field(
        default="area",
        metadata={
            "help": "penalty of a section: area (page's over node's), nodes (page's over subtree's), parent "
            "(parent's area over node's), or products and sums of them: area*parent+nodes"
        },
    )
    factor: float = dataclasses.field(
        default=0.01, metadata={"help": "c: factor of the penalty; 0: sections cost nothing"}
    )
    delta: float = dataclasses.field(
        default=0.1,
        metadata={"help": "basic+merge: adjacent leaves whose scores differ by less are merged"},
    )
    min_area: float = dataclasses.field(
        default=float(SMALL),
        metadata={"help": "smaller nodes, in square pixels, count as copies of the node around them"},
    )
    max_values: int = dataclasses.field(
        default=1_000_000,
        metadata={"help": "most different scores that smoothing chooses from; fewer are faster, not exact"},
    )
    model: str = dataclasses.field(
        default="", metadata={"help": "file of 'detemplate train' (default: the shipped model)", "file": True}
    )
    layout: str = dataclasses.field(
        default="",
        metadata={"help": "file of browser layouts, for a model trained with one (default: an estimate)"},
    )

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(self.variant in {SMOOTH, BASIC, MERGE}, "variant", f"'{SMOOTH}', '{BASIC}' or '{MERGE}'")
        self.require(
            all(name in PENALTIES for name in re.split(r"[*+]", self.penalty)),
            "penalty",
            "of area, nodes and parent, joined with * and +",
        )
        self.require(isinstance(self.model, str), "model", "the name of a file")
        self.require(isinstance(self.layout, str), "layout", "the name of a file")
        self.require(0 <= self.factor < float("inf"), "factor", "at least 0")
        self.require(0 <= self.delta <= 1, "delta", "between 0 and 1")
        self.require(0 < self.min_area < float("inf"), "min_area", "above 0")
        self.require(2 <= self.max_values < 2**31, "max_values", "at least 2")
