"""The base of sources of Parquet and Arrow files: rows of Arrow record batches as records."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from detemplate.errors import UserError
from detemplate.files.arrow import pa
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import broken, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.fields import RecordMaker


class ColumnarSource:
    """The base of sources of the rows of one file that pyarrow reads.

    What cannot be read ends the file: it yields everything before, then one ``Skip("truncated")``.

    ``path``: the file, as the user named it.
    ``maker``: makes records of rows.
    Raises UserError: the file is of another format, or no column may hold a page.
    Raises MissingExtra: pyarrow is not installed.
    """

    rereadable = True

    def __init__(self, path: Path, maker: RecordMaker) -> None:
        self.total_bytes: int | None = path.stat().st_size
        self.bytes_read = 0
        self._path = path
        self._maker = maker
        self._row = 0  # number of the next row
        columns = self._columns()
        twice = [name for name, count in Counter(columns).items() if count > 1]
        if twice:
            raise UserError(f"{path} has several columns {twice[0]!r}; rename them")
        self._column = maker.names.columns(columns, str(path))

    def __iter__(self) -> Iterator[Record | Skip]:
        """Read the file."""
        self.bytes_read = self._row = 0
        try:
            yield from self._items()
        except (pa.ArrowException, OSError, MemoryError, ValueError, UserError) as error:
            yield broken(str(self._path), self._row, f"broke at row {self._row}: {one_line(error)}")

    def _columns(self) -> list[str]:
        """Return the names of the columns."""
        raise NotImplementedError

    def _items(self) -> Iterator[Record | Skip]:
        """Yield the items of all batches, and count the rows and the stored bytes."""
        raise NotImplementedError

    def _unreadable(self, error: Exception, kind: str) -> UserError:
        """Return the error of a file that is not of this kind."""
        return UserError(
            f"{self._path} cannot be read as {kind}: {one_line(error)}; "
            "if it is something else, say what with --input-format"
        )

    def _records(self, batch: Any) -> Iterator[Record | Skip]:  # noqa: ANN401  # pyarrow has no types
        """Make records of the rows of a record batch."""
        # Dates beyond year 9999, unknown time zones, texts that are no UTF-8, values nested too deeply …
        odd = (pa.ArrowException, ArithmeticError, LookupError, TypeError, ValueError, RecursionError)
        longest = 6 * self._maker.limit + (1 << 20)  # as long as a line of JSON may be
        large = _large_rows(batch, longest)
        pages = batch.column(self._column)
        others = batch.drop_columns(self._column)
        types = {field.name: field.type for field in others.schema}
        try:
            rows = others.to_pylist() if large is None else [None] * batch.num_rows
        except odd:
            rows = [None] * batch.num_rows  # some row is broken: convert each row by itself below
        for number, fields in enumerate(rows):
            source = SourceRef(str(self._path), self._row + number, types=types)
            where = f"row {source.position}"
            if large is not None and large[number]:
                detail = f"{where}: a row of over {longest} bytes"
                yield Skip("", "too large", detail, source, rejected=True)
                continue
            try:
                values = fields if fields is not None else others.slice(number, 1).to_pylist()[0]
                values[self._column] = pages[number].as_py()
            except odd as error:
                yield Skip("", "bad record", f"{where}: {one_line(error)}", source, rejected=True)
                continue
            yield self._maker.record(values, source, where)
        self._row += batch.num_rows


def _large_rows(batch: Any, most: int) -> list[bool] | None:  # noqa: ANN401
    """Tell which rows are larger than this, in bytes; None if the batch is not. Dictionaries do not count."""
    columns = [column for column in batch.columns if not pa.types.is_dictionary(column.type)]
    if sum(column.nbytes for column in columns) <= most:
        return None
    return [
        sum(column.slice(number, 1).nbytes for column in columns) > most for number in range(batch.num_rows)
    ]
