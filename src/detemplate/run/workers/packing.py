"""Messages between the owner and a worker as bytes: pickles, with short forms for what most of them hold.

Several messages are packed together: they name their classes once, and packing the second is quicker than the
first, because the processor still has what it needs. The pages of records are parts of their own, which are
sent from where they are.
"""

from __future__ import annotations

import copyreg
import io
import pickle
import struct
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.io.record import Record
from detemplate.page.scan import encoded

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


def _record(  # noqa: PLR0917  # what a record is made of
    url: str,
    page: bytes | memoryview,
    text: bool,
    charset: str | None,
    media_type: str | None,
    site: str | None,
) -> Record:
    html = str(page, "utf-8", "surrogatepass") if text else bytes(page)
    return Record(url, html, charset, media_type, site)


def _reduced_record(record: Record) -> Any:  # noqa: ANN401
    """Leave out what the work on a page does not need: carried keys and the record's place."""
    html, rest = record.html, (record.charset, record.media_type, record.site)
    if isinstance(html, str):
        return _record, (record.url, pickle.PickleBuffer(_utf8(html)), True, *rest)
    if isinstance(html, bytes):
        return _record, (record.url, pickle.PickleBuffer(html), False, *rest)
    return Record, (record.url, html, *rest)  # the worker tells what is wrong with it


def _utf8(text: str) -> bytes:
    try:
        return encoded([text])  # in a third of the time that Python takes
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


_REDUCERS: Final[dict[type, Any]] = {
    **copyreg.dispatch_table,
    np.ndarray: _reduced_array,
    Record: _reduced_record,
}
"""What messages are packed as."""


def packed_parts(messages: object, reducers: Mapping[type, Any] = _REDUCERS) -> list[memoryview]:
    """Pack messages in parts: their number and lengths, 8 bytes each, then the parts; large ones as they are.

    Parameters
    ----------
    messages
        Any objects.
    reducers
        What objects of each class are pickled as. By default a record loses its carried keys and its place.
    """
    parts: list[memoryview] = []

    def inside(buffer: pickle.PickleBuffer) -> bool:
        """Tell whether a buffer stays inside the first part: arrays do, pages of records do not."""
        part = buffer.raw()
        if isinstance(part.obj, bytes | bytearray):
            parts.append(part)
            return False
        return True

    out = io.BytesIO()
    packer = pickle.Pickler(out, pickle.HIGHEST_PROTOCOL, buffer_callback=inside)
    packer.dispatch_table = reducers
    packer.dump(messages)
    parts.insert(0, out.getbuffer())
    numbers = struct.pack(f"<{len(parts) + 1}Q", len(parts), *map(len, parts))
    return [memoryview(numbers), *parts]


def unpacked_parts(data: memoryview) -> Any:  # noqa: ANN401  # any messages
    """Unpack the joined parts of :func:`packed_parts`, in a process of the same program."""
    first, *others = split_parts(data)
    return pickle.loads(first, buffers=others)


def split_parts(data: memoryview) -> list[memoryview]:
    """Split the joined parts of :func:`packed_parts`.

    Raises
    ------
    ValueError
        The lengths do not fit.
    """
    count = int.from_bytes(data[:8], "little")
    at = 8 * (count + 1)
    if at > len(data):
        raise ValueError("the lengths of parts are cut off")
    parts = []
    for length in struct.unpack_from(f"<{count}Q", data, 8):
        parts.append(data[at : at + length])
        at += length
    if at != len(data):
        raise ValueError("parts have wrong lengths")
    return parts
