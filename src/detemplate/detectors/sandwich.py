"""The sandwich algorithm (Rowlands, Thomas, Wan: Australasian Document Computing Symposium 2009).

A document is compared with a *peer*, another document of the same directory. The lines in their longest
common subsequence are template; the other lines are kept. Without a peer nothing is removed.
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
"""The class of a text's lines, such as str or bytes."""

_VERSION: Final = 1
"""Version of the state's layout."""

_TOKEN: Final = re.compile(rb"<!--.*?-->|<[^>]*>|[^<]+", re.DOTALL)
"""A comment, a tag or a text."""

_BYTES_A_PEER: Final = 400
"""Memory of a peer beside its hashes, in bytes, about."""

_SPACE: Final = np.isin(np.arange(256), list(b" \t\n\f\r"))
"""Whether each byte is white space."""


class _Peer(NamedTuple):
    """A learnt page."""

    name: str
    """File name, with the query."""
    url: str
    """The page's URL."""
    units: npt.NDArray[np.uint64]
    """Hashes of its lines or tokens, in order."""


@dataclasses.dataclass(frozen=True, slots=True)
class SandwichOptions(Options):
    """Options of :class:`Sandwich`."""

    peer: str = dataclasses.field(
        default="last",
        metadata={
            "help": "page of the same directory to compare with: last (learnt last) or nearest (by file name)"
        },
    )
    unit: str = dataclasses.field(
        default="line",
        metadata={"help": "what is compared: line, or token (a tag or a text)"},
    )
    max_units: int = dataclasses.field(
        default=8_000_000,
        metadata={"help": "most lines or tokens to remember per site; directories longest unused go first"},
    )
    max_directories: int = dataclasses.field(
        default=10_000, metadata={"help": "most directories to remember per site"}
    )

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(self.peer in ("last", "nearest"), "peer", "'last' or 'nearest'")
        self.require(self.unit in ("line", "token"), "unit", "'line' or 'token'")
        self.require(self.max_units >= 1, "max_units", "at least 1")
        self.require(self.max_directories >= 1, "max_directories", "at least 1")


class Sandwich(Detector):
    """Lines that a page shares, in order, with another page of its directory.

    Parameters
    ----------
    options
        See :class:`SandwichOptions`. ``peer="nearest"`` is the paper's choice for a finished crawl: the
        page of the same directory whose file name has the smallest edit distance; of several, the
        lexicographically first. ``peer="last"`` is the paper's choice for a running crawl.

    Notes
    -----
    The lines are those of the page's canonical serialisation, so that they map to segments. A segment's
    score is the share of its characters, white space left out, in common lines.

    The peer never has the page's own URL, so a page may be scored after it was learnt. A page replaces an
    earlier one with the same URL. Beyond ``max_units`` or ``max_directories`` the directory that was unused
    for longest is forgotten; in the last remaining directory, the page learnt first.
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
        """Make options: by default one pass takes the last page as peer, two passes the nearest."""
        return SandwichOptions(**{"peer": "last" if streaming else "nearest", **given})

    @property
    def pages(self) -> int:
        """Number of pages learnt."""
        return self._pages

    @property
    def nbytes(self) -> int:
        """Approximate memory of the peers, in bytes."""
        return 8 * self._units + _BYTES_A_PEER * self._peers

    def learn(self, page: Page) -> None:
        """Remember a page as a possible peer."""
        self._pages += 1
        units, _ = self._split(page)
        self._add(directory(page.url), _Peer(file_name(page.url), page.url, units))
        self._trim()

    def _add(self, folder: str, peer: _Peer) -> None:
        """Add a page to a directory, in the place of one with the same URL."""
        peers = self._directories.setdefault(folder, [])
        self._directories.move_to_end(folder)
        for old in [old for old in peers if old.url == peer.url]:
            self._remove(folder, peers, old)
        peers.append(peer)
        self._peers += 1
        self._units += len(peer.units)
        if self._options.peer == "nearest":
            insort(self._names.setdefault(folder, []), (peer.name, peer.url))
        elif len(peers) > 2:  # keep the last page, and the one before it as the last page's own peer
            self._remove(folder, peers, peers[0])

    def _remove(self, folder: str, peers: list[_Peer], peer: _Peer) -> None:
        """Remove a page from the list ``peers`` of a directory."""
        peers[:] = [other for other in peers if other is not peer]
        self._peers -= 1
        self._units -= len(peer.units)
        if folder in self._names:
            self._names[folder].remove((peer.name, peer.url))

    def _trim(self) -> None:
        """Forget directories, then pages, until the bounds hold."""
        options = self._options
        while len(self._directories) > 1 and (
            self._units > options.max_units or len(self._directories) > options.max_directories
        ):
            folder, peers = self._directories.popitem(last=False)
            self._peers -= len(peers)
            self._units -= sum(len(peer.units) for peer in peers)
            self._names.pop(folder, None)
        if self._units > options.max_units:  # only one directory is left
            folder, peers = next(iter(self._directories.items()))
            while self._units > options.max_units and len(peers) > 1:
                self._remove(folder, peers, peers[0])

    def _peer(self, page: Page) -> _Peer | None:
        """Choose the page to compare with; None if the directory has no other."""
        folder = directory(page.url)
        others = [peer for peer in self._directories.get(folder, []) if peer.url != page.url]
        if not others or self._options.peer == "last":
            return others[-1] if others else None
        names = [name for name in self._names[folder] if name[1] != page.url]
        # The names are sorted: the first at the smallest distance is the lexicographically first.
        nearest = process.extractOne(
            file_name(page.url), [name for name, _ in names], scorer=Levenshtein.distance, processor=None
        )
        url = names[nearest[2]][1]
        return next(peer for peer in others if peer.url == url)

    def score(self, page: Page) -> Verdict:
        """Score each segment by the share of its characters in common lines."""
        peer = self._peer(page)
        if peer is None:
            scores = np.zeros(len(page.segments), np.float32)
            return Verdict(scores, 0.5, lambda _: "no other page of this directory is known")
        units, ends = self._split(page)
        covered = common(units, peer.units)
        # Bytes other than white space before each byte: in all units, and in common units.
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
        """Score a page against its peer, then learn it."""
        verdict = self.score(page)
        self.learn(page)
        return verdict

    def _split(self, page: Page) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
        """Cut a page into lines or tokens; return their hashes and the byte offset after each."""
        if self._options.unit == "line":
            units = page.lines
            ends = np.cumsum([len(unit) + 1 for unit in units])
        else:
            units = _TOKEN.findall(page.canonical)
            ends = np.cumsum([len(unit) for unit in units])
            units = [unit.strip() for unit in units]
        return np.array([xxhash.xxh64_intdigest(unit) for unit in units], np.uint64), ends

    def merge(self, other: Self) -> Self:
        """Merge the peers of both, the other's after this one's."""
        if self._options != other._options:
            raise ValueError("detectors with different options cannot be merged")
        joined = type(self)(self._options)
        joined._pages = self._pages + other._pages
        for detector in (self, other):
            for folder, peers in detector._directories.items():
                for peer in peers:
                    joined._add(folder, peer)
        joined._trim()
        return joined

    def to_bytes(self) -> bytes:
        """Return the peers' names and line hashes, and the options."""
        folders = [
            [folder, [[peer.name, peer.url, len(peer.units)] for peer in peers]]
            for folder, peers in self._directories.items()
        ]
        units = [peer.units for peers in self._directories.values() for peer in peers]
        header = {"options": dataclasses.asdict(self._options), "pages": self._pages, "directories": folders}
        joined = np.concatenate(units) if units else np.empty(0, np.uint64)
        return pack(self.name, _VERSION, header, {"units": joined})

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore a detector from the bytes of :meth:`to_bytes`."""
        header, arrays = unpack(data, cls.name, _VERSION, {"units": "<u8"})
        try:
            restored = cls(SandwichOptions(**header["options"]))
            restored._pages = int(header["pages"])
            at = 0
            for folder, peers in header["directories"]:
                for name, url, length in peers:
                    if length < 0:
                        raise StateError("the state's lines are inconsistent")
                    restored._add(str(folder), _Peer(str(name), str(url), arrays["units"][at : at + length]))
                    at += length
            if at != len(arrays["units"]):
                raise StateError("the state's lines are inconsistent")
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return restored


def sandwich(lines: Sequence[T], peer_lines: Sequence[T]) -> list[T]:
    """Remove the lines of a text that it shares with a peer (Rowlands et al. 2009, section 3).

    The function parses nothing and works on any text.

    Parameters
    ----------
    lines
        The text's lines: strings, bytes or any hashable objects.
    peer_lines
        The peer's lines; empty if there is no peer.

    Returns
    -------
    list
        ``lines`` without those in a longest common subsequence of both. Lines are compared by equality.

    Raises
    ------
    TypeError
        A whole text is given instead of its lines.

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
    shared = common(first, second).tolist()
    return [line for line, is_shared in zip(lines, shared, strict=True) if not is_shared]
