"""What a source yields: a record for each page, a skip for anything else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping


@dataclass(slots=True)
class SourceRef:
    """Where a record came from; outputs refer to it.

    ``path``: the input as the user named it; ``"-"`` for standard input.
    ``position``: place in the input: byte offset (WARC), line number from 1 (JSON Lines, CSV), number from 1
        (items of a JSON array, members of an archive) or row number from 0 (tables).
    ``record_id``, ``date``: ``WARC-Record-ID`` and ``WARC-Date`` of a WARC record.
    ``relative``: path of an HTML file below the directory that is read, with ``/`` between its parts.
    ``types``: Arrow types of the input's columns, by name, where it has any (Parquet): outputs with typed
        columns keep them.
    """

    path: str
    position: int = 0
    record_id: str | None = None
    date: str | None = None
    relative: str | None = None
    types: Mapping[str, Any] | None = None


@dataclass(slots=True)
class Record:
    """One HTML page as it was stored.

    ``url``: the page's URL.
    ``html``: the page as text or bytes.
    ``charset``: encoding of ``html`` as bytes, if an HTTP header declared one.
    ``media_type``: media type of the page, if it is known, in lower case: ``"application/xhtml+xml"``.
    ``site``: the site's name, if the input record has one.
    ``carried``: all other keys of the input record; they are copied to the output.
    ``source``: where the record came from.
    ``nameless``: whether the input has no URL for it: ``url`` is then made of its place, and ``site`` of the
        input's.
    """

    url: str
    html: str | bytes
    charset: str | None = None
    media_type: str | None = None
    site: str | None = None
    carried: dict[str, object] = field(default_factory=dict)
    source: SourceRef | None = None
    nameless: bool = False

    @property
    def size(self) -> int:
        """Length of ``html``, in bytes or characters; 0 where a source gave something else."""
        return len(self.html) if isinstance(self.html, str | bytes) else 0

    @property
    def date(self) -> str | None:
        """When the page was fetched, if its source says so."""
        return self.source.date if self.source is not None else None


@dataclass(slots=True)
class Skip:
    """Something in an input that is not cleaned, and why.

    ``url``: its URL; empty if unknown.
    ``reason``: short name for counters: ``"not html"``, ``"http status"``, ``"truncated"``, ``"bad record"``,
        ….
    ``detail``: an explanation for people.
    ``source``: where it was found.
    ``rejected``: True if it is bad: it should have been a page, and is lost. It is written to ``--rejects``,
        and counts for ``--max-bad``. False if it is no page by its nature (another media type, a redirect) or
        is there already (a duplicate): it is only counted.
    """

    url: str
    reason: str
    detail: str = ""
    source: SourceRef | None = None
    rejected: bool = False

    def as_row(self) -> dict[str, Any]:
        """Return it as a row of lost pages: ``url``, ``reason``, ``detail``, ``source``, ``position``."""
        place = self.source
        return {
            "url": self.url,
            "reason": self.reason,
            "detail": self.detail,
            "source": place.path if place else None,
            "position": place.position if place else None,
        }


def skipped_lines(skipped: Counter[str]) -> list[str]:
    """Return the number of skips by reason as a line of text for people; no line if there are none."""
    if not skipped:
        return []
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in skipped.most_common())
    return [f"skipped {skipped.total():,}: {reasons}"]
