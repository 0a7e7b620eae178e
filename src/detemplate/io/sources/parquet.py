"""A source of Parquet files."""

from __future__ import annotations

from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any, Final

from detemplate.io.record import Skip, SourceRef
from detemplate.io.sources.columnar import ColumnarSource, UnreadRows
from detemplate.io.sources.parquetpages import largest_pages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.base import Place
    from detemplate.io.sources.fields import RecordMaker

_BATCH_BYTES: Final = 16 << 20
"""Approximate size of a batch of rows, in bytes."""

_BATCH_ROWS: Final = 16
"""Maximum number of rows of a batch. Rows may share a page's HTML (dictionary encoding); each gets a copy."""

_UNFOLDED_BYTES: Final = 256 << 20
"""Maximum size of a batch in bytes whose rows share a value."""

_MOST_PAGE: Final = 256 << 20
"""Largest data page that is read, decompressed, in bytes.

Writers mostly make pages of 1 MB, and of 1,024 rows where these are longer.
"""

_MOST_PAGES: Final = 1 << 30
"""Largest sum of the largest data pages of all columns, decompressed, in bytes: they are read together."""

_BUFFER: Final = 1 << 20
"""Bytes per read."""


class ParquetSource(ColumnarSource):
    """A source of the pages of one Parquet file, in row order.

    Which columns are the page (text or bytes) and its URL,
    :class:`~detemplate.io.sources.fields.RecordMaker` says; the other columns are carried as Python values.
    Rows are read in batches of about 16 MiB, not by whole row groups. pyarrow decompresses whole data pages,
    mostly of 1 MB; a row group with a page of over 256 MiB, or whose columns together have pages of over
    1 GiB, yields ``Skip("too large")``.

    The errors are those of :class:`~detemplate.io.sources.columnar.ColumnarSource`.

    Parameters
    ----------
    path, maker
        As for ColumnarSource.
    groups
        Row groups that are read: numbers of the first one and of the one after the last. None: all.
    """

    def __init__(self, path: Path, maker: RecordMaker, groups: tuple[int, int] | None = None) -> None:
        super().__init__(path, maker)
        self._groups = groups

    def _columns(self) -> list[str]:
        with self._open() as file:
            names: list[str] = file.schema_arrow.names
            return names

    def _batches(self, first: Place) -> Iterator[tuple[Any, int, Place]]:
        with self._open() as file:
            rows = file.metadata.num_rows
            begin, end = self._groups or (0, file.num_row_groups)
            begin, skipped = first or (begin, 0)
            row = _rows_before(file, begin)
            largest = chain(largest_pages(self._path), repeat((0, 0)))
            chosen = islice(enumerate(largest), begin, min(end, file.num_row_groups))
            for number, (page, pages) in chosen:
                group = file.metadata.row_group(number)
                if page > _MOST_PAGE or pages > _MOST_PAGES:
                    what = f"a data page of {page} bytes"
                    if page <= _MOST_PAGE:
                        what = f"data pages of {pages} bytes, in {group.num_columns} columns"
                    why = f"rows {row} to {row + group.num_rows - 1}: {what}"
                    skip = Skip("", "too large", why, SourceRef(str(self._path), row), rejected=True)
                    yield UnreadRows(skip, group.num_rows), 0, [number, 0]
                    row += group.num_rows
                    continue
                size = _batch_rows(group, pages)
                # One group at a time, so that no batch mixes rows of a sound and of a corrupt group.
                batches = file.iter_batches(size, row_groups=[number], use_threads=False)
                for place, batch in enumerate(batches):
                    row += batch.num_rows
                    if place >= skipped:
                        yield batch, (self.total_bytes or 0) * row // max(rows, 1), [number, place]
                skipped = 0

    def _first_row(self) -> int:
        if self._groups is None:
            return 0
        with self._open() as file:
            return _rows_before(file, self._groups[0])

    def _open(self) -> Any:  # noqa: ANN401  # pyarrow has no types
        from detemplate.files.arrow import pa, pq

        try:
            # Without a buffer size, pyarrow reads every column of a row group whole.
            return pq.ParquetFile(self._path, buffer_size=_BUFFER, pre_buffer=False)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self._unreadable(error, "Parquet") from error


def _rows_before(file: Any, number: int) -> int:  # noqa: ANN401
    """Return the number of rows before a row group."""
    return sum(file.metadata.row_group(before).num_rows for before in range(number))


def _batch_rows(group: Any, pages: int) -> int:  # noqa: ANN401
    """Return the number of rows of a batch, by the size that the row group states and its largest data pages.

    All rows may hold values as large as these pages, those of dictionaries. What a group states about its
    columns is not read: where that is damaged, pyarrow ends the process.
    """
    rows: int = _BATCH_BYTES * group.num_rows // max(group.total_byte_size, 1)
    return max(1, min(_BATCH_ROWS, rows, _UNFOLDED_BYTES // max(pages, 1)))
