"""Records from rows of named fields: JSON objects, and the rows of tables and databases.

Which field is the page, and which its URL, is guessed by the names that crawlers and data sets use, or said.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from detemplate.errors import UserError, abridged
from detemplate.files.jsonvalues import is_too_deep
from detemplate.io.record import Record, Skip

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from detemplate.io.record import SourceRef


URL_NAMES: Final = (
    "url", "page_url", "uri", "warc_target_uri", "target_uri", "final_url", "source_url", "document_url",
    "original_url", "request_url", "canonical_url", "link", "href",
)  # fmt: skip
"""Names for the URL, in the order in which they are tried.

Case does not matter, nor what stands between the parts of a name: ``WARC-Target-URI``, ``pageUrl``.
"""

HTML_NAMES: Final = (
    "html", "raw_html", "html_content", "content_html", "page_html", "html_body", "html_raw", "outer_html",
    "markup",
)  # fmt: skip
"""Names that say HTML: the value is the page, whatever it holds."""

BODY_NAMES: Final = (
    "body", "content", "raw_content", "page_content", "page_source", "source_code", "response_body",
    "payload",
)  # fmt: skip
"""Names that mostly mean HTML. Tried after the others; where values are seen, one with a tag is the page."""

GENERAL_NAMES: Final = (*BODY_NAMES, "response", "raw", "document", "page", "text", "data")
"""The same, with names that may as well mean text: only where values are seen."""

_LONGEST: Final = 40  # longest name in characters that is compared with the known ones


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Return a name as it is compared: its letters and digits, in lower case."""
    return "".join(filter(str.isalnum, name)).casefold()


@lru_cache(maxsize=16)
def _places(names: tuple[str, ...]) -> dict[str, int]:
    return {plain(name): place for place, name in enumerate(names)}


def named(given: Iterable[str], names: tuple[str, ...]) -> list[str]:
    """Return those of the given names that are among the known ones, or like one.

    ``given``: names of fields or columns.
    ``names``: known names, the preferred one first.
    Returns: in the order of ``names``; of equals, the one that is spelled alike stands first.
    """
    places = _places(names)
    found = [name for name in given if len(name) <= _LONGEST and plain(name) in places]
    if len(found) < 2:
        return found
    return sorted(found, key=lambda name: (places[plain(name)], name not in names))


def url_column(names: Iterable[str]) -> str | None:
    """Choose the column of URLs by its name (:data:`URL_NAMES`); None if there is none."""
    return next(iter(named(names, URL_NAMES)), None)


def html_column(names: Iterable[str]) -> str | None:
    """Choose the column of markup by its name (HTML_NAMES, then BODY_NAMES); None if there is none."""
    return next(iter(named(names, (*HTML_NAMES, *BODY_NAMES))), None)


_TAG: Final = re.compile(r"<[a-zA-Z!/?]")  # the beginning of a tag, a declaration or a comment
_TAG_BYTES: Final = re.compile(rb"<\0?[a-zA-Z!/?]")  # the same in bytes, of UTF-16 too
_MARKUP: Final = 1 << 16  # characters in which a tag is looked for


class _NoTextError(ValueError):
    """A field is no text; the message says which."""


class RecordMaker:
    """Makes records of rows.

    ``names``: the names of the fields, where the user says them.
    ``limit``: the largest page in bytes; text counts in UTF-8.
    ``place``: URL of the file, for records that have none: the record's number or id follows after ``#``.
    ``site``: name of the one site of all records without a URL; by default ``place``.
    """

    def __init__(self, names: FieldNames, limit: int, place: str, site: str | None = None) -> None:
        self.names = names
        self.limit = limit
        self._place = place
        self._site = site or place

    def within(self, part: str) -> RecordMaker:
        """Return a maker for a part of the file: ``part`` follows its URL after a colon."""
        return RecordMaker(self.names, self.limit, f"{self._place}:{quote(part, safe='')}", self._site)

    def record(self, fields: dict[str, object], source: SourceRef, where: str = "") -> Record | Skip:
        """Make a record; fields of other names are carried.

        ``fields``: the fields by name. Those that the record holds are removed from it.
        ``source``: where the fields came from.
        ``where``: the same for people: a bad record's detail begins with it.
        Returns: a skip, ``"bad record"`` or ``"too large"``, if there is no usable page.
        """

        def bad(why: str, url: str = "") -> Skip:
            return Skip(url, "bad record", f"{where}: {why}" if where else why, source, rejected=True)

        try:
            url = self._take_url(fields)
            site = _text(fields.pop("site", None), "site")
        except _NoTextError as error:
            return bad(str(error))
        if is_too_deep(fields):
            return bad("nested too deeply", url)
        nameless = not url
        html = self._take_html(fields)
        if html is None:
            return bad(self._no_html(fields), url)
        if not url:
            name = self._name(fields)
            url = f"{self._place}#{source.position if name is None else name}"
            nameless = not site
            site = site or self._site
        # A character takes at most four bytes, so most pages are measured without encoding them.
        if len(html) * (4 if isinstance(html, str) else 1) > self.limit:
            size = len(html.encode("utf-8", "surrogatepass")) if isinstance(html, str) else len(html)
            if size > self.limit:
                return Skip(url, "too large", f"{size} bytes", source, rejected=True)
        return Record(url, html, site=site or None, carried=fields, source=source, nameless=nameless)

    def _take_url(self, fields: dict[str, object]) -> str:
        """Take the URL; empty if the row has none. Raises _NoTextError."""
        if self.names.url is not None:
            url = _text(_field(fields, self.names.url, take=True), self.names.url)
            if not url:
                raise _NoTextError(f"no {self.names.url!r} that is a string")
            return url
        for inner in (fields, *_objects(fields)):
            for name in named(inner, URL_NAMES):
                if isinstance(inner[name], str | bytes) and (url := _text(inner[name], name)):
                    if inner is fields:
                        del fields[name]
                    return url
        return ""

    def _take_html(self, fields: dict[str, object]) -> str | bytes | None:
        """Take the page; None if the row has none."""
        if self.names.html is not None:
            return _page(_field(fields, self.names.html, take=True))
        certain = [name for name in named(fields, HTML_NAMES) if _page(fields[name]) is not None]
        general = [name for name in named(fields, GENERAL_NAMES) if _holds_markup(fields[name])]
        # The first that holds markup; an empty or plain 'html' is the page if nothing else is.
        chosen = [name for name in certain if _holds_markup(fields[name])] or certain[:1] or general
        if certain and general and not _holds_markup(fields[chosen[0]]):
            chosen = general
        if chosen:
            return _page(fields.pop(chosen[0]))
        for inner in _objects(fields):
            for name in named(inner, (*HTML_NAMES, *GENERAL_NAMES)):
                if _holds_markup(inner[name]):
                    return _page(inner.pop(name))
        return None

    def _name(self, fields: dict[str, object]) -> str | int | None:
        """Return what ``--id-column`` says of a record; None if it says nothing."""
        if self.names.id is None:
            return None
        value = _field(fields, self.names.id)
        return value if isinstance(value, str | int) and not isinstance(value, bool) else None

    def _no_html(self, fields: Mapping[str, object]) -> str:
        """Say that a row has no page, and what it has."""
        if self.names.html is not None:
            return f"no {self.names.html!r} that is a string; its keys are {listed(fields)}"
        plain = [name for name in named(fields, GENERAL_NAMES) if _page(fields[name])]
        markup = f" ({plain[0]!r} holds no tag)" if plain else ""
        return f"no HTML under a name that is known{markup}; its keys are {listed(fields)}"


def _holds_markup(value: object) -> bool:
    """Return whether a value is text or bytes with a tag in it."""
    if isinstance(value, str):
        return _TAG.search(value, 0, _MARKUP) is not None
    return isinstance(value, bytes) and _TAG_BYTES.search(value, 0, _MARKUP) is not None


def _objects(fields: Mapping[str, object]) -> list[dict[str, object]]:
    """Return the objects of a row in which fields are looked for."""
    return [value for name in named(fields, NESTED) if isinstance(value := fields[name], dict)]


def _field(fields: dict[str, object], name: str, *, take: bool = False) -> object:
    """Return the field of a name, also of one with dots, None if there is none; ``take`` removes it."""
    if name in fields:
        return fields.pop(name) if take else fields[name]
    head, dot, rest = name.partition(".")
    inner = fields.get(head)
    return _field(inner, rest, take=take) if dot and isinstance(inner, dict) else None


def _text(value: object, name: str) -> str:
    """Return a value as text, without white space around it; raises _NoTextError if it is none."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        try:
            value = value.decode("utf-8")
        except UnicodeDecodeError:
            raise _NoTextError(f"{name!r} is not UTF-8") from None
    if not isinstance(value, str):
        raise _NoTextError(f"{name!r} is not a string")
    return value.strip()


def _page(value: object) -> str | bytes | None:
    """Return a value as a page; None if it is none."""
    return value if isinstance(value, str | bytes) else None


NESTED: Final = ("metadata", "meta", "headers", "warc_headers", "response", "request", "item")
"""Names of the objects in which the fields are looked for too, after the row itself."""

_SHOWN_NAMES: Final = 12  # names of fields that a message lists


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The names of a row's fields, where the user says them; None: they are guessed.

    A name with dots that no field has leads into objects: ``metadata.url`` is ``url`` in ``metadata``.

    ``url``: field of the page's URL.
    ``html``: field of the page.
    ``id``: field that names a record without a URL, in place of its position.
    """

    url: str | None = None
    html: str | None = None
    id: str | None = None

    def columns(self, names: Iterable[str], what: str) -> str:
        """Check the columns of a table, before it is read.

        ``what``: the table, for messages.
        Returns: the column that holds the pages, or an object with them; the likeliest one, if several may.
        Raises UserError: no column may hold a page, one that the user names is missing, or two have one name.
        """
        present = list(names)
        repeated, count = max(Counter(present).items(), key=lambda each: each[1], default=("", 0))
        if count > 1:
            raise UserError(f"{what} has several columns named {repeated!r}; rename all but one")
        for option, name in (("url", self.url), ("html", self.html), ("id", self.id)):
            if name is not None and name not in present and name.partition(".")[0] not in present:
                raise UserError(
                    f"{what} has no column {name!r} (--{option}-column); its columns are {listed(present)}"
                )
        if self.html is not None:
            return self.html if self.html in present else self.html.partition(".")[0]
        found = named(present, (*HTML_NAMES, *GENERAL_NAMES))
        nested = [name for name in present if named([name], NESTED)]
        if not found and not nested:
            raise UserError(
                f"{what} has no column whose name says that it holds HTML; its columns are "
                f"{listed(present)}; name the one that does with --html-column"
            )
        return found[0] if found else nested[0]


def listed(names: Iterable[str]) -> str:
    """List names for a message: the first :data:`_SHOWN_NAMES`, each cut if it is long."""
    shown = [abridged(str(name), 40) for name in names]
    more = f", … ({len(shown)} in all)" if len(shown) > _SHOWN_NAMES else ""
    return (", ".join(map(repr, shown[:_SHOWN_NAMES])) or "none") + more
