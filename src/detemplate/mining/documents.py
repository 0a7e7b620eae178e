"""Documents: the texts that expressions are mined from and applied to."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from detemplate.errors import PageError, UserError
from detemplate.io.sources.pagefiles import TextRecord
from detemplate.page.address import site_name
from detemplate.page.encoding import is_misdeclared
from detemplate.page.page import Page
from detemplate.page.visible import visible_text
from detemplate.sites.naming import site_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.io.record import Record
    from detemplate.page.visible import VisibleText

TEXT: Final = "text"
"""Expressions work on visible text."""

HTML: Final = "html"
"""Expressions work on markup."""

_META: Final = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE)

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Document:
    """A text of a site.

    ``site``, ``url``, ``text``: what it is.
    ``record``: where it is from.
    ``page``, ``visible``: the parsed page and its visible text; None where nothing was parsed.
    """

    site: str
    url: str
    text: str
    record: Record
    page: Page | None = None
    visible: VisibleText | None = None


def document_reader(on: str, site_by: str) -> Callable[[Record], Document]:
    """Return a parse function for :class:`~detemplate.run.reader.Reader` that makes documents.

    ``on``: ``"text"``: a page's visible text; ``"html"``: its markup as stored, decoded, not parsed. Plain
        text is taken as it is.
    ``site_by``: what is one site, for records that do not name theirs: see
        :func:`~detemplate.sites.naming.site_of`.
    Returns: a function from a record to its document; it raises
        :class:`~detemplate.errors.PageError` ``empty`` for one without text.
    Raises UserError: for another ``on`` or ``site_by``.
    """
    check_on(on)
    site_of("", site_by)

    def read(record: Record) -> Document:
        site = site_name(site_of(record.url, site_by) if record.site is None else record.site)
        if isinstance(record, TextRecord) or on == HTML:
            text = decoded(record.html, record.charset)
            if not text or text.isspace():
                raise PageError("empty", "no text")
            return Document(site, record.url, text, record)
        page = Page(record.url, record.html, site="", charset=record.charset, media_type=record.media_type)
        visible = visible_text(page)
        return Document(site, record.url, visible.text, record, page, visible)

    return read


def check_on(on: str) -> None:
    """Refuse what expressions cannot work on; raises :class:`~detemplate.errors.UserError`."""
    if on not in {TEXT, HTML}:
        raise UserError(f"expressions work on {TEXT} or {HTML}, not on {on!r}")


def decoded(html: str | bytes, charset: str | None) -> str:
    """Decode markup or text without parsing it.

    The encoding is, in this order: that of a byte-order mark; the declared one; UTF-8 if the bytes are valid
    UTF-8; that of a ``meta`` element in the first 2,048 bytes; Windows-1252, as in browsers. Bytes that are
    valid UTF-8, and not ASCII, are UTF-8 whatever encoding of one byte a character is declared. Bytes that
    cannot be decoded become U+FFFD.

    ``html``: the stored text or bytes. Text is given back as it is.
    ``charset``: the encoding that the transport declared, if any.
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
        if name in {"iso8859-1", "ascii"}:  # the Encoding Standard reads both as Windows-1252
            name = "cp1252"
        if is_misdeclared(html, name):
            name = "utf-8"
        return html.decode(name, "replace")
    except (LookupError, ValueError):  # it names no encoding of text
        return html.decode("utf-8", "replace")
