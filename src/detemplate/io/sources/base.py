"""What all sources are, the base of those that read one file, several sources as one, and a part of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import xxhash

from detemplate.errors import MissingExtra, UserError, abridged
from detemplate.io.record import Record, Skip, SourceRef

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.io.sources.compression import InputFile, InputStream


STDIN: Final = "-"
"""The name of standard input."""

DEFAULT_MAX_PAGE_BYTES: Final = 32 << 20
"""Largest page that is read, in bytes."""

_MOST_SAID: Final = 300  # characters of another library's message that are repeated


class Source(Protocol):
    """An input; iterating yields a record for each page and a skip for anything else.

    ``rereadable``: whether it can be iterated again, from the beginning. False for standard input.
    ``total_bytes``: stored size of all inputs in bytes; None if unknown.
    ``bytes_read``: approximate number of these bytes that the current pass has read; a progress bar shows it.
    """

    @property
    def rereadable(self) -> bool: ...  # noqa: D102
    @property
    def total_bytes(self) -> int | None: ...  # noqa: D102
    @property
    def bytes_read(self) -> int: ...  # noqa: D102
    def __iter__(self) -> Iterator[Record | Skip]: ...


class FileSource:
    """The base of sources that read one file as a stream.

    A file that cannot be opened yields ``Skip("unreadable")``.

    ``file``: the file, which may be compressed with gzip or zstd.
    """

    track_members = False
    """Whether the stream remembers where gzip members and zstd frames begin."""

    def __init__(self, file: InputFile) -> None:
        self.rereadable = file.rereadable
        self.total_bytes = file.size
        self.bytes_read = 0
        self._file = file

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the file from its beginning."""
        self.bytes_read = 0
        try:
            stream = self._file.open(track_members=self.track_members)
        except OSError as error:
            yield Skip("", "unreadable", str(error), SourceRef(self._file.name), rejected=True)
            return
        with stream:
            yield from self._read(stream)
            self.bytes_read = stream.raw_position

    def _read(self, stream: InputStream) -> Iterator[Record | Skip]:
        """Yield what is in the open file."""
        raise NotImplementedError


def broken(name: str, position: int, detail: str) -> Skip:
    """Return the skip of an input that ends early.

    ``name``, ``position``: the input, and the place in it, as for :class:`~detemplate.io.record.SourceRef`.
    ``detail``: what is wrong, and where: for people.
    """
    return Skip("", "truncated", detail, SourceRef(name, position), rejected=True)


def one_line(error: Exception) -> str:
    """Return the message of an error as one line of 300 characters at most: it may quote the input."""
    return abridged(" ".join(str(error).split()), _MOST_SAID)


class UnreadableSource:
    """A source in place of an input that cannot be read: it yields one ``Skip("unreadable")``.

    ``name``: the input, as the user named it.
    ``why``: what is wrong with it.
    """

    rereadable = True
    total_bytes: int | None = 0
    bytes_read = 0

    def __init__(self, name: str, why: str) -> None:
        self._name = name
        self._why = why

    def __iter__(self) -> Iterator[Record | Skip]:
        yield Skip("", "unreadable", self._why, SourceRef(self._name), rejected=True)


class ChainedSource:
    """Several sources in sequence, as one.

    A source that fails yields one ``Skip("unreadable")``, and the next one follows.

    ``sources``: the sources, in the order in which they are read.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._done = 0
        self._current: Source | None = None

    @property
    def rereadable(self) -> bool:
        """Whether all sources are rereadable."""
        return all(source.rereadable for source in self._sources)

    @property
    def total_bytes(self) -> int | None:
        """Stored size of all sources in bytes; None if one size is unknown."""
        sizes = [source.total_bytes for source in self._sources]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None

    @property
    def bytes_read(self) -> int:
        """Stored bytes that the current pass has read."""
        return self._done + (self._current.bytes_read if self._current is not None else 0)

    def __iter__(self) -> Iterator[Record | Skip]:
        self._done = 0
        for source in self._sources:
            self._current = source
            try:
                yield from source
            except MissingExtra:
                raise
            except (UserError, OSError) as error:
                yield Skip("", "unreadable", str(error), rejected=True)
            self._current = None
            size = source.total_bytes
            self._done += source.bytes_read if size is None else size


_SAMPLE_SEED: Final = 20_260_101
"""Seed of the hash by which pages are sampled. It never changes, so that all samples of a share agree."""

DEFAULT_MAX_BAD: Final = 0.5
"""Share of bad records above which a run fails, by default."""

VERSIONS: Final = ("keep", "first", "last")
"""Which of the records with one URL a run may take."""

DEFAULT_VERSIONS: Final = "first"
"""Which it takes by default."""

WHOLE_INPUT: Final = ("truncated", "unreadable")
"""Reasons of skips that tell of an input, and not of one page."""


class SelectedSource(ChainedSource):
    """The part of a source that a run takes.

    ``source``: the source.
    ``limit``: take the first so many pages; None: all.
    ``sample``: take this share of the pages, above 0 and up to 1. A page is taken if the hash of its URL
        (XXH64, seed :data:`_SAMPLE_SEED`) is below that share of all hashes: every pass takes the same pages,
        and a larger sample holds a smaller one. Skips without a URL are sampled by their place.
    ``max_bad``: share of bad records above which a run over this source fails, in [0, 1].
    ``versions``: which of the records with one URL a run takes, after ``limit`` and ``sample``: one of
        :data:`VERSIONS`. This class yields all of them; the runs choose.
    Raises UserError: a value is out of range.
    """

    def __init__(
        self,
        source: Source,
        *,
        limit: int | None = None,
        sample: float = 1.0,
        max_bad: float = DEFAULT_MAX_BAD,
        versions: str = DEFAULT_VERSIONS,
    ) -> None:
        if limit is not None and limit < 1:
            raise UserError(f"the number of pages must be at least 1, not {limit} (--limit)")
        if not 0 < sample <= 1:
            raise UserError(
                f"the share of the pages must be above 0 and at most 1, not {sample:g} (--sample)"
            )
        if not 0 <= max_bad <= 1:
            raise UserError(
                f"the share of bad records must be 0 to 100 %, not {100 * max_bad:.4g} % (--max-bad)"
            )
        if versions not in VERSIONS:
            raise UserError(f"--versions {versions!r} is unknown: choose {', '.join(VERSIONS)}")
        super().__init__([source])
        self.max_bad = max_bad
        self.versions = versions
        self._limit = limit
        self._below = int(sample * 2**64)

    def __iter__(self) -> Iterator[Record | Skip]:
        """Go through the source once; each pass makes the same choices."""
        pages = 0
        [self._current] = self._sources
        items = iter(self._current)
        while pages != self._limit and (item := next(items, None)) is not None:
            if self._takes(item):
                pages += isinstance(item, Record)
                yield item

    def _takes(self, item: Record | Skip) -> bool:
        if isinstance(item, Skip) and item.reason in WHOLE_INPUT:
            return True
        name = item.url or (f"{item.source.path}#{item.source.position}" if item.source else "")
        return xxhash.xxh64_intdigest(name.encode("utf-8", "surrogatepass"), _SAMPLE_SEED) < self._below
