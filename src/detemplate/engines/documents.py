"""From records to documents: the texts that expressions are mined from, with their sites."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from detemplate.engines.intake import Clock, attempted, first_of_each
from detemplate.errors import PageError, UserError
from detemplate.io.record import Skip
from detemplate.io.sources.textfiles import TextRecord
from detemplate.page.page import Page
from detemplate.page.visible import visible_text
from detemplate.sites.naming import site_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.io.record import Record
    from detemplate.io.sources.base import Source
    from detemplate.page.visible import VisibleText

TEXT: Final = "text"
HTML: Final = "html"
_META: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Document:
    """A text, where it is from and which site it is of; the page and its text, where there is one."""

    site: str
    url: str
    text: str
    record: Record
    page: Page | None = None
    visible: VisibleText | None = None


class Documents:
    """Gives the documents of a source, and skips for everything else, in the source's order.

    Parameters
    ----------
    source
        Where the records come from. Plain text is taken as it is.
    on
        ``"text"``: a page's visible text; ``"html"``: its markup as it came, decoded, not parsed.
    site_by
        What is one site, for records that do not name theirs.
    max_page_bytes, max_page_seconds
        Pages beyond are rejected.

    Attributes
    ----------
    clock : Clock
        The time that the present document has taken; started for each.

    Raises
    ------
    UserError
        For another ``on`` or ``site_by``.
    """

    def __init__(
        self, source: Source, *, on: str, site_by: str, max_page_bytes: int, max_page_seconds: float
    ) -> None:
        if on not in {TEXT, HTML}:
            raise UserError(f"expressions work on {TEXT} or {HTML}, not on {on!r}")
        if not max_page_seconds > 0:
            raise UserError(f"the time for a page must be above 0 seconds, not {max_page_seconds:g}")
        site_of("", site_by)
        self._source = source
        self._on = on
        self._site_by = site_by
        self._limit = max_page_bytes
        self.clock = Clock(max_page_seconds)

    def __iter__(self) -> Iterator[Document | Skip]:
        """Go through the source once; of records with the same URL, the first counts."""
        for item in first_of_each(self._source):
            yield item if isinstance(item, Skip) else self._document(item)

    def _document(self, record: Record) -> Document | Skip:
        def read() -> Document:
            text, page, visible = self._text(record)
            site = site_of(record.url, self._site_by) if record.site is None else record.site
            return Document(site, record.url, text, record, page, visible)

        return attempted(record, read, max_page_bytes=self._limit, clock=self.clock)

    def _text(self, record: Record) -> tuple[str, Page | None, VisibleText | None]:
        if isinstance(record, TextRecord) or self._on == HTML:
            text = decoded(record.html, record.charset)
            if not text or text.isspace():
                raise PageError("empty", "no text")
            return text, None, None
        page = Page(record.url, record.html, site="", charset=record.charset)
        visible = visible_text(page)
        return visible.text, page, visible


def decoded(html: str | bytes, charset: str | None) -> str:
    """Decode markup or text without parsing it.

    By its byte-order mark, else the declared encoding, else UTF-8 where it is that, else what a
    ``meta`` element near its beginning says, else Windows-1252, as browsers do. What cannot be decoded
    becomes U+FFFD.
    """
    if isinstance(html, str):
        return html
    for bom, name in _BOMS:
        if html.startswith(bom):
            return html[len(bom) :].decode(name, "replace")
    if charset is None:
        try:
            return html.decode()
        except UnicodeDecodeError:
            meta = _META.search(html[:2048])
            charset = meta.group(1).decode() if meta else None
    try:
        name = codecs.lookup(charset or "cp1252").name
        if name in {"iso8859-1", "ascii"}:  # what the web's standard makes of them
            name = "cp1252"
        return html.decode(name, "replace")
    except (LookupError, ValueError):  # it names no encoding of text
        return html.decode("utf-8", "replace")
