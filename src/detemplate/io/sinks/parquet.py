"""A sink that writes Parquet: typed columns for any carried values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from detemplate.files.atomicparquet import BufferedParquet
from detemplate.files.jsonvalues import plain, to_json, without_surrogates
from detemplate.io.sinks.base import METADATA

if TYPE_CHECKING:
    from detemplate.io.record import Record

EXTRA: Final = "extra"
"""Name of the column for values that fit no other column."""

_GROUP_ROWS: Final = 10_000
"""Maximum number of rows of a row group."""

_GROUP_BYTES: Final = 32 << 20
"""Approximate maximum size of a row group, in bytes."""


class ParquetSink(BufferedParquet):
    """A zstd-compressed Parquet file with one row per page.

    A row group has at most 10,000 rows or about 32 MiB. The results' own columns have fixed types. Each
    carried key of the first row group becomes a column. The column's type is inferred from that group; if the
    values have no common Parquet type, the column holds them as JSON. Later values that do not fit their
    column, and keys without a column, go to the string column ``extra``, as one JSON object per row.

    Parameters
    ----------
    output
        The file.
    format
        ``"text"``, ``"html"`` or ``"markdown"``: the column that holds the page's text.

    Raises
    ------
    UserError
        The file cannot be created.
    """

    def __init__(self, output: str, *, format: str) -> None:  # noqa: A002
        import pyarrow as pa  # type: ignore[import-untyped]

        removed = pa.struct([("text", pa.string()), ("score", pa.float64()), ("reason", pa.string())])
        self._fixed: dict[str, Any] = {
            "url": pa.string(),
            "site": pa.string(),
            **dict.fromkeys(METADATA, pa.string()),
            format: pa.string(),
            "template_share": pa.float64(),
            "segments": pa.int64(),
            "template_segments": pa.int64(),
            "method": pa.string(),
            "removed": pa.list_(removed),
        }
        self._json_columns: set[str] = set()
        self._schema: Any = None
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0
        super().__init__(output)

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002
        """Add one row; raises UserError if a row group cannot be written."""
        encodable = {_text(key): _encodable(value) for key, value in row.items()}
        self._rows.append(encodable)
        self._bytes += _weight(encodable)
        if len(self._rows) >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        rows, self._rows, self._bytes = self._rows, [], 0
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
        self._file.write(pa.table(arrays, schema=self._schema))

    def _first_schema(self, rows: list[dict[str, Any]]) -> Any:  # noqa: ANN401
        """Choose the columns by the first rows; metadata and ``removed`` are columns if these have them."""
        import pyarrow as pa

        keys = dict.fromkeys(key for row in rows for key in row)
        if not all(name in keys for name in METADATA):  # without metadata, such keys are carried ones
            self._fixed = {name: kind for name, kind in self._fixed.items() if name not in METADATA[1:]}
        fields = []
        for name, kind in self._fixed.items():
            if name != "removed" or name in keys:
                fields.append(pa.field(name, kind))
        for key in keys:
            if key not in self._fixed and key != EXTRA:
                kind = _inferred([row.get(key) for row in rows])
                if kind is None:
                    self._json_columns.add(key)
                    fields.append(pa.field(key, pa.string(), metadata={"content": "json"}))
                else:
                    fields.append(pa.field(key, kind))
        self._columns = {field.name for field in fields}
        return pa.schema([*fields, pa.field(EXTRA, pa.string(), metadata={"content": "json"})])

    def _column(self, name: str, kind: Any, rows: list[dict[str, Any]], extras: list[dict[str, Any]]) -> Any:  # noqa: ANN401
        """Make the Arrow array of a column; values that do not fit its type go to ``extras``."""
        import pyarrow as pa

        values = [row.get(name) for row in rows]
        if name in self._json_columns:
            return pa.array([None if value is None else to_json(value) for value in values], kind)
        try:
            array = pa.array(values, kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            array = None
        if array is not None and (name in self._fixed or _all_same(values, array.to_pylist())):
            return array
        kept = []
        for value, extra in zip(values, extras, strict=True):
            fits = _fits(value, kind)
            kept.append(value if fits else None)
            if not fits:
                extra[name] = value
        return pa.array(kept, kind)


def _inferred(values: list[Any]) -> Any:  # noqa: ANN401
    """Return the common Arrow type of values, or None if no type keeps all of them unchanged."""
    import pyarrow as pa

    try:
        array = pa.array(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    if pa.types.is_null(array.type):
        return pa.string()  # all values are None
    if _has_null_type(array.type) or not _all_same(values, array.to_pylist()):
        return None
    return array.type


def _has_null_type(kind: Any) -> bool:  # noqa: ANN401
    """Return whether a part of a type is Arrow's null type, which no later value would fit."""
    import pyarrow as pa

    if pa.types.is_null(kind):
        return True
    if pa.types.is_struct(kind):
        return kind.num_fields == 0 or any(_has_null_type(field.type) for field in kind)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _has_null_type(kind.value_type)
    return False


def _fits(value: Any, kind: Any) -> bool:  # noqa: ANN401
    """Return whether an Arrow type keeps a value unchanged."""
    import pyarrow as pa

    try:
        return _same(value, pa.array([value], kind)[0].as_py())
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False


def _all_same(values: list[Any], back: list[Any]) -> bool:
    return all(map(_same, values, back))


def _same(value: Any, back: Any) -> bool:  # noqa: ANN401
    """Return whether a value is unchanged after Arrow, which silently drops keys and casts."""
    if isinstance(value, Mapping):
        return (
            isinstance(back, Mapping)
            and all(key in back and _same(item, back[key]) for key, item in value.items())
            and all(item is None for key, item in back.items() if key not in value)
        )
    if isinstance(value, list | tuple):
        return isinstance(back, list) and len(value) == len(back) and _all_same(list(value), back)
    if isinstance(value, float) and math.isnan(value):
        return isinstance(back, float) and math.isnan(back)
    number = isinstance(value, int | float) and isinstance(back, int | float)
    if number and not isinstance(value, bool) and not isinstance(back, bool):
        return bool(value == back)
    return type(value) is type(back) and bool(value == back)


def _encodable(value: Any) -> Any:  # noqa: ANN401
    """Return a value whose texts can be encoded and whose keys are text."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, Mapping):
        return {_text(key): _encodable(item) for key, item in _plain_keys(value).items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value


def _plain_keys(value: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return a mapping with text as keys, as in JSON."""
    return value if all(isinstance(key, str) for key in value) else plain(value)


def _text(key: str) -> str:
    return without_surrogates(key)


def _weight(value: Any) -> int:  # noqa: ANN401
    """Return the approximate size of a value in bytes."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_weight(key) + _weight(item) for key, item in value.items())
    if isinstance(value, list):
        return sum(map(_weight, value)) + 8 * len(value)
    return 8
