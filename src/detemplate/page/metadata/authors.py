"""Finds who wrote a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from detemplate.page.metadata.dates import MONTHS
from detemplate.page.metadata.record import LONG, plain
from detemplate.page.metadata.titleparts import key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from detemplate.page.metadata.head import Head
    from detemplate.page.metadata.linked import Linked
    from detemplate.page.metadata.markup import Markup

_MOST: Final = 20  # authors of a page that are given
_LONGEST: Final = 100  # characters of one author's name

# Labels of authors, as alternatives.
_LABEL: Final = "autore?|auteur|authors?|written|автор|text|texte|texto|作者|文|記者|记者|著者|投稿者|撰文"

# What stands before a name.
_BY: Final = re.compile(
    r"^(?:(?:(?:posted|written|authored|published|words|story|text|reported|article|analysis)\s+)?by\b(?:\s*:)?|"
    rf"(?:von|par|por|di|door|av|af|(?:\w+\s)?(?:{_LABEL}))(?:\s\w+)?\s*[:：]|(?:von|par|por|di|door|av|af)(?:\s|$)|"
    r"(?:作者|文|記者|记者|著者)\s*[/／]?)\s*|^@",
    re.IGNORECASE,
)

# Roles, as alternatives.
_ROLE: Final = r"staff|senior|chief|editor|reporter|correspondent|contributor|columnist|writer"

# Roles before a name of several words.
_ROLES: Final = re.compile(rf"^(?:(?:the\s+)?(?:{_ROLE})[\s,:]+)+(?=\w\S*\s+\w)", re.IGNORECASE)

# What stands before the name of a source, as alternatives.
_SOURCE: Final = "source|quelle|fuente|fonte|источник|来源|來源|出典|编辑|編輯|责任编辑|責任編輯"

# Words for pictures and those who make them, as alternatives.
_PICTURE: Final = (
    "photo|foto|fotó|image|picture|pic|bild|credit|crédit|illustration|photograph|"
    "фото|иллюстрация|撮影|摄影|攝影|写真"
)

# What stands behind a name.
_END: Final = re.compile(
    r"\s*[|•·/]\s*|\s+(?:on|at|for|published|updated|posted|edited|follow|(?-i:in|is|am|le|el|il))\b|\s+[–—-]\s+|\d|"
    rf"\s*\([^()]*\)?$|\s*\((?:[^()]*\b)?(?:{_ROLE})\b|\s+and\s+agencies\b|"
    rf"\s*,\s*(?:[\w-]+\s+){{0,3}}(?:{_ROLE}|writers|reporters|manager|director|engineer|analyst|professor|follow)\b|"
    rf"\s+(?:the\s+)?(?:{_ROLE})(?:\s+(?:{_ROLE}))*\s*(?:$|[,(]|\s(?:at|of|for)\b)|\s+(?:{_SOURCE})\s*[:：]|"
    rf"[\s,;]+(?:{_PICTURE})\w*\s*(?:[:：]|\bby\b)",
    re.IGNORECASE,
)

# A text that begins or ends so goes on with another name.
_AND: Final = re.compile(
    r"(?:^|\s)(?:and|und|et|y|e|en|och|og|with)\s*$|[,&、]\s*$|^\s*(?:(?:and|und|et|y|e|en|och|og|with)\s|[,&、])",
    re.IGNORECASE,
)

# What stands between two names.
_BETWEEN: Final = re.compile(r"\s*(?:[;、]|,?\s(?:and|with|und|mit|et|avec|y|e|en|och|og|&)\s)\s*")

# Words of organisations, whose names have conjunctions in them.
_PARTICLES: Final = re.compile(r"\b(?:of|for|the|für|der|des|du|pour|para|del)\b")

# What no name has, and what is put in its place.
_NO_NAME: Final = re.compile(
    r"https?:|www\.|\w@\w|\.(?:com|org|net)\b|[{}\[\]=|\\<>]|^\W*$|^\d+$|^[a-z]$|^in\s|"
    rf"^(?:{_PICTURE})\w*\b\W*(?:\s|$|by\b|\w)|"
    rf"^(?:{_SOURCE})\s*[:：]|"
    r"^(?:admin|administrator|root|editor|staff|unknown|anonymous|null|none|undefined|n/a|by|posts?|posted|last|"
    rf"guide|guest|(?:view )?profile|about|contact|(?:post )?(?:{_LABEL}))$"
)


def names_in(texts: Iterable[str], sites: set[str], common: set[str]) -> list[str]:
    """Return the names that texts hold, each once, without common words; the site's only without others."""
    found: dict[str, str] = {}
    for text in texts:
        for each in _parted(_BY.sub("", plain(text, LONG))):
            name = each.strip(" ,;:.·•|-–—/")
            own = key(name)
            if (
                own
                and own not in found
                and own not in common
                and len(name) <= _LONGEST
                and not _NO_NAME.search(name.lower())
            ):
                found[own] = name
        if len(found) >= _MOST:
            break
    return [name for own, name in found.items() if own not in sites] or list(found.values())


def _parted(text: str) -> list[str]:
    """Part names that stand in one text: people have two words or more, or a script without spaces."""
    names = _BETWEEN.split(text)
    if len(names) > 1 and not _PARTICLES.search(text):
        listed = [name for each in names for name in each.split(", ")]
        for parts in (listed, names):
            if all(len(part.split()) > 1 or not part[:1].isascii() for part in parts):
                return parts
    return [text]


def author_of(head: Head, linked: Linked, markup: Markup, sites: set[str], common: set[str]) -> str | None:
    """Name the authors of a page, separated by ``"; "``; None if it does not say.

    The name of the site counts as an author only where no other is named, a common word in the place of the
    site's authors never.
    """
    of_site = None
    for texts in _told(head, linked, markup):
        names = names_in(texts, sites, common)
        if names:
            told = "; ".join(names)[:LONG]
            if any(key(name) not in sites for name in names):
                return told
            of_site = of_site or told
    return of_site


def _told(head: Head, linked: Linked, markup: Markup) -> Iterator[Iterable[str]]:
    """Return what names authors, the most reliable first."""
    yield linked.texts(linked.work.get("author"))
    yield from head.by_name("author")
    yield linked.texts(linked.work.get("creator"))
    yield linked.texts(linked.page.get("author"))
    for beside in markup.authors():
        yield map(_name_in, beside)


def _name_in(pieces: list[str]) -> str:
    """Take the names out of the texts of an element that tells an author, and often more."""
    text = ""
    for piece in pieces:
        if _BY.sub("", text).strip() and not (_AND.search(text) or _AND.search(piece)):
            break
        text = f"{text} {piece}".strip()
    text = _END.split(_ROLES.sub("", _BY.sub("", text)))[0]
    words = text.split()
    if len(words) > 1 and words[0].endswith(",") and words[1].strip(".,").casefold() in MONTHS:
        return ""  # a day of the week
    while words and words[-1].strip(".,").casefold() in MONTHS and len(words) != 2:
        words.pop()
    return " ".join(words) if len(words) <= 12 else ""
