"""A sink that writes Arrow's IPC formats."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from detemplate.files.atomic import Closing
from detemplate.io.sinks.arrowrows import ArrowRows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from detemplate.io.record import Record
    from detemplate.io.sinks.out import Out


class ArrowSink(Closing):
    """Record batches with one row per page, their columns as of :class:`ArrowRows`.

    A batch has at most 10,000 rows or about 32 MiB.

    Parameters
    ----------
    out
        Where the bytes go.
    formats
        ``"text"``, ``"html"``, ``"markdown"``: the columns that hold the pages' texts.
    stream
        True: the IPC stream format, uncompressed. False: the IPC file format, its buffers compressed with
        zstd.

    Raises
    ------
    MissingExtra
        pyarrow is not installed.
    """

    def __init__(self, out: Out, *, formats: Sequence[str], stream: bool) -> None:
        self._out = out
        self._stream = stream
        self._pending = _Pending()
        self._writer: Any = None
        try:
            self._rows = ArrowRows(formats)
        except BaseException:
            out.abort()
            raise

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Add one row; raises what :meth:`~detemplate.io.sinks.out.Out.write` raises."""
        if self._rows.add(row, record):
            self._flush()

    def _flush(self) -> None:
        from detemplate.files.arrow import pa

        table = self._rows.take()
        if self._writer is None:
            options = pa.ipc.IpcWriteOptions(compression=None if self._stream else "zstd")
            opened = pa.ipc.new_stream if self._stream else pa.ipc.new_file
            self._writer = opened(self._pending, table.schema, options=options)
        if len(table):
            self._writer.write_table(table)
        self._out.write(self._pending.take())

    def close(self) -> None:
        """Write the last batch and the end, and finish the output."""
        self._flush()
        self._writer.close()
        self._out.write(self._pending.take())
        self._out.close()

    def abort(self) -> None:
        """Remove what was written."""
        self._out.abort()


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
