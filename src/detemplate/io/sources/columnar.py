"""The base of sources of Parquet and Arrow files: rows of Arrow record batches as records."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import OVER, PlacedSource, broken, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from detemplate.io.sources.base import Place
    from detemplate.io.sources.fields import RecordMaker


class UnreadRows(NamedTuple):
    """Rows that are not read.

    Attributes
    ----------
    skip
        Says why.
    rows
        Their number.
    """

    skip: Skip
    rows: int


class ColumnarSource(PlacedSource):
    """The base of sources of the rows of one file that pyarrow reads.

    What cannot be read ends the file: it yields everything before, then one ``Skip("truncated")``.

    Parameters
    ----------
    path
        The file, as the user named it.
    maker
        Makes records of rows.

    Raises
    ------
    UserError
        The file is of another format, or no column may hold a page.
    MissingExtra
        pyarrow is not installed.
    """

    rereadable = True

    def __init__(self, path: Path, maker: RecordMaker) -> None:
        self.total_bytes: int | None = path.stat().st_size
        self.bytes_read = 0
        self._path = path
        self._maker = maker
        columns = self._columns()
        twice = [name for name, count in Counter(columns).items() if count > 1]
        if twice:
            raise UserError(f"{path} has several columns {twice[0]!r}; rename them")
        self._column = maker.names.columns(columns, str(path))

    def _read_from(self, start: Place) -> Iterator[Record | Skip]:
        """Read the file; a place is that of a batch, its first row, and the number of items of it before."""
        from detemplate.files.arrow import pa

        self.bytes_read = 0
        if start == OVER:
            return
        first, row, given = start or (None, 0, 0)
        try:
            if start is None:
                row = self._first_row()
            for batch, position, place in self._batches(first):
                rows: Iterable[Record | Skip]
                if isinstance(batch, UnreadRows):
                    rows, count = [batch.skip], batch.rows
                else:
                    rows = _batch_records(batch, row, str(self._path), page=self._column, maker=self._maker)
                    count = batch.num_rows
                for number, item in enumerate(rows, 1):
                    self._place = [place, row, number]
                    if number > given:
                        yield item
                given = 0
                row += count
                self.bytes_read = position
        except (pa.ArrowException, OSError, MemoryError, ValueError, UserError) as error:
            self._place = OVER
            yield broken(str(self._path), row, f"broke at row {row}: {one_line(error)}")

    def _first_row(self) -> int:
        """Give the number of the first row that is read."""
        return 0

    def _columns(self) -> list[str]:
        """Give the names of the columns."""
        raise NotImplementedError

    def _batches(self, first: Place) -> Iterator[tuple[Any, int, Place]]:
        """Give the record batches, each with about how many stored bytes are read so far, and its place.

        In place of rows that are not read, it gives :class:`UnreadRows`. ``first`` is the place of the first
        batch that is given; None: all are.
        """
        raise NotImplementedError

    def _unreadable(self, error: Exception, kind: str) -> UserError:
        """Give the error of a file that is not of this kind."""
        return UserError(
            f"{self._path} cannot be read as {kind}: {one_line(error)}; "
            "if it is something else, say what with --input-format"
        )


def _batch_records(
    batch: Any,  # noqa: ANN401  # pyarrow has no types
    first: int,
    path: str,
    *,
    page: str,
    maker: RecordMaker,
) -> Iterator[Record | Skip]:
    """Make records of the rows of a record batch, the first of which has a number in the input."""
    from detemplate.files.arrow import pa

    # Dates beyond year 9999, unknown time zones, texts that are no UTF-8, values nested too deeply …
    odd = (pa.ArrowException, ArithmeticError, LookupError, TypeError, ValueError, RecursionError)
    most = 6 * maker.limit + (1 << 20)  # as long as a line of JSON may be
    large = _large_rows(batch, most)
    pages = batch.column(page)
    others = batch.drop_columns(page)
    types = {field.name: field.type for field in others.schema}
    try:
        rows: list[dict[str, Any] | None] = others.to_pylist() if large is None else [None] * batch.num_rows
    except odd:
        rows = [None] * batch.num_rows  # some row is broken: convert each row by itself below
    for number, fields in enumerate(rows):
        source = SourceRef(path, first + number, types=types)
        if large is not None and large[number]:
            detail = f"row {first + number}: a row of over {most} bytes"
            yield Skip("", "too large", detail, source, rejected=True)
            continue
        try:
            values = fields if fields is not None else others.slice(number, 1).to_pylist()[0]
            values[page] = pages[number].as_py()
        except odd as error:
            detail = f"row {first + number}: {one_line(error)}"
            yield Skip("", "bad record", detail, source, rejected=True)
            continue
        result = maker.record(values, source)
        if isinstance(result, Skip) and result.reason == "bad record":
            result.detail = f"row {first + number}: {result.detail}"
        yield result


def _large_rows(batch: Any, most: int) -> list[bool] | None:  # noqa: ANN401
    """Tell which rows are larger than this, in bytes; None if the batch is not. Dictionaries do not count."""
    from detemplate.files.arrow import pa

    columns = [column for column in batch.columns if not pa.types.is_dictionary(column.type)]
    if sum(column.nbytes for column in columns) <= most:
        return None
    return [
        sum(column.slice(number, 1).nbytes for column in columns) > most for number in range(batch.num_rows)
    ]
