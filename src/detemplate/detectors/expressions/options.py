"""Options of method ``expressions``."""

from __future__ import annotations

import dataclasses

from detemplate.detectors.base import Options
from detemplate.expressions.remove import MERGE_GAP, MIN_SLIVER


@dataclasses.dataclass(frozen=True, slots=True)
class ExpressionsOptions(Options):
    """Options of :class:`~detemplate.detectors.expressions.detector.TemplateExpressions`."""

    on: str = dataclasses.field(
        default="text", metadata={"help": "what is mined: text (the visible text) or html (the markup)"}
    )
    mutables: str = dataclasses.field(
        default="none",
        metadata={"help": "patterns of tokens that vary in a string: shipped (numbers, dates, …) or none"},
    )
    min_documents: int = dataclasses.field(
        default=2, metadata={"help": "strings on fewer pages are left out of the histogram"}
    )
    min_literals: int = dataclasses.field(
        default=0,
        metadata={"help": "expressions with fewer literal tokens (that do not vary) are left out"},
    )
    cut: float = dataclasses.field(
        default=0.0,
        metadata={
            "help": "strings on at least this share of the pages are template (0: taken from the histogram)"
        },
    )
    merge_gap: int = dataclasses.field(
        default=MERGE_GAP, metadata={"help": "pieces less than this many characters apart are removed as one"}
    )
    min_sliver: int = dataclasses.field(
        default=MIN_SLIVER, metadata={"help": "pieces of fewer characters are kept"}
    )
    max_tokens: int = dataclasses.field(
        default=4_000_000,
        metadata={
            "help": "most tokens to keep; beyond, the oldest pages are forgotten (16 bytes count as a token)"
        },
    )

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(self.on in ("text", "html"), "on", "'text' or 'html'")
        self.require(self.mutables in ("shipped", "none"), "mutables", "'shipped' or 'none'")
        self.require(self.min_documents >= 2, "min_documents", "at least 2")
        self.require(self.min_literals >= 0, "min_literals", "at least 0")
        self.require(0 <= self.cut <= 1, "cut", "between 0 and 1")
        self.require(self.merge_gap >= 0, "merge_gap", "at least 0")
        self.require(self.min_sliver >= 0, "min_sliver", "at least 0")
        self.require(1 <= self.max_tokens < 2**31, "max_tokens", "at least 1 and below 2**31")
