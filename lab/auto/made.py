"""Made pages: labelled pages, changed so that the label of every segment stays known.

Most labelled pages are articles of usual length in one container. Training also learns from

- longer ones, with paragraphs of other pages among their own (:func:`lengthened`);
- ones whose content stands in two to four sibling blocks, maybe with template between them (:func:`split`).

A change cuts and inserts bytes of the canonical serialisation. What is inserted is from the
:class:`~lab.auto.pool.Pool`: from other pages of the same fold, prose also in the same language. A changed
page whose segments do not stand where the change put them is given up.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.errors import PageError
from detemplate.page import tags
from detemplate.page.page import Page
from lab.auto.pool import Piece, paragraph_rows, piece_of, tags_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lab.auto.examples import Example
    from lab.auto.pool import Pool

    Edits = list[tuple[int, Piece]]
    """Pieces to insert, each with the byte in front of which it goes."""

MAX_PARAGRAPHS: Final = 1500
_LONGER: Final = (2.0, 60.0)  # range of the factor by which the number of paragraphs grows
_SPLIT: Final = 0.3  # probability that a page is split and no longer than it was
_SPLIT_LONGER: Final = 0.5  # probability that a longer page is split, too
_BOX: Final = 0.4  # probability of template between two blocks
_CONCENTRATION: Final = 0.7  # of the sizes of blocks (Dirichlet); below 1: unequal
_REOPENED: Final = tags.numbers("div section article")
_HEADINGS: Final = tags.numbers("h1 h2 h3 h4 h5 h6")
_FRAMES: Final = (
    "<div>", "<section>", '<div class="block">', '<div class="text">', '<div class="section">',
    '<section class="module">', '<div class="row"><div class="col">', '<div class="wp-block-group">',
    '<div class="elementor-element"><div class="elementor-widget-container">', '<div class="field__item">',
    '<div class="paragraph">', '<div class="content-part">', '<div class="article__body">',
)  # fmt: skip
_OPENED: Final = re.compile(r"<([a-z]+)")


def made_page(example: Example, pool: Pool, generator: np.random.Generator) -> Example | None:
    """Change a labelled page in a way that is drawn; None if the page or the pool has not what it needs."""
    if generator.random() < _SPLIT:
        return split(example, pool, generator)
    longer = lengthened(example, pool, generator)
    if longer is not None and generator.random() < _SPLIT_LONGER:
        return split(longer, pool, generator) or longer
    return longer


def lengthened(example: Example, pool: Pool, generator: np.random.Generator) -> Example | None:
    """Make a page's content 2 to 60 times as long, up to some :data:`MAX_PARAGRAPHS` paragraphs.

    The paragraphs of other pages stand among the page's own, in elements like these. All are content.
    """
    own = paragraph_rows(example)
    if not len(own):
        return None
    wanted = len(own) * np.exp(generator.uniform(*np.log(_LONGER)))
    added = pool.paragraphs(example, min(int(wanted), MAX_PARAGRAPHS) - len(own), generator)
    if not added:
        return None
    stop = example.page.columns.stop
    behind = np.sort(own[generator.integers(len(own), size=len(added))]).tolist()
    edits: Edits = []
    for row, paragraph in zip(behind, added, strict=True):
        opened, closed = tags_of(example.page, row)
        edits += [(int(stop[row]), piece) for piece in (Piece.bare(opened), paragraph, Piece.bare(closed))]
    return _edited(example, edits)


def split(example: Example, pool: Pool, generator: np.random.Generator) -> Example | None:
    """Put the paragraphs of a page into two to four sibling blocks of random size.

    Either the element around them ends and begins again, or each block gets a frame of its own.
    """
    own = paragraph_rows(example)
    if len(own) < 2:
        return None
    columns = example.page.columns
    shares = generator.dirichlet(np.full(generator.integers(2, 5), _CONCENTRATION))
    cuts = np.unique(np.clip(np.round(np.cumsum(shares[:-1]) * len(own)), 1, len(own) - 1)).astype(int)
    places = [_before_heading(example.page, int(own[cut])) for cut in cuts]
    around = int(columns.parent[own[0]])
    edits: Edits = []
    if columns.tag[around] in _REOPENED and generator.random() < 0.5:
        opened, closed = tags_of(example.page, around)
    else:
        frame = _FRAMES[int(generator.integers(len(_FRAMES)))]
        names = _OPENED.findall(frame)
        opened, closed = frame.encode(), "".join(f"</{name}>" for name in reversed(names)).encode()
        first = _before_heading(example.page, int(own[0]))
        edits.append((first, Piece.bare(opened)))
        edits.append((int(columns.stop[own[-1]]), Piece.bare(closed)))
        if first >= places[0]:
            return None
    boxed = generator.random() < 0.5
    for place in places:
        edits.append((place, Piece.bare(closed)))
        if boxed and generator.random() < _BOX:
            box = pool.box(example, generator)
            edits += [(place, box)] if box else []
        edits.append((place, Piece.bare(opened)))
    return _edited(example, edits)


def _before_heading(page: Page, row: int) -> int:
    """Return the byte where a paragraph begins, or the heading right before it."""
    columns = page.columns
    heading = row - 1
    while heading >= 0 and columns.end[heading] == row:
        if columns.parent[heading] == columns.parent[row] and columns.tag[heading] in _HEADINGS:
            return int(columns.start[heading])
        heading = int(columns.parent[heading])
    return int(columns.start[row])


def _edited(example: Example, edits: Iterable[tuple[int, Piece]]) -> Example | None:
    """Insert pieces; None if there are none, or a segment is not where it was put."""
    page = example.page
    pieces, at = [], 0
    for place, piece in sorted(edits, key=lambda edit: edit[0]):
        pieces += [piece_of(example, at, place), piece]
        at = place
    if not at:
        return None
    pieces.append(piece_of(example, at, len(page.canonical)))
    begins = np.cumsum([0, *(len(piece.markup) for piece in pieces[:-1])])
    starts = np.concatenate([piece.starts + begin for piece, begin in zip(pieces, begins, strict=True)])
    try:
        made = Page(page.url, b"".join(piece.markup for piece in pieces), site=page.site, charset="utf-8")
    except PageError:
        return None
    made.source = ""  # not needed again
    if not np.array_equal(made.columns.start[made.segments], starts):
        return None
    label, words = (np.concatenate(column) for column in list(zip(*pieces, strict=True))[2:])
    return replace(example, page=made, label=label, words=words, page_content=None, said=None)
