"""Running of extractors that may raise or hang, page by page or site by site."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra
from lab.labelled.measure import ExtractedTexts
from lab.peers.timelimit import TimeLimitReached, time_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGE_SECONDS: Final = 30.0
"""Seconds of wall time that a peer may spend on one page."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Another extractor, to compare with.

    Parameters
    ----------
    name
        Its name in tables.
    package
        Its distribution.
    load
        Imports it and gives its function ``(url, html) -> text``.
    """

    name: str
    package: str
    load: Callable[[], Callable[[str, str], str]]

    @property
    def label(self) -> str:
        """Name and installed version, for example ``trafilatura 2.3.1``.

        Raises
        ------
        MissingExtra
            It is not installed.
        """
        try:
            return f"{self.name} {metadata.version(self.package)}"
        except metadata.PackageNotFoundError as error:
            raise MissingExtra(self.name, "peers") from error

    def run(
        self,
        site: Sequence[tuple[str, str]],
        scored: Sequence[int] | None = None,
        seconds: float = PAGE_SECONDS,
    ) -> ExtractedTexts:
        """Extract pages of a site. A page that fails gives an empty text and is counted.

        Parameters
        ----------
        site
            URL and HTML of all pages of one site. A peer that looks at single pages reads the scored ones
            only.
        scored
            Numbers of the pages to extract; all by default.
        seconds
            Seconds of wall time that one page may take.

        Returns
        -------
        ExtractedTexts
            The text of each scored page, and the numbers of failures.

        Raises
        ------
        MissingExtra
            The peer is not installed.
        """
        function = load_peer(self)
        return _run_each(lambda page: function(*page), [site[n] for n in _scored(site, scored)], seconds)


class SitePeer(Peer):
    """A peer that learns from all pages of a site.

    Its `load` gives a function from the site's pages to a function from a page's number to its text.
    """

    __slots__ = ()

    def run(
        self,
        site: Sequence[tuple[str, str]],
        scored: Sequence[int] | None = None,
        seconds: float = PAGE_SECONDS,
    ) -> ExtractedTexts:
        """Learn from all pages, then extract the scored ones; see `Peer.run`."""
        learn: Any = load_peer(self)
        numbers = _scored(site, scored)
        try:
            with time_limit(seconds * max(1, len(site))):
                extract = learn(site)
        except TimeLimitReached:
            return ExtractedTexts([""] * len(numbers), timed_out=len(numbers))
        except Exception:  # noqa: BLE001 - a peer may raise anything
            return ExtractedTexts([""] * len(numbers), crashed=len(numbers))
        return _run_each(extract, numbers, seconds)


def _scored(site: Sequence[tuple[str, str]], scored: Sequence[int] | None) -> Sequence[int]:
    return range(len(site)) if scored is None else scored


def _run_each(extract: Callable[[Any], str], arguments: Sequence[Any], seconds: float) -> ExtractedTexts:
    run = ExtractedTexts()
    for argument in arguments:
        text = ""
        try:
            with time_limit(seconds):
                text = extract(argument)
        except TimeLimitReached:
            run.timed_out += 1
        except Exception:  # noqa: BLE001 - a peer may raise anything
            run.crashed += 1
        run.texts.append(text)
    return run


@cache
def load_peer(peer: Peer) -> Callable[[str, str], str]:
    """Import a peer, once.

    Parameters
    ----------
    peer
        The peer.

    Returns
    -------
    callable
        The function that its ``load`` gives.

    Raises
    ------
    MissingExtra
        It is not installed.
    """
    try:
        return peer.load()
    except ModuleNotFoundError as error:
        raise MissingExtra(peer.name, "peers") from error
