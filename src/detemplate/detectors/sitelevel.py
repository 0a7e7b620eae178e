"""SITELEVEL(θ): DOM nodes that recur on a share of a site's pages (Chakrabarti, Kumar, Punera: WWW 2007).

Section 3 of the paper: hash every DOM node of every page of a site. A node on at least a share θ of the
pages is template.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.base import Asked, Options, TableDetector, TableOptions, option
from detemplate.detectors.causes import because
from detemplate.detectors.verdict import Verdict
from detemplate.page.columns import ELEMENT
from detemplate.page.subtrees import STRENGTHS, inherit, subtree_hashes

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.detectors.base import Frequencies
    from detemplate.page.page import Page


@dataclasses.dataclass(frozen=True, slots=True)
class SiteLevelOptions(TableOptions):
    """Options of :class:`SiteLevel`."""

    theta: float = option(0.1, "θ: a node on at least this share of the site's pages is template")
    equality: str = option(
        "text",
        "when subtrees are equal: exact (markup), text (tags and text) or normal (as text, with "
        "numbers and dates made alike)",
    )
    min_df: int = option(2, "a node on fewer pages is never template")
    max_nodes: int = option(4_000_000, "most nodes to remember per site; the rarest go first")

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(0 < self.theta <= 1, "theta", "above 0 and at most 1")
        self.require(self.equality in STRENGTHS, "equality", " or ".join(map(repr, STRENGTHS)))
        self.require(self.min_df >= 1, "min_df", "at least 1")
        self.require(1 <= self.max_nodes <= MOST_ENTRIES, "max_nodes", "at least 1 and below 2**31")

    @property
    def most(self) -> int:
        """Maximum number of nodes in the table."""
        return self.max_nodes


class SiteLevel(TableDetector):
    """DOM nodes that recur on a share of the site's pages.

    Notes
    -----
    A node is an element. Its score is the share of the site's pages that hold an equal subtree. A segment's
    score is the greatest score of the elements around it. Elements without visible text hold no segment and
    are not counted.

    A node counts once a page. Counts of up to ``max_nodes`` different nodes (36 bytes each) are exact.
    Beyond that the rarest are forgotten; of these, the one unseen for longest first.

    The paper samples up to 200 pages of a site; this class counts all pages.
    """

    name: ClassVar[str] = "sitelevel"
    paper: ClassVar[str] = (
        "Chakrabarti, Kumar, Punera: Page-level Template Detection via Isotonic Smoothing (WWW 2007)"
    )
    summary: ClassVar[str] = "DOM nodes whose whole subtree recurs on a share of the site's pages"
    options_class: ClassVar[type[Options]] = SiteLevelOptions

    version: ClassVar[int] = 2

    _options: SiteLevelOptions

    def ask(self, page: Page) -> Asked:
        """Ask for the subtrees of the elements with visible text."""
        return Asked(subtree_hashes(page, self._options.equality)[_counted(page)])

    def _shares(self, page: Page, answer: Frequencies) -> npt.NDArray[np.float64]:
        """Turn the frequencies of the counted rows into shares of all rows."""
        counts, pages = answer
        shares = np.zeros(len(page.columns))
        frequent = np.where(counts >= self._options.min_df, counts, 0)
        shares[_counted(page)] = np.minimum(frequent / max(pages, 1), 1.0)
        return shares

    def judge(self, page: Page, asked: Asked, answer: Frequencies) -> Verdict:  # noqa: ARG002
        """Score each segment by the greatest share of the elements around it."""
        best = inherit(page.columns.parent, self._shares(page, answer))
        # A score of θ is template, but verdicts compare by "above": take the next smaller number.
        threshold = float(np.nextafter(np.float32(self._options.theta), np.float32(0)))
        scores = best[page.segments].astype(np.float32)
        _, pages = answer

        def explain(segment: int) -> str:
            count = round(float(scores[segment]) * pages)
            if not count:
                told = f"no element around it is on {self._options.min_df} of {pages} pages of this site"
                return because("element", -1.0, told, pages=0, of=pages)
            told = f"in an element that is on {count} of {pages} pages of this site"
            side = 1.0 if scores[segment] > threshold else -1.0
            return because("element", side, told, pages=count, of=pages)

        return Verdict(scores, threshold, explain)


def _counted(page: Page) -> npt.NDArray[np.intp]:
    """Return the rows of the elements with visible text."""
    columns = page.columns
    return np.flatnonzero((columns.chars > 0) & (columns.kind == ELEMENT))
