"""Finds who wrote a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from detemplate.page.metadata.names import AUTHOR
from detemplate.page.metadata.record import LONG, plain
from detemplate.page.metadata.titles import key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detemplate.page.metadata.head import Head
    from detemplate.page.metadata.linked import Linked
    from detemplate.page.metadata.markup import Markup

_MOST: Final = 20
"""Authors of a page that are given."""

_LONGEST: Final = 100
"""Characters of one author's name."""

_BY: Final = re.compile(r"^(?:(?:(?:posted|written|authored|published|words|story|text|reported|article)\s+)?by|von|par|por|di|door|av|af|autor|author|автор|作者|文|記者|记者)\b\s*[:：]?\s*|^@", re.IGNORECASE)
"""What stands before a name."""

_END: Final = re.compile(r"\s*[|•·]\s*|\s+(?:on|in|at|published|updated|posted|am|le|el|il)\b|\s+[–—-]\s+|\s*\(|\d", re.IGNORECASE)
"""What stands behind a name."""

_NO_NAME: Final = re.compile(r"https?:|www\.|[\w.]@|\.(?:com|org|net)\b|[{}\[\]=|\\]|^\W*$|^\d+$")
"""What no name has."""


def names_in(texts: Iterable[str], sites: set[str]) -> list[str]:
    """Give the names that texts hold, each once; what cannot be a name is left out."""
    found: dict[str, str] = {}
    for text in texts:
        name = _BY.sub("", plain(text, LONG)).strip(" ,;:.·•|-–—")
        own = key(name)
        if own and own not in found and len(name) <= _LONGEST and not _NO_NAME.search(name):
            found[own] = name
        if len(found) >= _MOST:
            break
    return list(found.values())


def author_of(head: Head, linked: Linked, markup: Markup, sites: set[str]) -> str | None:
    """Name the authors of a page, separated by ``"; "``; None if it does not say."""
    work = linked.work
    for texts in (
        linked.texts(work.get("author")),
        *(head.values((name,)) for name in AUTHOR),
        linked.texts(work.get("creator")),
        linked.texts(linked.page.get("author")),
    ):
        names = names_in(texts, sites)
        if names:
            return "; ".join(names)[:LONG]
    for pieces in markup.authors():
        names = names_in(_name_in(pieces), sites)
        if names:
            return "; ".join(names)[:LONG]
    return None


def _name_in(pieces: list[str]) -> list[str]:
    """Take the name out of the texts of an element that tells an author, and often more."""
    text = _END.split(" ".join(pieces))[0]
    return [text] if len(text.split()) <= 12 else []
