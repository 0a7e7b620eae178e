"""Words and signatures of start tags.

The *signature* of an element is a hash of its tag and its classes. The order of the classes does not count,
and each run of digits in a class counts as ``0``.
"""

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from detemplate.features.vocabulary import (
    ATTRIBUTE,
    ATTRIBUTES,
    LONGEST,
    MASK,
    MIX,
    MOST_WORDS,
    START,
    hashed,
    value_hashes,
)
from detemplate.page.columns import ELEMENT
from detemplate.page.page import Page
from tests.oracles.hiding import hides

OUTERMOST: Final = 2
"""Number of the outermost elements, from the root on: ``html``, and ``head`` or ``body``."""

MOST_CLASSES: Final = 3
"""Classes of an element that count on other pages; of more, only the first."""

_DIGITS: Final = re.compile(rb"[0-9]+")
"""Digits in a row; in the signature they count as ``0``."""


def read_start(canonical: bytes, start: int) -> tuple[list[int], list[int], int]:
    """Read the hashes of a start tag's words in order, those of its classes' styles, and how it hides."""
    words: list[int] = []
    classes: list[int] = []
    hidden = 0
    tag = START.match(canonical, start)
    for name, value in ATTRIBUTE.findall(tag[1]) if tag else ():
        hidden |= hides(name, value)
        if name not in ATTRIBUTES:
            continue
        for word in value.split()[:MOST_WORDS]:
            if name == b"class":
                classes.append(hashed(_DIGITS.sub(b"0", word)))
            if len(word) <= LONGEST:
                words += value_hashes(name, word)
    return words, classes, hidden


def signature(tag: int, classes: list[int]) -> int:
    """Make an element's signature of the number of its tag and its classes' hashes."""
    return (sum(classes) * int(MIX) + tag + 1) & MASK


def read_starts(page: Page) -> Iterator[tuple[int, list[int], int, int, int]]:
    """Yield each element's row, the hashes of its words, two signatures, and how it is hidden.

    The second signature is of the classes that other pages have as well: all, or of more than
    :data:`MOST_CLASSES` the first. The others name the post, its categories or its state.
    """
    columns = page.columns
    rows = np.flatnonzero(columns.kind == ELEMENT)
    starts, tags = columns.start[rows].tolist(), columns.tag[rows].tolist()
    for row, start, tag in zip(rows.tolist(), starts, tags, strict=True):
        words, classes, hidden = read_start(page.canonical, start)
        few = classes if len(classes) <= MOST_CLASSES else classes[:1]
        yield row, words, signature(tag, classes), signature(tag, few), hidden
