"""Emphasis in Markdown.

turbohtml writes emphasis beside a letter as HTML. CommonMark reads ``*`` inside words, except between a
letter and punctuation (CommonMark 0.31, section 6.2): punctuation at the ends of what is emphasised goes
outside.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from turbohtml import Element, Text

from detemplate.output.spaces import strip_spaces

if TYPE_CHECKING:
    from collections.abc import Callable

    import turbohtml

SIGNS: Final = {"em": "*", "i": "*", "strong": "**", "b": "**", "del": "~~", "s": "~~", "strike": "~~"}
"""What stands around the content of an element."""

_BREAKS: Final = re.compile(r"(?:(?<!\\)<br>(?:&#160;|\s)*)+")
"""Line breaks that turbohtml writes as HTML: those before spaces."""

_EMPHASIS: Final = "<>"
"""Stands for emphasis right beside emphasis."""

_MARKUP: Final = frozenset("[]()<>`*_~\\!$&")
"""Punctuation that may be Markdown; it stays where it is."""


def _writer(sign: str) -> Callable[[Element, str], str]:
    def write(element: Element, written: str) -> str:
        """Write an element whose content is written already."""
        if "<br>" in written and "`" not in written:
            written = _BREAKS.sub("  \n", written)
        inner = written.strip() if "&#160;" not in written else strip_spaces(written)
        if not inner:
            if next(element.iter_elements("br"), None) is not None:
                return "  \n"
            return " " if element.text else ""
        if "\n\n" in inner or _is_inside(element, sign):
            return written
        before, after = _beside(element, before=True), _beside(element, before=False)
        if before == _EMPHASIS or (after == _EMPHASIS and sign == "~~"):
            return written
        left, right = 0, len(inner)
        if before.isalnum():
            while left < right and _is_movable(inner[left]):
                left += 1
        if after.isalnum():
            while right > left and _is_movable(inner[right - 1]):
                right -= 1
        core = inner[left:right].strip()
        if (
            not core
            or (before.isalnum() and _is_punctuation(core[0]))
            or (after.isalnum() and _is_punctuation(core[-1]))
        ):
            return written
        lead = "" if written.startswith(inner[:1]) else " "
        tail = "" if written.endswith(inner[-1:]) else " "
        return f"{lead}{inner[:left]}{sign}{core}{sign}{inner[right:]}{tail}"

    return write


CONVERTERS: Final = {name: _writer(sign) for name, sign in SIGNS.items()}
"""Writers by tag, for turbohtml."""


def _is_inside(element: Element, sign: str) -> bool:
    """Tell whether an element around has the same sign."""
    above = element.parent
    while isinstance(above, Element) and above.tag in _INLINE:
        if SIGNS.get(above.tag) == sign:
            return True
        above = above.parent
    return False


_INLINE: Final = frozenset(("a", "span", "font", "u", "small", "big", *SIGNS))
"""Elements that put nothing between a text and emphasis in them."""


def _beside(element: Element, *, before: bool) -> str:
    """Give the character beside an element: :data:`_EMPHASIS`, or empty at the end of a block."""
    node: turbohtml.Node = element
    while True:
        beside = node.previous_sibling if before else node.next_sibling
        if beside is None:
            above = node.parent
            if not isinstance(above, Element) or above.tag not in _INLINE or above.tag in SIGNS:
                return ""
            node = above
            continue
        if isinstance(beside, Text):
            if beside.data:
                return beside.data[-1 if before else 0]
        elif isinstance(beside, Element):
            if beside.tag in SIGNS and beside.text.strip():
                return _EMPHASIS
            text = beside.text
            if text:
                return text[-1 if before else 0]
            if beside.tag == "br":
                return ""
        node = beside


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _is_movable(character: str) -> bool:
    return character.isspace() or (_is_punctuation(character) and character not in _MARKUP)
