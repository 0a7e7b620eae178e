"""An answer of a server, as it was received."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import TYPE_CHECKING

from detemplate.io.sources.http_body import HttpHead, decode_body, parse_head

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Fetched:
    """An answer of a server to one request.

    Attributes
    ----------
    url
        The URL that was asked for.
    head
        Status line and headers as they are written into archives, without the empty line after them.
    body
        The body as received: content codings (gzip) are not undone, transfer codings are.
    depth
        Number of links from a start URL.
    redirects
        Number of redirects in a row that led to it.
    address
        IP address of the server; empty if unknown.
    cut
        Whether the body was not read to its end.
    date
        When it came (ISO 8601, UTC); empty: now.
    request
        The request's lines, without the empty line after them.
    """

    url: str
    head: bytes
    body: bytes
    depth: int = 0
    redirects: int = 0
    address: str = ""
    cut: bool = False
    date: str = ""
    request: bytes = field(default=b"", repr=False)

    @cached_property
    def http(self) -> HttpHead:
        """Status and headers."""
        return parse_head(self.head)

    @property
    def status(self) -> int:
        """Status code; 0 if there is none."""
        return self.http.status or 0

    @property
    def is_page(self) -> bool:
        """Whether the status is that of a page that was found."""
        return 200 <= self.status < 300

    def payload(self, limit: int) -> bytes:
        """Undo the codings of the body.

        Raises
        ------
        TooLargeError
            It has more than ``limit`` bytes.
        UndecodableError
            A coding is unknown, or the data is corrupt.
        """
        codings = [name for name in self.http.codings if name != "chunked"]
        return decode_body(self.body, codings, limit)


def written_head(first: str, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Write the first line of a message and its headers, each in one line."""
    lines = [name + b": " + b" ".join(value.split(b"\r\n")) for name, value in headers]
    return b"\r\n".join([first.encode("ascii", "replace"), *lines])


def status_line(protocol: str, status: int) -> str:
    """Give a status line, with the standard phrase of the status."""
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    return f"{protocol} {status} {phrase}".rstrip()
