"""Detector states as bytes: a JSON header, then arrays.

Layout: the magic bytes, the header's length (8 bytes, little-endian), the header (JSON), the arrays one after
another (little-endian). The header holds the method's name, the version of its layout, and each array's type
and length. Nothing in a state is executed.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.errors import DetemplateError, UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

_MAGIC: Final = b"detemplate-state\n"

DAMAGE: Final = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError, UserError)
"""Exceptions that reading a damaged state can raise."""


_NARROWER: Final = {"<i4": ("|i1", "<i2"), "<i8": ("|i1", "<i2", "<i4")}
"""Types that hold some of a type's numbers, the narrowest first."""


class StateError(DetemplateError, ValueError):
    """The bytes are damaged, or are the state of another method or version."""


def pack(
    name: str,
    version: int,
    header: Mapping[str, object],
    arrays: Mapping[str, npt.NDArray[Any]],
    *,
    narrow: bool = False,
) -> bytes:
    """Pack a detector's state into bytes.

    ``name``, ``version``: the method's name, and the version of its state's layout.
    ``header``: anything that JSON can hold.
    ``arrays``: one-dimensional arrays of numbers, by name.
    ``narrow``: whether whole numbers get the narrowest type that holds them.
    """
    flat = {key: np.ascontiguousarray(array) for key, array in arrays.items()}
    if narrow:
        flat = {key: _narrow(array) for key, array in flat.items()}
    flat = {key: array.astype(array.dtype.newbyteorder("<"), copy=False) for key, array in flat.items()}
    layout = {key: [array.dtype.str, len(array)] for key, array in flat.items()}
    head = json.dumps({"name": name, "version": version, "header": header, "arrays": layout}).encode()
    return b"".join(
        [_MAGIC, len(head).to_bytes(8, "little"), head, *(array.tobytes() for array in flat.values())]
    )


def unpack(
    data: bytes, name: str, version: int, types: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Unpack the bytes of :func:`pack` into the header and the arrays.

    ``data``: the state.
    ``name``, ``version``: the method and the version that the state must be of.
    ``types``: the arrays that the state must hold: name → NumPy type, such as ``"<u8"``.
    Raises StateError: ``data`` is damaged, or is the state of another method or version.
    """
    try:
        head, at = _head(data)
        if (head["name"], head["version"]) != (name, version):
            raise StateError(
                f"the state is of {head['name']} version {head['version']}, not of {name} version {version}"
            )
        arrays = {}
        for key, (kind, length) in head["arrays"].items():
            if length < 0 or (kind != types[key] and kind not in _NARROWER.get(types[key], ())):
                raise StateError(f"the array {key} has type {kind!r} and length {length}")
            dtype = np.dtype(kind)
            wanted = np.dtype(types[key]).newbyteorder("=")
            arrays[key] = np.frombuffer(data, dtype, length, at).astype(wanted)
            at += dtype.itemsize * length
        if at != len(data):
            raise StateError("the state has a wrong length")
        if arrays.keys() != types.keys():
            raise StateError("arrays are missing")
        return head["header"], arrays
    except StateError:
        raise
    except DAMAGE as error:
        raise StateError(f"the state is damaged: {error}") from error


def pages_in(header: Mapping[str, Any], least: int = 0) -> int:
    """Return a header's number of pages; raises StateError unless it is from ``least`` to 2³¹."""
    pages = header["pages"]
    if not isinstance(pages, int) or not least <= pages < 2**31:
        raise StateError("the state's pages are out of range")
    return pages


def parts(whole: Any, sizes: npt.NDArray[np.integer]) -> list[Any]:  # noqa: ANN401  # bytes or an array
    """Cut bytes or an array into parts of these sizes; raises StateError unless they are all of it."""
    if ((sizes < 0) | (sizes > len(whole))).any() or int(sizes.sum(dtype=np.int64)) != len(whole):
        raise StateError("the state's parts have wrong lengths")
    edges = [0, *np.cumsum(sizes, dtype=np.int64).tolist()]
    return [whole[low:high] for low, high in pairwise(edges)]


def _narrow(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Give an array the narrowest type that holds its numbers."""
    narrower = _NARROWER.get(array.dtype.str, ())
    if not narrower or not len(array):
        return array
    least, most = array.min(), array.max()
    for kind in narrower:
        limits = np.iinfo(kind)
        if limits.min <= least and most <= limits.max:
            return array.astype(kind)
    return array


def name_in(data: bytes) -> str:
    """Return the name of the method whose state this is, as it was written; raises StateError."""
    try:
        return str(_head(data)[0]["name"])
    except StateError:
        raise
    except DAMAGE as error:
        raise StateError(f"the state is damaged: {error}") from error


def options_in(data: bytes) -> dict[str, Any]:
    """Return the options in a state's header, as they were written; raises StateError if there are none."""
    try:
        return dict(_head(data)[0]["header"]["options"])
    except StateError:
        raise
    except DAMAGE as error:
        raise StateError(f"the state is damaged: {error}") from error


def _head(data: bytes) -> tuple[dict[str, Any], int]:
    """Return a state's head, and where its arrays begin."""
    if not data.startswith(_MAGIC):
        raise StateError("the bytes are no detector state")
    start = len(_MAGIC) + 8
    stop = start + int.from_bytes(data[start - 8 : start], "little")
    return json.loads(data[start:stop]), stop
