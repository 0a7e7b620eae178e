"""Reads the JSON-LD of a page: the ``script`` elements of type ``application/ld+json``."""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set
    from typing import Any

    from detemplate.page.columns import Columns, Landmarks

_MOST_ITEMS: Final = 24  # items at the top of one document that are given
_MOST_TYPES: Final = 12  # types of one item that are read
_LONGEST_TYPE: Final = 100  # characters of a type that are read
_PAGE_KEYS: Final = ("@graph", "mainEntity", "mainEntityOfPage")  # lead from a page to what it is about
_LONGEST: Final = 1 << 20  # bytes of one JSON document; longer ones are ignored
_SCRIPT: Final = tags.IDS["script"]
_LEAST: Final = len("<script type=ld+json>")  # bytes of a start tag that is longer than others

# What may stand before a JSON document: marks of CDATA, and comments.
_WRAPPING: Final = re.compile(
    r"(?:\s|<!\[CDATA\[|<!--(?:[^{\[]{0,200}?-->)?|/\*(?:[^{\[]{0,200}?\*/)?|\*/|//)*"
)

# Group 1: a text of JSON; else a comment, or a comma behind the last value.
_NEEDLESS: Final = re.compile(
    r'("(?:[^"\\]|\\.)*+"?)|/\*.*?(?:\*/|\Z)|<!--.*?(?:-->|\Z)|//[^\n]*|<!\[CDATA\[|,(?=\s*+[}\]])', re.DOTALL
)

# Reads JSON with numbers as written, and with control characters in strings.
_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)


class Document:
    """A JSON-LD document of a page, which is parsed when its data are first asked for.

    ``written``: the document as the page has it.
    """

    def __init__(self, written: bytes) -> None:
        self.written = written

    @cached_property
    def data(self) -> object:
        """What it says; None if it is broken."""
        return loaded(self.written.decode())


def documents(canonical: bytes, columns: Columns, landmarks: Landmarks) -> list[Document]:
    """Return the JSON-LD documents of a page, in document order; those over 1 MiB are left out.

    ``canonical``, ``columns``, ``landmarks``: as of :class:`~detemplate.Page`.
    """
    start, stop, end = columns.start.data, columns.stop.data, columns.end.data
    found: list[Document] = []
    for row in landmarks.get(_SCRIPT, ()):
        if end[row] == row + 2:  # it has a text
            opening, behind = start[row], start[row + 1]
            if behind - opening > _LEAST and canonical.find(b"ld+json", opening, behind) >= 0:
                text = canonical[behind : stop[row + 1]]
                if len(text) <= _LONGEST:
                    found.append(Document(text))
    return found


def loaded(written: str) -> object:
    """Read the JSON document in a script; None if it is broken. Numbers stay as written.

    It may stand in a comment or in a CDATA section, and have comments in it and commas too many; what follows
    it is ignored.
    """
    before = _WRAPPING.match(written)
    try:
        return _DECODER.raw_decode(written, before.end() if before else 0)[0]
    except (ValueError, RecursionError):
        pass
    for _ in range(2):  # a comma may be the last but for a comment
        written = _NEEDLESS.sub(lambda found: found[1] or "", written)
    try:
        return _DECODER.raw_decode(written.strip())[0]
    except (ValueError, RecursionError):
        return None


def types_of(item: dict[str, Any]) -> list[str]:
    """Return the types of an item, without the address of their vocabulary."""
    kinds = item.get("@type")
    if isinstance(kinds, str) and kinds.isalpha():
        return [kinds[:_LONGEST_TYPE]]
    found = kinds[:_MOST_TYPES] if isinstance(kinds, list) else [kinds]
    return [re.split("[/#:]", kind[-_LONGEST_TYPE:])[-1] for kind in found if isinstance(kind, str)]


def linked_items(documents: Iterable[Document], types: Set[str]) -> Iterator[dict[str, Any]]:
    """Give the items of these types at the top of JSON-LD documents: none in lists, no related ones."""
    ends = [f'{name}"'.encode() for name in types]
    for document in documents:
        if any(end in document.written for end in ends):
            yield from _at_top(document.data, types)


def _at_top(data: object, types: Set[str]) -> Iterator[dict[str, Any]]:
    pending: list[object] = [data]
    count = 0
    while pending and count < _MOST_ITEMS:
        item = pending.pop()
        if isinstance(item, list):
            pending += item[::-1]
        elif isinstance(item, dict):
            if not types.isdisjoint(types_of(item)):
                count += 1
                yield item
            else:
                pending += [item[key] for key in _PAGE_KEYS if key in item]
