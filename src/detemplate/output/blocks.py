"""Lists of definitions, and items of lists, before turbohtml renders them.

turbohtml writes terms and their definitions alike, and its text begins a new line after the sign of an item
whose first element is a block.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from turbohtml import Element, Text

from detemplate.output.corrections import make_items
from detemplate.page import tags

if TYPE_CHECKING:
    import turbohtml

_SIGN: Final = re.compile(r" *(?:\*|[0-9]+\.) ")
"""The sign of an item."""

_OPENING: Final = ("p", "div", "section", "article", "figure")
"""Blocks that may begin an item."""


def write_definitions(document: turbohtml.Document, *, markdown: bool) -> None:
    """Change the lists of definitions of a DOM into lists: of each term, and below it of its definitions."""
    for listing in list(document.iter_elements("dl")):
        for group in [node for node in listing.children if isinstance(node, Element) and node.tag == "div"]:
            group.unwrap()
        parts = [node for node in listing.children if isinstance(node, Element) and node.tag in ("dt", "dd")]
        if not any(part.tag == "dt" for part in parts):
            # Definitions without terms are a way to indent.
            listing.tag = "div"
            for part in parts:
                part.tag = "div"
            continue
        listing.tag = "ul"
        term: Element | None = None
        below: Element | None = None
        for part in parts:
            if part.tag == "dt":
                if markdown and not any(
                    _is_block(each.tag) or each.tag in ("strong", "b") for each in part.iter_elements()
                ):
                    part.wrap_children(Element("strong"))
                part.tag, term, below = "li", part, None
            elif term is None:
                part.tag = "li"
            else:
                if below is None:
                    below = Element("ul")
                    term.append(below)
                part.tag = "li"
                below.append(part)
        make_items(listing)


def has_bare_signs(text: str) -> bool:
    """Tell whether signs of items may stand on lines of their own in a text."""
    return " \n" in text or text.endswith(" ")


def tidied(text: str) -> str:
    """Begin the items of a text on the lines of their signs.

    A sign without an item goes, and so do spaces at the ends of lines. It is for texts without code, where a
    line that is a sign is the sign of an item.
    """
    if not has_bare_signs(text):
        return text
    first, *others = f"{text}\n".split(" \n")
    written = [first]
    for following in others:
        before = written[-1]
        at = before.rfind("\n") + 1
        sign = f"{before[at:]} "
        if not _SIGN.fullmatch(sign):
            written[-1] = before.rstrip(" ")
            written.append(f"\n{following}")
            continue
        rest = following.lstrip(" ")
        inside = len(following) - len(rest) >= len(sign) - len(sign.lstrip(" ")) + 2
        if inside and not _SIGN.match(f"{rest} "):
            written.append(f" {rest}")
        elif not inside and sign.endswith("* "):
            written[-1] = before[:at]
            written.append(following)
        else:
            written.append(f"\n{following}")
    text = "".join(written)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip("\n")


def open_items(document: turbohtml.Document) -> None:
    """Change the items of a DOM so that they begin with text: their first blocks become parts of a line.

    Items without text leave lists without numbers.
    """
    for item in list(document.iter_elements("li")):
        first = item[0] if len(item) else None
        if isinstance(first, Text):
            if not first.data.isspace():
                continue
            first = first.next_sibling
        if isinstance(first, Element) and first.tag in _OPENING:
            _open(item)
        if not item.text.strip():
            above = item.parent
            if isinstance(above, Element) and above.tag != "ol":
                item.decompose()


def _open(holder: Element) -> None:
    """Make parts of a line of the blocks that an element begins with."""
    while True:
        first = _first(holder)
        if not (isinstance(first, Element) and first.tag in _OPENING):
            return
        following = first.next_sibling
        while following is not None and _is_blank(following):
            following = following.next_sibling
        if isinstance(following, Text) or (isinstance(following, Element) and not _is_block(following.tag)):
            first.insert_after(Element("br"))
        first.tag = "span"
        holder = first


def _first(element: Element) -> turbohtml.Node | None:
    return next((node for node in element.children if not _is_blank(node)), None)


def _is_blank(node: turbohtml.Node) -> bool:
    if isinstance(node, Text):
        return not node.data.strip()
    return not isinstance(node, Element)


def _is_block(name: str) -> bool:
    return bool(tags.FLAGS[tags.IDS.get(name, 0)] & tags.BLOCK)
