"""Messages between the owner and a worker as bytes: pickles, with short forms for what most of them hold.

Several messages are packed together: they name their classes once, and packing the second is quicker than the
first, because the processor still has what it needs.
"""

from __future__ import annotations

import copyreg
import io
import pickle
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.io.record import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

_PLAIN: Final = "?bBhHiIlLqQfd"
"""Types of arrays that are packed as their bytes."""


def _array(kind: str, data: bytes | bytearray, shape: tuple[int, ...] | None) -> npt.NDArray[Any]:
    found = np.frombuffer(data, kind)
    return found if shape is None else found.reshape(shape)


def _reduced_array(array: npt.NDArray[Any]) -> Any:  # noqa: ANN401  # what pickle takes
    kind = array.dtype
    if kind.char in _PLAIN and kind.isnative and array.flags.c_contiguous and array.size:
        shape = None if array.ndim == 1 else array.shape
        data: Any = array  # a buffer, which NumPy's types say from Python 3.12 on
        return _array, (kind.char, pickle.PickleBuffer(data), shape)
    return array.__reduce_ex__(pickle.HIGHEST_PROTOCOL)


def _reduced_record(record: Record) -> Any:  # noqa: ANN401
    """Leave out what the work on a page does not need: carried keys and the record's place."""
    return Record, (record.url, record.html, record.charset, record.media_type, record.site)


class _Packer(pickle.Pickler):
    dispatch_table: Mapping[type, Any] = {
        **copyreg.dispatch_table,
        np.ndarray: _reduced_array,
        Record: _reduced_record,
    }


def packed(messages: object) -> memoryview:
    """Pack messages; a record loses its carried keys and its place."""
    out = io.BytesIO()
    _Packer(out, pickle.HIGHEST_PROTOCOL).dump(messages)
    return out.getbuffer()


def unpacked(data: bytes | memoryview) -> Any:  # noqa: ANN401  # any messages
    """Unpack what :func:`packed` has packed in a process of the same program."""
    return pickle.loads(data)
