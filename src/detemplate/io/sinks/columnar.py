"""A sink of Parquet and of Arrow's IPC formats: rows in groups, with typed columns for any carried values.

Importing it raises MissingExtra if pyarrow is not installed.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from detemplate.files.arrow import pa, pq
from detemplate.files.jsonvalues import plain, to_json, without_surrogates
from detemplate.io.sinks.out import EXTRA, METADATA, MOST_COLUMNS, OutSink, RowGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from detemplate.io.record import Record
    from detemplate.io.sinks.out import Out


class ArrowRows:
    """Collects rows and gives them as Arrow tables of one schema.

    The results' own columns have fixed types. Each carried key of the first group becomes a column, up to
    1,000 columns in all. Its type
    is that of the input's column, if the input has typed columns (Parquet, Arrow) and the type keeps all
    values of the first group; else it is inferred from these values. If they have no common type, the column
    holds them as JSON. Later values that do not fit their column, and keys without a column, go to the
    string column ``extra``, as one JSON object per row.

    ``formats``: ``"text"``, ``"html"``, ``"markdown"``: the columns that hold the pages' texts.
    ``storable``: tells of an Arrow type whether the output can hold it.
    ``schema``: the columns, :data:`~detemplate.io.sinks.out.EXTRA` the last; None: chosen by the first group.
    """

    def __init__(
        self,
        formats: Sequence[str],
        *,
        storable: Callable[[Any], bool] = bool,
        schema: Any = None,  # noqa: ANN401  # pyarrow is not typed
    ) -> None:
        self._fixed = fixed_columns(formats)
        self._storable = storable
        self._group = RowGroup()
        self._declared: dict[str, Any] = {}
        self._json_columns: set[str] = set()
        self._schema: Any = schema
        self._columns: set[str] = set() if schema is None else {field.name for field in schema}

    def add(self, row: Mapping[str, object], record: Record) -> bool:
        """Add a row; return whether there are enough rows for a table."""
        encodable = {without_surrogates(key): _encodable(value) for key, value in row.items()}
        types = record.source.types if record.source is not None else None
        if types and self._schema is None:
            for key in encodable.keys() - self._declared.keys():
                self._declared[key] = _declared(key, types)
        return self._group.add(encodable)

    def take(self) -> Any:  # noqa: ANN401  # pyarrow is not typed
        """Return the collected rows as a table, which may be empty."""
        rows = self._group.take()
        if self._schema is None:
            self._schema = self._first_schema(rows)
        extras: list[dict[str, Any]] = [{} for _ in rows]
        for row, extra in zip(rows, extras, strict=True):
            extra.update({key: row[key] for key in row if key not in self._columns})
        arrays = [
            self._column(field.name, field.type, rows, extras)
            for field in self._schema
            if field.name != EXTRA
        ]
        arrays.append(pa.array([to_json(extra) if extra else None for extra in extras], pa.string()))
        return pa.table(arrays, schema=self._schema)

    def _first_schema(self, rows: list[dict[str, Any]]) -> Any:  # noqa: ANN401
        """Choose the columns by the first rows; metadata and ``removed`` are columns if these have them."""
        keys = dict.fromkeys(key for row in rows for key in row)
        if not all(name in keys for name in METADATA):  # without metadata, such keys are carried ones
            self._fixed = {name: kind for name, kind in self._fixed.items() if name not in METADATA[1:]}
        fields = []
        for name, kind in self._fixed.items():
            if name != "removed" or name in keys:
                fields.append(pa.field(name, kind))
        for key in keys:
            if key not in self._fixed and key != EXTRA and len(fields) < MOST_COLUMNS:
                kind = self._type_of(key, [row.get(key) for row in rows])
                if kind is None:
                    self._json_columns.add(key)
                    fields.append(pa.field(key, pa.string(), metadata={"content": "json"}))
                else:
                    fields.append(pa.field(key, kind))
        self._columns = {field.name for field in fields}
        return pa.schema([*fields, pa.field(EXTRA, pa.string(), metadata={"content": "json"})])

    def _type_of(self, key: str, values: list[Any]) -> Any:  # noqa: ANN401
        """Return the type of a carried key's column, or None if no type keeps the values unchanged."""
        kind = self._declared.get(key)
        if (
            kind is not None
            and not pa.types.is_null(kind)
            and self._storable(kind)
            and _keeps(values, _array_of(values, kind))
        ):
            return kind
        kind = _type_of(values)
        return kind if kind is not None and self._storable(kind) else None

    def _column(self, name: str, kind: Any, rows: list[dict[str, Any]], extras: list[dict[str, Any]]) -> Any:  # noqa: ANN401
        """Make the Arrow array of a column; values that do not fit its type go to ``extras``."""
        values = [row.get(name) for row in rows]
        if name in self._json_columns:
            return pa.array([None if value is None else to_json(value) for value in values], kind)
        if name == "removed" and kind == self._fixed["removed"]:
            values = [_with_json_causes(value) for value in values]
        array = _array_of(values, kind)
        if array is not None and (name in self._fixed or _keeps(values, array)):
            return array
        for number, value in enumerate(values):
            if not _keeps([value], _array_of([value], kind)):
                extras[number][name] = value
                values[number] = None
        return pa.array(values, kind)


def fixed_columns(formats: Sequence[str]) -> dict[str, Any]:
    """Return the types of the columns that results have, in order; metadata and ``removed`` may be absent.

    ``formats``: as for :class:`ArrowRows`.
    """
    removed = pa.struct(
        [("text", pa.string()), ("score", pa.float64()), ("reason", pa.string()), ("causes", pa.string())]
    )
    return {
        "url": pa.string(),
        "site": pa.string(),
        **dict.fromkeys(METADATA, pa.string()),
        **dict.fromkeys(formats, pa.string()),
        "template_share": pa.float64(),
        "segments": pa.int64(),
        "template_segments": pa.int64(),
        "method": pa.string(),
        "removed": pa.list_(removed),
    }


def _declared(key: str, types: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return the input's type of a row's key; a key that was taken has ``source_`` before it."""
    while key not in types and key.startswith("source_"):
        key = key.removeprefix("source_")
    return types.get(key)


def _encodable(value: Any) -> Any:  # noqa: ANN401
    """Return a value whose texts can be encoded and whose keys are text, as in JSON."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, Mapping):
        texts = value if all(isinstance(key, str) for key in value) else plain(value)
        return {without_surrogates(key): _encodable(item) for key, item in texts.items()}
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    if type(value) is tuple:  # a key and its value in a map
        return tuple(map(_encodable, value))
    return value


def _with_json_causes(removed: Any) -> Any:  # noqa: ANN401
    """Write the causes of removed segments as JSON: each has values of its own."""
    if not isinstance(removed, list):
        return removed
    return [
        {**each, "causes": to_json(each["causes"])} if isinstance(each, dict) and "causes" in each else each
        for each in removed
    ]


_UNFIT = (pa.ArrowException, TypeError, ValueError, OverflowError)
"""What pyarrow raises of values that a type cannot hold."""


def _array_of(values: list[Any], kind: Any = None) -> Any:  # noqa: ANN401  # pyarrow is not typed
    """Return values as an Arrow array of a type (None: inferred); None if that cannot hold them."""
    try:
        return pa.array(values, kind)
    except _UNFIT:
        return None


def _keeps(values: list[Any], array: Any) -> bool:  # noqa: ANN401
    """Return whether an array was made of values, and has them unchanged."""
    try:
        return array is not None and all(map(_same, values, array.to_pylist()))
    except _UNFIT:
        return False


def _type_of(values: list[Any]) -> Any:  # noqa: ANN401
    """Return the common Arrow type of values, or None if no type keeps all of them unchanged."""
    array = _array_of(values)
    if array is not None and pa.types.is_null(array.type):
        return pa.string()  # all values are None
    return array.type if _keeps(values, array) and not _has_null_type(array.type) else None


def _is_storable(kind: Any) -> bool:  # noqa: ANN401
    """Return whether Parquet can hold an Arrow type; it has no unions, for example."""
    try:
        pq.write_table(pa.schema([("x", kind)]).empty_table(), io.BytesIO())
    except (pa.ArrowException, NotImplementedError, ValueError):
        return False
    return True


def _has_null_type(kind: Any) -> bool:  # noqa: ANN401
    """Return whether a part of a type is Arrow's null type, which no later value would fit."""
    if pa.types.is_struct(kind):
        return kind.num_fields == 0 or any(_has_null_type(field.type) for field in kind)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _has_null_type(kind.value_type)
    return bool(pa.types.is_null(kind))


def _same(value: Any, back: Any) -> bool:  # noqa: ANN401
    """Return whether a value is unchanged after Arrow, which silently drops keys and casts."""
    if isinstance(value, Mapping):
        return (
            isinstance(back, Mapping)
            and all(key in back and _same(item, back[key]) for key, item in value.items())
            and all(item is None for key, item in back.items() if key not in value)
        )
    if isinstance(value, list | tuple):
        return isinstance(back, list | tuple) and len(value) == len(back) and all(map(_same, value, back))
    if isinstance(value, float) and math.isnan(value):
        return isinstance(back, float) and math.isnan(back)
    number = isinstance(value, int | float) and isinstance(back, int | float)
    if number and not isinstance(value, bool) and not isinstance(back, bool):
        return bool(value == back)
    return type(value) is type(back) and bool(value == back)


class ArrowSink(OutSink):
    """A zstd-compressed Parquet or Arrow file with one row per page, its columns as of :class:`ArrowRows`.

    A row group or record batch has at most 10,000 rows or about 32 MiB.

    ``out``: where the bytes go.
    ``formats``: ``"text"``, ``"html"``, ``"markdown"``: the columns that hold the pages' texts.
    ``kind``: ``"parquet"``, ``"arrow"`` (the IPC file format) or ``"stream"``, the IPC stream format, which
        is not compressed.
    """

    def __init__(self, out: Out, *, formats: Sequence[str], kind: str) -> None:
        super().__init__(out)
        self._kind = kind
        self._rows = ArrowRows(formats, storable=_is_storable if kind == "parquet" else bool)
        self._pending = _Pending()
        self._writer: Any = None

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Add one row; raises what :meth:`~detemplate.io.sinks.out.Out.write` raises."""
        if self._rows.add(row, record):
            self._flush()

    def _flush(self) -> None:
        table = self._rows.take()
        if self._writer is None:
            self._writer = self._opened(table.schema)
        if len(table):
            self._writer.write_table(table)
        self._out.write(self._pending.take())

    def _opened(self, schema: Any) -> Any:  # noqa: ANN401
        if self._kind == "parquet":
            return pq.ParquetWriter(self._pending, schema, compression="zstd")
        if self._kind == "stream":
            return pa.ipc.new_stream(self._pending, schema)
        options = pa.ipc.IpcWriteOptions(compression="zstd")
        return pa.ipc.new_file(self._pending, schema, options=options)

    def close(self) -> None:
        """Write the last group and the end, and finish the output."""
        self._flush()
        self._writer.close()
        self._out.write(self._pending.take())
        super().close()


class _Pending(io.RawIOBase):
    """Keeps what pyarrow writes until it is taken, so that no error of the output passes through pyarrow."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._position = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401  # any buffer
        part = bytes(data)
        self._parts.append(part)
        self._position += len(part)
        return len(part)

    def tell(self) -> int:
        return self._position

    def take(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)
