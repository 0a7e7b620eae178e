"""The sandwich algorithm (Rowlands, Thomas, Wan: Australasian Document Computing Symposium 2009).

The lines that a document shares with a peer, another document of its directory, in their longest
common subsequence are template; the rest is kept. No peer: nothing is removed.
"""

from __future__ import annotations

import dataclasses
import re
from bisect import insort
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, TypeVar

import numpy as np
import xxhash
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from detemplate.algorithms.lcs import common
from detemplate.detectors.base import Detector, Options
from detemplate.detectors.state import DAMAGE, StateError, pack, unpack
from detemplate.detectors.verdict import Verdict
from detemplate.page.address import directory, file_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    import numpy.typing as npt

    from detemplate.page.page import Page

T = TypeVar("T", bound="Hashable")

_VERSION: Final = 1
_TOKEN: Final = re.compile(rb"<!--.*?-->|<[^>]*>|[^<]+", re.DOTALL)
_SPACE: Final = np.zeros(256, np.bool_)
_SPACE[[9, 10, 12, 13, 32]] = True


class _Peer(NamedTuple):
    """A page that was learnt: its file name, its URL, the hashes of its lines or tokens."""

    name: str
    url: str
    units: npt.NDArray[np.uint64]


@dataclasses.dataclass(frozen=True, slots=True)
class SandwichOptions(Options):
    """Options of :class:`Sandwich`."""

    peer: str = dataclasses.field(
        default="last",
        metadata={
            "help": "the page to compare with: the last one seen in its directory, or the nearest by name"
        },
    )
    unit: str = dataclasses.field(
        default="line",
        metadata={"help": "what is compared: each line, or each token of the markup (tag or text)"},
    )
    max_units: int = dataclasses.field(
        default=8_000_000,
        metadata={"help": "lines or tokens to remember a site at most; directories longest unused go first"},
    )
    max_directories: int = dataclasses.field(
        default=10_000, metadata={"help": "directories to remember a site at most"}
    )

    def check(self) -> None:
        """Refuse values out of range."""
        self.require(self.peer in ("last", "nearest"), "peer", "'last' or 'nearest'")
        self.require(self.unit in ("line", "token"), "unit", "'line' or 'token'")
        self.require(self.max_units >= 1, "max_units", "at least 1")
        self.require(self.max_directories >= 1, "max_directories", "at least 1")


class Sandwich(Detector):
    """Lines that a page shares, in order, with another page of its directory.

    Parameters
    ----------
    options
        See :class:`SandwichOptions`. ``peer="nearest"`` is the paper's choice for a crawl at hand
        (the page of the same directory whose file name has the smallest edit distance, the
        lexicographically first of these); ``peer="last"`` is its choice for a running crawl.

    Notes
    -----
    Lines are those of the page's canonical serialisation, so that they can be mapped to segments: a
    segment's score is the share of its characters (white space left out) in common lines. The peer
    must be another page: one with the same URL is passed over, so a page may be scored after it was
    learnt. A page with the same URL replaces the one before it. Beyond ``max_units`` or
    ``max_directories``, the directory that was not used for the longest time is forgotten; within the
    only directory, the page learnt first.
    """

    name: ClassVar[str] = "sandwich"
    paper: ClassVar[str] = "Rowlands, Thomas, Wan: Web Indexing on a Diet (ADCS 2009)"
    summary: ClassVar[str] = "lines shared, in order, with one other page of the same directory"
    ordered: ClassVar[bool] = True
    options_class: ClassVar[type[Options]] = SandwichOptions

    def __init__(self, options: SandwichOptions | None = None) -> None:
        self._options = options or SandwichOptions()
        self._directories: OrderedDict[str, list[_Peer]] = OrderedDict()
        self._names: dict[str, list[tuple[str, str]]] = {}
        self._pages = 0
        self._units = 0
        self._peers = 0

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> SandwichOptions:
        """One pass compares with the last page of the directory, two passes with the nearest by name."""
        return SandwichOptions(**{"peer": "last" if streaming else "nearest", **given})

    @property
    def pages(self) -> int:
        """Pages learnt so far."""
        return self._pages

    @property
    def nbytes(self) -> int:
        """Memory that the peers hold, in bytes, about."""
        return 8 * self._units + 400 * self._peers

    def learn(self, page: Page) -> None:
        """Remember a page as a possible peer."""
        self._pages += 1
        units, _ = self._split(page)
        self._add(directory(page.url), _Peer(file_name(page.url), page.url, units))
        self._trim()

    def _add(self, place: str, peer: _Peer) -> None:
        peers = self._directories.setdefault(place, [])
        self._directories.move_to_end(place)
        for old in [old for old in peers if old.url == peer.url]:
            self._remove(place, peers, old)
        peers.append(peer)
        self._peers += 1
        self._units += len(peer.units)
        if self._options.peer == "nearest":
            insort(self._names.setdefault(place, []), (peer.name, peer.url))
        elif len(peers) > 2:  # the last page, and the one before it: the last page's own peer
            self._remove(place, peers, peers[0])

    def _remove(self, place: str, peers: list[_Peer], peer: _Peer) -> None:
        peers[:] = [other for other in peers if other is not peer]
        self._peers -= 1
        self._units -= len(peer.units)
        if place in self._names:
            self._names[place].remove((peer.name, peer.url))

    def _trim(self) -> None:
        options = self._options
        while len(self._directories) > 1 and (
            self._units > options.max_units or len(self._directories) > options.max_directories
        ):
            place, peers = self._directories.popitem(last=False)
            self._peers -= len(peers)
            self._units -= sum(len(peer.units) for peer in peers)
            self._names.pop(place, None)
        if self._units > options.max_units:  # of one directory alone
            place, peers = next(iter(self._directories.items()))
            while self._units > options.max_units and len(peers) > 1:
                self._remove(place, peers, peers[0])

    def _peer(self, page: Page) -> _Peer | None:
        place = directory(page.url)
        others = [peer for peer in self._directories.get(place, []) if peer.url != page.url]
        if not others or self._options.peer == "last":
            return others[-1] if others else None
        names = [name for name in self._names[place] if name[1] != page.url]
        # Sorted by name: the first of those at the smallest distance is the lexicographically first.
        found = process.extractOne(
            file_name(page.url), [name for name, _ in names], scorer=Levenshtein.distance, processor=None
        )
        url = names[found[2]][1]
        return next(peer for peer in others if peer.url == url)

    def score(self, page: Page) -> Verdict:
        """Give each segment the share of its characters that stand in common lines."""
        peer = self._peer(page)
        if peer is None:
            scores = np.zeros(len(page.segments), np.float32)
            return Verdict(scores, 0.5, lambda _: "no other page of this directory is known")
        units, ends = self._split(page)
        covered = common(units, peer.units)
        # Characters that are not white space, counted up to each byte, in common units and in all.
        shown = ~_SPACE[np.frombuffer(page.canonical, np.uint8)]
        lengths = np.diff(ends, prepend=0)
        inside = np.repeat(covered, lengths)[: len(shown)]
        before_all = np.concatenate([[0], np.cumsum(shown)])
        before_common = np.concatenate([[0], np.cumsum(shown & inside)])
        start, stop = page.columns.start[page.segments], page.columns.stop[page.segments]
        total = before_all[stop] - before_all[start]
        scores = (before_common[stop] - before_common[start]) / np.maximum(total, 1)
        unit = self._options.unit
        return Verdict(
            scores.astype(np.float32),
            0.5,
            lambda index: f"{scores[index]:.0%} in {unit}s shared with {peer.url}",
        )

    def learn_and_score(self, page: Page) -> Verdict:
        """Score against the last page of the directory, then remember this one."""
        verdict = self.score(page)
        self.learn(page)
        return verdict

    def _split(self, page: Page) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
        """Cut a page into lines or tokens: their hashes, and the byte after each."""
        if self._options.unit == "line":
            units = page.lines
            ends = np.cumsum([len(unit) + 1 for unit in units])
        else:
            units = _TOKEN.findall(page.canonical)
            ends = np.cumsum([len(unit) for unit in units])
            units = [unit.strip() for unit in units]
        return np.array([xxhash.xxh64_intdigest(unit) for unit in units], np.uint64), ends

    def merge(self, other: Self) -> Self:
        """Join what both remember, as if the other's pages had come after this one's."""
        if self._options != other._options:
            raise ValueError("detectors with different options cannot be merged")
        joined = type(self)(self._options)
        joined._pages = self._pages + other._pages
        for detector in (self, other):
            for place, peers in detector._directories.items():
                for peer in peers:
                    joined._add(place, peer)
        joined._trim()
        return joined

    def to_bytes(self) -> bytes:
        """Give the remembered pages' line hashes and names, and the options."""
        places = [
            [place, [[peer.name, peer.url, len(peer.units)] for peer in peers]]
            for place, peers in self._directories.items()
        ]
        units = [peer.units for peers in self._directories.values() for peer in peers]
        header = {"options": dataclasses.asdict(self._options), "pages": self._pages, "directories": places}
        joined = np.concatenate(units) if units else np.empty(0, np.uint64)
        return pack(self.name, _VERSION, header, {"units": joined})

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore what :meth:`to_bytes` gave."""
        header, arrays = unpack(data, cls.name, _VERSION, {"units": "<u8"})
        try:
            restored = cls(SandwichOptions(**header["options"]))
            restored._pages = int(header["pages"])
            at = 0
            for place, peers in header["directories"]:
                for name, url, length in peers:
                    if length < 0:
                        raise StateError("the state's lines are inconsistent")
                    restored._add(str(place), _Peer(str(name), str(url), arrays["units"][at : at + length]))
                    at += length
            if at != len(arrays["units"]):
                raise StateError("the state's lines are inconsistent")
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return restored


def sandwich(lines: Sequence[T], peer_lines: Sequence[T]) -> list[T]:
    """Keep the lines of a text that it does not share with a peer (Rowlands et al. 2009, section 3).

    It parses nothing and works on any text.

    Parameters
    ----------
    lines
        The text's lines, as strings or bytes (or tokens of any hashable kind).
    peer_lines
        The peer's; empty if there is no peer.

    Returns
    -------
    list
        ``lines`` without those in a longest common subsequence of both, compared by equality.

    Raises
    ------
    TypeError
        If a whole text is given instead of its lines.

    Examples
    --------
    >>> sandwich(["<nav>", "One", "</nav>"], ["<nav>", "Two", "</nav>"])
    ['One']
    """
    if isinstance(lines, str | bytes) or isinstance(peer_lines, str | bytes):
        raise TypeError("sandwich() takes lists of lines: call splitlines() on a text first")
    numbers: dict[T, int] = {}
    first, second = (
        np.array([numbers.setdefault(line, len(numbers)) for line in side], np.uint64)
        for side in (lines, peer_lines)
    )
    shared = common(first, second)
    return [line for line, gone in zip(lines, shared.tolist(), strict=True) if not gone]
