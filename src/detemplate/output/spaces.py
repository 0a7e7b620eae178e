"""Spaces and signs in rendered text and Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from turbohtml import Element, Text

from detemplate.output.formulas import RAW_TEXT, raw

if TYPE_CHECKING:
    from collections.abc import Iterator

    import turbohtml


# What Markdown has of brackets around formulas if they were taken for text.
_ESCAPED: Final = ("\\\\(", "\\\\[")

# What Markdown with ``$`` has of formulas if they were taken for text, beside two backslashes.
_TEX_SIGNS: Final = ("$$", "^", "_{")

# A formula with its delimiters.
_FORMULA: Final = re.compile(
    r"\\\((?P<inline>(?:(?!\\\(|\\\)).){1,2000})\\\)"
    r"|\\\[(?P<display>(?:(?!\\\[|\\\]).){1,4000})\\\]"
    r"|\$\$(?P<dollars>[^$]{1,4000})\$\$"
    r"|(?<![\\$\w])\$(?P<dollar>(?!\s)[^$]{1,300}(?<!\s))\$(?![\d$])",
    re.DOTALL,
)

# What a regular expression has, whose brackets may be escaped, too.
_PATTERN: Final = re.compile(
    r"\.[*+]|\[\^|\[\w-\w|\\[.\"/?*+()-]|\\[dwsDWSb](?![A-Za-z])",
)

_TEX: Final = re.compile(r"\\[A-Za-z]|[\^_=]")  # what a formula between ``$$`` or brackets has

# What a formula between ``$`` has, and no two prices or variables of a program have between them.
_SURE_TEX: Final = re.compile(r"\\[A-Za-z]{2}|\^|_\{")

CODE: Final = frozenset(("code", "kbd", "pre", "samp", "tt", "script", "style", "textarea", RAW_TEXT))
"""Elements whose text has no formulas."""


def may_be_delimited(markdown: str) -> bool:
    """Tell whether Markdown may have formulas that were taken for text."""
    if "$" in markdown:
        return "\\\\" in markdown or any(sign in markdown for sign in _TEX_SIGNS)
    return any(sign in markdown for sign in _ESCAPED)


def _formulas(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the formulas of a text begin and end, and what Markdown has for them."""
    for found in _FORMULA.finditer(text):
        latex = " ".join(found[found.lastgroup or 0].split())
        if latex and "$" not in latex and _is_formula(latex, found.lastgroup):
            sign = "$" if found.lastgroup in ("inline", "dollar") else "$$"
            yield found.start(), found.end(), f"{sign}{latex}{sign}"


def write_delimited(document: turbohtml.Document) -> bool:
    """Replace the formulas between delimiters in the texts of a DOM: Markdown has them between dollar signs.

    Returns: whether there was any.
    """
    if not any(("\\" in text or "$" in text) and _FORMULA.search(text) for text in document.strings):
        return False
    texts = [
        node
        for node in document.descendants
        if isinstance(node, Text) and ("\\" in node.data or "$" in node.data) and _FORMULA.search(node.data)
    ]
    changed = False
    for text in texts:
        if any(isinstance(above, Element) and above.tag in CODE for above in text.ancestors):
            continue
        parts: list[turbohtml.Node] = []
        done = 0
        for begin, end, written in _formulas(text.data):
            parts += [Text(text.data[done:begin]), raw(written)]
            done = end
        if parts:
            for part in [*parts, Text(text.data[done:])]:
                text.insert_before(part)
            text.decompose()
            changed = True
    return changed


def _is_formula(latex: str, group: str | None) -> bool:
    """Tell whether what is between delimiters is a formula."""
    if _PATTERN.search(latex):
        return False
    needed = {"dollar": _SURE_TEX, "dollars": _TEX, "display": _TEX}.get(group or "")
    return needed is None or needed.search(latex) is not None


_SIGN: Final = re.compile(r" *(?:\*|[0-9]+\.) ")  # the sign of an item
_SIGN_ENDS: Final = ("*", ".")  # last characters of signs
_EMPTY_LINES: Final = re.compile("\n\n\n+")  # several empty lines
_BLANK: Final = " \n\n"  # what a line with nothing but spaces ends with
_BLANK_LINES: Final = re.compile("\n(?: *\n){2,}")  # several lines with nothing but spaces
_WIDE: Final = "&#12288;"  # what turbohtml writes for an ideographic space at the beginning of a text
_BREAK: Final = "\n\\\n"  # a line break alone in its line
_BREAK_LINE: Final = re.compile(r"^ *\\$", re.MULTILINE)  # such a line, without the breaks around it
_THREE_BREAKS: Final = "\n\n\n"  # what several empty lines begin with

# A line that begins or ends code (group 1: its sign).
_FENCE: Final = re.compile(r"[ >]*(?:[-*+] +|[0-9]+[.)] +)*(`{3,})")

# No-break spaces at the beginning of a line of Markdown (group 1: what stands before).
_LEADING: Final = re.compile(r"^([ >]*(?:[-*+#]+ +|[0-9]+[.)] +)?)&#160;(?:&#160;| )*")

_ENTITY: Final = "&#160;"  # what turbohtml writes for a no-break space at an end of a text in Markdown

# Stands for a line that only had such entities. No page has this character: parsers replace it.
_EMPTIED: Final = "\0"

_AFTER_EMPTIED: Final = re.compile(f"{_EMPTIED}\n+")  # matches such a line and the empty lines after it
_MOST: Final = 50  # most entities that are taken from the end of a text


def has_bare_signs(text: str) -> bool:
    """Tell whether signs of items may stand on lines of their own in a text."""
    return " \n" in text or text.endswith(" ")


def tidied(text: str) -> str:
    """Begin the items of a text on the lines of their signs.

    A sign without an item goes, and so do spaces at the ends of lines. It is for texts without code, where a
    line that is a sign is the sign of an item.
    """
    if not has_bare_signs(text):
        return without_empty_lines(text)
    text = f"{text}\n"
    written: list[str] = []
    done, at = 0, text.find(" \n")
    begins = True  # whether a line begins at ``done``
    while at >= 0:
        low = text.rfind("\n", done, at) + 1 or (done if begins else at)
        following = text.find(" \n", at + 2)
        if text[at - 1] not in _SIGN_ENDS or not _SIGN.fullmatch(text, low, at + 1):
            written += (text[done:at].rstrip(" "), "\n")
            done, begins = at + 2, True
        else:
            rest = text[at + 2 : following if following >= 0 else len(text)]
            item = rest.lstrip(" ")
            inside = len(rest) - len(item) >= _width(text, low) + 2
            begins = not inside or _SIGN.match(f"{item} ") is not None
            if not begins:
                written += (text[done:at], " " if item else "")
                done = at + 2 + len(rest) - len(item)
            elif not inside and text[at - 1] == "*":
                written.append(text[done:low])
                done = at + 2
            else:
                written += (text[done:at], "\n")
                done = at + 2
        at = following
    return without_empty_lines("".join([*written, text[done:]]))


def without_empty_lines(text: str) -> str:
    """Make one empty line of several, and take those at the ends off, of a text without code."""
    return (_EMPTY_LINES.sub("\n\n", text) if _THREE_BREAKS in text else text).strip("\n")


def _width(text: str, at: int) -> int:
    """Count the spaces at a place of a text."""
    end = at
    while text[end] == " ":
        end += 1
    return end - at


def without_entities(markdown: str) -> str:
    """Write the no-break spaces of Markdown as spaces; those at the ends of lines go.

    turbohtml writes ``&#160;`` there. In code, that is what the page shows.
    """
    markdown = markdown.replace("\xa0", " ")
    at = markdown.find(_ENTITY)
    if at < 0 and not any(sign in markdown for sign in (_THREE_BREAKS, _BLANK, _WIDE, _BREAK)):
        return markdown.removesuffix(_BREAK[:-1])
    if "```" in markdown:
        return _without_entities_around_code(markdown)
    return _without_entities_in_text(markdown).strip("\n")


def _without_entities_in_text(markdown: str) -> str:
    """Do the same in Markdown without code; line breaks at the ends stay."""
    at = markdown.find(_ENTITY)
    parts: list[str] = []
    done = 0
    while at >= 0:
        low, high = markdown.rfind("\n", done, at) + 1 or done, markdown.find("\n", at)
        high = len(markdown) if high < 0 else high
        parts += [markdown[done:low], _without_entities_in_line(markdown[low:high]) or _EMPTIED]
        done = high
        at = markdown.find(_ENTITY, high)
    markdown = "".join([*parts, markdown[done:]])
    if _EMPTIED in markdown:
        # An emptied line, and no empty lines after it.
        markdown = _AFTER_EMPTIED.sub("\n", markdown).replace(_EMPTIED, "")
    markdown = markdown.replace(_WIDE, "\u3000")
    if _BREAK in markdown or markdown.startswith(_BREAK[1:]) or markdown.endswith(_BREAK[:-1]):
        markdown = _BREAK_LINE.sub("", markdown)
    if _THREE_BREAKS in markdown:
        markdown = _EMPTY_LINES.sub("\n\n", markdown)
    return _BLANK_LINES.sub("\n\n", markdown) if _BLANK in markdown else markdown


def _without_entities_around_code(markdown: str) -> str:
    """Do the same in Markdown with code: its lines stay as they are."""
    parts: list[str] = []
    done = at = 0
    fence = ""  # what ends the code
    while (at := markdown.find(fence or "```", at)) >= 0:
        low, high = markdown.rfind("\n", 0, at) + 1, markdown.find("\n", at)
        at = high = high if high >= 0 else len(markdown)
        found = _FENCE.match(markdown[low:high])
        if found and (not fence or found[1].startswith(fence)):
            # The lines of fences are no text.
            if fence:
                parts.append(markdown[done:high])
                done, fence = high, ""
            else:
                parts.append(_without_entities_in_text(markdown[done:low]))
                done, fence = low, found[1]
    last = markdown[done:]
    return "".join([*parts, last if fence else _without_entities_in_text(last)]).strip("\n")


def _without_entities_in_line(line: str) -> str:
    line = _LEADING.sub(r"\1", strip_end(line))
    return line if "`" in line else line.replace(_ENTITY, " ")


def strip_end(written: str) -> str:
    """Strip spaces, and entities of spaces, from the end of Markdown."""
    written = written.rstrip()
    for _ in range(_MOST):
        if not written.endswith(_ENTITY):
            break
        written = written[: -len(_ENTITY)].rstrip()
    return written


def strip_spaces(written: str) -> str:
    """Strip spaces, and entities of spaces, from both ends of Markdown."""
    written = strip_end(written).lstrip()
    for _ in range(_MOST):
        if not written.startswith(_ENTITY):
            break
        written = written[len(_ENTITY) :].lstrip()
    return written
