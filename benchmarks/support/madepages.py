"""Pages made of frames and prose of real pages, so that what is content in them is exactly known."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from lab.auto.pool import paragraph_rows, tags_of
from lab.labelled.metrics import visible_text
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

    from lab.auto.examples import Example
    from lab.auto.pool import Piece, Pool

_MIN_OWN: Final = 2  # own paragraphs of a frame
_CHAPTER: Final = 40  # paragraphs of a chapter
_BLOCKS: Final = ("<div>", "<section>", '<div class="block">', '<div class="wp-block-group">')
"""Start tags of blocks, in turns."""


class MadePage(NamedTuple):
    """A page, and the paragraphs in it that were put there."""

    url: str
    html: str
    paragraphs: list[str]


def frames_by_site(examples: Iterable[Example]) -> dict[str, list[Example]]:
    """Find the pages with two or more paragraphs of content in one element, by site."""
    frames: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        if len(paragraph_rows(example)) >= _MIN_OWN:
            frames[example.page.site].append(example)
    return frames


def in_turns(frames: dict[str, list[Example]]) -> list[Example]:
    """List the frames of all sites: the first of each, then the second of each, and so on."""
    longest = max(map(len, frames.values()), default=0)
    return [of_site[place] for place in range(longest) for of_site in frames.values() if place < len(of_site)]


def framed(
    frame: Example, pool: Pool, sizes: Sequence[int], generator: np.random.Generator
) -> MadePage | None:
    """Replace a page's content by so many paragraphs, in one block for each of the `sizes` if there are two.

    Content is all from the first of the page's own paragraphs to the last. None: the pool has too few.
    """
    count = sum(sizes)
    pieces = pool.paragraphs(frame, count, generator)
    if len(pieces) < count:
        return None
    page, own = frame.page, paragraph_rows(frame)
    opened, closed = tags_of(page, int(own[0]))
    block = _BLOCKS[int(generator.integers(len(_BLOCKS)))].encode()
    end = b"</%b>" % block[1:-1].split()[0]
    parts, at = [page.canonical[: page.columns.start[own[0]]]], 0
    for size in sizes:
        inside = b"".join(opened + piece.markup + closed for piece in pieces[at : at + size])
        parts.append(inside if len(sizes) == 1 else block + inside + end)
        at += size
    parts.append(page.canonical[page.columns.stop[own[-1]] :])
    return MadePage(page.url, b"".join(parts).decode(), _texts(pieces))


def book(frame: Example, pool: Pool, count: int, generator: np.random.Generator) -> MadePage | None:
    """Make a page that is nothing but a book: a title, chapters, paragraphs. None: the pool has too few."""
    pieces = pool.paragraphs(frame, count, generator)
    if len(pieces) < count:
        return None
    parts = ["<!doctype html><html><head><title>The book</title></head><body><h1>The book</h1>"]
    for at, piece in enumerate(pieces):
        if at % _CHAPTER == 0:
            parts.append(f"<h2>Chapter {at // _CHAPTER + 1}</h2>")
        parts.append(f"<p>{piece.markup.decode()}</p>")
    parts.append("</body></html>")
    return MadePage("http://books.example/1", "".join(parts), _texts(pieces))


def with_sentence(frames: Sequence[Example], pool: Pool, generator: np.random.Generator) -> list[MadePage]:
    """Put one and the same sentence between two of the own paragraphs of each page of a site.

    Each page has it as its one paragraph. Empty where the pool has no sentence.
    """
    sentence = pool.sentence(frames[0], generator)
    if sentence is None:
        return []
    made = []
    for frame in frames:
        page, own = frame.page, paragraph_rows(frame)
        row = int(generator.choice(own[:-1]))
        opened, closed = tags_of(page, row)
        at = int(page.columns.stop[row])
        html = page.canonical[:at] + opened + sentence + closed + page.canonical[at:]
        made.append(MadePage(page.url, html.decode(), [visible_text(sentence.decode())]))
    return made


def kept(output: str, paragraphs: Iterable[str]) -> list[bool]:
    """Tell for each paragraph whether an output has all its words in a row."""
    line = f" {' '.join(words(output))} "
    return [f" {' '.join(words(paragraph))} " in line for paragraph in paragraphs]


def _texts(pieces: Sequence[Piece]) -> list[str]:
    return [visible_text(piece.markup.decode()) for piece in pieces]
