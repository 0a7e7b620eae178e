"""Documents: the texts that expressions are mined from and applied to."""

from __future__ import annotations

import codecs
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from turbohtml.detect import detect

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
    """Decode markup or text without parsing it, as pages are decoded.

    The encoding is, in this order: that of a byte-order mark; the declared one; that of a ``meta`` element;
    that which the bytes look like. Bytes that are valid UTF-8, and not ASCII, are UTF-8 whatever encoding of
    one byte a character is declared. Bytes that cannot be decoded become U+FFFD.

    ``html``: the stored text or bytes. Text is given back as it is.
    ``charset``: the encoding that the transport declared, if any.
    """
    if isinstance(html, str):
        return html
    found = detect(html)
    name, codec = found.encoding or "utf-8", found.codec or "utf-8"
    if charset is not None and not found.bom:
        with suppress(LookupError, UnicodeError):  # it names no encoding
            name, codec = charset, codecs.lookup(f"whatwg-{charset.strip()}").name
    return html.decode("utf-8" if is_misdeclared(html, name) else codec, "replace").removeprefix("\ufeff")
