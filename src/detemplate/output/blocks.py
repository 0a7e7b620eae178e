"""Lists of definitions, and items of lists, before turbohtml renders them.

turbohtml writes terms and their definitions alike, and its text begins a new line after the sign of an item
whose first element is a block.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from turbohtml import Element, Text

from detemplate.output.document import make_items, tag_of
from detemplate.output.formulas import RAW_TEXT
from detemplate.page import tags
from detemplate.page.whitespace import WHITE_SPACE

if TYPE_CHECKING:
    from collections.abc import Iterable

    import turbohtml

HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6", "summary")
"""Headings, and the line of ``details`` that is always seen."""

_OPENING: Final = ("p", "div", "section", "article", "figure")  # blocks that may begin an item

OWN_LINES: Final = frozenset(
    (
        *("address", "aside", "blockquote", "body", "dd", "details", "dl", "dt", "figcaption", "footer"),
        *("header", "hr", "li", "main", "menu", "nav", "ol", "pre", "table", "ul", *_OPENING, *HEADINGS),
    )
)
"""Elements that have lines of their own."""

_BLANK: Final = ("", *WHITE_SPACE)  # what the first character of a text is, unless it is seen
_SILENT: Final = ("script", "style", "template")  # elements whose text is nowhere rendered
_ENDS: Final = ("br", "hr")  # elements that end a line

# What may stand around the title of a section in its heading.
_AROUND_TITLES: Final = "".join((*WHITE_SPACE, "¶#§🔗⚓\u200b"))

_SIGN_LETTERS: Final = 2  # fewest characters of a link that is no sign

# Selects notes and warnings as Sphinx, MkDocs, Docusaurus, GitHub, Obsidian and Bootstrap set them apart.
_CALLOUTS: Final = ".admonition, .theme-admonition, .markdown-alert, .callout, .alert"

_TITLE: Final = re.compile("title|head(?:er|ing)", re.IGNORECASE)  # a class of the title of such a note
_LONGEST_TITLE: Final = 120  # most characters of such a title


def write_definitions(document: turbohtml.Document, *, markdown: bool) -> None:
    """Change the lists of definitions of a DOM into lists: of each term, and below it of its definitions."""
    for listing in document.select("dl"):
        for group in [node for node in listing.children if isinstance(node, Element) and node.tag == "div"]:
            group.unwrap()
        parts: list[Element] = []
        loose = False  # whether there is something beside terms and definitions
        for node in listing.children:
            if isinstance(node, Element) and node.tag in ("dt", "dd"):
                parts.append(node)
            else:
                loose = loose or not _is_blank(node)
        if not any(part.tag == "dt" for part in parts):
            # Definitions without terms are a way to indent.
            listing.tag = "div"
            for part in parts:
                part.tag = "div"
            continue
        listing.tag = "ul"
        _nest(parts, markdown=markdown)
        if loose:
            make_items(listing)
            if markdown:
                _drop_empty(listing)


def _nest(parts: list[Element], *, markdown: bool) -> None:
    """Make items of terms, and of their definitions items of a list below the term."""
    term: Element | None = None
    below: Element | None = None
    for part in parts:
        if part.tag == "dt":
            if markdown and not any(
                _is_block(each.tag) or each.tag in ("strong", "b") for each in part.iter_elements()
            ):
                part.wrap_children(Element("strong"))
            term, below = part, None
        elif term is not None:
            if below is None:
                below = Element("ul")
                term.append(below)
            below.append(part)
        part.tag = "li"


def _drop_empty(listing: Element) -> None:
    """Take the elements with nothing in them out of a list: each would be an empty line between its items."""
    for node in list(listing.children):
        if isinstance(node, Element) and not (
            node.tag in ("li", "pre", "math", RAW_TEXT)
            or tags.FLAGS[tags.IDS.get(node.tag, 0)] & tags.VOID
            or any(isinstance(inner, Element) for inner in node.children)
            or node.text.strip()
        ):
            node.decompose()


def write_callouts(document: turbohtml.Document) -> None:
    """Make quotes of the notes and warnings that a DOM sets apart; their titles become paragraphs in bold."""
    for callout in document.select(_CALLOUTS):
        title = next((node for node in callout.children if isinstance(node, Element)), None)
        if callout.tag not in _OPENING or title is None or not _TITLE.search(title.attr("class") or ""):
            continue
        text = title.text.strip()
        if text and len(text) <= _LONGEST_TITLE:
            for inner in title.select("*"):
                if _is_block(inner.tag):
                    inner.tag = "span"
            if title.select_one("strong, b") is None:
                title.wrap_children(Element("strong"))
            title.tag = "p"
            callout.tag = "blockquote"


def split_paragraphs(document: turbohtml.Document) -> None:
    """Change a DOM so that a blank line in a text, of several ``br``, begins a paragraph.

    A ``br`` at the beginning of a block goes: Markdown has no empty lines.
    """
    for line_break in list(document.iter_elements("br")):
        if line_break.parent is None:
            continue
        before = line_break.previous_sibling
        while before is not None and _is_blank(before):
            before = before.previous_sibling
        above = line_break.parent
        if (
            isinstance(above, Element)
            and _is_block(above.tag)
            and (before is None or _is_block(tag_of(before)))
        ):
            after = line_break.next_sibling
            if after is not None and _is_blank(after):
                after.decompose()  # else each of many would pass by all before it
            line_break.decompose()
            continue
        following = line_break.next_sibling
        run: list[turbohtml.Node] = []
        while following is not None and (_is_blank(following) or tag_of(following) == "br"):
            run.append(following)
            following = following.next_sibling
        if not any(tag_of(node) == "br" for node in run):
            continue
        for node in run:
            node.decompose()
        if isinstance(above, Element) and (_is_block(above.tag) or above.tag in ("span", "font")):
            line_break.replace_with(Element("div"))


def write_checks(document: turbohtml.Document, *, markdown: bool) -> None:
    """Write the check boxes of task lists, ``[x]`` and ``[ ]``; those of forms have names or values."""
    for box in document.select("li input[type=checkbox]"):
        item = box.closest("li")
        task = box.attr("disabled") is not None or not any(map(box.attr, ("id", "name", "value")))
        if item is not None and (task or "task" in (item.attr("class") or "")):
            sign = "[x]" if box.attr("checked") is not None else "[ ]"
            box.replace_with(Element(RAW_TEXT, {"written": sign}, [Text(sign)]) if markdown else Text(sign))


def strip_items(document: turbohtml.Document, *, images: bool) -> None:
    """Take away the white space that the items of a DOM begin with: their signs have a space behind them.

    ``images`` says whether images are written.
    """
    for item in document.select("li"):
        first: turbohtml.Node = item
        while (
            isinstance(first, Element) and len(first) and first.tag not in _ENDS and first.tag not in _SILENT
        ):
            first = first[0]
        if isinstance(first, Text) and first.data[:1] not in _BLANK:
            continue
        pending: list[turbohtml.Node] = list(item.children)[::-1]
        while pending:
            node = pending.pop()
            if isinstance(node, Text):
                text = node.data.lstrip(WHITE_SPACE)
                if text:
                    if text != node.data:
                        node.data = text
                    break
                node.decompose()
            elif isinstance(node, Element):
                if node.tag in _ENDS or (images and node.tag == "img"):
                    break
                if node.tag in _SILENT:
                    continue
                if node.tag in OWN_LINES:
                    if node.text.strip():
                        break
                    continue
                pending += list(node.children)[::-1]


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


def write_headings(headings: Iterable[Element], url: str) -> list[Element]:
    """Change headings: empty ones go, links around them move into them, links to themselves go.

    The line of ``details`` that is always seen becomes a paragraph in bold.

    ``url``: the page's own.
    Returns: the links that took the place of those around headings.
    """
    made: list[Element] = []
    for heading in headings:
        if heading.tag == "summary":
            if not any(
                _is_block(each.tag) or each.tag in ("strong", "b") for each in heading.iter_elements()
            ):
                heading.wrap_children(Element("strong"))
            heading.tag = "p"
            continue
        if not heading.text.strip() and next(heading.iter_elements("img"), None) is None:
            heading.decompose()
            continue
        own = next(heading.iter_elements("a"), None)
        before, sign, _ = (own.attr("href") or "").partition("#") if own is not None else ("", "", "")
        if own is not None and sign and before in ("", url) and len(own.text) >= _SIGN_LETTERS:
            if own.text.strip() == heading.text.strip(_AROUND_TITLES):
                own.unwrap()  # it links to itself
            continue
        link = heading.parent
        if isinstance(link, Element) and link.tag != "a":
            link = link.parent
        if isinstance(link, Element) and link.tag == "a":
            href = link.attr("href")
            if href and own is None:
                inner = Element("a", {"href": href})
                heading.wrap_children(inner)
                made.append(inner)
            link.unwrap()
    return made


def _first(element: Element) -> turbohtml.Node | None:
    return next((node for node in element.children if not _is_blank(node)), None)


def _is_blank(node: turbohtml.Node) -> bool:
    if isinstance(node, Text):
        return not node.data.strip()
    return not isinstance(node, Element)


def _is_block(name: str) -> bool:
    return bool(tags.FLAGS[tags.IDS.get(name, 0)] & tags.BLOCK)
