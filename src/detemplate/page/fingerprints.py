"""Fingerprints of pagelets and pages that near-identical contents share.

Broder et al. 1997, as Bar-Yossef & Rajagopalan 2002, section 3.2, use it. A content is the set of its
w-grams of visible words: as in Broder's canonical form, markup does not count, so a navigation bar is
the same whatever its classes, its session numbers and the entry that is the present page. The shingle
of a pagelet is ``sketch`` min-wise minima of that set together
(:func:`~detemplate.algorithms.minwise.min_wise`), that of a page the least ``sketch`` hashes of one function
(:func:`~detemplate.algorithms.minwise.least`): two contents of resemblance r share it with probability
``r**sketch``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.algorithms.minwise import least, min_wise, minima, mixed, word_hashes
from detemplate.page.links import Links, page_links
from detemplate.page.pagelets import pagelet_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Rows = npt.NDArray[np.int32]
    Shingles = npt.NDArray[np.int64]

WIDTH: Final = 5
"""Words a gram."""

SKETCH: Final = 4
"""Minima a pagelet's shingle."""

PAGE_SKETCH: Final = 32
"""Minima a page's shingle: more, since pages of one site with little content resemble each other, and
only copies are duplicates (resemblance 0.99: probability 0.72; 0.95: 0.19; 0.9: 0.03)."""

_NO_WORDS: Final = np.uint64(0xD6E8FEB86659FD93)


@dataclass(slots=True, frozen=True)
class PageWords:
    """The visible words of a page, hashed once for all that is made of them.

    Attributes
    ----------
    hashes
        Of the words, in document order. uint64.
    counts
        Words of each segment, at least 1. int64.
    """

    hashes: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int64]


def page_words(page: Page) -> PageWords:
    """Hash the visible words of a page: what white space parts within a segment, as written."""
    columns, rows, canonical = page.columns, page.segments, page.canonical
    ranges = zip(columns.start[rows].tolist(), columns.stop[rows].tolist(), strict=True)
    return PageWords(*word_hashes([canonical[start:stop] for start, stop in ranges]))


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

    Parameters
    ----------
    page, pagelets
        A page and the rows of its pagelets (:func:`~detemplate.page.pagelets.pagelets`).
    width, sketch
        Words a gram, and minima a shingle.
    words, links
        Of the page, where they are known.

    Returns
    -------
    tuple of an array of int64 and one of bool
        The shingles, and which of them mean something: an empty pagelet, without text and without
        links to pages, has none (0). Every page has such ones (``head``, ``script``, ``br``); they
        are no templates.

    Notes
    -----
    A few words say little: where a pagelet has fewer than ``width``, the names of the tags on its way
    from the root belong to its content, so "Home" in a header is not "Home" in a table. A pagelet of
    links without words (images) is the set of w-grams of the pages that its links lead to, queries
    left out: session numbers stand there.
    """
    words = words or page_words(page)
    serial = pagelet_of(page, pagelets, page.segments)
    used = np.repeat(serial >= 0, words.counts)
    counts = np.bincount(serial[serial >= 0], words.counts[serial >= 0], len(pagelets)).astype(np.int64)
    shingles = np.zeros(len(pagelets), np.uint64)
    told = counts > 0
    shingles[told] = min_wise(words.hashes[used], counts[told], width, sketch)
    short = told & (counts < width)
    shingles[short] = mixed(shingles[short] ^ page.columns.path[pagelets[short]])
    if not told.all():
        links = links or page_links(page)
        holder = pagelet_of(page, pagelets, links.rows)
        mute = np.flatnonzero((holder >= 0) & ~told[holder])
        if len(mute):
            targets = (links.urls[at].partition("?")[0].encode() for at in mute.tolist())
            hashes = np.fromiter(map(xxhash.xxh64_intdigest, targets), np.uint64, len(mute))
            held = np.bincount(holder[mute], minlength=len(pagelets))
            shingles[held > 0] = mixed(min_wise(hashes, held[held > 0], width, sketch) ^ _NO_WORDS)
            told |= held > 0
    return shingles.view(np.int64), told


def page_shingle(
    page: Page, *, width: int = WIDTH, sketch: int = PAGE_SKETCH, words: PageWords | None = None
) -> int:
    """Give the shingle of a page's visible text: pages that share it are duplicates.

    Parameters
    ----------
    page
        The page. Without visible text, only a page of the same markup shares its shingle.
    width, sketch, words
        As for :func:`pagelet_shingles`.

    Returns
    -------
    int
        Signed, 64 bits.
    """
    words = words or page_words(page)
    if not len(words.hashes):
        return int(np.uint64(xxhash.xxh64_intdigest(page.canonical)).view(np.int64))
    hashes = least(words.hashes, width, sketch)
    return int(np.uint64(xxhash.xxh64_intdigest(hashes.tobytes())).view(np.int64))


def page_sketch(page: Page, *, width: int = WIDTH, size: int = 128) -> npt.NDArray[np.uint64]:
    """Give the minima of a page's visible text under ``size`` hash functions, for :func:`resemblance`."""
    words = page_words(page)
    counts = np.array([len(words.hashes)] if len(words.hashes) else [], np.int64)
    return minima(words.hashes, counts, width, size).reshape(-1)


def resemblance(one: npt.NDArray[np.uint64], other: npt.NDArray[np.uint64]) -> float:
    """Estimate the resemblance ``|A ∩ B| / |A ∪ B|`` of two contents by their sketches.

    Parameters
    ----------
    one, other
        Minima under the same hash functions (:func:`page_sketch`,
        :func:`~detemplate.algorithms.minwise.minima`).

    Returns
    -------
    float
        The share of equal minima: unbiased, its standard deviation is ``sqrt(r (1 - r) / size)``.
        Where one has no content, 1 if the other has none either, else 0.

    Raises
    ------
    ValueError
        The sketches are of different sizes.
    """
    if not len(one) or not len(other):
        return float(len(one) == len(other))
    if one.shape != other.shape:
        raise ValueError(f"sketches of {len(one)} and {len(other)} minima cannot be compared")
    return float((one == other).mean())
