"""Telling how far a run has come."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from detemplate.io.sources.base import Source

Item = TypeVar("Item")

PAGES_A_STEP: Final = 16
"""Pages from one update of a progress bar to the next."""


class Progress(Protocol):
    """Shows how far a run has come, for example as a bar on a terminal."""

    def begin(self, doing: str, total_bytes: int | None) -> None:
        """Start a pass that does something, in one word, to an input of so many stored bytes, if known."""

    def advance(self, pages: int, sites: int, bytes_read: int) -> None:
        """Show the pages and sites of this pass so far, and the bytes read of the input."""

    def end(self) -> None:
        """Finish: the run is over."""


class Meter:
    """Reads off a source how far a pass has come, and shows it now and then; its block ends the progress.

    Parameters
    ----------
    progress, source
        What shows it, None for nothing; the input that is read.
    pages_a_step
        Pages from one update to the next; 1 where a page takes long.
    """

    def __init__(
        self, progress: Progress | None, source: Source, *, pages_a_step: int = PAGES_A_STEP
    ) -> None:
        self._progress = progress
        self._source = source
        self._step = pages_a_step
        self._doing = ""

    def begin(self, doing: str) -> None:
        """Start a pass over the source."""
        self._doing = doing
        if self._progress is not None:
            self._progress.begin(doing, self._source.total_bytes)

    def advance(self, pages: int, sites: int) -> None:
        """Show the pages and sites of this pass, every so many pages."""
        if self._progress is not None and pages % self._step == 0:
            self._progress.advance(pages, sites, self._source.bytes_read)

    @contextmanager
    def aside(self, doing: str) -> Iterator[Callable[[Iterable[Item]], Iterator[Item]]]:
        """Show another pass over the source, and then the present one from its beginning again.

        Gives a function that shows each item of an iterable as a page of that pass.
        """
        before = self._doing
        self.begin(doing)

        def shown(items: Iterable[Item]) -> Iterator[Item]:
            for pages, item in enumerate(items, 1):
                self.advance(pages, 0)
                yield item

        yield shown
        self.begin(before)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.end()
