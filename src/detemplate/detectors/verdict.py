"""The result of scoring a page, the same for all methods."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from detemplate.detectors.causes import Cause, Reason, causes_of
from detemplate.detectors.scorechart import score_chart
from detemplate.detectors.segmentframe import frame_of
from detemplate.page.metadata.titleparts import UNKNOWN, SharedParts

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from detemplate.detectors.segmentframe import Library


def _no_reason(_: int) -> str:
    return ""


@dataclass(slots=True, frozen=True)
class WrittenReasons:
    """The reasons of a page's scores as texts; called with a segment's number.

    ``texts``: one a segment.
    """

    texts: tuple[str, ...]

    @classmethod
    def of(cls, explain: Callable[[int], str], segments: int) -> WrittenReasons:
        """Ask for the reason of each segment."""
        return cls(tuple(map(explain, range(segments))))

    def __call__(self, segment: int) -> str:
        """Return the reason of a segment's score."""
        return self.texts[segment]

    def __reduce__(self) -> tuple[Callable[[str], WrittenReasons], tuple[str]]:
        # Reasons of one page are alike: as one text, kind by kind, they compress well.
        causes = [causes_of(each) for each in self.texts]
        counts = [len(each) for each in causes]
        flat = [cause for each in causes for cause in each]
        columns = [[getattr(cause, name) for cause in flat] for name in Cause._fields]
        return _written, (json.dumps([list(map(str, self.texts)), counts, *columns]),)


def _written(data: str) -> WrittenReasons:
    """Make reasons again of what their pickle holds."""
    texts, counts, *columns = json.loads(data)
    causes = map(Cause, *columns)
    return WrittenReasons(
        tuple(Reason(text, islice(causes, count)) for text, count in zip(texts, counts, strict=True))
    )


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
        Gives the reason of a segment's score in words; takes the segment's number. Built-in methods give a
        :class:`~detemplate.detectors.causes.Reason`, which knows its causes. A function that has no name in a
        module is pickled as the texts that it gives.
    sections
        For each segment, the row of the first node of its section; -1 for segments that were not judged.
        None from methods that do not cut pages into sections. int32.
    textless
        Rows of elements without visible text that are template, such as menus of images; None from methods
        that judge text alone. int32.
    shared
        How many pages of the site share the parts of the page's title.
    """

    scores: npt.NDArray[np.float32]
    threshold: float = 0.5
    explain: Callable[[int], str] = _no_reason
    sections: npt.NDArray[np.int32] | None = None
    textless: npt.NDArray[np.int32] | None = None
    shared: SharedParts = UNKNOWN

    @property
    def template(self) -> npt.NDArray[np.bool_]:
        """Whether each segment is template. bool."""
        return self.scores > self.threshold

    def pages_with_text(self) -> tuple[npt.NDArray[np.float64], int] | None:
        """Return how many other pages of the site have each segment's text, and how many there are.

        None from methods whose reasons do not know it.
        """
        known = getattr(self.explain, "pages_with_text", None)
        return None if known is None else known()

    def causes(self, segment: int) -> tuple[Cause, ...]:
        """Return the causes that the reason of a segment's score names, the strongest first.

        Parameters
        ----------
        segment
            The segment's number.
        """
        return causes_of(self.explain(segment))

    def to_frame(self, library: Library | None = None) -> Any:  # noqa: ANN401  # a table of one of three libraries
        """Return the scores as a table, a row a segment.

        Parameters
        ----------
        library
            ``"pandas"``, ``"polars"`` or ``"pyarrow"``; None: the first of these that is installed.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            Columns ``segment`` (its number), ``score``, ``template``, ``reason``, ``cause`` (code of the
            strongest cause, or null) and ``causes`` (all that the reason names, as JSON).

        Raises
        ------
        UserError
            The library is unknown, or not installed.
        """
        return frame_of(self.columns(), library)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of :meth:`to_frame`."""
        reasons = [self.explain(segment) for segment in range(len(self))]
        causes = [causes_of(reason) for reason in reasons]
        return {
            "segment": list(range(len(self))),
            "score": [float(score) for score in self.scores],
            "template": self.template.tolist(),
            "reason": list(map(str, reasons)),
            "cause": [each[0].code if each else None for each in causes],
            "causes": [json.dumps([cause.as_dict() for cause in each]) for each in causes],
        }

    def _repr_html_(self) -> str:
        return f"<div>{escape(repr(self))}</div>{score_chart(self.scores, self.threshold)}"

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        template = int(self.template.sum())
        return f"Verdict({len(self)} segments, {template} template, threshold={self.threshold:.4g})"

    def __reduce__(self) -> tuple[type[Verdict], tuple[object, ...]]:
        explain = self.explain
        named = getattr(explain, "explain", explain)  # reasons that are settled have those of the method
        if "<" in getattr(named, "__qualname__", ""):  # a lambda, or a function inside another
            explain = WrittenReasons.of(explain, len(self))
        return Verdict, (self.scores, self.threshold, explain, self.sections, self.textless, self.shared)


def counted_scores(counts: npt.NDArray[np.integer], least: int) -> tuple[npt.NDArray[np.float32], float]:
    """Score numbers of pages n as n / (n + least); the threshold is below the score of ``least`` pages.

    It lies half-way between that and the score of one page less, so that rounding cannot reach it.
    """
    return (counts / (counts + least)).astype(np.float32), ((least - 1) / (2 * least - 1) + 0.5) / 2
