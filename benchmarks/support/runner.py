"""Running an extractor that may raise or hang, page by page or site by site."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from benchmarks.support.timelimit import TimeLimitReached, time_limit
from detemplate.errors import MissingExtra
from detemplate.labelled.measure import ExtractedTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGE_SECONDS = 30.0
"""Wall time that a peer may spend on one page."""


@dataclass(frozen=True, slots=True)
class Peer:
    """An extractor to compare with.

    Parameters
    ----------
    name
        What tables call it.
    package
        The distribution that it is in.
    load
        Imports it and gives the function ``(url, html) -> text``.
    """

    name: str
    package: str
    load: Callable[[], Callable[[str, str], str]]

    @property
    def label(self) -> str:
        """Name and version of what is installed, for example ``trafilatura 2.3.1``.

        Raises
        ------
        MissingExtra
            When it is not installed.
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
        """Extract some pages of a site; what fails gives an empty text and is counted.

        Parameters
        ----------
        site
            URL and HTML of all pages of one site. A peer that looks at single pages does not
            read those that are not asked for.
        scored
            Numbers of the pages that are asked for; by default all.
        seconds
            Wall time that one page may take.

        Returns
        -------
        ExtractedTexts
            One text for each page asked for, and the counts of failures.

        Raises
        ------
        MissingExtra
            When the peer is not installed.
        """
        function = load_peer(self)
        return _run_each(lambda page: function(*page), [site[n] for n in _asked(site, scored)], seconds)


class SitePeer(Peer):
    """A peer that learns from all pages of a site: `load` gives its learning function."""

    __slots__ = ()

    def run(
        self,
        site: Sequence[tuple[str, str]],
        scored: Sequence[int] | None = None,
        seconds: float = PAGE_SECONDS,
    ) -> ExtractedTexts:
        """Learn from all pages, then extract some; see `Peer.run`."""
        learn: Any = load_peer(self)
        asked = _asked(site, scored)
        try:
            with time_limit(seconds * max(1, len(site))):
                extract = learn(site)
        except TimeLimitReached:
            return ExtractedTexts([""] * len(asked), timed_out=len(asked))
        except Exception:  # noqa: BLE001 - whatever a peer raises is its result here
            return ExtractedTexts([""] * len(asked), crashed=len(asked))
        return _run_each(extract, asked, seconds)


def _asked(site: Sequence[tuple[str, str]], scored: Sequence[int] | None) -> Sequence[int]:
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
        except Exception:  # noqa: BLE001 - whatever a peer raises is its result here
            run.crashed += 1
        run.texts.append(text)
    return run


@cache
def load_peer(peer: Peer) -> Callable[[str, str], str]:
    """Import a peer once.

    Parameters
    ----------
    peer
        Which.

    Returns
    -------
    callable
        Its function.

    Raises
    ------
    MissingExtra
        When it is not installed.
    """
    try:
        return peer.load()
    except ModuleNotFoundError as error:
        raise MissingExtra(peer.name, "peers") from error
