"""The result of scoring a page, the same for all methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import numpy.typing as npt


def _no_reason(_: int) -> str:
    return ""


@dataclass(slots=True, frozen=True)
class WrittenReasons:
    """The reasons of a page's scores as texts; called with a segment's number.

    Attributes
    ----------
    texts
        One a segment.
    """

    texts: tuple[str, ...]

    @classmethod
    def of(cls, explain: Callable[[int], str], segments: int) -> WrittenReasons:
        """Ask for the reason of each segment."""
        return cls(tuple(map(explain, range(segments))))

    def __call__(self, segment: int) -> str:
        """Give the reason of a segment's score."""
        return self.texts[segment]


@dataclass(slots=True, frozen=True, repr=False)
class Verdict:
    """The template scores of a page's segments.

    Attributes
    ----------
    scores
        Templateness of each segment in [0, 1], in document order. float32.
    threshold
        A segment is template if its score is above the threshold.
    explain
        Gives the reason of a segment's score in words; takes the segment's number. A function that has no
        name in a module is pickled as the texts that it gives.
    sections
        For each segment, the row of the first node of its section; -1 for segments that were not judged.
        None from methods that do not cut pages into sections. int32.
    textless
        Rows of elements without visible text that are template, such as menus of images; None from methods
        that judge text alone. int32.
    """

    scores: npt.NDArray[np.float32]
    threshold: float = 0.5
    explain: Callable[[int], str] = _no_reason
    sections: npt.NDArray[np.int32] | None = None
    textless: npt.NDArray[np.int32] | None = None

    @property
    def template(self) -> npt.NDArray[np.bool_]:
        """Whether each segment is template. bool."""
        return self.scores > self.threshold

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        template = int(self.template.sum())
        return f"Verdict({len(self)} segments, {template} template, threshold={self.threshold:.4g})"

    def __reduce__(self) -> tuple[type[Verdict], tuple[object, ...]]:
        explain = self.explain
        if "<" in getattr(explain, "__qualname__", ""):  # a lambda, or a function inside another
            explain = WrittenReasons.of(explain, len(self))
        return Verdict, (self.scores, self.threshold, explain, self.sections, self.textless)
