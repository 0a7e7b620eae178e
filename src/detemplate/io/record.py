"""What sources give: a record for each page, a skip for everything else that they met."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class SourceRef:
    """Where a record came from, so that an output can point back at it.

    ``path`` is the input as the user named it (``"-"`` for standard input); ``position`` is the
    byte offset (WARC), line number (JSONL, from 1) or row number (Parquet, from 0) within it;
    ``record_id`` and ``date`` are the WARC record's, where there is one. ``relative`` is the path
    of an HTML file below the directory that was read, with ``/`` between its parts.
    """

    path: str
    position: int = 0
    record_id: str | None = None
    date: str | None = None
    relative: str | None = None


@dataclass(slots=True)
class Record:
    """One HTML page as it was stored.

    ``html`` is text, or bytes with ``charset`` naming the encoding that the transport declared
    (an HTTP header), if any. ``site`` is the site that the record itself names, if any.
    ``carried`` holds every other key of the input record, to be carried through to the output.
    """

    url: str
    html: str | bytes
    charset: str | None = None
    site: str | None = None
    carried: dict[str, object] = field(default_factory=dict)
    source: SourceRef | None = None


@dataclass(slots=True)
class Skip:
    """Something in an input that is not a page to clean, and why.

    ``reason`` is a short name that counters use (``"not html"``, ``"http status"``,
    ``"truncated"``, ``"bad record"``, …); ``detail`` says more, for a person. ``rejected`` tells
    whether something that was, or should have been, a page was lost (it goes to ``--rejects``)
    or whether it was merely not a page (it is only counted).
    """

    url: str
    reason: str
    detail: str = ""
    source: SourceRef | None = None
    rejected: bool = False
