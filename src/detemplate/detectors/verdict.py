"""The one answer that every method gives about a page."""

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
    """How much of a template each segment of a page is.

    Attributes
    ----------
    scores
        Templateness, in [0, 1], one a segment, in document order. float32.
    threshold
        A segment is template if its score is above this.
    explain
        Gives, for the number of a segment, the reason of its score in words.
    sections
        From methods that cut the page into sections: the row of the node that each segment's section
        starts with, -1 where nothing is known about a segment. None from all others. int32.
    """

    scores: npt.NDArray[np.float32]
    threshold: float = 0.5
    explain: Callable[[int], str] = _no_reason
    sections: npt.NDArray[np.int32] | None = None

    @property
    def template(self) -> npt.NDArray[np.bool_]:
        """Whether each segment is template."""
        return self.scores > self.threshold

    def __len__(self) -> int:
        return len(self.scores)
