"""Learnt pages by directory, within a bound, and the choice of a page's peer among them."""

from __future__ import annotations

from bisect import insort
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from detemplate.page.address import directory, file_name

if TYPE_CHECKING:
    from collections.abc import ItemsView

    import numpy as np
    import numpy.typing as npt

_BYTES_A_PEER: Final = 400
"""Memory of a peer beside its hashes, in bytes, about."""


class Peer(NamedTuple):
    """A learnt page."""

    name: str
    """File name, with the query."""
    url: str
    """The page's URL."""
    units: npt.NDArray[np.uint64]
    """Hashes of its lines or tokens, in order."""


class Peers:
    """The pages that pages of the same directory can be compared with.

    Parameters
    ----------
    nearest
        True: keep all pages and choose the nearest by file name. False: keep the last two pages of each
        directory and choose the last.
    max_units
        Maximum number of lines or tokens.
    max_directories
        Maximum number of directories.
    """

    def __init__(self, *, nearest: bool, max_units: int, max_directories: int) -> None:
        self._nearest = nearest
        self._max_units = max_units
        self._max_directories = max_directories
        self._directories: OrderedDict[str, list[Peer]] = OrderedDict()
        self._names: dict[str, list[tuple[str, str]]] = {}  # file names and URLs, sorted
        self._units = 0
        self._count = 0

    @property
    def nbytes(self) -> int:
        """Approximate memory, in bytes."""
        return 8 * self._units + _BYTES_A_PEER * self._count

    def items(self) -> ItemsView[str, list[Peer]]:
        """Return the pages of each directory; the directory unused for longest comes first."""
        return self._directories.items()

    def add(self, folder: str, peer: Peer) -> None:
        """Add a page to a directory, in the place of one with the same URL; the bounds are not checked."""
        peers = self._directories.setdefault(folder, [])
        self._directories.move_to_end(folder)
        for old in [old for old in peers if old.url == peer.url]:
            self._remove(folder, peers, old)
        peers.append(peer)
        self._count += 1
        self._units += len(peer.units)
        if self._nearest:
            insort(self._names.setdefault(folder, []), (peer.name, peer.url))
        elif len(peers) > 2:  # keep the last page, and the one before it as the last page's own peer
            self._remove(folder, peers, peers[0])

    def _remove(self, folder: str, peers: list[Peer], peer: Peer) -> None:
        """Remove a page from the list ``peers`` of a directory."""
        peers[:] = [other for other in peers if other is not peer]
        self._count -= 1
        self._units -= len(peer.units)
        if folder in self._names:
            self._names[folder].remove((peer.name, peer.url))

    def trim(self) -> None:
        """Forget directories, then pages, until the bounds hold."""
        while len(self._directories) > 1 and (
            self._units > self._max_units or len(self._directories) > self._max_directories
        ):
            folder, peers = self._directories.popitem(last=False)
            self._count -= len(peers)
            self._units -= sum(len(peer.units) for peer in peers)
            self._names.pop(folder, None)
        if self._units > self._max_units:  # only one directory is left
            folder, peers = next(iter(self._directories.items()))
            while self._units > self._max_units and len(peers) > 1:
                self._remove(folder, peers, peers[0])

    def choose(self, url: str) -> Peer | None:
        """Choose the peer of a page by the page's URL; None if the directory has no other page."""
        folder = directory(url)
        others = [peer for peer in self._directories.get(folder, []) if peer.url != url]
        if not others or not self._nearest:
            return others[-1] if others else None
        names = [name for name in self._names[folder] if name[1] != url]
        # The names are sorted: the first at the smallest distance is the lexicographically first.
        nearest = process.extractOne(
            file_name(url), [name for name, _ in names], scorer=Levenshtein.distance, processor=None
        )
        nearest_url = names[nearest[2]][1]
        return next(peer for peer in others if peer.url == nearest_url)
