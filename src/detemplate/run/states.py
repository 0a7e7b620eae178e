"""What a piece teaches of its sites, apart from all others, and joined with them later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from detemplate.detectors.base import Detector
    from detemplate.sites.store import SiteStore

_TOGETHER: Final = 64  # pieces that are joined before their sites get them: each merge copies a large site


class PieceStates:
    """The sites of one piece; ``make`` makes a detector that has learnt nothing."""

    def __init__(self, make: Callable[[], Detector]) -> None:
        self._make = make
        self._sites: dict[str, Detector] = {}

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

    def __init__(self, sites: SiteStore, kind: type[Detector]) -> None:
        self._sites = sites
        self._kind = kind
        self._waiting: dict[str, Detector] = {}
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
