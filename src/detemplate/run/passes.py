"""Going over pages, piece by piece: learning them, cleaning them, or both in one pass; here or with workers.

A piece is learned, and its pages' queries are taken by their sites in the input's order; it is cleaned, and
becomes a part of the output. Whatever the number of workers, the results are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partialmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeVar

from detemplate.errors import PageError, UserError
from detemplate.page.address import shortened
from detemplate.run.limits import failure
from detemplate.run.steps import TOGETHER, PageSteps, cut, question, size_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.run.checkpoint import Checkpoint
    from detemplate.run.pagework import PageWork
    from detemplate.run.steps import Begun, Piece
    from detemplate.sites.store import SiteStore

Item = TypeVar("Item")

Way = Literal["learn", "stream", "clean"]
"""What a pass does: it learns pages, learns and cleans each at once, or cleans them by what was learned."""

KEPT: Final = 1 << 28
"""Bytes of memory for pages that are kept from the first pass to the second, in all processes together."""


class Passes(ABC):
    """Goes over items; each is given back, in order, with what became of it.

    A context manager: at its end, the workers end.

    ``sites``, ``work``: the detectors of all sites, and the work on a page.
    ``given``: gives the record or page of an item; None for an item that is only given back, with None.
    ``ahead``: whether items may be taken before those ahead of them are given back.
    ``keep``: whether pages that are learned are kept, as far as there is room, because they are cleaned next.
    ``saves``: keeps what is done of each piece.
    ``lost``: errors of pages that cost their worker while they were learned, by piece and place. They are not
        tried again when pages are cleaned.
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
        self._keep = keep
        self._sites = sites
        self._work = work
        self._given = given
        self._ahead = ahead
        self.saves: Checkpoint | None = None
        self.lost: dict[tuple[int, int], PageError] = {}
        self._kept: dict[int, tuple[list[tuple[int, str, int]], Any]] = {}
        self._like: Any = None  # a query of the run

    def keep(self) -> None:
        """Keep all that was learned in the checkpoint, if there is one."""
        if self.saves is not None:
            self.saves.between(self._sites, self.lost)

    def restore(self) -> bool:
        """Begin with all that an earlier process has learned; tell whether it has learned all."""
        if self.saves is None or self.saves.sites is None:
            return False
        self._sites.restore(self.saves.sites)
        self.lost = self.saves.lost()
        return True

    def each(self, way: Way, items: Iterable[Item]) -> Iterator[tuple[Item, Any]]:
        """Do a pass over items; what an earlier process has done is in the checkpoint."""
        pieces = self.cut(items)
        if self.saves is not None:
            pieces = self.saves.mark(pieces, learning=way == "learn")
        for piece, outcomes in self.go(way, pieces):
            yield from zip(piece.items, outcomes, strict=True)

    learn = partialmethod(each, "learn")
    """Learn the items' pages; give the error of a page that could not be learned."""
    stream = partialmethod(each, "stream")
    """Learn and clean each page as it arrives; give what the work makes of it, or its error."""
    clean = partialmethod(each, "clean")
    """Clean the pages by what was learned; give what the work makes of each, or its error."""

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
        """Return the outcomes of a piece that has a part; its sites have then learned it."""
        if way != "clean":
            assert self.saves is not None
            self._like = self._like or self._work.question()
            self.saves.learn_again(piece, self._sites, self._like)
            if way == "learn":
                self.lost |= {(piece.number, place): error for place, error in piece.part.lost.items()}
        outcomes: list[Any] = piece.part.outcomes
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


class LocalRun(Passes):
    """Goes over pieces in this process.

    A page's ``seconds`` are checked between steps, and any exception then costs only its page. Without such a
    limit, exceptions other than PageError are raised. All other arguments are those of :class:`Passes`.
    """

    def __init__(self, *given: Any, seconds: float | None = None, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*given, **options)
        time = float("inf") if seconds is None else seconds
        self._steps = PageSteps(self._work, time, KEPT, together=TOGETHER if self._ahead else 1)
        self._guarded = seconds is not None

    def go(self, way: Way, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Iterable[Any]]]:
        """Do a pass over pieces; outcomes of pages that are cleaned are made as they are taken."""
        for piece in pieces:
            if piece.part is not None:
                yield piece, self._again(way, piece)
                continue
            yield piece, self._learn(piece) if way == "learn" else self._clean(piece, learn=way == "stream")

    def _learn(self, piece: Piece) -> list[PageError | None]:
        pages, _ = self._pages(piece)
        outcomes: list[Any] = [None] * len(piece.items)
        queries: dict[int, Any] = {}

        def take(begun: Begun) -> Any:  # noqa: ANN401  # what the last step has made
            asked = question(begun)
            self._sites.take(*asked)
            if self.saves is not None:
                queries[begun.place] = asked
            return begun.made

        for group in self._steps.learning(piece.number, pages, keep=self._keep):
            self._steps.each(group, take)
            for begun in group:
                outcomes[begun.place] = self._error(begun)
        if self._steps.keeps(piece.number):
            self._remember(piece, self)
        if self.saves is not None:
            self.saves.learned(piece, queries, {})
        return outcomes

    def _clean(self, piece: Piece, *, learn: bool) -> Iterator[Any]:
        pages, lost = self._pages(piece)
        kept = self._remembered(piece)
        queries: dict[int, Any] = {}
        answer = self._sites.take_and_answer if learn else self._sites.answer

        def answered(begun: Begun) -> Any:  # noqa: ANN401  # see a detector's
            asked = question(begun)
            found = answer(*asked)
            if learn and self.saves is not None:
                queries[begun.place] = asked
            return found

        def outcomes() -> Iterator[Any]:
            at = 0
            given = pages if kept is None else None
            for group in self._steps.cleaning(piece.number, given, learn=learn):
                self._steps.finish(group, answered)
                while group:
                    begun = group.pop(0)
                    made = self._error(begun) or begun.made
                    yield from (lost.get(place) for place in range(at, begun.place))
                    at = begun.place + 1
                    yield made
            yield from (lost.get(place) for place in range(at, len(piece.items)))

        if self.saves is None:
            yield from outcomes()
            return
        done = []
        for outcome in outcomes():
            done.append(outcome)
            yield outcome
        self.saves.cleaned(piece, done, queries)

    def _error(self, begun: Begun) -> PageError | None:
        """Return the error of a page; raise one that is not the page's."""
        made, url = begun.made, begun.given.url
        if not isinstance(made, Exception) or isinstance(made, PageError):
            return made if isinstance(made, PageError) else None
        if self._guarded and not isinstance(made, UserError):
            return failure(made, url)
        if not isinstance(made, UserError):
            made.add_note(f"raised by detemplate at the page {shortened(str(url))}")
        raise made


def _fingerprint(piece: Piece) -> list[tuple[int, str, int]]:
    """Return what tells whether a piece is still the same in the second pass."""
    return [(place, str(given.url), size_of(given)) for place, given in piece.pages]
