"""A sink that writes JSON Lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.files.atomic import Closing
from detemplate.files.jsonvalues import to_json
from detemplate.io.sinks.out import encoded_json, json_with

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.io.record import Record
    from detemplate.io.sinks.out import EncodedRow, Out


class JsonlSink(Closing):
    """One JSON object per line, in UTF-8. Equal rows give equal bytes.

    Parameters
    ----------
    out
        Where the lines go.
    """

    def __init__(self, out: Out) -> None:
        self._out = out

    def write(self, row: Mapping[str, object], record: Record) -> None:  # noqa: ARG002
        """Write one line; raises what :meth:`~detemplate.io.sinks.out.Out.write` raises."""
        self._out.write(to_json(dict(row)).encode("utf-8") + b"\n")

    def encode(self, row: Mapping[str, object]) -> EncodedRow:
        """Encode a row as a JSON object."""
        return encoded_json(row)

    def write_encoded(
        self,
        row: EncodedRow,
        carried: Mapping[str, object],
        record: Record,  # noqa: ARG002
    ) -> None:
        """Write one line; raises what :meth:`~detemplate.io.sinks.out.Out.write` raises."""
        self._out.write(json_with(row, carried) + b"\n")

    def close(self) -> None:
        """Finish the output."""
        self._out.close()

    def abort(self) -> None:
        """Remove what was written."""
        self._out.abort()
