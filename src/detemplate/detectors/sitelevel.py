"""SITELEVEL(θ): DOM nodes that recur on a share of a site's pages (Chakrabarti, Kumar, Punera: WWW 2007).

Section 3 of the paper: hash every DOM node of every page of a site. A node on at least a share θ of the
pages is template.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from detemplate.algorithms.frequent import FrequencySketch
from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.base import Asked, Detector, Options, option
from detemplate.detectors.causes import because
from detemplate.detectors.state import StateError
from detemplate.detectors.verdict import Verdict
from detemplate.page.columns import ELEMENT
from detemplate.page.subtrees import STRENGTHS, inherit, subtree_hashes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from detemplate.page.page import Page

    Keys = npt.NDArray[np.uint64]

    Estimates = tuple[npt.NDArray[np.int32], int, int]
    """Number of pages of each node, the number of all pages, and the maximum error."""


@dataclasses.dataclass(frozen=True, slots=True)
class SiteLevelOptions(Options):
    """Options of :class:`SiteLevel`."""

    theta: float = option(0.1, "θ: a node on at least this share of the site's pages is template")
    equality: str = option(
        "text",
        "when subtrees are equal: exact (markup), text (tags and text) or normal (as text, with "
        "numbers and dates made alike)",
    )
    min_df: int = option(2, "a node on fewer pages is never template")
    max_nodes: int = option(4_000_000, "most nodes to count exactly per site; beyond, counts can be too high")

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(0 < self.theta <= 1, "theta", "above 0 and at most 1")
        self.require(self.equality in STRENGTHS, "equality", " or ".join(map(repr, STRENGTHS)))
        self.require(self.min_df >= 1, "min_df", "at least 1")
        self.require(1 <= self.max_nodes <= MOST_ENTRIES, "max_nodes", "at least 1 and below 2**31")


class SiteLevel(Detector):
    """DOM nodes that recur on a share of the site's pages.

    Notes
    -----
    A node is an element. Its score is the share of the site's pages that hold an equal subtree. A segment's
    score is the greatest score of the elements around it. Elements without visible text hold no segment and
    are not counted.

    A node counts once a page. Counts of up to ``max_nodes`` different nodes (36 bytes each) are exact.
    Beyond that they come from a sketch and are never too low
    (:class:`~detemplate.algorithms.frequent.FrequencySketch`). Every node on a share θ of the pages is
    found. Every node found is on a share of at least ``θ − 2 d / max_nodes``, where d is the mean number of
    different nodes of a page (θ − 0.05 % for d = 1,000 and the default).

    The paper samples up to 200 pages of a site; this class counts all pages.
    """

    name: ClassVar[str] = "sitelevel"
    paper: ClassVar[str] = (
        "Chakrabarti, Kumar, Punera: Page-level Template Detection via Isotonic Smoothing (WWW 2007)"
    )
    summary: ClassVar[str] = "DOM nodes whose whole subtree recurs on a share of the site's pages"
    options_class: ClassVar[type[Options]] = SiteLevelOptions

    arrays: ClassVar[Mapping[str, str]] = {"keys": "<u8", "counts": "<i4"}

    _options: SiteLevelOptions

    def __init__(self, options: SiteLevelOptions | None = None) -> None:
        super().__init__(options)
        self._nodes = FrequencySketch(self._options.max_nodes)

    @property
    def pages(self) -> int:
        """Number of pages learned."""
        return self._nodes.pages

    @property
    def nbytes(self) -> int:
        """Memory of the counts, in bytes."""
        return self._nodes.nbytes

    @property
    def slack(self) -> int:
        """Maximum error of a count, in pages; 0 while counts are exact."""
        return self._nodes.slack

    def ask(self, page: Page) -> Asked:
        """Ask for the subtrees of the elements with visible text."""
        return Asked(subtree_hashes(page, self._options.equality)[_counted(page)])

    def take(self, query: Keys) -> None:
        """Count the nodes, equal ones once."""
        self._nodes.learn(query)

    def answer(self, query: Keys) -> Estimates:
        """Estimate the number of pages of each node."""
        return self._nodes.estimate(query), self.pages, self.slack

    def take_and_answer(self, query: Keys) -> Estimates:
        """Count the nodes and estimate them in one step; the page itself counts."""
        return self._nodes.learn(query), self.pages, self.slack

    def _shares(self, page: Page, answer: Estimates) -> npt.NDArray[np.float64]:
        """Turn the estimates of the counted rows into shares of all rows."""
        counts, pages, _ = answer
        shares = np.zeros(len(page.columns))
        frequent = np.where(counts >= self._options.min_df, counts, 0)
        shares[_counted(page)] = np.minimum(frequent / max(pages, 1), 1.0)
        return shares

    def judge(self, page: Page, asked: Asked, answer: Estimates) -> Verdict:  # noqa: ARG002
        """Score each segment by the greatest share of the elements around it."""
        best = inherit(page.columns.parent, self._shares(page, answer))
        # A score of θ is template, but verdicts compare by "above": take the next smaller number.
        threshold = float(np.nextafter(np.float32(self._options.theta), np.float32(0)))
        scores = best[page.segments].astype(np.float32)
        return Verdict(scores, threshold, self._reasons(scores, threshold, answer))

    def _reasons(
        self, scores: npt.NDArray[np.float32], threshold: float, answer: Estimates
    ) -> Callable[[int], str]:
        """Return the function that explains the score of a segment."""
        _, pages, slack = answer

        def explain(segment: int) -> str:
            count = round(float(scores[segment]) * pages)
            if not count:
                told = f"no element around it is on {self._options.min_df} of {pages} pages of this site"
                return because("element", -1.0, told, pages=0, of=pages)
            about = f"{max(count - slack, 1)} to {count}" if slack else f"{count}"
            told = f"in an element that is on {about} of {pages} pages of this site"
            side = 1.0 if scores[segment] > threshold else -1.0
            return because("element", side, told, pages=count, of=pages)

        return explain

    def join(self, first: Self, second: Self) -> None:
        """Add up the counts of both."""
        self._nodes = first._nodes.merge(second._nodes)

    def dump(self) -> tuple[Mapping[str, object], Mapping[str, npt.NDArray[Any]]]:
        """Return the counts: 12 bytes a node."""
        pages, slack, keys, counts = self._nodes.dump()
        return {"pages": pages, "slack": slack}, {"keys": keys, "counts": counts}

    def load(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Fill the counts."""
        keys, counts = arrays["keys"], arrays["counts"]
        pages, slack = header["pages"], header["slack"]
        if not (isinstance(pages, int) and isinstance(slack, int)) or not 0 <= slack <= pages < 2**31:
            raise StateError("the state's pages are out of range")
        if len(keys) != len(counts):
            raise StateError("the state's nodes are inconsistent")
        if len(np.unique(keys)) != len(keys) or (
            len(counts) and not 1 <= int(counts.min()) <= int(counts.max()) <= pages
        ):
            raise StateError("the state's counts are out of range")
        self._nodes.load(pages, slack, keys, counts)


def _counted(page: Page) -> npt.NDArray[np.intp]:
    """Return the rows of the elements with visible text."""
    columns = page.columns
    return np.flatnonzero((columns.chars > 0) & (columns.kind == ELEMENT))
