"""Rows of Arrow record batches as records; Parquet and Arrow files are read so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detemplate.io.record import Record, Skip, SourceRef

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.sources.fields import RecordMaker


def batch_records(
    batch: Any,  # noqa: ANN401  # pyarrow has no types
    first: int,
    path: str,
    *,
    page: str,
    maker: RecordMaker,
) -> Iterator[Record | Skip]:
    """Make records of the rows of a record batch.

    Parameters
    ----------
    batch
        A ``pyarrow.RecordBatch``.
    first
        Number of its first row in the input.
    path
        The input, as the user named it.
    page
        The column of the pages. Its values are converted one at a time.
    maker
        Makes a record of a row.
    """
    from detemplate.files.arrow import pa

    pages = batch.column(page)
    others = batch.drop_columns(page)
    types = {field.name: field.type for field in others.schema}
    try:
        rows: list[dict[str, Any] | None] = others.to_pylist()
    except (UnicodeDecodeError, pa.ArrowException, ValueError):
        rows = [None] * batch.num_rows  # some row is broken: convert each row by itself below
    for number, fields in enumerate(rows):
        source = SourceRef(path, first + number, types=types)
        try:
            values = fields if fields is not None else others.slice(number, 1).to_pylist()[0]
            values[page] = pages[number].as_py()
        except (UnicodeDecodeError, pa.ArrowException, ValueError) as error:
            detail = f"row {first + number}: {one_line(error)}"
            yield Skip("", "bad record", detail, source, rejected=True)
            continue
        result = maker.record(values, source)
        if isinstance(result, Skip) and result.reason == "bad record":
            result.detail = f"row {first + number}: {result.detail}"
        yield result


def one_line(error: Exception) -> str:
    """Give the message of an error as one line."""
    return " ".join(str(error).split())
