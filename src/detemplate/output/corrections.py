"""Corrections to turbohtml's rendering as text and Markdown.

turbohtml renders the contents of ``noscript``, ``video`` and the like, and unseen elements inside ``pre``,
``code`` and a few others. Its plain text lacks the contents of lists outside of their items. Its Markdown has
a text whose style keeps white space as code.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import turbohtml

from detemplate.output.roles import ITEMS, LISTS
from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Sequence


_BRACKETS: Final = "(（[〔【"  # what a reading begins with that has brackets of its own
_QUOTATION_MARKS: Final = "\"'“”„«»‚‘‹「『"  # what a quotation begins with that has marks of its own

# What a style has that may keep white space.
_WHITE_SPACE: Final = re.compile(r"white-space|\\", re.IGNORECASE)


def forget_white_space(document: turbohtml.Document) -> None:
    """Change the styles of a DOM that keep white space: prose has them, too, whose links would go."""
    for element in document.select("[style]"):
        style = element.attr("style")
        if style and _WHITE_SPACE.search(style):
            element.attrs["style"] = _WHITE_SPACE.sub("", style)


def write_readings(document: turbohtml.Document) -> None:
    """Put the readings of ruby in brackets; the brackets that the page has for old browsers are taken out."""
    _enclose(document, "rt", "()", _BRACKETS)


def write_quotes(document: turbohtml.Document) -> None:
    """Put quotations in quotation marks, as turbohtml's Markdown has them, unless the page writes some."""
    _enclose(document, "q", '""', _QUOTATION_MARKS)


def unmark_quotes(document: turbohtml.Document) -> None:
    """Take the element off quotations with marks of their own, which turbohtml's Markdown would double."""
    for element in document.select("q"):
        if element.text.strip()[:1] in _QUOTATION_MARKS:
            element.unwrap()


def _enclose(document: turbohtml.Document, tag: str, signs: str, own: str) -> None:
    """Put a sign before and one behind the text of elements, unless it begins with signs of its own."""
    for element in document.select(tag):
        text = element.text.strip()
        if text and text[0] not in own:
            element.insert(0, turbohtml.Text(signs[0]))
            element.append(turbohtml.Text(signs[1]))


def restore_texts(document: turbohtml.Document) -> None:
    """Change a DOM so that its text has the contents of lists outside of items: they become items."""
    for element in list(document.iter_elements(LISTS)):
        make_items(element)


def make_items(listing: turbohtml.Element) -> None:
    """Make items of a list's contents outside of its items: each block, and each run of inline nodes."""
    pending: list[turbohtml.Node] = list(listing.children)[::-1]
    run: list[turbohtml.Node] = []
    while pending:
        node = pending.pop()
        name = _name(node)
        if name in ITEMS:
            _wrap(run)
            run = []
        elif any(_name(inner) == "li" for inner in node.children):
            # An element around items of this list: its children take its place.
            pending += list(node.children)[::-1]
            node.unwrap()
        elif tags.FLAGS[tags.IDS.get(name, 0)] & tags.BLOCK:
            _wrap(run)
            _wrap([node])
            run = []
        else:
            run.append(node)
    _wrap(run)


def _name(node: turbohtml.Node) -> str:
    """Return an element's tag; empty for other nodes."""
    return node.tag if isinstance(node, turbohtml.Element) else ""


def _wrap(run: Sequence[turbohtml.Node]) -> None:
    """Make an item of a run of siblings if it has text."""
    if any(_has_text(node) for node in run):
        run[0].wrap_siblings(turbohtml.Element("li"), until=run[-1])


def _has_text(node: turbohtml.Node) -> bool:
    if isinstance(node, turbohtml.Text):
        return bool(node.data.strip())
    return isinstance(node, turbohtml.Element) and next(iter(node.stripped_strings), None) is not None
