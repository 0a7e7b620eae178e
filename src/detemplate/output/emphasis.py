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

from detemplate.output.blocks import OWN_LINES
from detemplate.output.spaces import strip_spaces

if TYPE_CHECKING:
    from collections.abc import Callable

    import turbohtml

SIGNS: Final = {"em": "*", "i": "*", "strong": "**", "b": "**", "del": "~~", "s": "~~", "strike": "~~"}
"""What stands around the content of an element."""

# White space within a line, as turbohtml writes it: some as entities.
_SPACES: Final = r"(?:&\#[0-9]+;|[ \t\r\f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000])*"

# Line breaks as turbohtml writes them in emphasis, with the spaces behind them (group 1), and what begins the
# next line that may be a sign of Markdown (groups 2 and 3). Some are HTML, whose line goes on for turbohtml.
_BREAKS: Final = re.compile(
    rf"""\\[^\n]  # an escaped character
    |((?:(?:<br>|[ ]*\0|[ ]{{2}}\n(?=&)|\\(?:\n|\Z)){_SPACES}(?:(?<=[ ]{{2}})\n(?!\n){_SPACES})*)+)
    (?:([\#>+=-])|([0-9]+)(?=[.)]))?""",
    re.VERBOSE,
)

BREAK: Final = "detemplate-break"
"""Tag of a line break in emphasis: a ``br`` there makes turbohtml 1.15 cut later emphasis short."""

_BROKEN: Final = "\0"  # what such a line break is while emphasis is written. No page has this character.
_EMPHASIS: Final = "<>"  # stands for emphasis right beside emphasis

# Elements before one, side by side, after which it gets no sign; even, for the last sign is then ``*``.
_MOST_NEIGHBOURS: Final = 8

_MARKUP: Final = frozenset("[]()<>`*_~\\!$&")  # punctuation that may be Markdown; it stays where it is


def _writer(sign: str) -> Callable[[Element, str], str]:
    def write(element: Element, written: str) -> str:
        """Write an element whose content is written already."""
        leading = False
        if "`" in written:
            written = written.replace(_BROKEN, "  \n")
        elif _BROKEN in written or "<br>" in written or "\n" in written:
            written = _BREAKS.sub(_line_break, written)
            leading = written.startswith("  \n")
            written = written.strip("\n ")
        inner = written.strip() if "&#160;" not in written else strip_spaces(written)
        if not inner:
            if next(element.iter_elements(("br", BREAK)), None) is not None:
                return "  \n"
            return " " if element.text else ""
        before = _beside(element, before=True)
        # A break at the beginning goes before the sign, unless a block begins there.
        broken = "  \n" if leading and not before.isspace() and before else ""
        if "\n\n" in inner or _is_inside(element, sign):
            return broken + written
        after = _beside(element, before=False)
        turn = _turn(element) if before == _EMPHASIS else 0
        if (before == _EMPHASIS and (not turn or (turn % 2 and after.isalnum()))) or (
            _EMPHASIS in (before, after) and sign == "~~"
        ):
            return broken + written
        used = sign.replace("*", "_") if turn % 2 else sign  # neighbours have different signs
        if broken:
            before = ""
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
            return broken + written
        lead = "" if written.startswith(inner[:1]) else " "
        tail = "" if written.endswith(inner[-1:]) else " "
        return f"{broken or lead}{inner[:left]}{used}{core}{used}{inner[right:]}{tail}"

    return write


def _line_break(found: re.Match[str]) -> str:
    """Write a line break; one at the beginning or the end of a block goes."""
    breaks, sign, number = found.groups()
    if breaks is None:
        return found[0]
    text, start, end = found.string, found.start(), found.end()
    begins = breaks[0] == "\\" and start and text[start - 1] in " \n"
    line = "" if begins or end == len(text) or text[end] == "\n" else "  \n"
    return line + (f"\\{sign}" if sign else f"{number}\\" if number else "")


def write_breaks(document: turbohtml.Document) -> None:
    """Replace the line breaks in emphasis, except where Markdown has none: in tables, code and headings."""
    for line_break in document.select(_INNER_BREAKS):
        if line_break.closest("td, th, pre, h1, h2, h3, h4, h5, h6") is None:
            line_break.replace_with(Text(" ") if _is_last(line_break) else Element(BREAK))


def _is_last(line_break: Element) -> bool:
    """Tell whether emphasis with text ends with a line break."""
    node: turbohtml.Node = line_break
    while True:
        behind = node.next_sibling
        while isinstance(behind, Text) and not behind.data.strip():
            behind = behind.next_sibling
        above = node.parent
        if behind is not None or not isinstance(above, Element) or above.tag not in _INLINE:
            return False
        if above.tag in SIGNS:
            return bool(above.text.strip())
        node = above


_INNER_BREAKS: Final = ", ".join(f"{name} br" for name in SIGNS)  # selects line breaks in emphasis

CONVERTERS: Final = {name: _writer(sign) for name, sign in SIGNS.items()} | {BREAK: lambda *_: _BROKEN}
"""Writers by tag, for turbohtml."""


def _turn(element: Element) -> int:
    """Count the elements with ``*`` right before an element, each right beside the next; 0 for many."""
    count = 0
    node = element.previous_sibling
    while isinstance(node, Element) and SIGNS.get(node.tag, "~")[0] == "*" and node.text.strip():
        count += 1
        if count > _MOST_NEIGHBOURS:
            return 0
        node = node.previous_sibling
    return count


def _is_inside(element: Element, sign: str) -> bool:
    """Tell whether an element around has the same sign."""
    above = element.parent
    while isinstance(above, Element) and above.tag in _INLINE:
        if SIGNS.get(above.tag) == sign:
            return True
        above = above.parent
    return False


# Elements that put nothing between a text and emphasis in them.
_INLINE: Final = frozenset(("a", "span", "font", "u", "small", "big", *SIGNS))


def _beside(element: Element, *, before: bool) -> str:
    """Give the character beside an element: :data:`_EMPHASIS`, or empty at a block's end or behind one."""
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
            if before and beside.tag in OWN_LINES:
                return ""
            text = beside.text
            if text:
                return text[-1 if before else 0]
            if beside.tag in ("br", BREAK):
                return ""
        node = beside


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def _is_movable(character: str) -> bool:
    return character.isspace() or (_is_punctuation(character) and character not in _MARKUP)
