"""Pieces of an input: worked on together, written together, skipped by a run that goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from detemplate.io.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from detemplate.detectors.base import Learner
    from detemplate.page.page import Page
    from detemplate.sites.store import SiteStore

PAGES: Final = 64
"""Pages of a piece at most. A run that is killed repeats one piece a worker."""

SIZE: Final = 4 << 20
"""Length of their markup, in bytes or characters, from which no further page is taken."""

_TOGETHER: Final = 64  # pieces that are joined before their sites get them: each merge copies a large site
_ITEMS: Final = 1024  # items of a piece at most, if few of them are pages


@dataclass(slots=True)
class Piece:
    """Some items of an input that follow each other.

    Attributes
    ----------
    number, items
        Its number, from 0, and the items.
    given
        The record or page of each item; None for an item of which no page is made.
    part
        What an earlier process has made of it (:class:`~detemplate.run.parts.Part`); None: nothing.
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

    Parameters
    ----------
    items
        The items. An error that they raise is raised after the piece before it.
    given
        Gives the record or page of an item.
    pages
        Pages of a piece at most; None: :data:`PAGES`.
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


class PieceStates:
    """The sites of one piece; ``make`` makes a detector that has learnt nothing."""

    def __init__(self, make: Callable[[], Learner]) -> None:
        self._make = make
        self._sites: dict[str, Learner] = {}

    def take(self, site: str, query: Any) -> None:  # noqa: ANN401  # see a detector's
        """Let a site learn the page that asks."""
        if site not in self._sites:
            self._sites[site] = self._make()
        self._sites[site].take(query)

    def states(self) -> dict[str, bytes]:
        """Return the states by site."""
        return {site: detector.to_bytes() for site, detector in self._sites.items()}


class Joining:
    """Joins the states of pieces, in their order, with what sites have learnt; ``kind`` is their class."""

    def __init__(self, sites: SiteStore, kind: type[Learner]) -> None:
        self._sites = sites
        self._kind = kind
        self._waiting: dict[str, Learner] = {}
        self._pieces = 0

    def add(self, states: Mapping[str, bytes]) -> None:
        """Take the states of the next piece; raises :class:`~detemplate.detectors.state.StateError`."""
        for site, state in states.items():
            later = self._kind.from_bytes(state)
            before = self._waiting.get(site)
            self._waiting[site] = later if before is None else before.merge(later)
        self._pieces += 1
        if self._pieces == _TOGETHER:
            self.flush()

    def flush(self) -> None:
        """Let the sites have learnt all that was added."""
        for site, detector in self._waiting.items():
            self._sites.absorb(site, detector)
        self._waiting, self._pieces = {}, 0
