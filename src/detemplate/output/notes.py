"""Footnotes in Markdown: ``[^1]`` where the page refers to a note, and ``[^1]: …`` where the note is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from turbohtml import Element, Text

from detemplate.output.formulas import raw

if TYPE_CHECKING:
    import turbohtml

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
    if isinstance(above, Element) and (
        above.tag == "sup" or (above.parent is not None and _tag(above.parent) == "sup")
    ):
        return True
    said = " ".join(link.attr(name) or "" for name in ("class", "role", "epub:type", "id", "rel"))
    return bool(_REFERENCE.search(said)) or next(link.iter_elements("sup"), None) is not None


def _tag(node: object) -> str:
    return node.tag if isinstance(node, Element) else ""


def _note(target: Element) -> Element | None:
    """Give the note that a link leads to: the element itself, or the item or paragraph that it is in."""
    note: object = target
    if target.tag not in (*ITEMS, "div") or not target.text.strip():
        for note, _ in zip(target.ancestors, range(ABOVE), strict=False):
            if _tag(note) in ITEMS:
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
