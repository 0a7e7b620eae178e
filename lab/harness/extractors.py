"""What the experiments on uses compare: the full text, every method of this package, and peers."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Final

from detemplate.detectors.registry import DETECTORS
from detemplate.errors import UserError
from lab.labelled.measure import ExtractedTexts, Method
from lab.labelled.metrics import visible_text
from lab.peers.known import PEERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.labelled.measure import Extractor

FULL_TEXT: Final = "full text"  # name of the baseline: all visible text
ALL: Final = "all"  # choice of the full text, all methods and all peers that are installed
OURS: Final = "ours"  # choice of the full text and all methods

_NOT_PEERS: Final = ("everything",)


class FullText:
    """The baseline: nothing is removed."""

    label: str = FULL_TEXT

    def run(self, site: Sequence[tuple[str, str]], scored: Sequence[int] | None = None) -> ExtractedTexts:
        """Return all visible text of the pages `scored` of a site."""
        numbers = range(len(site)) if scored is None else scored
        return ExtractedTexts([visible_text(site[number][1]) for number in numbers])


def installed_peers() -> list[str]:
    """Return the names of the peers that are installed."""
    found = []
    for peer in PEERS:
        try:
            metadata.version(peer.package)
        except metadata.PackageNotFoundError:
            continue
        if peer.name not in _NOT_PEERS:
            found.append(peer.name)
    return found


def chosen_extractors(names: Sequence[str]) -> dict[str, Extractor]:
    """Find methods and peers by name, ``ours`` or ``all``, after the full text. UserError: unknown."""
    peers = {peer.name: peer for peer in PEERS if peer.name not in _NOT_PEERS}
    unknown = sorted(set(names) - {*DETECTORS, *peers, ALL, OURS, FULL_TEXT})
    if unknown:
        known = ", ".join((ALL, OURS, *DETECTORS, *peers))
        raise UserError(f"unknown method {unknown[0]!r}; known are {known}")
    wanted = set(names) or {ALL}
    if ALL in wanted:
        wanted |= {OURS, *installed_peers()}
    if OURS in wanted:
        wanted |= set(DETECTORS)
    chosen: dict[str, Extractor] = {FULL_TEXT: FullText()}
    chosen.update((name, Method(name)) for name in DETECTORS if name in wanted)
    chosen.update((name, peer) for name, peer in peers.items() if name in wanted)
    return chosen
