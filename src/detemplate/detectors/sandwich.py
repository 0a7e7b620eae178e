"""The sandwich algorithm (Rowlands, Thomas, Wan: Australasian Document Computing Symposium 2009).

Section 3: a document is compared with a *peer*, another document of the same directory. The lines in their
longest common subsequence are template; the other lines are kept. Without a peer nothing is removed.
:class:`Peers` chooses peers. :class:`Sandwich` is the method on pages.
"""

from __future__ import annotations

import dataclasses
import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, TypeVar

import numpy as np
import xxhash

from detemplate.algorithms.lcs import common
from detemplate.algorithms.nearestname import NearestNames
from detemplate.detectors.base import Asked, Detector, Options, option
from detemplate.detectors.causes import because
from detemplate.detectors.state import StateError, pages_in
from detemplate.detectors.verdict import Verdict
from detemplate.features.rawlines import lines_of_segments, raw_lines
from detemplate.page.address import directory, file_name
from detemplate.page.whitespace import WHITE_SPACE_BYTES

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Mapping

    import numpy.typing as npt

    from detemplate.page.page import Page

T = TypeVar("T", bound="Hashable")
"""The class of a text's lines, such as str or bytes."""

_TOKEN: Final = re.compile(rb"<!--.*?-->|<[^>]*>|[^<]+", re.DOTALL)

_SPACE: Final = np.isin(np.arange(256), list(WHITE_SPACE_BYTES))

_TOLD: Final = {"line": "lines", "token": "tokens", "raw": "lines of the markup"}

_THRESHOLD: Final = 0.5

_BYTES_A_PEER: Final = 400  # memory of a peer beside its hashes, about
_BYTES_A_NAME: Final = 300  # memory of a file name in the index of names, about


@dataclasses.dataclass(frozen=True, slots=True)
class SandwichOptions(Options):
    """Options of :class:`Sandwich`."""

    peer: str = option(
        "last", "page of the same directory to compare with: last (learned) or nearest (by file name)"
    )
    unit: str = option(
        "line", "what is compared: line, token (a tag or a text), or raw (line of the markup as it came)"
    )
    max_units: int = option(
        8_000_000, "most lines or tokens to remember per site; directories longest unused go first"
    )
    max_directories: int = option(10_000, "most directories to remember per site")

    def check(self) -> None:
        """Raise UserError if a value is out of range."""
        self.require(self.peer in ("last", "nearest"), "peer", "'last' or 'nearest'")
        self.require(self.unit in ("line", "token", "raw"), "unit", "'line', 'token' or 'raw'")
        self.require(self.max_units >= 1, "max_units", "at least 1")
        self.require(self.max_directories >= 1, "max_directories", "at least 1")


class Peer(NamedTuple):
    """A learned page."""

    name: str
    """File name, with the query."""
    url: str
    """The page's URL."""
    units: npt.NDArray[np.uint64]
    """Hashes of its lines or tokens, in order."""


class Peers:
    """The pages that pages of the same directory can be compared with.

    ``nearest``: keep all pages and choose the nearest by file name (:class:`NearestNames`). Else keep
        the last two pages of each directory and choose the last.
    ``max_units``: maximum number of lines or tokens.
    ``max_directories``: maximum number of directories.
    """

    def __init__(self, *, nearest: bool, max_units: int, max_directories: int) -> None:
        self._nearest = nearest
        self._max_units = max_units
        self._max_directories = max_directories
        # The pages of each directory by URL, those learned first come first.
        self._directories: OrderedDict[str, dict[str, Peer]] = OrderedDict()
        self._names: dict[str, NearestNames] = {}
        self._units = 0
        self._count = 0

    @property
    def nbytes(self) -> int:
        """Approximate memory, in bytes."""
        bytes_a_peer = _BYTES_A_PEER + (_BYTES_A_NAME if self._nearest else 0)
        return 8 * self._units + bytes_a_peer * self._count

    def items(self) -> Iterator[tuple[str, Collection[Peer]]]:
        """Yield the pages of each directory; the directory unused for longest comes first."""
        for folder, peers in self._directories.items():
            yield folder, peers.values()

    def add(self, folder: str, peer: Peer) -> None:
        """Add a page to a directory, in the place of one with the same URL; the bounds are not checked."""
        peers = self._directories.setdefault(folder, {})
        self._directories.move_to_end(folder)
        if peer.url in peers:
            self._remove(folder, peers, peer.url)
        peers[peer.url] = peer
        self._count += 1
        self._units += len(peer.units)
        if self._nearest:
            self._names.setdefault(folder, NearestNames()).add(peer.name, peer.url)
        elif len(peers) > 2:  # keep the last page, and the one before it as the last page's own peer
            self._remove(folder, peers, next(iter(peers)))

    def _remove(self, folder: str, peers: dict[str, Peer], url: str) -> None:
        """Remove a page from those of a directory."""
        peer = peers.pop(url)
        self._count -= 1
        self._units -= len(peer.units)
        if folder in self._names:
            self._names[folder].remove(peer.name, url)

    def trim(self) -> None:
        """Forget directories, then pages, until the bounds hold."""
        while len(self._directories) > 1 and (
            self._units > self._max_units or len(self._directories) > self._max_directories
        ):
            folder, peers = self._directories.popitem(last=False)
            self._count -= len(peers)
            self._units -= sum(len(peer.units) for peer in peers.values())
            self._names.pop(folder, None)
        if self._units > self._max_units:  # only one directory is left
            folder, peers = next(iter(self._directories.items()))
            while self._units > self._max_units and len(peers) > 1:
                self._remove(folder, peers, next(iter(peers)))

    def choose(self, url: str) -> Peer | None:
        """Choose the peer of a page by the page's URL; None if the directory has no other page."""
        folder = directory(url)
        peers = self._directories.get(folder, {})
        if self._nearest:
            nearest = self._names[folder].nearest(file_name(url), url) if folder in self._names else None
            return None if nearest is None else peers[nearest]
        return next((peer for other, peer in reversed(peers.items()) if other != url), None)


class Sandwich(Detector):
    """Lines that a page shares, in order, with another page of its directory.

    ``options``: see :class:`SandwichOptions`. ``peer="nearest"`` is the paper's choice for a finished crawl:
        the page of the same directory whose file name has the smallest edit distance; of several, the
        lexicographically first. ``peer="last"`` is the paper's choice for a running crawl.

    Notes
    -----
    The lines are those of the page's canonical serialisation, so that they map to segments. A segment's
    score is the share of its characters, white space left out, in common lines. With ``unit="raw"``, the
    lines are those of the markup as it came: to learn a page, nothing of its tree is asked for, and the
    tokenizer tells on which of them a segment's characters stand.

    The peer never has the page's own URL, so a page may be scored after it was learned. A page replaces an
    earlier one with the same URL. Beyond ``max_units`` or ``max_directories`` the directory that was unused
    for longest is forgotten; in the last remaining directory, the page learned first.
    """

    name: ClassVar[str] = "sandwich"
    paper: ClassVar[str] = "Rowlands, Thomas, Wan: Web Indexing on a Diet (ADCS 2009)"
    summary: ClassVar[str] = "lines shared, in order, with one other page of the same directory"
    ordered: ClassVar[bool] = True
    options_class: ClassVar[type[Options]] = SandwichOptions

    arrays: ClassVar[Mapping[str, str]] = {"units": "<u8"}

    _options: SandwichOptions

    def __init__(self, options: SandwichOptions | None = None) -> None:
        super().__init__(options)
        self._peers = Peers(
            nearest=self._options.peer == "nearest",
            max_units=self._options.max_units,
            max_directories=self._options.max_directories,
        )

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> SandwichOptions:
        """Make options: by default one pass takes the last page as peer, two passes the nearest."""
        return SandwichOptions(**{"peer": "last" if streaming else "nearest", **given})

    @property
    def nbytes(self) -> int:
        """Approximate memory of the peers, in bytes."""
        return self._peers.nbytes

    def ask(self, page: Page) -> Asked:
        """Ask for a peer, as a possible peer of later pages; keep the page's lines and where they end."""
        units, ends = self._split(page)
        return Asked(Peer(file_name(page.url), page.url, units), (units, ends))

    def take(self, query: Peer) -> None:
        """Remember a page as a possible peer."""
        self._pages += 1
        self._peers.add(directory(query.url), query)
        self._peers.trim()

    def answer(self, query: Peer) -> Peer | None:
        """Return the page's peer; None if there is none."""
        return self._peers.choose(query.url)

    def take_and_answer(self, query: Peer) -> Peer | None:
        """Choose the page's peer, then remember the page."""
        peer = self.answer(query)
        self.take(query)
        return peer

    def judge(self, page: Page, asked: Asked, answer: Peer | None) -> Verdict:
        """Score each segment by the share of its characters in lines that the peer has too."""
        peer = answer
        if peer is None:
            scores = np.zeros(len(page.segments), np.float32)
            alone = because("no_peer", -1.0, "no other page of this directory is known")
            return Verdict(scores, _THRESHOLD, lambda _: alone)
        units, ends = asked.kept
        covered = common(units, peer.units)
        shares = _raw_shares(page, covered) if ends is None else _shares(page, covered, ends)
        unit = self._options.unit

        def explain(segment: int) -> str:
            share = float(shares[segment])
            told = f"{share:.0%} in {_TOLD[unit]} shared with {peer.url}"
            side = 1.0 if np.float32(share) > _THRESHOLD else -1.0
            return because("shared_lines", side, told, share=round(share, 4), peer=peer.url)

        return Verdict(shares.astype(np.float32), _THRESHOLD, explain)

    def _split(self, page: Page) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64] | None]:
        """Cut a page into units; return their hashes and, but for raw lines, the byte offset after each."""
        ends: npt.NDArray[np.int64] | None = None
        if self._options.unit == "raw":
            units = raw_lines(page)
        elif self._options.unit == "line":
            units = page.lines
            ends = np.cumsum([len(unit) + 1 for unit in units])
        else:
            units = _TOKEN.findall(page.canonical)
            ends = np.cumsum([len(unit) for unit in units])
            units = [unit.strip() for unit in units]
        return np.array([xxhash.xxh64_intdigest(unit) for unit in units], np.uint64), ends

    def join(self, first: Self, second: Self) -> None:
        """Remember the peers of both, the second's after the first's."""
        self._pages = first._pages + second._pages
        for detector in (first, second):
            for folder, peers in detector._peers.items():
                for peer in peers:
                    self._peers.add(folder, peer)
        self._peers.trim()

    def dump(self) -> tuple[Mapping[str, object], Mapping[str, npt.NDArray[Any]]]:
        """Return the peers' names and the hashes of their lines."""
        folders = [
            [folder, [[peer.name, peer.url, len(peer.units)] for peer in peers]]
            for folder, peers in self._peers.items()
        ]
        units = [peer.units for _, peers in self._peers.items() for peer in peers]
        joined = np.concatenate([np.empty(0, np.uint64), *units])
        return {"pages": self._pages, "directories": folders}, {"units": joined}

    def load(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Remember the peers again."""
        self._pages = pages_in(header)
        at = 0
        for folder, peers in header["directories"]:
            for name, url, length in peers:
                if length < 0:
                    raise StateError("the state's lines are inconsistent")
                self._peers.add(str(folder), Peer(str(name), str(url), arrays["units"][at : at + length]))
                at += length
        if at != len(arrays["units"]):
            raise StateError("the state's lines are inconsistent")


def _shares(
    page: Page, covered: npt.NDArray[np.bool_], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Compute the share of each segment's characters, white space left out, in the units `covered`."""
    # Bytes other than white space before each byte: in all units, and in common units.
    shown = ~_SPACE[np.frombuffer(page.canonical, np.uint8)]
    lengths = np.diff(ends, prepend=0)
    inside = np.repeat(covered, lengths)[: len(shown)]
    before_all = np.concatenate([[0], np.cumsum(shown)])
    before_common = np.concatenate([[0], np.cumsum(shown & inside)])
    start, stop = page.columns.start[page.segments], page.columns.stop[page.segments]
    total = before_all[stop] - before_all[start]
    shares: npt.NDArray[np.float64] = (before_common[stop] - before_common[start]) / np.maximum(total, 1)
    return shares


def _raw_shares(page: Page, covered: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Compute the share of each segment's characters, white space left out, on the raw lines `covered`."""
    lines, starts = lines_of_segments(page)
    # A character that is not found, or behind the last line, is on no common line.
    inside = np.append(covered, [False])[np.where(lines < 0, len(covered), np.minimum(lines, len(covered)))]
    before = np.concatenate([[0], np.cumsum(inside)])
    shares: npt.NDArray[np.float64] = np.diff(before[starts]) / np.maximum(np.diff(starts), 1)
    return shares
