"""What every source is: it gives records, and skips for everything that is no record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.io.record import Record, Skip


STDIN = "-"


DEFAULT_MAX_PAGE_BYTES = 32 << 20


class Source(Protocol):
    """Something that gives records.

    Attributes
    ----------
    rereadable
        Whether it can be iterated again, each time from the beginning (False for standard input).
    total_bytes
        Stored size of all inputs; None if unknown.
    bytes_read
        About how many of ``total_bytes`` the current pass has read, for a progress bar.
    """

    @property
    def rereadable(self) -> bool: ...  # noqa: D102
    @property
    def total_bytes(self) -> int | None: ...  # noqa: D102
    @property
    def bytes_read(self) -> int: ...  # noqa: D102
    def __iter__(self) -> Iterator[Record | Skip]: ...


class ChainedSource:
    """Several sources, one after the other."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._done = 0
        self._current: Source | None = None

    @property
    def rereadable(self) -> bool:
        """Whether all of the sources are."""
        return all(source.rereadable for source in self._sources)

    @property
    def total_bytes(self) -> int | None:
        """Stored size of all sources; None if that of one is unknown."""
        sizes = [source.total_bytes for source in self._sources]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    @property
    def bytes_read(self) -> int:
        """Stored bytes read in the current pass."""
        return self._done + (self._current.bytes_read if self._current is not None else 0)

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read all sources from their beginnings."""
        self._done = 0
        for source in self._sources:
            self._current = source
            yield from source
            self._current = None
            size = source.total_bytes
            self._done += source.bytes_read if size is None else size
