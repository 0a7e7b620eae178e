"""What a page asks its site, as rows that Spark counts; and the answer, assembled of the rows that came back.

A detector splits its work in two parts that need no state (``ask``, ``judge``), and one that is the state's
(``take``, ``answer``). On one machine the state is a table in memory. Here it is rows: each method says which
keys a page counts, and how the answer follows from the counts. A key that no other page asks for never comes
back: the page knows its count by itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from detemplate.algorithms.lifetime import lifetimes
from detemplate.detectors.auto.options import AutoOptions
from detemplate.detectors.auto.sharetable import SIGNATURES
from detemplate.detectors.auto.sitepages import answered
from detemplate.detectors.auto.siteslots import SLOT_TYPES, SiteSlots
from detemplate.detectors.pagelets.options import PageletsOptions
from detemplate.detectors.registry import detector_class, options_of
from detemplate.detectors.segments import SegmentsOptions
from detemplate.errors import UserError
from detemplate.spark.questions import PageRow

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.detectors.auto.exchange import Answer, Query
    from detemplate.detectors.auto.siteslots import PageSlots
    from detemplate.detectors.base import Options
    from detemplate.detectors.pagelets.detector import PageEntries
    from detemplate.spark.questions import Found, Numbers

    Keys = npt.NDArray[np.uint64]

FOREVER: Final = (-1,)
"""Lifetimes of keys that are never forgotten."""


class Form(ABC):
    """How a method's questions become rows, and rows its answers.

    Parameters
    ----------
    options
        The method's options.

    Attributes
    ----------
    bounds
        Options that bound the memory of one machine. Nothing is bounded here, so they must not be set.
    lives
        Lifetimes of a key on 1, 2, … pages since it last occurred, in counted pages; -1: for ever.
    grouped
        Whether pages of one group count once.
    repeats
        Whether the method looks for copies and for what is new.
    """

    bounds: ClassVar[tuple[str, ...]] = ()
    lives: tuple[int, ...] = FOREVER
    grouped: ClassVar[bool] = False
    repeats: ClassVar[bool] = False

    def __init__(self, options: Options) -> None:
        self.options = options

    @abstractmethod
    def row(self, query: Any) -> PageRow | None:  # noqa: ANN401  # each method has its own
        """Return what a page asks; None for a page that its site does not learn."""

    @abstractmethod
    def answer(self, query: Any, found: Found) -> Any:  # noqa: ANN401
        """Return what the detector's ``answer`` returns on one machine, after all pages were learnt."""


class SegmentsForm(Form):
    """Method ``segments``: document frequencies, forgotten after a lifetime."""

    bounds = ("max_segments",)

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        assert isinstance(options, SegmentsOptions)
        self.lives = tuple(options.lifetimes().tolist())

    def row(self, query: Keys) -> PageRow:
        """Count the page's segments."""
        return PageRow(np.unique(query))

    def answer(self, query: Keys, found: Found) -> tuple[npt.NDArray[np.int32], int]:
        """Give the document frequencies; a segment of this page alone may have been forgotten."""
        known = self.lives[0] < 0 or found.pages - found.place < self.lives[0]
        return found.of(query, int(known)).astype(np.int32), found.pages


class SiteLevelForm(Form):
    """Method ``sitelevel``: exact numbers of pages with each node."""

    bounds = ("max_nodes",)

    def row(self, query: Keys) -> PageRow:
        """Count the page's nodes."""
        return PageRow(np.unique(query))

    def answer(self, query: Keys, found: Found) -> tuple[npt.NDArray[np.int32], int, int]:
        """Give the numbers, of which none is too high."""
        return found.of(query, 1).astype(np.int32), found.pages, 0


class PageletsForm(Form):
    """Method ``pagelets``, local algorithm: pages with equal shingles count once."""

    bounds = ("max_pagelets",)
    grouped = True

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        assert isinstance(options, PageletsOptions)
        if options.algorithm != "local":
            raise UserError(
                "method pagelets with algorithm=global follows links, which cleaning on Spark does not: "
                "find the templates with 'detemplate spark templates --states FILE', and clean with "
                "--set templates=FILE"
            )

    def row(self, query: PageEntries) -> PageRow:
        """Count the page's shingles; its own shingle is its group."""
        return PageRow(query.shingles, group=query.key)

    def answer(self, query: PageEntries, found: Found) -> tuple[Numbers, int]:
        """Give the number of pages that share each shingle."""
        return found.of(query.shingles, 1), found.pages


class AutoForm(Form):
    """Method ``auto``: keys of six kinds, signatures of copies, and sums of slots."""

    bounds = ("max_keys",)
    repeats = True

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        assert isinstance(options, AutoOptions)
        self.lives = tuple(lifetimes(options.lifetime, options.growth).tolist())

    def row(self, query: Query | None) -> PageRow | None:
        """Count all keys but those of new slots, which count where a segment in them is new."""
        if query is None:
            return None
        keys = query.keys
        slots = len(keys.votes)
        fixed, votes, fresh = np.split(keys.keys, [len(keys.keys) - 2 * slots, len(keys.keys) - slots])
        counted = np.unique(np.concatenate([fixed, votes[keys.votes], keys.signatures]))
        pairs = np.unique(np.stack([keys.segments, fresh[keys.slot]], axis=1), axis=0)
        return PageRow(
            counted,
            np.setdiff1d(np.concatenate([votes[~keys.votes], fresh]), counted),
            np.ascontiguousarray(pairs[:, 0]),
            np.ascontiguousarray(pairs[:, 1]),
            keys.signatures,
            query.slots.tree.keys,
            query.slots.sums.reshape(-1),
            query.slots.prose,
            int(query.slots.long),
        )

    def answer(self, query: Query | None, found: Found) -> Answer | None:
        """Join the counts of keys and the sums of slots.

        A key of this page alone counts 0: the page does not count for itself.
        """
        if query is None:
            return None
        keys, life = query.keys, self.lives[0]
        counts = found.of(keys.own, 0)
        if found.place and (life < 0 or found.counted - found.place < life):
            counts[-SIGNATURES:] = found.of(keys.signatures, 1)
        return answered(
            query, keys.split(counts.astype(np.int32)), found.counted, _site_slots(query.slots, found)
        )


def _site_slots(page: PageSlots, found: Found) -> SiteSlots:
    """Return what a site has in the slots of a page: for those of no other page, the page's own sums."""
    new = ~np.isin(page.tree.keys, found.slots)
    keys = np.concatenate([found.slots, page.tree.keys[new]])
    order = np.argsort(keys)
    sums = np.concatenate([found.sums, page.sums[new]])[order]
    columns = dict(zip(SLOT_TYPES, (keys[order], np.ones(len(keys), np.int64), *sums.T), strict=True))
    slots = SiteSlots(max(len(keys), 1))
    slots.load(found.pages, found.prose, found.long, columns)
    return slots


FORMS: Final[dict[str, type[Form]]] = {
    "auto": AutoForm,
    "segments": SegmentsForm,
    "sitelevel": SiteLevelForm,
    "pagelets": PageletsForm,
}
"""The methods that run on Spark, by name."""

_WHY_NOT: Final = {
    "sandwich": "it compares a page with few others, which its site keeps whole",
    "styletree": "its tree grows with the pages, one after another",
    "shingles": "it compares all pages of a site with each other",
    "pagelevel": "it judges pages by themselves: 'detemplate clean' does so on each machine",
    "expressions": "it mines the pages of a site together, in one suffix array",
}
"""Why a method does not run on Spark."""


def form_of(method: str, given: Mapping[str, Any]) -> Form:
    """Return how a method runs on Spark.

    Parameters
    ----------
    method
        The method's name.
    given
        Values of options by name.

    Raises
    ------
    UserError
        The method is unknown or does not run on Spark, or an option is wrong or bounds one machine's memory.
    """
    detector_class(method)
    if method not in FORMS:
        raise UserError(
            f"method {method} does not run on Spark ({_WHY_NOT.get(method, 'it has no rows to count')}); "
            f"choose from {', '.join(FORMS)}"
        )
    form = FORMS[method]
    for name in form.bounds:
        if name in given:
            raise UserError(
                f"option {name} bounds the memory of one machine; on Spark all is counted: leave it out"
            )
    return form(options_of(method, given, streaming=False))
