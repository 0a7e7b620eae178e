"""The record of a page's metadata, and how its values are made harmless: plain text of bounded length."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from html import unescape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

SHORT: Final = 100
"""Most characters of a language, a date or a page type."""

LONG: Final = 1000
"""Most characters of a title, an author, a site's name or a description."""

URL: Final = 2048
"""Most characters of a URL; longer ones are left out, as a part of a URL is none."""

# Control characters, marks of direction, and white space that shows nothing.
_UNPRINTED: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]+"
)
_SURROGATES: Final = re.compile("[\ud800-\udfff]+")
# A value that a site's software has not filled in.
_PLACEHOLDER: Final = re.compile(r"\{\{.*\}\}|\{%.*%\}|<%.*%>|\[\[.*\]\]|\$\{.*\}|%%\w+%%", re.DOTALL)
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]{0,500}>")
_IN_WORDS: Final = re.compile(r"</?(?:[abius]|em|strong|span|small|font|code|mark|su[bp])(?: [^<>]{0,500})?>")


class _Partly:
    """A record some of whose fields are read when they are first asked for."""

    __slots__ = ("_later",)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> str | None:
            if name not in NAMES:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            value = self._later[name]()
            object.__setattr__(self, name, value)
            return value


@dataclass(frozen=True, slots=True)
class Metadata(_Partly):
    """What a page says of itself. None: the page does not say it.

    All values are plain text: no control characters, white space collapsed, of bounded length.

    Attributes
    ----------
    title
        The page's own title, without the name of its site.
    author
        Names of people or organisations; several are separated by ``"; "``.
    published, modified
        Days in ISO 8601, such as ``2024-05-31``: first published, last modified. None is before 1990 or after
        tomorrow.
    language
        ISO 639-1 code in lower case, such as ``de``; ISO 639-3 for languages without one.
    site_name
        The name of the site or of its publisher.
    canonical_url
        The page's preferred URL, absolute.
    description
        A summary that the page has for search engines and social networks.
    image
        URL of the page's main image, absolute.
    page_type
        The type that the page has for itself: of schema.org, such as ``NewsArticle``, or of Open Graph, such
        as ``article``.
    """

    title: str | None = None
    author: str | None = None
    published: str | None = None
    modified: str | None = None
    language: str | None = None
    site_name: str | None = None
    canonical_url: str | None = None
    description: str | None = None
    image: str | None = None
    page_type: str | None = None

    def as_dict(self) -> dict[str, str | None]:
        """Return all values by name, in the order of the fields."""
        return {name: getattr(self, name) for name in NAMES}


NAMES: Final = tuple(field.name for field in fields(Metadata))
"""Names of the fields of :class:`Metadata`."""


def partly(values: Mapping[str, str | None], later: Mapping[str, Callable[[], str | None]]) -> Metadata:
    """Return a record with some values; ``later`` has what reads each other field."""
    told = object.__new__(Metadata)
    object.__setattr__(told, "_later", later)
    for name, value in values.items():
        object.__setattr__(told, name, value)
    return told


def plain(value: object, longest: int = LONG) -> str:
    """Make a value plain text.

    Parameters
    ----------
    value
        Anything; only text gives anything but ``""``.
    longest
        Most characters; longer text is cut and ends in ``…``.

    Returns
    -------
    str
        Without tags, entities, control characters and halves of surrogate pairs; white space collapsed.
    """
    if not isinstance(value, str):
        return ""
    text = value[: 8 * longest].strip()
    # Most values are plain: these tests cost a third of an expression that says the same.
    if not text.isprintable() or "&" in text or "<" in text or "  " in text or text[:1] in "{[$%":
        if "&" in text:
            text = unescape(text)
            if "&" in text and ";" in text:  # content management systems escape twice
                text = unescape(text)
        if "<" in text:
            text = _TAG.sub(" ", _IN_WORDS.sub("", text))
        if not text.isprintable():
            text = _SURROGATES.sub("\ufffd", _UNPRINTED.sub(" ", text))
        text = " ".join(text.split())
        if text[:1] in "{[$%<" and _PLACEHOLDER.fullmatch(text):
            return ""
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
