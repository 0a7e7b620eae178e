"""What the experiments on uses compare: the full text, methods of this package, and peers."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Final

from detemplate.detectors.registry import DETECTORS
from detemplate.errors import UserError
from detemplate.run.cleaner import Cleaner
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


def method_of(text: str) -> Method:
    """Read a method with options that differ from their defaults: ``pagelevel:variant=basic:delta=0.1``.

    Raises UserError: a setting is damaged, or the method has no such option or value.
    """
    name, *settings = text.split(":")
    pairs = [
        (option.strip(), value.strip()) for option, _, value in (each.partition("=") for each in settings)
    ]
    if not all(option and value for option, value in pairs):
        raise UserError(f"{text!r} is no method with options: write it like pagelevel:variant=basic")
    Cleaner(method=name, streaming=False, options=dict(pairs))  # it checks the options
    return Method(name, tuple(pairs))


def chosen_extractors(names: Sequence[str]) -> dict[str, Extractor]:
    """Find methods and peers, ``ours`` or ``all``, after the full text, by their labels. UserError: unknown.

    A method with options (:func:`method_of`) stands behind the same method without, if both are named.
    """
    peers = {peer.name: peer for peer in PEERS if peer.name not in _NOT_PEERS}
    varied = [name for name in names if ":" in name]
    unknown = sorted(
        {*(set(names) - set(varied)), *(name.partition(":")[0] for name in varied)}
        - {*DETECTORS, *peers, ALL, OURS, FULL_TEXT}
    )
    if unknown:
        known = ", ".join((ALL, OURS, *DETECTORS, *peers))
        raise UserError(f"unknown method {unknown[0]!r}; known are {known}")
    wanted = set(names) or {ALL}
    if ALL in wanted:
        wanted |= {OURS, *installed_peers()}
    if OURS in wanted:
        wanted |= set(DETECTORS)
    chosen: dict[str, Extractor] = {FULL_TEXT: FullText()}
    for name in DETECTORS:
        methods = [Method(name)] if name in wanted else []
        methods += [method_of(each) for each in varied if each.partition(":")[0] == name]
        chosen.update((method.label, method) for method in methods)
    if peered := [each for each in varied if each.partition(":")[0] not in DETECTORS]:
        raise UserError(f"{peered[0]!r}: only methods of this package take options")
    chosen.update((name, peer) for name, peer in peers.items() if name in wanted)
    return chosen
