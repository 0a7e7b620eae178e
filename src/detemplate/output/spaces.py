"""Spaces and signs in rendered text and Markdown."""

from __future__ import annotations

import re
from typing import Final

_SIGN: Final = re.compile(r" *(?:\*|[0-9]+\.) ")
"""The sign of an item."""

_SIGN_ENDS: Final = ("*", ".")
"""Last characters of signs."""

_FENCE: Final = re.compile(r"[ >]*(?:[-*+] +|[0-9]+[.)] +)*(`{3,})")
"""A line that begins or ends code (group 1: its sign)."""

_LEADING: Final = re.compile(r"^([ >]*(?:[-*+#]+ +|[0-9]+[.)] +)?)&#160;(?:&#160;| )*")
"""No-break spaces at the beginning of a line of Markdown (group 1: what stands before)."""

_ENTITY: Final = "&#160;"
"""What turbohtml writes for a no-break space at an end of a text in Markdown."""

_MOST: Final = 50
"""Most entities that are taken from the end of a text."""


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
        if before[-1:] not in _SIGN_ENDS:
            written[-1] = before.rstrip(" ") if before[-1:] == " " else before
            written.append(f"\n{following}")
            continue
        at = before.rfind("\n") + 1
        sign = f"{before[at:]} "
        if not _SIGN.fullmatch(sign):
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


def without_entities(markdown: str) -> str:
    """Write the no-break spaces of Markdown as spaces; those at the ends of lines go.

    turbohtml writes ``&#160;`` there. In code, that is what the page shows.
    """
    markdown = markdown.replace("\xa0", " ")
    if "&#160;" not in markdown and "\n\n\n" not in markdown:
        return markdown
    lines: list[str] = []
    fence = ""
    for line in markdown.split("\n"):
        if not line:
            if fence or not lines or lines[-1]:
                lines.append(line)
            continue
        if "```" in line and (found := _FENCE.match(line)) and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        elif "&#160;" in line and not fence:
            line = _LEADING.sub(r"\1", strip_end(line))  # noqa: PLW2901
            if "`" not in line:
                line = line.replace("&#160;", " ")  # noqa: PLW2901
        lines.append(line)
    return "\n".join(lines).strip("\n")


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
