"""Page-level templateness, smoothed over the DOM tree (Chakrabarti, Kumar, Punera: WWW 2007).

A classifier that was trained without human labels says of each node of a page how much of a template it
looks (section 5.2); smoothing makes the scores monotone along the tree and cuts the page into few sections
(sections 4 and 5.3). It takes one page; of its site nothing needs to be known.
"""

from __future__ import annotations

import dataclasses
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from detemplate.algorithms.isotonic import FEWEST_VALUES, MOST_CELLS, isotonic_smooth
from detemplate.detectors.base import Detector, Options
from detemplate.detectors.pagelevel.model import model_of
from detemplate.detectors.pagelevel.tree import PENALTIES, merged, penalties, visible_tree
from detemplate.detectors.state import DAMAGE, StateError, pack, unpack
from detemplate.detectors.verdict import Verdict
from detemplate.errors import UserError
from detemplate.features.node import node_features
from detemplate.layout.layout import RENDERED, SMALL, estimated_layout
from detemplate.page.columns import TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.detectors.pagelevel.model import PageModel
    from detemplate.detectors.pagelevel.tree import VisibleTree
    from detemplate.layout.layout import Layout
    from detemplate.layout.store import LayoutStore
    from detemplate.page.page import Page

    Rows = npt.NDArray[np.int32]
    Reals = npt.NDArray[np.float64]

_VERSION: Final = 1
SMOOTH: Final = "smooth"
BASIC: Final = "basic"
MERGE: Final = "basic+merge"
_THRESHOLD: Final = 0.5
_TOLD: Final = 2
_SHOWN: Final = 40
_TAG: Final = re.compile(rb"<([^\s/>]+)")


@dataclasses.dataclass(frozen=True, slots=True)
class PageLevelOptions(Options):
    """Options of :class:`PageLevel`."""

    variant: str = dataclasses.field(
        default=SMOOTH,
        metadata={
            "help": "smooth; basic: the classifier's scores as they are; basic+merge: adjacent leaves with "
            "similar scores together"
        },
    )
    penalty: str = dataclasses.field(
        default="area",
        metadata={
            "help": "what a section costs: area (page's over node's), nodes (page's over subtree's), parent "
            "(area of the node around it over its own); products and sums: area*parent+nodes"
        },
    )
    factor: float = dataclasses.field(
        default=0.01, metadata={"help": "c: the penalty is multiplied with it; 0: sections are free"}
    )
    delta: float = dataclasses.field(
        default=0.1, metadata={"help": "basic+merge: adjacent leaves go together below this difference"}
    )
    min_area: float = dataclasses.field(
        default=float(SMALL),
        metadata={"help": "smaller nodes, in square pixels, count as copies of the node around them"},
    )
    max_values: int = dataclasses.field(
        default=256, metadata={"help": "scores that smoothing chooses from at most: bounds its cost"}
    )
    model: str = dataclasses.field(
        default="", metadata={"help": "file of 'detemplate train' (default: the model that comes along)"}
    )
    layout: str = dataclasses.field(
        default="",
        metadata={"help": "file of 'detemplate render' (default, and for pages not in it: an estimate)"},
    )

    def check(self) -> None:
        """Refuse values out of range."""
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


@dataclasses.dataclass(frozen=True, slots=True)
class _Reasons:
    """Explains the scores of a page's segments."""

    page: Page
    options: PageLevelOptions
    model: PageModel
    tree: VisibleTree
    table: npt.NDArray[np.float32]
    own: Reals
    scores: Reals
    sections: Rows
    spared: npt.NDArray[np.bool_]

    def __call__(self, segment: int) -> str:
        tree, own, page = self.tree, self.own, self.page
        leaf = int(tree.near[page.segments[segment]])
        if leaf < 0:
            return f"nothing around it takes {self.options.min_area:g} square pixels: it is not judged"
        terms = self.model.terms(self.table[[leaf]], tree.area[[leaf]])[0]
        order = np.argsort(terms if own[leaf] <= 0.5 else -terms, kind="stable")[:_TOLD]
        telling = " and ".join(self.model.names[number].replace("_", " ") for number in order)
        told = f"{_named(page, int(tree.rows[leaf]))} by itself looks {own[leaf]:.2f}, most for its {telling}"
        if self.options.variant != BASIC:
            where = "section that begins with" if self.options.variant == MERGE else "section of"
            section = _named(page, int(self.sections[segment]))
            told = f"{self.scores[segment]:.2f} for the {where} {section}; {told}"
        return f"the least template of a page that all looks so: {told}" if self.spared[segment] else told


class PageLevel(Detector):
    """Nodes that look like template to a classifier, smoothed over the page.

    Parameters
    ----------
    options
        See :class:`PageLevelOptions`.

    Notes
    -----
    Nodes (elements and texts) below ``min_area`` are hidden: neither classified nor smoothed. A visible
    node counts as k + 1 nodes of its score, k being the hidden nodes that have a box and no other visible
    node between themselves and it. (Nodes without a box show nothing: scripts, the head, ``display:
    none``.) Visible nodes are linked past hidden ones; one without a visible ancestor is a root.

    A segment has the score of the lowest visible node around it: smoothed, it is never lower than that of
    any node further up. Where no visible node is around a segment, as on a page that hides everything,
    nothing is known and the score is 0: it is kept. Where all segments of a page score above 0.5, those
    with the least score are set to 0.5 and kept: a template frames something. Each verdict says which
    section a segment is in.

    Learning counts pages and nothing else. Time and memory are linear in the page's nodes: smoothing
    chooses from ``max_values`` scores, which takes so many bytes a visible node, 50 MB at most on pages
    of less than 780,000 of them. Where a page has more different scores than that, the choice is from
    their quantiles, see :func:`~detemplate.algorithms.isotonic.isotonic_smooth`.
    """

    name: ClassVar[str] = "pagelevel"
    paper: ClassVar[str] = (
        "Chakrabarti, Kumar, Punera: Page-level Template Detection via Isotonic Smoothing (WWW 2007)"
    )
    summary: ClassVar[str] = (
        "nodes that look like template to a self-trained classifier, smoothed over one page's tree"
    )
    needs: ClassVar[str] = "nothing"
    options_class: ClassVar[type[Options]] = PageLevelOptions

    def __init__(self, options: PageLevelOptions | None = None) -> None:
        self._options = options or PageLevelOptions()
        self._pages = 0

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> PageLevelOptions:  # noqa: ARG003
        """Complete the options; they are the same for one pass and two. The files must be there."""
        options = PageLevelOptions(**given)
        model = model_of(options.model)
        if options.layout:
            _store_of(options.layout)
        elif model.layout == RENDERED:
            raise UserError(
                f"the model {options.model} was trained with rendered layouts: give --set layout=FILE too "
                "(make it with detemplate render)"
            )
        return options

    @property
    def pages(self) -> int:
        """Pages learnt so far."""
        return self._pages

    @property
    def nbytes(self) -> int:
        """Memory that the state holds, in bytes: next to nothing."""
        return 64

    def learn(self, page: Page) -> None:  # noqa: ARG002
        """Count a page."""
        self._pages += 1

    def score(self, page: Page) -> Verdict:
        """Give each segment the score of the lowest visible node around it."""
        options, model = self._options, model_of(self._options.model)
        layout = self._layout(page)
        tree = visible_tree(page, layout, options.min_area)
        table = node_features(page, layout)[tree.rows]
        own = model.scores(table, tree.area)
        leaves = tree.near[page.segments]
        if options.variant == MERGE:
            scores, firsts = merged(leaves, _of(leaves, own, 0.0), options.delta)
            sections = np.where(leaves >= 0, page.segments[firsts], -1)
        else:
            starts = np.arange(len(own), dtype=np.int32)
            smoothed = own
            if options.variant == SMOOTH:
                smoothed, starts = isotonic_smooth(
                    tree.parent,
                    own,
                    options.factor * penalties(options.penalty, page, layout, tree),
                    tree.hidden + 1,
                    max_values=min(options.max_values, max(MOST_CELLS // max(len(own), 1), FEWEST_VALUES)),
                )
            scores, sections = _of(leaves, smoothed, 0.0), _of(leaves, tree.rows[starts], -1)
        shown, rescued = spared(scores.astype(np.float32))
        sections = sections.astype(np.int32)
        explain = _Reasons(page, options, model, tree, table, own, scores, sections, rescued)
        return Verdict(shown, explain=explain, sections=sections)

    def _layout(self, page: Page) -> Layout:
        found = _store_of(self._options.layout).layout(page) if self._options.layout else None
        return estimated_layout(page) if found is None else found

    def merge(self, other: Self) -> Self:
        """Add the pages up."""
        if self._options != other._options:
            raise ValueError("detectors with different options cannot be merged")
        joined = type(self)(self._options)
        joined._pages = self._pages + other._pages
        return joined

    def to_bytes(self) -> bytes:
        """Give the options and the number of pages. The model stays where it is."""
        header = {"options": dataclasses.asdict(self._options), "pages": self._pages}
        return pack(self.name, _VERSION, header, {})

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore what :meth:`to_bytes` gave."""
        header, _ = unpack(data, cls.name, _VERSION, {})
        try:
            restored = cls(cls.options(header["options"], streaming=True))
            pages = header["pages"]
            if not isinstance(pages, int) or not 0 <= pages < 2**63:
                raise StateError("the state's pages are out of range")
            restored._pages = pages
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return restored


def _of(
    numbers: npt.NDArray[np.integer[Any]], values: npt.NDArray[Any], otherwise: float
) -> npt.NDArray[Any]:
    """Give the values with these numbers; for -1, something else."""
    found: npt.NDArray[Any] = np.append(values, np.array([otherwise], values.dtype))[numbers]
    return found


def spared(
    scores: npt.NDArray[np.float32],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """Keep the least template of a page that would be template as a whole: a template frames something."""
    least = scores == scores.min(initial=np.inf)
    if not len(scores) or scores.min() <= _THRESHOLD:
        least[:] = False
    return np.where(least, np.float32(_THRESHOLD), scores), least


def _named(page: Page, row: int) -> str:
    """Name a node as a person would find it."""
    columns = page.columns
    if columns.kind[row] == TEXT:
        text = page.text_of(row)
        return f"“{text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}”"
    tag = _TAG.match(page.canonical, int(columns.start[row]))
    return f"<{tag[1].decode('utf-8', 'replace')}>" if tag else "a node"


def _store_of(path: str) -> LayoutStore:
    """Open a file of layouts; one that has not changed is opened once."""
    try:
        told = Path(path).stat()
        return _opened(path, told.st_mtime_ns, told.st_size)
    except OSError:
        return _opened(path)


@lru_cache(maxsize=2)
def _opened(path: str, *_stamp: int) -> LayoutStore:
    from detemplate.layout.store import LayoutStore

    return LayoutStore.open(path)
