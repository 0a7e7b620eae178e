"""How files state values: any value as one line of JSON, without errors; and the time now."""

from __future__ import annotations

import base64
import datetime
import json
import math
import os
import re
import time
from collections.abc import Mapping
from typing import Any, Final

_SURROGATE: Final = re.compile("[\ud800-\udfff]")  # a lone surrogate, which UTF-8 cannot encode
_MAX_DEPTH: Final = 100  # deepest nesting of a value that is written


def is_too_deep(value: object) -> bool:
    """Return whether a value is nested too deeply to be written."""
    level: list[Any] = [value]
    for _ in range(_MAX_DEPTH):
        inside = [each.values() if isinstance(each, Mapping) else each for each in level]
        level = [item for items in inside for item in items if isinstance(item, Mapping | list | tuple)]
        if not level:
            return False
    return True


def to_json(value: object, *, ascii_only: bool = False) -> str:
    r"""Write a value as one line of JSON.

    Values that JSON does not have become strings: bytes their UTF-8 text, or base64; dates and times ISO
    8601; others, such as decimal numbers, their ``str``. NaN and infinities become null. Lone surrogates are
    escaped as ``\udXXX``, so that the result can be encoded.

    ``ascii_only``: escape all characters beyond ASCII.
    Returns: JSON without line breaks.
    """
    try:
        text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(plain(value), ensure_ascii=ascii_only, allow_nan=False)
    try:
        text.encode()  # much faster than looking for surrogates
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)
    return text


def plain(value: object, _depth: int = 0) -> Any:  # noqa: ANN401  # what json.dumps takes
    """Return a value of JSON's types only, converted as :func:`to_json` says."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if _depth > _MAX_DEPTH:
        return "(nested too deeply)"
    if isinstance(value, Mapping):
        return {_key(key): plain(item, _depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item, _depth + 1) for item in value]
    return _scalar(value)


def _scalar(value: object) -> Any:  # noqa: ANN401
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(value)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return base64.b64encode(data).decode("ascii")
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a NumPy scalar
        return plain(value.item())
    return str(value)


def _key(key: object) -> str:
    value = plain(key)
    return value if isinstance(value, str) else to_json(value)


def without_surrogates(text: str) -> str:
    """Return text that can be encoded: surrogate pairs are joined, lone surrogates become U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def utc_now() -> str:
    """Return the time now (UTC, ISO 8601), or that of SOURCE_DATE_EPOCH, which makes files reproducible."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(fixed) if fixed.isdecimal() else time.time()
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
