"""Spaces and signs in rendered text and Markdown."""

from __future__ import annotations

import re
from typing import Final

_SIGN: Final = re.compile(r" *(?:\*|[0-9]+\.) ")  # the sign of an item
_SIGN_ENDS: Final = ("*", ".")  # last characters of signs
_EMPTY_LINES: Final = re.compile("\n\n\n+")  # several empty lines

# A line that begins or ends code (group 1: its sign).
_FENCE: Final = re.compile(r"[ >]*(?:[-*+] +|[0-9]+[.)] +)*(`{3,})")

# No-break spaces at the beginning of a line of Markdown (group 1: what stands before).
_LEADING: Final = re.compile(r"^([ >]*(?:[-*+#]+ +|[0-9]+[.)] +)?)&#160;(?:&#160;| )*")

_ENTITY: Final = "&#160;"  # what turbohtml writes for a no-break space at an end of a text in Markdown
_THREE_BREAKS: Final = "\n\n\n"  # what several empty lines begin with

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
        return text
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
    return _EMPTY_LINES.sub("\n\n", "".join([*written, text[done:]])).strip("\n")


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
    if at < 0 and _THREE_BREAKS not in markdown:
        return markdown
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
    if _THREE_BREAKS in markdown:
        markdown = _EMPTY_LINES.sub("\n\n", markdown)
    if _EMPTIED in markdown:
        # An emptied line, and no empty lines after it.
        markdown = _AFTER_EMPTIED.sub("\n", markdown).replace(_EMPTIED, "")
    return markdown


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
