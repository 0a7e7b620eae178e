"""Template text injected into clean documents, so that each character is known to be template or not.

Foschini 2007, section 6.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lab.expressions.slots import COVERED, KINDS, UNCOVERED, Slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from lab.expressions.slots import Line

PLACES: Final = ("header", "sidebar", "notice", "notice", "footer", "footer")
"""Places of blocks: before the text, after its first paragraph, between two paragraphs, after the text."""
WHOLE: Final = 2  # number of blocks that all documents have
SHARES: Final = (0.8, 0.5, 0.4, 0.3, 0.2, 0.1)  # shares of the documents that have another block
SLOT_EVERY: Final = 12  # tokens of a block for each slot that is added; each block has at least one slot

_SPACES: Final = np.array([n for n in range(0x3001) if chr(n).isspace()], np.uint32)
_PARAGRAPH_END: Final = re.compile(r"\n\s*(?=\S)")
_SENTENCE_END: Final = re.compile(r"[.!?…]\s+(?=\S)|[。！？]\s*(?=\S)")  # for texts of one line


@dataclass(frozen=True, slots=True)
class TemplateBlock:
    """A part of a template: its place, the share of the documents that have it, and its lines."""

    place: str
    share: float
    lines: tuple[Line, ...]


def make_blocks(lines: Sequence[Line], slots: str, rng: np.random.Generator) -> tuple[TemplateBlock, ...]:
    """Cut a site's template into blocks for each place, draw their shares, add slots (or ``none``)."""
    chosen = rng.permutation(SHARES)[: len(PLACES) - WHOLE]
    shares = rng.permutation([*[1.0] * WHOLE, *chosen]).tolist()
    sizes = np.cumsum([len(line) for line in lines])
    # Blocks of about equal size, each of one line at least.
    cuts = [0]
    for part in range(1, len(PLACES)):
        at = int(np.searchsorted(sizes, sizes[-1] * part / len(PLACES)))
        cuts.append(min(max(at, cuts[-1] + 1), len(lines) - len(PLACES) + part))
    cuts.append(len(lines))
    kinds = list(UNCOVERED if slots == "uncovered" else COVERED)
    blocks = []
    for place, share, low, high in zip(PLACES, shares, cuts[:-1], cuts[1:], strict=True):
        in_block = [list(line) for line in lines[low:high]]
        for _ in range(max(1, sum(map(len, in_block)) // SLOT_EVERY)):
            # Draw in any case: slots have the same places for each value of `slots`.
            which, where, kind = (float(value) for value in rng.random(3))
            if slots != "none":
                line = in_block[int(which * len(in_block))]
                line.insert(int(where * (len(line) + 1)), Slot(kinds[int(kind * len(kinds))]))
        blocks.append(TemplateBlock(place, share, tuple(map(tuple, in_block))))
    return tuple(blocks)


@dataclass(frozen=True, slots=True)
class Document:
    """A clean text with template in it."""

    text: str
    clean: str
    owner: npt.NDArray[np.int8]  # for each character the number of its block; -1 for the clean text
    kind: npt.NDArray[np.int8]  # for each character the number of its slot's kind; -1 outside slots

    @property
    def counts(self) -> npt.NDArray[np.bool_]:
        """Whether each character counts: all but white space do."""
        codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        return ~np.isin(codes, _SPACES)


def inject(
    clean: str, blocks: Sequence[TemplateBlock], present: Iterable[int], rng: np.random.Generator
) -> Document:
    """Put the blocks `present` into a text; `rng` draws values of slots and places of notices."""
    end = _PARAGRAPH_END if "\n" in clean else _SENTENCE_END
    paragraphs = [match.end() for match in end.finditer(clean)] or [len(clean)]
    placed: list[tuple[int, int, list[tuple[str, int]]]] = []
    for number in present:
        block = blocks[number]
        between = paragraphs[int(rng.integers(len(paragraphs)))]
        at = {"header": 0, "sidebar": paragraphs[0], "notice": between, "footer": len(clean)}[block.place]
        placed.append((at, number, _block_text(block, rng)))
    pieces: list[tuple[str, int, int]] = []
    done = 0
    for at, number, texts in sorted(placed, key=lambda each: each[:2]):
        pieces.append((clean[done:at], -1, -1))
        pieces += [(text, number, kind) for text, kind in [("\n", -1), *texts, ("\n", -1)]]
        done = at
    pieces.append((clean[done:], -1, -1))
    sizes = [len(text) for text, _, _ in pieces]
    return Document(
        "".join(text for text, _, _ in pieces),
        clean,
        np.repeat(np.array([owner for _, owner, _ in pieces], np.int8), sizes),
        np.repeat(np.array([kind for _, _, kind in pieces], np.int8), sizes),
    )


def _block_text(block: TemplateBlock, rng: np.random.Generator) -> list[tuple[str, int]]:
    """Write a block as pieces of text, each with the number of its slot's kind, -1 outside slots."""
    pieces: list[tuple[str, int]] = []
    for line in block.lines:
        for token in line:
            if isinstance(token, Slot):
                pieces.append((token.draw(rng), KINDS.index(token.kind)))
            else:
                pieces.append((token, -1))
            pieces.append((" ", -1))
        pieces[-1] = ("\n", -1)
    return pieces[:-1]


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of characters in some documents, without white space: all, and those that are removed."""

    blocks: npt.NDArray[np.int64]  # injected characters by block: blocks × 2
    slots: npt.NDArray[np.int64]  # the same by kind of slot in each block: blocks × kinds × 2
    clean: npt.NDArray[np.int64]  # characters of the clean text: 2

    @property
    def recall(self) -> float | None:
        """Share of the injected characters that are removed; None where nothing was injected."""
        return ratio(self.blocks.sum(axis=0))

    @property
    def precision(self) -> float | None:
        """Share of the removed characters that were injected; None where nothing was removed."""
        injected = int(self.blocks[:, 1].sum())
        return ratio((injected + int(self.clean[1]), injected))

    @property
    def lost(self) -> float:
        """Share of the clean text that is removed."""
        return ratio(self.clean) or 0.0


def ratio(counts: Iterable[int]) -> float | None:
    """Divide the second of two counts by the first; None where the first is 0."""
    whole, part = map(int, counts)
    return part / whole if whole else None


def in_intervals(
    length: int, starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Tell for each of `length` characters whether it is in one of the intervals."""
    inside = np.zeros(length, np.bool_)
    for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
        inside[start:stop] = True
    return inside


def tally(document: Document, starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]) -> Tally:
    """Count the injected characters, and those of them in the removed intervals."""
    removed = in_intervals(len(document.text), starts, stops)
    counted = document.counts
    # One cell for each block and kind; row 0 and column 0 are for characters without a block or slot.
    cells = (document.owner.astype(np.int64) + 1) * (len(KINDS) + 1) + document.kind + 1
    shape = (len(PLACES) + 1, len(KINDS) + 1)
    size = shape[0] * shape[1]
    tables = [np.bincount(cells[chosen], minlength=size) for chosen in (counted, counted & removed)]
    numbers = np.stack(tables, axis=-1).reshape(*shape, 2)
    blocks = numbers.sum(axis=1)
    return Tally(blocks[1:], numbers[1:, 1:], blocks[0])


def total(tallies: Iterable[Tally]) -> Tally:
    """Add tallies, at least one."""
    blocks, slots, clean = zip(*((each.blocks, each.slots, each.clean) for each in tallies), strict=True)
    return Tally(np.sum(blocks, axis=0), np.sum(slots, axis=0), np.sum(clean, axis=0))
