"""White space as HTML has it, and the characters that show nothing."""

from __future__ import annotations

from typing import Final

WHITE_SPACE: Final = " \t\n\r\f"
"""ASCII white space, as the HTML standard defines it."""

WHITE_SPACE_BYTES: Final = WHITE_SPACE.encode()
"""The same as bytes of UTF-8."""

BLANK: Final = WHITE_SPACE + "\xa0\u202f\u205f\u2060\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x2010)))
"""Characters that show nothing: white space of all widths, and zero-width marks."""


def collapse(text: str) -> str:
    """Replace each run of HTML white space by one space; strip both ends."""
    for space in WHITE_SPACE[1:]:
        text = text.replace(space, " ")
    return " ".join(filter(None, text.split(" ")))
