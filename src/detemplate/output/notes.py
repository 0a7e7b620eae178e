"""Footnotes in Markdown: ``[^1]`` where the page refers to a note, and ``[^1]: …`` where the note is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from turbohtml import Element, Text

from detemplate.output.document import tag_of
from detemplate.output.formulas import RAW_TEXT, raw

if TYPE_CHECKING:
    import turbohtml

    Mark = tuple[int, Element | Text]
    """Number of a reference, and what holds it."""


# Text of a raised reference (group 1: its number).
_NUMBER: Final = re.compile(r"\s*\[?([1-9][0-9]{0,2})\]?\s*")

_BRACKETS: Final = re.compile(r"\[([1-9][0-9]{0,2})\]")  # a reference in brackets (group 1: its number)
_FIRST: Final = r"\[1\]"  # how turbohtml writes the first reference in brackets
_SECOND: Final = r"\[2\]"  # how it writes the second

# Beginning of a note (group 1: its number).
_OWN_MARK: Final = re.compile(r"\s*\[([1-9][0-9]{0,2})\][.:]?\s*")

# Elements whose text has no references.
_ELSEWHERE: Final = frozenset(
    ("a", "code", "pre", "kbd", "samp", "script", "style", "textarea", "head", RAW_TEXT)
)

_NOTES: Final = ("p", "li", "div", "dd")  # elements that are notes if they begin with a number

# Elements that begin no block.
_INLINE: Final = frozenset(("b", "em", "font", "i", "small", "span", "strong"))

# Selects what a note with a number of its own does not have.
_BLOCKS: Final = "p, div, ul, ol, table, pre, blockquote, h1, h2, h3, h4, h5, h6"


def may_have_loose_notes(markdown: str) -> bool:
    """Tell whether Markdown may have footnotes whose references are numbers in brackets.

    There are two of them at least, or the number of the only one stands before its note, too.
    """
    first = markdown.find(_FIRST)
    return first >= 0 and (_SECOND in markdown or markdown.find(_FIRST, first + 1) >= 0)


def write_loose_notes(document: turbohtml.Document, *, raised: bool) -> bool:
    """Change footnotes without links: references become ``[^1]``, and the notes get their labels.

    They are footnotes where that is certain: the references are 1, 2, 3, … in this order, repetitions aside,
    and behind them stand as many notes in a row, each beginning with its number as the references are
    written, or as the items of the last list of the page, which has numbers.

    ``raised``: whether the references are raised numbers; else they are numbers in brackets.
    Returns: whether there were any.
    """
    if raised and not _are_counted(document.select("sup")):
        return False
    order, marks = _places(document, raised=raised)
    if not marks:
        return False
    notes = _marked_notes(order, marks, raised=raised) or _listed_notes(order, marks)
    if not notes:
        return False
    begin = order[notes[0]]
    if any(order[node] < begin and _begins_block(number, node) for number, node in marks):
        return False  # such as the affiliations of authors
    written: set[turbohtml.Node] = set()
    for _, node in marks:
        if order[node] < begin and node not in written:
            written.add(node)
            _write_mark(node)
    for number, note in enumerate(notes, 1):
        _write_note(note, number, raised=raised)
    return True


def _places(document: turbohtml.Document, *, raised: bool) -> tuple[dict[turbohtml.Node, int], list[Mark]]:
    """Give the places in the DOM of what may be notes, lists of notes and references, and the references."""
    order: dict[turbohtml.Node, int] = {}
    marks: list[Mark] = []
    for place, node in enumerate(document.descendants):
        if isinstance(node, Element):
            if node.tag == NOTE:
                return {}, []  # the page has notes with links
            if node.tag in _NOTES or node.tag == "ol":
                order[node] = place
            if raised and node.tag == "sup" and (found := _NUMBER.fullmatch(node.text)) and _is_loose(node):
                order[node] = place
                marks.append((int(found[1]), node))
        elif not raised and isinstance(node, Text) and "[" in node.data and _is_loose(node):
            order[node] = place
            marks += [(int(found[1]), node) for found in _BRACKETS.finditer(node.data)]
    return order, marks


def _are_counted(raised: list[Element]) -> bool:
    """Tell whether raised numbers that may be references are 1, 2, 3, …, repetitions aside."""
    found = [(node, _NUMBER.fullmatch(node.text)) for node in raised]
    numbers = dict.fromkeys(int(number[1]) for node, number in found if number and _is_loose(node))
    return _in_order(list(numbers), len(numbers))


def _is_loose(node: turbohtml.Node) -> bool:
    """Tell whether a reference may stand here: not in a link or in code, and not around a link."""
    if isinstance(node, Element) and next(node.iter_elements("a"), None) is not None:
        return False
    return not any(isinstance(above, Element) and above.tag in _ELSEWHERE for above in node.ancestors)


def _begins_block(number: int, node: Element | Text) -> bool:
    """Tell whether a reference is the first thing in its block: then it is none."""
    if isinstance(node, Text) and not node.data.lstrip().startswith(f"[{number}]"):
        return False
    place: turbohtml.Node = node
    while True:
        before = place.previous_sibling
        while isinstance(before, Text) and not before.data.strip():
            before = before.previous_sibling
        if before is not None:
            return False
        above = place.parent
        if not isinstance(above, Element) or above.tag not in _INLINE:
            return True
        place = above


def _in_order(numbers: list[int], count: int) -> bool:
    """Tell whether numbers are 1, 2, … up to a count, in the order of their first places."""
    return count > 0 and list(dict.fromkeys(numbers)) == list(range(1, count + 1))


def _marked_notes(order: dict[turbohtml.Node, int], marks: list[Mark], *, raised: bool) -> list[Element]:
    """Give the notes that begin with their numbers: the last of such elements, side by side."""
    notes: list[Element] = []
    for node in order:
        if isinstance(node, Element) and node.tag in _NOTES and node.select_one(_BLOCKS) is None:
            number = _own_number(node, raised=raised)
            if number == 1:
                notes = [node]
            elif notes and number == len(notes) + 1 and node.parent == notes[0].parent:
                notes.append(node)
    if not notes:
        return []
    begin = order[notes[0]]
    before = [number for number, node in marks if order[node] < begin]
    behind = [number for number, node in marks if order[node] > begin]
    own = list(range(1, len(notes) + 1))
    return notes if _in_order(before, len(notes)) and behind == own else []


def _own_number(note: Element, *, raised: bool) -> int:
    """Give the number that an element begins with; 0 without one."""
    first = next(
        (node for node in note.children if not (isinstance(node, Text) and not node.data.strip())), None
    )
    if raised:
        found = _NUMBER.fullmatch(first.text) if isinstance(first, Element) and first.tag == "sup" else None
    else:
        found = _OWN_MARK.match(first.data) if isinstance(first, Text) else None
    return int(found[1]) if found else 0


def _listed_notes(order: dict[turbohtml.Node, int], marks: list[Mark]) -> list[Element]:
    """Give the items of the last list of the page, if it has numbers and ends the page."""
    lists = [node for node in order if isinstance(node, Element) and node.tag == "ol"]
    if not lists or lists[-1].attr("start") or lists[-1].attr("reversed") is not None:
        return []
    items = [node for node in lists[-1].children if isinstance(node, Element) and node.tag == "li"]
    begin = order[lists[-1]]
    ends = all(place <= begin or lists[-1] in node.ancestors for node, place in order.items())
    if len(items) < 2 or not ends or any(order[node] > begin for _, node in marks):
        return []
    return items if _in_order([number for number, _ in marks], len(items)) else []


def _write_mark(node: turbohtml.Node) -> None:
    """Write the references that a raised element is, or that a text has."""
    if isinstance(node, Element):
        found = _NUMBER.fullmatch(node.text)
        if found:
            node.replace_with(raw(f"[^{found[1]}]"))
        return
    if isinstance(node, Text):
        done = 0
        for found in _BRACKETS.finditer(node.data):
            node.insert_before(Text(node.data[done : found.start()]))
            node.insert_before(raw(f"[^{found[1]}]"))
            done = found.end()
        node.data = node.data[done:]


def _write_note(note: Element, number: int, *, raised: bool) -> None:
    """Label a note; its own number goes."""
    if _own_number(note, raised=raised) == number:
        first = next(node for node in note.children if not (isinstance(node, Text) and not node.data.strip()))
        if isinstance(first, Text):
            found = _OWN_MARK.match(first.data)
            first.data = first.data[found.end() :] if found else first.data
        else:
            first.decompose()
    above = note.parent
    note.wrap_children(Element(NOTE, {"label": str(number)}))
    if note.tag == "li":
        note.tag = "div"
        if isinstance(above, Element) and above.tag in ("ol", "ul"):
            above.tag = "div"


NOTE: Final = "detemplate-note"
"""Tag of a note in a DOM that becomes Markdown; its attribute ``label`` is its label."""

ITEMS: Final = ("li", "p", "dd", "aside")
"""Elements that are notes if what a link to a note leads to is in them."""

ABOVE: Final = 4
"""So many elements may be between what a link to a note leads to and the note."""

LONGEST: Final = 4000
"""Maximum characters of a note."""

# Text of a link to a note.
_MARK: Final = re.compile(r"[\[(]?\s*([0-9]{1,4}|[a-z]|[*†‡§¶]+)\s*[\])]?", re.IGNORECASE)

# Class, role or type of a link to a note.
_REFERENCE: Final = re.compile(
    r"(?:foot|end)?note-?ref|\bfnref|\bnoteref|footnote-reference|reference", re.IGNORECASE
)

# Class or role of a link from a note to where the page refers to it.
_BACK: Final = re.compile(r"back-?(?:ref|link)|footnote-back|mw-cite-backlink", re.IGNORECASE)

_BACK_TEXT: Final = re.compile(r"[\s↩↑^⏎↵⤴\ufe0e\ufe0f]*")  # text of such a link


def write_notes(document: turbohtml.Document) -> None:
    """Change the footnotes of a DOM: links to notes become ``[^1]``, and the notes get their labels.

    A link is to a note if it is raised or named so, its text is a number or a sign, and it leads to an item
    or a paragraph of the page.
    """
    links = [link for link in document.select('a[href^="#"]') if _is_reference(link)]
    if not links:
        return
    places: dict[str, Element] = {}
    for place in document.select("[id], a[name]"):
        places.setdefault(place.attr("id") or place.attr("name") or "", place)
    notes: dict[Element, tuple[str, str]] = {}
    marks: list[tuple[Element, str]] = []
    for link in links:
        target = places.get((link.attr("href") or "#")[1:])
        note = None if target is None else _note(target)
        if note is None or any(above == note for above in link.ancestors):
            continue
        label, _ = notes.setdefault(note, (str(len(notes) + 1), _inner_mark(link)))
        marks.append((link, label))
    for link, label in marks:
        place, above = link, link.parent
        if (
            isinstance(above, Element)
            and above.tag == "sup"
            and above.text.strip(_AROUND) == link.text.strip(_AROUND)
        ):
            place = above
        place.replace_with(raw(f"[^{label}]"))
    lists = {note.parent for note in notes if note.tag == "li"}
    for note, (label, mark) in notes.items():
        _write(note, label, mark)
    for above in lists:
        if isinstance(above, Element) and all(
            item in notes for item in above.children if isinstance(item, Element) and item.tag == "li"
        ):
            above.tag = "div"
    for note in notes:
        if note.tag == "li" and isinstance(note.parent, Element) and note.parent.tag == "div":
            note.tag = "div"


def note_written(element: Element, written: str) -> str:
    """Write a note whose content is written already: what follows the first line is indented."""
    lines = written.strip().split("\n")
    return f"[^{element.attr('label')}]: " + "\n".join(
        line if not number or not line else f"    {line}" for number, line in enumerate(lines)
    )


def _inner_mark(link: Element) -> str:
    found = _MARK.fullmatch(link.text.strip())
    return found[1] if found else ""


def _is_reference(link: Element) -> bool:
    """Tell whether a link may be to a note."""
    href = link.attr("href")
    if not href or href[0] != "#" or len(href) < 2:
        return False
    text = link.text
    if len(text) > 8 or not _MARK.fullmatch(text.strip()) or _is_back(link):
        return False
    above = link.parent
    if isinstance(above, Element) and "sup" in (above.tag, tag_of(above.parent)):
        return True
    said = " ".join(link.attr(name) or "" for name in ("class", "role", "epub:type", "id", "rel"))
    return bool(_REFERENCE.search(said)) or next(link.iter_elements("sup"), None) is not None


def _note(target: Element) -> Element | None:
    """Give the note that a link leads to: the element itself, or the item or paragraph that it is in."""
    note: object = target
    if target.tag not in (*ITEMS, "div") or not target.text.strip():
        for note, _ in zip(target.ancestors, range(ABOVE), strict=False):
            if tag_of(note) in ITEMS:
                break
        else:
            return None
    if isinstance(note, Element) and note.tag in (*ITEMS, "div"):
        above = note.parent
        if note.tag == "p" and isinstance(above, Element) and above.tag == "li" and above.find("p") == note:
            note = above
        if 0 < len(note.text.strip()) <= LONGEST:
            return note
    return None


def _is_back(link: Element) -> bool:
    """Tell whether a link leads back from a note."""
    above = link.parent
    said = f"{link.attr('class') or ''} {link.attr('role') or ''} " + (
        above.attr("class") or "" if isinstance(above, Element) else ""
    )
    return bool(_BACK.search(said) or _BACK_TEXT.fullmatch(link.text))


def _write(note: Element, label: str, mark: str) -> None:
    """Label a note; its own mark and the links back go."""
    for place in list(note.iter_elements(("a", "span"))):
        if place.tag == "span":
            if _BACK.search(place.attr("class") or "") and len(place.text) <= 40:
                place.decompose()
        elif (place.attr("href") or "")[:1] == "#" and (
            _is_back(place) or (mark and place.text.strip(_AROUND) == mark)
        ):
            place.decompose()
    if note.tag != "li" and mark:
        first = next(
            (node for node in note.descendants if isinstance(node, Text) and node.data.strip()), None
        )
        if first is not None:
            found = re.match(
                rf"\s*(?:[\[(]?{re.escape(mark)}[\])]?[.:]?(?=\s|$)|[\])]?[.:](?=\s|$))?\s*", first.data
            )
            first.data = first.data[found.end() :] if found else first.data
    note.wrap_children(Element(NOTE, {"label": label}))


_AROUND: Final = "[]().: \n\t\xa0"  # what stands around the mark of a note
