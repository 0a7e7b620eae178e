"""Running of extractors that may raise or hang, page by page or site by site."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra, UserError
from lab.labelled.measure import ExtractedTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    Site = Sequence[tuple[str, str]]
    """URL and HTML of a site's pages."""
    Numbers = Sequence[int] | None

_SEPARATE: Final = ("readability-lxml",)
"""Packages of peers that are installed one by one: ``pyproject.toml`` says why."""

PAGE_SECONDS: Final = 30.0  # seconds of wall time that a peer may spend on one page


@dataclass(frozen=True, slots=True)
class Peer:
    """Another extractor: its name in tables, its distribution, and a loader of ``(url, html) -> text``."""

    name: str
    package: str
    load: Callable[[], Callable[[str, str], str]]

    @property
    def label(self) -> str:
        """Name and installed version, such as ``trafilatura 2.3.1``; MissingExtra if not installed."""
        try:
            return f"{self.name} {metadata.version(self.package)}"
        except metadata.PackageNotFoundError as error:
            raise missing(self) from error

    def run(self, site: Site, scored: Numbers = None, seconds: float = PAGE_SECONDS) -> ExtractedTexts:
        """Extract the pages `scored`, by default all; a page that fails or is too slow has an empty text."""
        function = load_peer(self)
        pages = site if scored is None else [site[number] for number in scored]
        return _run_each(lambda page: function(*page), pages, seconds)


class SitePeer(Peer):
    """A peer that learns from all pages: its `load` returns pages -> (page's number -> text)."""

    __slots__ = ()

    def run(self, site: Site, scored: Numbers = None, seconds: float = PAGE_SECONDS) -> ExtractedTexts:
        """Learn from all pages, then extract the scored ones; see `Peer.run`."""
        learn: Any = load_peer(self)
        numbers = range(len(site)) if scored is None else scored
        try:
            with time_limit(seconds * max(1, len(site))):
                extract = learn(site)
        except TimeLimitReached:
            return ExtractedTexts([""] * len(numbers), timed_out=len(numbers))
        except Exception:  # noqa: BLE001 - a peer may raise anything
            return ExtractedTexts([""] * len(numbers), crashed=len(numbers))
        return _run_each(extract, numbers, seconds)


def missing(peer: Peer) -> UserError:
    """Make the error that a peer is not installed; one of them is not in the extra of the others."""
    if peer.package in _SEPARATE:
        return UserError(f"{peer.name} is not installed: pip install -c constraints.txt {peer.package}")
    return MissingExtra(peer.name, "peers")


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
    """Import a peer, once; raises MissingExtra if it is not installed."""
    try:
        return peer.load()
    except ModuleNotFoundError as error:
        raise missing(peer) from error


class TimeLimitReached(BaseException):
    """A time limit is reached. It is no ``Exception``: extractors catch those and go on with a fallback."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Stop a block after some seconds, again each second; in the main thread, not in compiled calls."""
    armed = True

    def stop(_number: int, _frame: FrameType | None) -> None:
        # A signal just after the end of the block must not interrupt the clean-up below.
        if armed:
            raise TimeLimitReached

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
