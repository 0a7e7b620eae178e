"""Files of a checkpoint to which pairs are appended: pickles that can hold data alone.

One holds what became of pages, the other what sites have learnt. They are not compressed: that would take the
owner of a run twice the time of packing and writing them.
"""

from __future__ import annotations

import copyreg
import dataclasses
import io
import pickle
import struct
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from detemplate.io.record import Record, SourceRef
from detemplate.io.sinks.out import EncodedRow
from detemplate.run.appended import AppendedFile
from detemplate.run.workers.packing import packed_parts, split_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from detemplate.run.appended import Piece

    Pairs = list[tuple[Any, Any]]

    _Reduced = tuple[Callable[..., Any], tuple[Any, ...]]
    """What pickle makes an object of."""

_BATCH: Final = 64
"""Pairs that are packed together."""

_LENGTH: Final = struct.Struct("<Q")
"""Before each batch: its length in bytes."""

_CLASSES: Final = {
    "builtins": {"bytearray", "complex", "frozenset", "set"},
    "collections": {"OrderedDict"},
    "datetime": {"date", "datetime", "time", "timedelta", "timezone"},
    "decimal": {"Decimal"},
    "detemplate.run.journal": {"_row"},
    "detemplate.run.pagework": {"Cleaned"},
    "detemplate.errors": {"PageError"},
    "detemplate.io.record": {"Record", "Skip", "SourceRef"},
    "detemplate.sites.history": {"Glance"},
    "uuid": {"UUID", "SafeUUID"},
    "zoneinfo": {"ZoneInfo", "ZoneInfo._unpickle"},
}
"""Classes, and functions that make them, that a journal may hold. Calling one executes nothing else."""

_QUERIES: Final = {
    "builtins": _CLASSES["builtins"],
    "detemplate.detectors.auto.exchange": {"unpickled"},
    "detemplate.run.workers.packing": {"_array"},
    "numpy": {"dtype", "ndarray"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
}
"""What the query of a page may hold, beside named tuples and dataclasses of :mod:`detemplate`."""

_OF_QUERIES: Final = ("algorithms", "detectors", "features", "page")
"""Folders whose data queries hold."""

_DAMAGE: Final = (pickle.UnpicklingError, EOFError, LookupError, TypeError, AttributeError, ImportError)
"""What reading a damaged pickle may raise, beside ValueError."""


class Journal:
    """A file to which pairs are appended.

    Parameters
    ----------
    path
        The file. It is made if it does not exist.
    size
        Its bytes that count; what an earlier process appended to them is cut off.
    pack, unpack
        Make bytes of pairs, in pieces, and pairs of the bytes.

    Raises
    ------
    OSError
        It cannot be opened.
    ValueError
        It is shorter than ``size``.
    """

    def __init__(
        self,
        path: str,
        size: int,
        pack: Callable[[Pairs], Sequence[Piece]],
        unpack: Callable[[bytes], Pairs],
    ) -> None:
        self._file = AppendedFile(path, size)
        self._pack, self._unpack = pack, unpack
        self._batch: Pairs = []

    def add(self, first: object, second: object) -> bool:
        """Append a pair; tell whether it is time to :meth:`write`."""
        self._batch.append((first, second))
        return len(self._batch) >= _BATCH

    def sync(self) -> int:
        """Bring all to disk that was appended; return the bytes that count then."""
        self.write()
        return self._file.sync()

    def write(self) -> int:
        """Write what waits; return the file's bytes then. Raises as ``pack`` and OSError."""
        if self._batch:
            pieces = self._pack(self._batch)
            self._file.append([_LENGTH.pack(sum(map(len, pieces))), *pieces])
            self._batch = []
        return self._file.size

    def clear(self) -> None:
        """Forget all pairs."""
        self._batch = []
        self._file.clear()

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Give all pairs that are written, in order.

        Raises
        ------
        ValueError
            The file is damaged.
        """
        at, stop = 0, self._file.size
        while at < stop:
            head = self._file.read(at, _LENGTH.size)
            at += _LENGTH.size
            size = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else stop
            if size > stop - at:
                raise ValueError(f"{self._file.name} is damaged: a batch has a wrong length")
            yield from self._unpack(self._file.read(at, size))
            at += size

    def close(self) -> None:
        """Close the file; the last pairs that were not synced are lost."""
        self._file.close()


class _Data(pickle.Unpickler):
    """Reads pickles of data; refuses all others."""

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401  # any class
        if name in _CLASSES.get(module, ()) or (module == "builtins" and name == "tuple"):
            return super().find_class(module, name)
        if module == "builtins" and name == "getattr":  # what zoneinfo pickles by
            return _zone
        raise pickle.UnpicklingError(f"{module}.{name} is no data")


def _zone(owner: type, name: str) -> Any:  # noqa: ANN401
    if (owner.__module__, name) == ("zoneinfo", "_unpickle"):
        return getattr(owner, name)
    raise pickle.UnpicklingError(f"{name} of {owner} is no data")


def without_page(item: Any) -> Any:  # noqa: ANN401  # a record or a skip
    """Give a record without its page, which takes most of its memory; anything else as it is."""
    return Record(*_reduced_record(item)[1]) if type(item) is Record else item


def packed(outcomes: Pairs) -> Sequence[Piece]:
    """Pack items and their outcomes.

    Parameters
    ----------
    outcomes
        Records or skips, each with a cleaned page, an error or None. Of a record, its page is left out.

    Raises
    ------
    TypeError, ValueError
        An input record carries a value that is no data.
    """
    schemas: dict[int, bytes] = {}
    reducers = _REDUCERS | {SourceRef: partial(_reduced_source, schemas=schemas)}
    try:
        # In this order: the schemas are known when the outcomes are packed.
        return packed_parts((outcomes, schemas), reducers)
    except (pickle.PicklingError, AttributeError) as error:
        raise ValueError(str(error)) from error


def unpacked(data: bytes) -> Pairs:
    """Unpack what :func:`packed` has packed.

    Raises
    ------
    ValueError
        It is damaged, or holds something else than data.
    """
    try:
        lean, types = _read(_Data, data)
        schemas = {number: _types(schema) for number, schema in types.items()}
        for item, _ in lean:
            source = item.source
            if source is not None and isinstance(source.types, int):
                source.types = schemas[source.types]
    except _DAMAGE as error:
        raise ValueError(f"the outcomes are damaged: {error}") from error
    return list(lean)


def packed_queries(queries: Pairs) -> Sequence[Piece]:
    """Pack sites, each with what a page has asked it."""
    return packed_parts(queries)


def unpacked_queries(data: bytes) -> Pairs:
    """Give the sites and queries that :func:`packed_queries` has packed.

    Raises
    ------
    ValueError
        It is damaged, or holds something else than data.
    """
    try:
        queries: Pairs = _read(_Queries, data)
    except _DAMAGE as error:
        raise ValueError(f"what was learnt is damaged: {error}") from error
    return queries


def _read(reader: type[pickle.Unpickler], data: bytes) -> Any:  # noqa: ANN401
    """Read what was packed in parts; raises as ``reader``, and ValueError."""
    first, *others = split_parts(memoryview(data))
    return reader(io.BytesIO(first), buffers=others).load()


class _Queries(pickle.Unpickler):
    """Reads pickles of queries; refuses all others."""

    def find_class(self, module: str, name: str) -> Any:  # noqa: ANN401  # any class
        found = None
        if name in _QUERIES.get(module, ()):
            found = super().find_class(module, name)
        elif module.split(".")[:2] in (["detemplate", part] for part in _OF_QUERIES) and name.isidentifier():
            found = super().find_class(module, name)
            if not (
                isinstance(found, type) and (dataclasses.is_dataclass(found) or hasattr(found, "_fields"))
            ):
                found = None
        if found is None:
            raise pickle.UnpicklingError(f"{module}.{name} is no data")
        return found


def _reduced_record(record: Record) -> _Reduced:
    return Record, (record.url, b"", None, None, None, record.carried, record.source)


def _reduced_source(source: SourceRef, schemas: dict[int, bytes]) -> _Reduced:
    """Leave the types out, and put them into ``schemas`` by their number."""
    types: Any = source.types
    if types:
        number = id(types)
        if number not in schemas:
            schemas[number] = _schema(types)
        types = number
    return SourceRef, (*_OF_SOURCE(source), types)


def _reduced_row(row: EncodedRow) -> _Reduced:
    return _row, (pickle.PickleBuffer(row.data), row.keys)


def _row(data: memoryview, keys: tuple[str, ...]) -> EncodedRow:
    return EncodedRow(bytes(memoryview(data)), keys)  # of a number, bytes() would make so many


_REDUCERS: Final[dict[type, Any]] = {
    **copyreg.dispatch_table,
    Record: _reduced_record,
    EncodedRow: _reduced_row,
}
"""What outcomes are packed as: rows are parts of their own, which are written from where they are."""

_OF_SOURCE: Final = attrgetter(*(field.name for field in dataclasses.fields(SourceRef)[:-1]))
"""Gives what the place of a record is made of, but for its types, which are the last."""


def _schema(types: Mapping[str, Any]) -> bytes:
    from detemplate.files.arrow import pa

    return bytes(pa.schema(list(types.items())).serialize().to_pybytes())


def _types(schema: bytes) -> dict[str, Any]:
    from detemplate.files.arrow import pa

    read = pa.ipc.read_schema(pa.py_buffer(schema))
    return {field.name: field.type for field in read}
