"""Pieces of an input: worked on together, written together, skipped by a run that goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from detemplate.io.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from detemplate.page.page import Page

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
