"""The part of a source that a run takes: its first pages, or a sample of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import xxhash

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sources.base import Source

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


class SelectedSource:
    """The part of a source that a run takes.

    ``source``: the source.
    ``limit``: take the first so many pages; None: all.
    ``sample``: take this share of the pages, above 0 and up to 1. A page is taken if the hash of its URL
        (XXH64, seed :data:`_SAMPLE_SEED`) is below that share of all hashes: every pass takes the same pages,
        and a larger sample holds a smaller one. Skips without a URL are sampled by their place.
    ``max_bad``: share of bad records above which a run over this source fails, in [0, 1].
    ``versions``: which of the records with one URL a run takes, after ``limit`` and ``sample``: one of
        :data:`VERSIONS`. This class yields all of them; the runs choose.
    ``max_bad``
    ``versions``: as given.
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
        self.max_bad = max_bad
        self.versions = versions
        self._source = source
        self._limit = limit
        self._below = int(sample * 2**64)

    @property
    def rereadable(self) -> bool:
        """Whether the source is rereadable."""
        return self._source.rereadable

    @property
    def total_bytes(self) -> int | None:
        """Stored size of the source in bytes; None if unknown."""
        return self._source.total_bytes

    @property
    def bytes_read(self) -> int:
        """Stored bytes that the current pass has read."""
        return self._source.bytes_read

    def __iter__(self) -> Iterator[Record | Skip]:
        """Go through the source once; each pass makes the same choices."""
        pages = 0
        items = iter(self._source)
        while pages != self._limit and (item := next(items, None)) is not None:
            if self._takes(item):
                pages += isinstance(item, Record)
                yield item

    def _takes(self, item: Record | Skip) -> bool:
        if isinstance(item, Skip) and item.reason in WHOLE_INPUT:
            return True
        name = item.url or (f"{item.source.path}#{item.source.position}" if item.source else "")
        return xxhash.xxh64_intdigest(name.encode("utf-8", "surrogatepass"), _SAMPLE_SEED) < self._below
