"""Going over pages, piece by piece: learning them, cleaning them, or both in one pass; here or with workers.

A piece is learnt, and its pages' queries are taken by their sites in the input's order; it is cleaned, and
becomes a part of the output. Whatever the number of workers, the results are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeVar

from detemplate.run.pieces import Joining, cut, size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from detemplate.errors import PageError
    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.run.checkpoint import Checkpoint
    from detemplate.run.pagework import PageWork
    from detemplate.run.pieces import Piece
    from detemplate.sites.store import SiteStore

Item = TypeVar("Item")

Way = Literal["learn", "stream", "clean"]
"""What a pass does: it learns pages, learns and cleans each at once, or cleans them by what was learnt."""

KEPT: Final = 1 << 28
"""Bytes of memory for pages that are kept from the first pass to the second, in all processes together."""


class Passes(ABC):
    """Goes over items; each is given back, in order, with what became of it.

    A context manager: at its end, the workers end.

    Parameters
    ----------
    sites, work
        The detectors of all sites, and the work on a page.
    given
        Gives the record or page of an item; None for an item that is only given back, with None.
    ahead
        Whether items may be taken before those ahead of them are given back.
    keep
        Whether pages that are learnt are kept, as far as there is room, because they are cleaned next.

    Attributes
    ----------
    saves : Checkpoint or None
        Keeps what is done of each piece.
    lost
        Errors of pages that cost their worker while they were learnt, by piece and place. They are not tried
        again when pages are cleaned.
    """

    few: ClassVar[int] = 1
    """Pages of a piece where results must not wait for many pages to come."""

    def __init__(
        self,
        sites: SiteStore,
        work: PageWork[Any],
        given: Callable[[Any], Record | Page | None],
        *,
        ahead: bool = False,
        keep: bool = False,
    ) -> None:
        self._joining = Joining(sites, type(work.make()))
        self._keep = keep
        self._sites = sites
        self._work = work
        self._given = given
        self._ahead = ahead
        self.saves: Checkpoint | None = None
        self.lost: dict[tuple[int, int], PageError] = {}
        self._kept: dict[int, tuple[list[tuple[int, str, int]], Any]] = {}

    def learn(self, items: Iterable[Item]) -> Iterator[tuple[Item, PageError | None]]:
        """Learn the items' pages; give the error of a page that could not be learnt."""
        return self._each("learn", items)

    def stream(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Learn and clean each page as it arrives; give what the work makes of it, or its error."""
        return self._each("stream", items)

    def clean(self, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Clean the pages by what was learnt; give what the work makes of each, or its error."""
        return self._each("clean", items)

    def keep(self) -> None:
        """Keep all that was learnt in the checkpoint, if there is one."""
        if self.saves is not None:
            self.saves.between(self._sites, self.lost)

    def restore(self) -> bool:
        """Begin with all that an earlier process has learnt; tell whether it has learnt all."""
        if self.saves is None or self.saves.sites is None:
            return False
        self._sites.restore(self.saves.sites)
        self.lost = self.saves.lost()
        return True

    def _each(self, way: Way, items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        for piece, outcomes in self.go(way, self.cut(items)):
            yield from zip(piece.items, outcomes, strict=True)

    def cut(self, items: Iterable[Any]) -> Iterator[Piece]:
        """Cut items into pieces; into small ones, where none may be taken far ahead of results."""
        return cut(items, self._given, None if self._ahead else self.few)

    @abstractmethod
    def go(self, way: Way, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Iterable[Any]]]:
        """Do a pass over pieces; give each with the outcomes of its items.

        A piece that has a part keeps the outcomes that an earlier process had.
        """

    def close(self) -> None:
        """End the workers, and forget pages that were kept."""
        self._kept.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _again(self, way: Way, piece: Piece) -> list[Any]:
        """Return the outcomes of a piece that has a part; its sites have then learnt it."""
        if way != "clean":
            states, lost = piece.part.learnt()
            self._joining.add(states)
            if way == "learn":
                self.lost |= {(piece.number, place): error for place, error in lost.items()}
                return [lost.get(place) for place in range(len(piece.items))]
        outcomes: list[Any] = piece.part.outcomes()
        return outcomes

    def _remember(self, piece: Piece, kept: Any) -> None:  # noqa: ANN401  # pages, or who keeps them
        self._kept[piece.number] = _fingerprint(piece), kept

    def _remembered(self, piece: Piece) -> Any:  # noqa: ANN401
        """Return what was kept of a piece, and forget it; None for nothing, or if the piece is another."""
        same, kept = self._kept.pop(piece.number, (None, None))
        return kept if same is not None and same == _fingerprint(piece) else None

    def _pages(self, piece: Piece) -> tuple[list[tuple[int, Record | Page]], dict[int, Any]]:
        """Return a piece's pages with their places, without those that are lost, and the errors of these."""
        pages, number = piece.pages, piece.number
        lost = {place: self.lost[number, place] for place, _ in pages if (number, place) in self.lost}
        return [page for page in pages if page[0] not in lost], dict(lost)


def _fingerprint(piece: Piece) -> list[tuple[int, str, int]]:
    """Return what tells whether a piece is still the same in the second pass."""
    return [(place, str(given.url), size_of(given)) for place, given in piece.pages]
