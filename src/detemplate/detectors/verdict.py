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
class Verdict:
    """The template scores of a page's segments.

    Attributes
    ----------
    scores
        Templateness of each segment in [0, 1], in document order. float32.
    threshold
        A segment is template if its score is above the threshold.
    explain
        Gives the reason of a segment's score in words; takes the segment's number.
    sections
        For each segment, the row of the first node of its section; -1 for segments that were not judged.
        None from methods that do not cut pages into sections. int32.
    """

    scores: npt.NDArray[np.float32]
    threshold: float = 0.5
    explain: Callable[[int], str] = _no_reason
    sections: npt.NDArray[np.int32] | None = None

    @property
    def template(self) -> npt.NDArray[np.bool_]:
        """Whether each segment is template. bool."""
        return self.scores > self.threshold

    def __len__(self) -> int:
        return len(self.scores)
