"""Blocks of code, before turbohtml renders them.

turbohtml's text joins the lines of ``pre`` that are elements or end in ``br``. It writes line numbers, and
the tables in which highlighters put them.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from turbohtml import Comment, Element, Text

from detemplate.page import tags
from detemplate.page.whitespace import BLANK, collapse

if TYPE_CHECKING:
    from collections.abc import Iterator

    import turbohtml

# Elements that may be a line with a button, or be around code and what is beside it.
_LABELS: Final = ("button", "div", "figure", "span", "header", "figcaption", "section")

_NODES: Final = 7  # most nodes right inside such a line, or around it
_AROUND: Final = 3  # elements, from the code upwards, that may have a button or line numbers beside them

NUMBERS: Final = re.compile(
    r"(?:^|[\s_-])(?:line-?nos?|line-?numbers?|linenumber|linenodiv|gutter|lnt?|blob-num|hljs-ln-numbers)(?:$|[\s_-])"
)
"""Classes of elements that hold line numbers."""

# Maximum number of characters of a line with a button, beside code or in it.
_LABEL: Final = 40

# What a line with a button does not have.
_CONTENT: Final = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "a", "img", "input", "summary", "pre", "table")


def cut_buttons(document: turbohtml.Document) -> None:
    """Take the buttons beside blocks of code out of a DOM, and the short lines with one.

    They copy the code, or name its language. Such a line has at most 40 characters and seven nodes right
    inside, and neither headings, paragraphs, links, images, fields, code nor tables. It stands right beside a
    ``pre`` or a table of code, or right beside one of the two elements around that, where these have no more
    than seven nodes.
    """
    lines: dict[Element, bool] = {}
    small: dict[Element, bool] = {}
    for code in document.select("pre, table"):
        if code.tag == "table" and not _has_numbers(code):
            continue
        for place in _places(code, small):
            for before in (True, False):
                node = _next(place, before=before)
                while node is not None and _is_button_line(node, lines, small):
                    node = _next(node, before=before)
    for node, goes in lines.items():
        if goes:
            node.decompose()


def _is_button_line(element: Element, lines: dict[Element, bool], small: dict[Element, bool]) -> bool:
    """Tell whether an element is a button, or a short line with one and no content."""
    known = lines.get(element)
    if known is None:
        known = lines[element] = (
            element.tag in _LABELS
            and _is_small(element, small)
            and (element.tag == "button" or element.find("button") is not None)
            and next(element.iter_elements(_CONTENT), None) is None
            and sum(map(_chars, element.descendants)) <= _LABEL
        )
    return known


def _is_small(element: Element, small: dict[Element, bool]) -> bool:
    """Tell whether few nodes are right inside an element; white space does not count."""
    known = small.get(element)
    if known is None:
        count = sum(not isinstance(node, Text) or bool(node.data.strip(BLANK)) for node in element.children)
        known = small[element] = count <= _NODES
    return known


def _chars(node: turbohtml.Node) -> int:
    """Count the characters of a text that is seen."""
    above = node.parent
    if not isinstance(node, Text) or (isinstance(above, Element) and _unseen(above.tag)):
        return 0
    return len(collapse(node.data))


def _has_numbers(table: Element) -> bool:
    """Tell whether the first cell of a table has numbers and nothing else, as where lines are counted."""
    cell = table.select_one("td, th")
    text = "" if cell is None else cell.text
    return bool(text.strip()) and numbers_only(text)


def clear_beside(block: Element) -> None:
    """Take away the line numbers that stand beside a block of code."""
    for place in _places(block, {}):
        for element in (_next(place, before=True), _next(place, before=False)):
            if element is not None and is_numbers(element) and element.text.strip():
                element.decompose()


def _places(code: Element, small: dict[Element, bool]) -> Iterator[Element]:
    """Yield a block of code, and the elements around it that have few nodes right inside, two at most."""
    place: object = code
    for _ in range(_AROUND):
        if not isinstance(place, Element):
            return
        yield place
        place = place.parent
        if not isinstance(place, Element) or place.tag not in _LABELS or not _is_small(place, small):
            return


def _next(element: Element, *, before: bool) -> Element | None:
    """Give the element right beside another, if only white space is between them."""
    node = element.previous_sibling if before else element.next_sibling
    while isinstance(node, Text | Comment) and (isinstance(node, Comment) or not node.data.strip(BLANK)):
        node = node.previous_sibling if before else node.next_sibling
    return node if isinstance(node, Element) else None


def numbers_only(text: str) -> bool:
    """Tell whether all words of a text are numbers; true without any."""
    return all(word.isdigit() for word in text.split())


def is_numbers(element: Element) -> bool:
    """Tell whether an element is marked as one that holds line numbers, and holds nothing else."""
    classes, style = element.attr("class") or "", element.attr("style") or ""
    marked = NUMBERS.search(classes) or "select-none" in classes or "user-select" in style
    return bool(marked) and numbers_only(element.text)


def is_label(element: Element) -> bool:
    """Tell whether an element is a short line with a button."""
    return len(element.text) <= _LABEL and (element.tag == "button" or element.find("button") is not None)


# A class that names the language of code (group 1).
_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s*|sourceCode\s+|highlight-|hljs\s+(?!language-|lang-))"
    r"([A-Za-z][\w+#.-]*)"
)

# What classes say of code in no language.
_OTHER: Final = (
    "default none text plain plaintext plain-text nohighlight no-highlight notranslate txt wrapper source "
    "copy-to-clipboard line-numbers container block code table"
)
_NO_LANGUAGE: Final = frozenset(_OTHER.split())

# Languages that a word of a class names by itself.
_NAMES: Final = (
    "bash cpp csharp css diff elixir go groovy haskell html java javascript json julia kotlin lua makefile "
    "matlab objectivec perl php powershell python ruby rust scala scss shell sql swift toml typescript xml "
    "yaml"
)
_LANGUAGES: Final = frozenset(_NAMES.split())

_CODE: Final = ("code", "pre")  # elements whose attribute ``lang`` may name the language of code

# Such a language, and not one that people speak: these have two letters, or parts between hyphens.
_LANG: Final = re.compile(r"c|d|r|cs|fs|go|js|md|py|rb|rs|sh|ts|vb|[A-Za-z][\w+#]{2,29}")

_NAME: Final = re.compile(r"[A-Za-z][\w+#.-]{0,29}")  # a language, as attributes name it

# Elements that begin and end a line of code.
_LINES: Final = frozenset(("div", "li", "p", "tr", "pre", "ol", "ul", "table", "tbody", "section", "figure"))

# Selects what code has if lines are elements, or something in it is not seen.
_BREAKS: Final = "br, div, li, p, pre, tr, section, figure, style, script, button"

# Selects what code has beside parts of lines and line breaks.
_OTHER_PARTS: Final = ":not(span, code, a, br)"

# Selects what may be line numbers that are marked.
_MARKED: Final = ", ".join(
    (
        *(f"[class*={part}]" for part in ("lineno", "line-n", "linenu", "lineN", "gutter", "blob-num")),
        *("[class*=select-none]", "[class^=ln]", "[style*=user-select]"),
    )
)

_ABOVE: Final = 6  # so many elements above a block of code may name its language
_INSIDE: Final = 4  # so many ``code`` and ``pre`` in a block of code may name its language


def write_code(
    document: turbohtml.Document,
    *,
    markdown: bool,
    tables: bool = True,
    numbers: bool = True,
) -> None:
    """Change the blocks of code of a DOM: their lines as they are shown, without numbers.

    ``markdown``: whether to say the language of each block, too.
    ``tables``, ``numbers``: whether the DOM may have tables, and line numbers that are marked as such.
    """
    for table in document.select("table") if tables else ():
        _unwrap_table(table)
    blocks = document.select("pre")
    if not blocks:
        return
    nested = document.select_one("pre pre, code pre") is not None
    inside: set[Element] = set()
    for block in blocks:
        if nested:
            if block in inside:
                continue
            inside.update(block.select("pre"))
        language = _language(block) if markdown else ""
        marked = block.select_one(_MARKED) is not None
        changed = marked or block.select_one(_BREAKS) is not None
        if numbers:
            clear_beside(block)
        if nested:
            _open_code(block)
        if not (changed or language):
            continue
        broken = not marked and block.select_one(_OTHER_PARTS) is None
        code = _code(block, marked=marked, broken=broken) if changed else block.text
        if not code.strip():
            continue
        block.clear()
        block.append(
            Element("code", {"class": f"language-{language}"}, [Text(code)]) if language else Text(code)
        )


def _open_code(block: Element) -> None:
    """Make blocks of the ``code`` elements around a block of code: in them, its lines would be one."""
    for above, _ in zip(block.ancestors, range(_ABOVE), strict=False):
        if isinstance(above, Element) and above.tag == "code":
            above.tag = "div"


def _unwrap_table(table: Element) -> None:
    """Take the line numbers out of a table of code; the code takes the place of the table."""
    if table.select_one("table") is not None:  # first: the text of tables in tables is long
        return
    begin = table.select_one("td, th")
    if begin is None or not numbers_only(begin.text):
        return
    rows = list(table.iter_elements("tr"))
    cells = [[cell for cell in row.children if isinstance(cell, Element)] for row in rows]
    if not rows or any(len(row) < 2 for row in cells):
        return
    if len(rows) == 1:
        code = cells[0][-1]
        if next(code.iter_elements(("pre", "code")), None) is not None and len(cells[0]) == 2:
            if code.find("pre") is None:
                code.wrap_children(Element("pre"))
            code.tag = "div"
            table.replace_with(code)
        return
    first = cells[0][0]
    numbered = NUMBERS.search(first.attr("class") or "") or first.attr("data-line-number") is not None
    if numbered and all(numbers_only(row[0].text) for row in cells):
        lines = [_code(row[-1]).strip("\n") for row in cells]
        table.replace_with(Element("pre", None, [Text("\n".join(lines))]))


def _gutter(block: Element) -> frozenset[Element]:
    """Give the elements that begin the lines of a block, where they count them."""
    lines: list[Element] = [
        node for node in block.children if isinstance(node, Element) and node.tag in ("div", "span", "li")
    ]
    first = [next((node for node in line.children if isinstance(node, Element)), None) for line in lines]
    if len(lines) > 2 and all(
        each is not None and each.text.strip() == str(number) for number, each in enumerate(first, 1)
    ):
        return frozenset(each for each in first if each is not None)
    return frozenset()


def _code(block: Element, *, marked: bool = True, broken: bool = False) -> str:
    """Return the lines of a block of code, without line numbers, buttons and what is not seen."""
    inner = [node for node in block.children if isinstance(node, Element)]
    gutter = _gutter(inner[0] if len(inner) == 1 and inner[0].tag == "code" else block)
    if broken and not gutter:
        for line_break in block.select("br"):
            line_break.replace_with(Text("\n"))
        return block.text.strip("\n")
    pieces: list[str] = []
    pending: list[turbohtml.Node | None] = []
    pending += block.children[::-1]
    fresh = True  # whether a line begins here
    while pending:
        node = pending.pop()
        if isinstance(node, Text):
            if node.data:
                pieces.append(node.data)
                fresh = node.data.endswith("\n")
        elif node is None:
            if not fresh:
                pieces.append("\n")
                fresh = True
        elif isinstance(node, Element):
            name = node.tag
            if name == "br":
                pieces.append("\n")
                fresh = True
            elif not (
                name == "button"
                or _unseen(name)
                or (gutter and node in gutter)
                or (marked and is_numbers(node))
                or (name == "div" and is_label(node))
            ):
                line = name in _LINES
                if line and not fresh:
                    pieces.append("\n")
                    fresh = True
                if line:
                    pending.append(None)
                pending += node.children[::-1]
    return "".join(pieces).strip("\n")


def _unseen(name: str) -> bool:
    return bool(tags.FLAGS[tags.IDS.get(name, 0)] & tags.UNSEEN)


def _language(block: Element) -> str:
    """Give the language that a block of code, its code or an element above names; empty if none does."""
    places = [*islice(block.iter_elements(_CODE), _INSIDE), block]
    for above, _ in zip(block.ancestors, range(_ABOVE), strict=False):
        if isinstance(above, Element) and above.tag in ("div", "figure", "code", "span"):
            places.append(above)
    for place in places:
        for name in ("data-lang", "data-language"):
            said = place.attr(name)
            if said and _NAME.fullmatch(said) and said.lower() not in _NO_LANGUAGE:
                return said
        said = place.attr("lang") if place.tag in _CODE else None
        if said and _LANG.fullmatch(said) and said.lower() not in _NO_LANGUAGE:
            return said
        classes = place.attr("class") or ""
        for match in _LANGUAGE.finditer(classes):
            if match[1].lower() not in _NO_LANGUAGE and len(match[1]) < 30:
                return match[1]
        if place.tag in _CODE and (named := [word for word in classes.split() if word.lower() in _LANGUAGES]):
            return named[0]
        if place.tag == "figure" and classes.startswith("highlight ") and (named := classes.split()[1:]):
            return named[0]
    return ""
