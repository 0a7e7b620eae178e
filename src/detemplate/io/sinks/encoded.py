"""Rows that are bytes already where their page is rendered, so that a run with workers only appends them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

from detemplate.files.jsonvalues import to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.io.record import Record


class EncodedRow(NamedTuple):
    """A row without the keys that the input record carries.

    Attributes
    ----------
    data
        The row in the sink's format.
    keys
        The row's keys. Equal ones are one object: they are packed once for many rows.
    """

    data: bytes
    keys: tuple[str, ...]


@runtime_checkable
class EncodingSink(Protocol):
    """A sink that takes encoded rows, too.

    They give the same bytes as :meth:`~detemplate.io.sinks.base.Sink.write`.
    """

    def encode(self, row: Mapping[str, object]) -> EncodedRow:
        """Encode a row; called in any process, and depends on the row alone."""

    def write_encoded(self, row: EncodedRow, carried: Mapping[str, object], record: Record) -> None:
        """Write a row and further keys, which the row lacks; raises what ``write`` raises."""


_KEYS: Final[dict[tuple[str, ...], tuple[str, ...]]] = {}
"""The keys of rows, each once. A run has few: its options and its method decide them."""


def encoded_json(row: Mapping[str, object]) -> EncodedRow:
    """Encode a row as a JSON object in UTF-8."""
    keys = tuple(row)
    return EncodedRow(to_json(dict(row)).encode("utf-8"), _KEYS.setdefault(keys, keys))


def json_with(row: EncodedRow, carried: Mapping[str, object]) -> bytes:
    """Join an encoded row and further keys, which the row lacks, into one JSON object."""
    if not carried:
        return row.data
    return row.data[:-1] + b", " + to_json(dict(carried)).encode("utf-8")[1:]
