"""Which Arrow types keep values unchanged."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import Any

from detemplate.files.arrow import pa, pq

_UNFIT = (pa.ArrowException, TypeError, ValueError, OverflowError)
"""What pyarrow raises of values that a type cannot hold."""


def array_of(values: list[Any], kind: Any = None) -> Any:  # noqa: ANN401  # pyarrow is not typed
    """Return values as an Arrow array of a type (None: inferred); None if that cannot hold them."""
    try:
        return pa.array(values, kind)
    except _UNFIT:
        return None


def keeps(values: list[Any], array: Any) -> bool:  # noqa: ANN401
    """Return whether an array was made of values, and has them unchanged."""
    try:
        return array is not None and all(map(_same, values, array.to_pylist()))
    except _UNFIT:
        return False


def type_of(values: list[Any]) -> Any:  # noqa: ANN401
    """Return the common Arrow type of values, or None if no type keeps all of them unchanged."""
    array = array_of(values)
    if array is not None and pa.types.is_null(array.type):
        return pa.string()  # all values are None
    return array.type if keeps(values, array) and not _has_null_type(array.type) else None


def is_storable(kind: Any) -> bool:  # noqa: ANN401
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
