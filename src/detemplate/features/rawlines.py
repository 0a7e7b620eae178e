"""Lines of the markup as it came, and where in them a page's texts stand.

The sandwich algorithm needs no parser: its lines are those of the file (Rowlands et al. 2009, section 3).
Only a verdict asks on which lines a page's texts stand. turbohtml's tokenizer tells that, without a tree.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Final

import numpy as np
import turbohtml

from detemplate.page.columns import CODE, RAW, TEXT

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

_BREAK: Final = re.compile(rb"\r\n|\r|\n")  # a line break, as HTML counts lines

_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


_MOST_SEARCHED: Final = 1 << 27
"""Characters of a page that are searched for texts in another order. What comes after is not found."""


def raw_lines(page: Page) -> list[bytes]:
    """Return the lines of a page's markup as it came, without their line breaks. Nothing is parsed.

    Text given as str counts as UTF-8, as does UTF-16.
    """
    source = page.source
    if isinstance(source, bytes) and (source.startswith(_WIDE) or _is_wide(page.charset)):
        source = _decoded(page)
    if isinstance(source, str):
        source = source.encode("utf-8", "replace")
    return _BREAK.split(source)


def lines_of_segments(page: Page) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Find the lines on which the characters of a page's segments stand.

    Returns: for each character of each segment, white space left out: the number of its line, from 0, or -1
        if it is not found in the markup; and the character at which each segment begins, with the end of the
        last.

    Notes
    -----
    The tokenizer gives the texts in the order of the markup, the page's columns in that of the tree. Both are
    nearly always the same. A text that does not follow the one before it is looked for from there on, then in
    the whole page: the parser moves texts out of tables, for example.
    """
    said, lines = _tokenized(page)
    columns = page.columns
    found: list[npt.NDArray[np.int64]] = []
    starts = [0]
    at = searched = 0
    for row in np.flatnonzero(np.isin(columns.kind, (TEXT, CODE, RAW))).tolist():
        text = "".join(page.text_of(row).split())
        place = at if said.startswith(text, at) else -1
        if place < 0 and searched < _MOST_SEARCHED:
            place = said.find(text, at)
            searched += len(said) if place < 0 else place - at
        if place >= 0:
            at = place + len(text)
        elif searched < _MOST_SEARCHED:
            place = said.find(text)
            searched += len(said)
        if columns.kind[row] == TEXT:
            found.append(lines[place : place + len(text)] if place >= 0 else np.full(len(text), -1))
            starts.append(starts[-1] + len(text))
    return np.concatenate([*found, np.empty(0, np.int64)]), np.array(starts, np.int64)


def _tokenized(page: Page) -> tuple[str, npt.NDArray[np.int64]]:
    """Give the characters of all texts of the markup, white space left out, and the line of each, from 0."""
    texts: list[str] = []
    lines: list[npt.NDArray[np.int64]] = []
    for token in turbohtml.tokenize(_decoded(page), capture_attributes=False):
        if token.type is turbohtml.TokenType.TEXT and token.data:
            line = token.line - 1
            for part in token.data.split("\n"):
                shown = "".join(part.split())
                if shown:
                    texts.append(shown)
                    lines.append(np.full(len(shown), line))
                line += 1
    return "".join(texts), np.concatenate([*lines, np.empty(0, np.int64)])


def _decoded(page: Page) -> str:
    """Give a page's markup as text, as the parser reads it."""
    if isinstance(page.source, str):
        return page.source
    encoding = page.parse_source().encoding or "utf-8"
    try:
        text = page.source.decode(encoding, "replace")
    except LookupError:  # an encoding of the web that Python lacks
        text = page.source.decode("cp1252", "replace")
    return text.removeprefix("\ufeff")


def _is_wide(charset: str | None) -> bool:
    return charset is not None and charset.strip().lower().startswith("utf-16")
