"""Learnt pages by directory, within a bound, and the choice of a page's peer among them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.detectors.sandwich.nearest import NearestNames
from detemplate.page.address import directory, file_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    import numpy as np
    import numpy.typing as npt

_BYTES_A_PEER: Final = 400
"""Memory of a peer beside its hashes, in bytes, about."""

_BYTES_A_NAME: Final = 300
"""Memory of a file name in the index of names, in bytes, about."""


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
        True: keep all pages and choose the nearest by file name (:class:`NearestNames`). False: keep the last
        two pages of each directory and choose the last.
    max_units
        Maximum number of lines or tokens.
    max_directories
        Maximum number of directories.
    """

    def __init__(self, *, nearest: bool, max_units: int, max_directories: int) -> None:
        self._nearest = nearest
        self._max_units = max_units
        self._max_directories = max_directories
        # The pages of each directory by URL, those learnt first come first.
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
        """Give the pages of each directory; the directory unused for longest comes first."""
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
