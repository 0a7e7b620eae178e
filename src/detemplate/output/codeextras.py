"""What blocks of code have for their readers that is no code: line numbers, also beside them, and buttons."""

from __future__ import annotations

import re
from typing import Final

from turbohtml import Element, Text

from detemplate.output.buttons import AROUND, LABELS, NODES

NUMBERS: Final = re.compile(
    r"(?:^|[\s_-])(?:line-?nos?|line-?numbers?|linenumber|linenodiv|gutter|lnt?|blob-num|hljs-ln-numbers)(?:$|[\s_-])"
)
"""Classes of elements that hold line numbers."""

# Maximum number of characters of the line in code that names its language and has a button to copy it.
_LABEL: Final = 40


def clear_beside(block: Element) -> None:
    """Take away the line numbers that stand beside a block of code."""
    place: object = block
    for _ in range(AROUND):
        if not isinstance(place, Element):
            return
        beside = [_next(place, before=True), _next(place, before=False)]
        for element in beside:
            if element is not None and is_numbers(element) and element.text.strip():
                element.decompose()
        place = place.parent
        if not isinstance(place, Element) or place.tag not in LABELS or len(place) > NODES:
            return


def _next(element: Element, *, before: bool) -> Element | None:
    """Give the element right beside another, if only white space is between them."""
    node = element.previous_sibling if before else element.next_sibling
    while isinstance(node, Text) and node.data.isspace():
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
