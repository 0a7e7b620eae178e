"""Pieces of an input, and the steps of the work on their pages, the same in one process and in workers.

A page is parsed and asks; it is learned, or its site answers; it is judged and rendered. Each step is done on
several pages before the next: the processor has its code at hand then, and takes up to a sixth less time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from detemplate.io.record import Record
from detemplate.run.limits import Clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from detemplate.detectors.base import Asked
    from detemplate.output.result import Result
    from detemplate.page.page import Page
    from detemplate.run.pagework import PageWork

    Pages = Sequence[tuple[int, Record | Page]]


PAGES: Final = 64
"""Pages of a piece at most. A run that is killed repeats one piece a worker."""

SIZE: Final = 4 << 20
"""Length of their markup, in bytes or characters, from which no further page is taken."""

_ITEMS: Final = 1024  # items of a piece at most, if few of them are pages


@dataclass(slots=True)
class Piece:
    """Some items of an input that follow each other.

    ``number``, ``items``: its number, from 0, and the items.
    ``given``: the record or page of each item; None for an item of which no page is made.
    ``part``: what an earlier process has made of it (``Part`` of a checkpoint); None: nothing.
    """

    number: int
    items: list[Any]
    given: list[Record | Page | None]
    part: Any = None

    @property
    def pages(self) -> list[tuple[int, Record | Page]]:
        """The places of the pages among the items, and the pages."""
        return [(place, given) for place, given in enumerate(self.given) if given is not None]


def size_of(given: Record | Page | None) -> int:
    """Return the length of a page's markup."""
    if given is None:
        return 0
    return given.size if isinstance(given, Record) else len(given.canonical)


def cut(
    items: Iterable[Any], given: Callable[[Any], Record | Page | None], pages: int | None = None
) -> Iterator[Piece]:
    """Cut an input into pieces. They depend on the input alone, and not on who works on them.

    ``items``: the items. An error that they raise is raised after the piece before it.
    ``given``: gives the record or page of an item.
    ``pages``: pages of a piece at most; None: :data:`PAGES`.
    """
    most = PAGES if pages is None else pages
    piece = Piece(0, [], [])
    count = size = 0
    try:
        for item in items:
            found = given(item)
            piece.items.append(item)
            piece.given.append(found)
            count += found is not None
            size += size_of(found)
            if count >= most or size >= SIZE or len(piece.items) >= (_ITEMS if most > 1 else 1):
                whole, piece = piece, Piece(piece.number + 1, [], [])
                count = size = 0
                yield whole
    except Exception:
        if piece.items:
            yield piece
        raise
    if piece.items:
        yield piece


TOGETHER: Final = 8
"""Pages that are worked on together at most."""

_SIZE: Final = 1 << 20  # length of their markup from which no further page is taken

# Bytes of memory that a page with its parsed document and its features takes: at all, for each byte of its
# markup, and for each node; before it is parsed, all for each byte.
_COST: Final = 28_000
_BYTE_COST: Final = 8
_NODE_COST: Final = 350
_UNPARSED_COST: Final = 20


@dataclass(slots=True)
class Begun:
    """A page after some of its steps.

    ``place``, ``given``: its place in its piece, and the record or page.
    ``made``, ``seconds``: what the last step has made, or the error with which it ended; time that all steps
        took.
    """

    place: int
    given: Record | Page
    made: Any
    seconds: float = 0.0

    @property
    def cost(self) -> int:
        """Bytes of memory that it takes once it has asked, about."""
        if not isinstance(self.made, tuple):
            return _COST + _UNPARSED_COST * size_of(self.given)
        return _COST + _BYTE_COST * size_of(self.given) + _NODE_COST * len(self.made[0].columns)


def groups(pages: Iterable[tuple[int, Record | Page]], most: int = TOGETHER) -> Iterator[list[Begun]]:
    """Begin pages, as many at a time as are worked on together."""
    some: list[Begun] = []
    size = 0
    for place, given in pages:
        some.append(Begun(place, given, given))
        size += size_of(given)
        if len(some) >= most or size >= _SIZE:
            yield some
            some, size = [], 0
    if some:
        yield some


def question(begun: Begun) -> tuple[str, Any]:
    """Return the site of a page that has asked, and the query."""
    page, asked = begun.made
    return page.site, asked.query


class PageSteps:
    """The steps that need no other page.

    ``seconds`` is the time that a page may take, checked after each step; ``watch`` is called with each page
    before each of its steps. Pages that are learned are kept for cleaning in so many bytes of memory
    (``room``).
    """

    def __init__(
        self,
        work: PageWork[Any],
        seconds: float,
        room: int,
        *,
        together: int = TOGETHER,
        watch: Callable[[Begun], object] | None = None,
    ) -> None:
        self._work = work
        self._blank = work.make()
        self._clock = Clock(seconds)
        self._room = room
        self._together = together
        self._watch = watch
        self._kept: dict[int, list[Begun]] = {}

    def learning(self, number: int, pages: Pages, *, keep: bool) -> Iterator[list[Begun]]:
        """Give the pages of a piece that have asked; keep them, if that is wanted and there is room."""
        keep = keep and sum(Begun(*page, None).cost for page in pages) <= self._room
        kept: list[Begun] = []
        for group in groups(pages, self._together):
            self.ask(group, learn=True, render=keep)
            yield group
            kept += group if keep else []
        if keep:
            self._room -= sum(page.cost for page in kept)
            self._kept[number] = kept

    def keeps(self, number: int) -> bool:
        """Tell whether the pages of a piece are kept."""
        return number in self._kept

    def cleaning(self, number: int, pages: Pages | None, *, learn: bool) -> Iterator[list[Begun]]:
        """Give the pages of a piece that have asked, to be cleaned; None: those that were kept until now."""
        kept = self._kept.pop(number, [])
        self._room += sum(page.cost for page in kept)
        if pages is not None:
            kept.clear()
            for group in groups(pages, self._together):
                self.ask(group, learn=learn, render=True)
                yield group
        while kept:
            some, kept[:TOGETHER] = kept[:TOGETHER], []
            yield some

    def ask(self, pages: list[Begun], *, learn: bool, render: bool) -> None:
        """Parse pages, and do what depends on them alone; makes of each the page and what it asks.

        ``learn`` and ``render`` say whether they are going to be learned, and to be rendered.
        """
        asked = self._blank.ask if learn else self._blank.ask_only

        def parse(begun: Begun) -> Page:
            page = self._work.page(begun.made, keep_document=render)
            self._clock.check()
            return page

        def ask(begun: Begun) -> tuple[Page, Asked]:
            found = asked(begun.made)
            self._clock.check()
            return begun.made, found

        self.each(pages, parse, ask)

    def finish(self, pages: list[Begun], answer: Callable[[Begun], Any]) -> None:
        """Judge and render pages that have asked, by their answers."""

        def answered(begun: Begun) -> tuple[Page, Asked, Any]:
            return (*begun.made, answer(begun))

        def judge(begun: Begun) -> Result:
            page, asked, told = begun.made
            return self._work.result(page, self._blank.judge(page, asked, told))

        def read(begun: Begun) -> Result:
            return self._work.read(begun.made)

        def render(begun: Begun) -> Any:  # noqa: ANN401  # what the run writes
            return self._work.done(begun.made, self._clock)

        self.each(pages, answered, judge, read, render)

    def each(self, pages: list[Begun], *steps: Callable[[Begun], Any]) -> None:
        """Do steps on all pages; none on a page behind its error."""
        clock = self._clock
        for step in steps:
            for page in pages:
                if isinstance(page.made, Exception):
                    continue
                if self._watch is not None:
                    self._watch(page)
                clock.start(page.seconds)
                try:
                    page.made = step(page)
                except Exception as error:  # noqa: BLE001  # it is told when the page's turn comes
                    page.made = error
                page.seconds = clock.seconds
