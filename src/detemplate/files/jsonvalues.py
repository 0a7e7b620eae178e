"""Any value that a record may carry, as JSON: never an error, always one line."""

from __future__ import annotations

import base64
import datetime
import json
import math
import re
from collections.abc import Mapping
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DEPTH = 100


def to_json(value: object, *, ascii_only: bool = False) -> str:
    r"""Write a value as one line of JSON.

    What JSON cannot hold becomes a string that can be read back: bytes their UTF-8 text, or
    base64; dates and times ISO 8601; anything else, such as a decimal number, its ``str``. NaN and
    infinities become null. Lone surrogates are escaped as ``\udXXX``, so the result always encodes.

    Parameters
    ----------
    value
        What to write.
    ascii_only
        Escape everything beyond ASCII.
    """
    try:
        text = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(plain(value), ensure_ascii=ascii_only, allow_nan=False)
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def plain(value: object, _depth: int = 0) -> Any:  # noqa: ANN401  # what json.dumps takes
    """Return a value made only of what JSON has; see `to_json` for what becomes of the rest."""
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
    """Return text that can be encoded: pairs of surrogates joined, lone ones replaced by U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
