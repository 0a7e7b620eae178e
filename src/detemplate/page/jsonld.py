"""Reads the JSON-LD of a page: the ``script`` elements of type ``application/ld+json``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.page.page import Page

_LONGEST: Final = 1 << 20
"""Bytes of one JSON document; longer ones are ignored."""

_SCRIPT: Final = tags.IDS["script"]
"""Number of tag ``script``."""

_LEAST: Final = len("<script type=ld+json>")
"""Bytes of a start tag that is longer than others."""

_WRAPPING: Final = re.compile(
    r"(?:\s|<!\[CDATA\[|<!--(?:[^{\[]{0,200}?-->)?|/\*(?:[^{\[]{0,200}?\*/)?|\*/|//)*"
)
"""What may stand before a JSON document: marks of CDATA, and comments."""

_DECODER: Final = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str, strict=False)
"""Reads JSON with numbers as written, and with control characters in strings."""


def linked_texts(page: Page) -> Iterator[bytes]:
    """Give the JSON-LD documents of a page as written, in document order; those over 1 MiB are left out."""
    columns, canonical = page.columns, page.canonical
    rows = np.array(page.landmarks.get(_SCRIPT, ()), np.intp)
    rows = rows[columns.end[rows] == rows + 2]
    openings, starts = columns.start[rows], columns.start[rows + 1]
    typed = starts - openings > _LEAST
    places = (openings[typed].tolist(), starts[typed].tolist(), columns.stop[rows[typed] + 1].tolist())
    for opening, start, stop in zip(*places, strict=True):
        if canonical.find(b"ld+json", opening, start) >= 0 and stop - start <= _LONGEST:
            yield canonical[start:stop]


def loaded(written: str) -> object:
    """Read the JSON document in a script; None if it is broken. Numbers stay as written.

    It may stand in a comment or in a CDATA section; what follows it is ignored.
    """
    before = _WRAPPING.match(written)
    try:
        return _DECODER.raw_decode(written, before.end() if before else 0)[0]
    except (ValueError, RecursionError):
        return None
