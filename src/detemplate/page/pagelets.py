"""Pagelets: regions of a page with one topic or function (Bar-Yossef & Rajagopalan 2002, section 3).

Definition 2: an element is a pagelet if none of its children has at least k links and none of its ancestors
is a pagelet.

Near-identical pagelets share a shingle, and so do near-identical pages (Broder et al. 1997). A content is the
set of its w-grams of visible words. Markup does not count, as in Broder's canonical form: a navigation bar is
the same with other classes, other session numbers, or another entry marked as current. The shingle of a
pagelet is a hash of ``sketch`` min-wise minima of that set (:func:`~detemplate.algorithms.minwise.min_wise`).
The shingle of a page is a hash of the ``sketch`` least values of one hash function
(:func:`~detemplate.algorithms.minwise.least`). Two contents of resemblance r share their shingle with
probability ``r**sketch``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.algorithms.minwise import least, min_wise, mixed, word_hashes
from detemplate.page.columns import ELEMENT
from detemplate.page.links import Links, link_rows, page_links

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Rows = npt.NDArray[np.int32]
    Shingles = npt.NDArray[np.int64]

LINKS: Final = 3
"""Default k: the paper's."""


def pagelets(page: Page, k: int = LINKS, links: Rows | None = None) -> Rows:
    """Partition a page into pagelets.

    ``k``: an element is opened if one of its child elements has at least so many links; at least 1.
    ``links``: rows of the page's links (:func:`~detemplate.page.links.link_rows`), if the caller has them. An
        element has the links in its subtree, itself included.
    Returns: rows of the pagelets, in document order (the paper's queue gives them level by level). None is
        inside another. Elements without text and links are among them, as in the paper. Text directly in an
        opened element is in no pagelet.

    Notes
    -----
    No queue is needed. An opened element has at least k links, so its parent is opened, too. Hence a
    pagelet is an element that is not opened, at the top or in one that is.
    """
    columns = page.columns
    if links is None:
        links = link_rows(page)
    element = columns.kind == ELEMENT
    count = np.searchsorted(links, columns.end) - np.searchsorted(links, np.arange(len(columns)))
    # The last entry stands for the parent of the top (row -1), which counts as opened.
    opened = np.zeros(len(columns) + 1, np.bool_)
    opened[columns.parent[element & (count >= k)]] = True
    opened[-1] = True
    return np.flatnonzero(element & ~opened[:-1] & opened[columns.parent]).astype(np.int32)


def pagelet_of(page: Page, pagelets: Rows, rows: npt.NDArray[np.integer]) -> Rows:
    """Give the pagelet of each of some nodes.

    ``page``, ``pagelets``: a page and its pagelets (:func:`pagelets`).
    ``rows``: rows of any nodes: ``page.segments``, links.
    Returns: numbers of the pagelets, from 0, in document order; -1: in none.
    """
    if not len(pagelets):
        return np.full(len(rows), -1, np.int32)
    serial = np.searchsorted(pagelets, rows, side="right") - 1
    inside = (serial >= 0) & (rows < page.columns.end[pagelets[serial]])
    return np.where(inside, serial, -1).astype(np.int32)


WIDTH: Final = 5
"""Words in a gram."""

SKETCH: Final = 4
"""Minima in the shingle of a pagelet."""

PAGE_SKETCH: Final = 32
"""Minima in the shingle of a page. They are more, since only copies are duplicates: pages of one site with
little content resemble each other. Two pages share it with probability 0.72 at resemblance 0.99, 0.19 at
0.95, 0.03 at 0.9."""

# Distinguishes the shingles of pagelets that have links and no words.
_LINKS_ONLY: Final = np.uint64(0xD6E8FEB86659FD93)


@dataclass(slots=True, frozen=True)
class PageWords:
    """The hashes of a page's visible words.

    ``hashes``: one a word, in document order. uint64.
    ``counts``: number of words of each segment, at least 1. int64.
    """

    hashes: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int64]


def page_words(page: Page) -> PageWords:
    """Hash the visible words of a page. White space separates words; segments do, too."""
    return PageWords(*word_hashes(page.written(page.segments)))


def pagelet_shingles(
    page: Page,
    pagelets: Rows,
    *,
    width: int = WIDTH,
    sketch: int = SKETCH,
    words: PageWords | None = None,
    links: Links | None = None,
) -> tuple[Shingles, npt.NDArray[np.bool_]]:
    """Give the shingle of each pagelet.

    ``page``, ``pagelets``: a page and the rows of its pagelets (:func:`pagelets`).
    ``width``, ``sketch``: words in a gram, and minima in a shingle.
    ``words``, ``links``: of the page, if the caller has them.
    Returns: the shingles, and which pagelets have one. A pagelet without text and without links to pages has
        none (0): every page has such pagelets (``head``, ``script``, ``br``), and they are no templates.

    Notes
    -----
    A pagelet with fewer than ``width`` words also has its path of tags as content: "Home" in a header
    differs from "Home" in a table. The content of a pagelet with links and no words (images) is the set of
    w-grams of the URLs that its links lead to, without queries, which may hold session numbers.
    """
    words = words or page_words(page)
    serial = pagelet_of(page, pagelets, page.segments)
    used = np.repeat(serial >= 0, words.counts)
    counts = np.bincount(serial[serial >= 0], words.counts[serial >= 0], len(pagelets)).astype(np.int64)
    shingles = np.zeros(len(pagelets), np.uint64)
    defined = counts > 0
    shingles[defined] = min_wise(words.hashes[used], counts[defined], width, sketch)
    short = defined & (counts < width)
    shingles[short] = mixed(shingles[short] ^ page.columns.path[pagelets[short]])
    if not defined.all():
        links = links or page_links(page)
        holder = pagelet_of(page, pagelets, links.rows)
        wordless = np.flatnonzero((holder >= 0) & ~defined[holder])
        if len(wordless):
            targets = (links.urls[link].partition("?")[0].encode() for link in wordless.tolist())
            hashes = np.fromiter(map(xxhash.xxh64_intdigest, targets), np.uint64, len(wordless))
            counts = np.bincount(holder[wordless], minlength=len(pagelets))
            shingles[counts > 0] = mixed(min_wise(hashes, counts[counts > 0], width, sketch) ^ _LINKS_ONLY)
            defined |= counts > 0
    return shingles.view(np.int64), defined


def page_shingle(
    page: Page, *, width: int = WIDTH, sketch: int = PAGE_SKETCH, words: PageWords | None = None
) -> int:
    """Give the shingle of a page's visible text. Pages that share it are duplicates.

    ``page``: the page. Without visible text, it shares its shingle only with pages of the same markup.
    ``width``, ``sketch``, ``words``: as for :func:`pagelet_shingles`.
    Returns: signed, 64 bits.
    """
    words = words or page_words(page)
    if not len(words.hashes):
        return int(np.uint64(xxhash.xxh64_intdigest(page.canonical)).view(np.int64))
    hashes = least(words.hashes, width, sketch)
    return int(np.uint64(xxhash.xxh64_intdigest(hashes.tobytes())).view(np.int64))
