"""Template text put into clean documents, so that it is known to the character what is template.

Foschini 2007, section 6.1: "inject synthetic templated data into clean web pages and check if the
extracted cleaning expressions matched the injected data".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.experiments.expressions.slots import COVERED, KINDS, UNCOVERED, Slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from detemplate.experiments.expressions.slots import Line

PLACES: Final = ("header", "sidebar", "notice", "notice", "footer", "footer")
"""Where a template's blocks go: before the text; after its first paragraph; between two paragraphs that
are drawn anew for every document; after the text."""
WHOLE: Final = 2
"""Blocks that all documents have."""
SHARES: Final = (0.8, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Shares of the documents that have one of the other blocks: some of these, another one each. Which block
has which share is drawn anew for every site and seed."""
SLOT_EVERY: Final = 12
"""A slot every so many tokens of a block, at least one."""

_SPACES: Final = np.array([n for n in range(0x3001) if chr(n).isspace()], np.uint32)
# A paragraph's end; in a text of one line, a sentence's. What comes behind it begins a paragraph.
_PARAGRAPH: Final = re.compile(r"\n\s*(?=\S)")
_SENTENCE: Final = re.compile(r"[.!?…]\s+(?=\S)|[。！？]\s*(?=\S)")


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a template: where it goes, the share of the documents that have it, its lines."""

    place: str
    share: float
    lines: tuple[Line, ...]


def make_blocks(lines: Sequence[Line], slots: str, rng: np.random.Generator) -> tuple[Block, ...]:
    """Cut a site's template into blocks, deal shares out, and put slots in.

    Parameters
    ----------
    lines
        The template's lines, at least one a place.
    slots
        ``none`` (but for the site's own), ``covered`` or ``uncovered``: what is put in.
    rng
        Draws shares, places and kinds of slots; they do not depend on ``slots`` otherwise.
    """
    some = rng.permutation(SHARES)[: len(PLACES) - WHOLE]
    shares = rng.permutation([*[1.0] * WHOLE, *some]).tolist()
    sizes = np.cumsum([len(line) for line in lines])
    # Parts of about equal size, each of one line at least.
    cuts = [0]
    for part in range(1, len(PLACES)):
        at = int(np.searchsorted(sizes, sizes[-1] * part / len(PLACES)))
        cuts.append(min(max(at, cuts[-1] + 1), len(lines) - len(PLACES) + part))
    cuts.append(len(lines))
    kinds = list(UNCOVERED if slots == "uncovered" else COVERED)
    blocks = []
    for place, share, low, high in zip(PLACES, shares, cuts[:-1], cuts[1:], strict=True):
        own = [list(line) for line in lines[low:high]]
        for _ in range(max(1, sum(map(len, own)) // SLOT_EVERY)):
            # All is drawn in any case: the same places for each choice of slots.
            which, where, kind = (float(value) for value in rng.random(3))
            if slots != "none":
                into = own[int(which * len(own))]
                into.insert(int(where * (len(into) + 1)), Slot(kinds[int(kind * len(kinds))]))
        blocks.append(Block(place, share, tuple(map(tuple, own))))
    return tuple(blocks)


@dataclass(frozen=True, slots=True)
class Document:
    """A clean text with template in it.

    Attributes
    ----------
    text
        The whole.
    clean
        The text without the template.
    owner
        For each character the number of its block; -1 where it is of the clean text. int8.
    kind
        For each character the number of its slot's kind; -1 outside slots. int8.
    """

    text: str
    clean: str
    owner: npt.NDArray[np.int8]
    kind: npt.NDArray[np.int8]

    @property
    def counts(self) -> npt.NDArray[np.bool_]:
        """Which characters count: all but white space."""
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        return ~np.isin(codes, _SPACES)


def inject(clean: str, blocks: Sequence[Block], present: Iterable[int], rng: np.random.Generator) -> Document:
    """Put blocks into a text.

    Parameters
    ----------
    clean
        The text.
    blocks
        The template.
    present
        Numbers of the blocks that this document has.
    rng
        Draws the values of slots and the places of notices.

    Returns
    -------
    Document
        Line breaks that part a block from the text belong to the block: without the characters
        that have an owner, the text is ``clean`` again.
    """
    rests = [m.end() for m in (_PARAGRAPH if "\n" in clean else _SENTENCE).finditer(clean)] or [len(clean)]
    placed: list[tuple[int, int, list[tuple[str, int]]]] = []
    for number in present:
        block = blocks[number]
        between = rests[int(rng.integers(len(rests)))]
        at = {"header": 0, "sidebar": rests[0], "notice": between, "footer": len(clean)}[block.place]
        placed.append((at, number, _written(block, rng)))
    pieces: list[tuple[str, int, int]] = []
    behind = 0
    for at, number, written in sorted(placed, key=lambda each: each[:2]):
        pieces.append((clean[behind:at], -1, -1))
        pieces += [(text, number, kind) for text, kind in [("\n", -1), *written, ("\n", -1)]]
        behind = at
    pieces.append((clean[behind:], -1, -1))
    sizes = [len(text) for text, _, _ in pieces]
    return Document(
        "".join(text for text, _, _ in pieces),
        clean,
        np.repeat(np.array([owner for _, owner, _ in pieces], np.int8), sizes),
        np.repeat(np.array([kind for _, _, kind in pieces], np.int8), sizes),
    )


def _written(block: Block, rng: np.random.Generator) -> list[tuple[str, int]]:
    """Write a block: texts, with the numbers of their kinds."""
    told: list[tuple[str, int]] = []
    for line in block.lines:
        for token in line:
            if isinstance(token, Slot):
                told.append((token.draw(rng), KINDS.index(token.kind)))
            else:
                told.append((token, -1))
            told.append((" ", -1))
        told[-1] = ("\n", -1)
    return told[:-1]


@dataclass(frozen=True, slots=True)
class Tally:
    """Characters that count (no white space), of any number of documents.

    Attributes
    ----------
    blocks
        A row a block: injected, and removed of these. int64.
    slots
        The same for the slots of each block: block, kind, then the two. int64.
    clean
        Characters of the clean text, and removed of these. int64.
    """

    blocks: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int64]
    clean: npt.NDArray[np.int64]

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.blocks + other.blocks, self.slots + other.slots, self.clean + other.clean)

    @property
    def recall(self) -> float | None:
        """Share of the injected characters that are removed; None where nothing was injected."""
        return ratio(self.blocks.sum(axis=0))

    @property
    def precision(self) -> float | None:
        """Share of the removed characters that were injected; None where nothing was removed."""
        right = int(self.blocks[:, 1].sum())
        return ratio((right + int(self.clean[1]), right))

    @property
    def lost(self) -> float:
        """Share of the clean text that is removed."""
        return ratio(self.clean) or 0.0


def ratio(counts: Iterable[int]) -> float | None:
    """Give the share of the second of two counts in the first; None of nothing."""
    whole, part = map(int, counts)
    return part / whole if whole else None


def tally(document: Document, starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]) -> Tally:
    """Compare what is removed from a document, intervals of characters, with what was injected."""
    removed = np.zeros(len(document.text), np.bool_)
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        removed[start:stop] = True
    counts = document.counts

    # A place for each block and kind; the first of either is for what has none.
    places = (document.owner.astype(np.int64) + 1) * (len(KINDS) + 1) + document.kind + 1
    shape = (len(PLACES) + 1, len(KINDS) + 1)
    found = np.stack(
        [
            np.bincount(places[chosen], minlength=shape[0] * shape[1]).reshape(shape)
            for chosen in (counts, counts & removed)
        ],
        axis=-1,
    )
    blocks = found.sum(axis=1)
    return Tally(blocks[1:], found[1:, 1:], blocks[0])


def total(tallies: Iterable[Tally]) -> Tally:
    """Add tallies, at least one."""
    return reduce(lambda first, second: first + second, tallies)
