"""Real pages for a made web: what they say, and the topics that their own words give."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from detemplate.errors import UserError
from detemplate.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from detemplate.labelled.datasets import LabelledPage, LabelledSet

LONGEST: Final = 60_000
"""Characters of markup that a page may have; longer ones are left out, for the sake of time."""

LEAST_WORDS: Final = 60
"""Words of content that a page must have."""

_COUNTED: Final = 2_000
"""Words of a page's content that are counted."""

_TERM: Final = re.compile(r"[^\W\d_]{4,24}")
_STRONG: Final = 2
"""Occurrences that make a page one about the term."""
_EVERYWHERE: Final = 0.6
"""A word on more of a site's pages than this is the site's language or name, not a topic."""
_COMMON: Final = 0.08
"""A word on more of all pages than this is none either."""
_ALIKE: Final = 5
"""Two topics may not begin with the same so many letters: ``server``, ``servers``."""
_SITES: Final = 3
"""Sites at least that a topic's pages must be from, so that they do not all look alike."""
_TITLE: Final = re.compile(r"<title[^>]*>([^<]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RealPage:
    """A page of a labelled site.

    Attributes
    ----------
    site
        The site's name.
    path
        Its address without the host, from ``/``.
    title
        Its title, or the first words of its content.
    html
        Its markup, template and all. UTF-8.
    content
        The words inside the site's own content container.
    """

    site: str
    path: str
    title: str
    html: bytes = field(repr=False)
    content: str = field(repr=False)


class Topic(NamedTuple):
    """A term of the pages' content, and the pages that are about it, most so first."""

    term: str
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Real pages and the topics found in them.

    Attributes
    ----------
    pages
        All pages.
    topics
        Topics; a page belongs to one at most.
    others
        Numbers of the pages that belong to none.
    mentions
        For each topic, the pages of ``others`` in whose content its term occurs.
    """

    pages: list[RealPage]
    topics: list[Topic]
    others: tuple[int, ...]
    mentions: tuple[tuple[int, ...], ...]


def read_corpus(
    sets: Iterable[LabelledSet], *, topics: int, least: int, most: int, pages_a_site: int | None = None
) -> Corpus:
    """Read pages and find topics in them.

    Parameters
    ----------
    sets
        Labelled sites.
    topics
        How many topics are wanted; fewer are found where the pages do not suffice.
    least, most
        Pages that a topic must and may have.
    pages_a_site
        Read so many pages of each site at most.

    Returns
    -------
    Corpus
        Nothing in it is random.

    Raises
    ------
    UserError
        The sets cannot be read, or their pages give no two topics.
    """
    pages = [
        real
        for labelled in sets
        for page in islice(labelled.pages(), pages_a_site)
        if (real := _real(page, labelled.name.rpartition("/")[2])) is not None
    ]
    chosen = find_topics(pages, topics=topics, least=least, most=most)
    taken = {page for topic in chosen for page in topic.pages}
    others = tuple(page for page in range(len(pages)) if page not in taken)
    if len(chosen) < 2 or not others:
        raise UserError(
            f"{len(pages)} pages give {len(chosen)} topics of {least} pages: name more sites, or all"
        )
    spoken = [set(words(pages[page].content)) for page in others]
    mentions = tuple(
        tuple(page for page, its in zip(others, spoken, strict=True) if topic.term in its) for topic in chosen
    )
    return Corpus(pages, chosen, others, mentions)


def _real(page: LabelledPage, site: str) -> RealPage | None:
    """Take a page over if it is worth it."""
    content = page.gold.text if page.gold else ""
    if len(page.html) > LONGEST or len(content.split()) < LEAST_WORDS:
        return None
    title = _TITLE.search(page.html)
    named = " ".join(unescape(title[1] if title else "").split()) or " ".join(content.split()[:8])
    path = urlsplit(page.url).path if "://" in page.url else "/" + page.url.partition("/")[2]
    html = page.html.encode("utf-8", "replace")
    return RealPage(site, path if path.startswith("/") else f"/{path}", named, html, content)


def find_topics(pages: list[RealPage], *, topics: int, least: int, most: int) -> list[Topic]:
    """Choose terms that characterise clusters of pages.

    A term is a word of 4 to 24 letters. It is about a page if it occurs there twice or more; it weighs
    ``(1 + ln tf) · ln(pages / df)``. What is on most pages of some site is left out, which takes
    function words of every language away without a list of them. Then greedily: the term whose
    ``most`` best free pages weigh most becomes a topic and takes these pages.

    Parameters
    ----------
    pages
        Real pages.
    topics, least, most
        Topics wanted, pages that a topic must and may have.

    Returns
    -------
    list of Topic
        In the order of their choice.
    """
    counts = [
        Counter(word for word in words(page.content)[:_COUNTED] if _TERM.fullmatch(word)) for page in pages
    ]
    frequency = Counter(word for its in counts for word in its)
    strong = Counter(word for its in counts for word, count in its.items() if count >= _STRONG)
    barred = _language(pages, counts)
    known = sorted(
        word
        for word, count in strong.items()
        if count >= least and frequency[word] <= _COMMON * len(pages) and word not in barred
    )
    postings: dict[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = {}
    for word in known:
        strongly = [page for page, its in enumerate(counts) if its[word] >= _STRONG]
        times = np.array([counts[page][word] for page in strongly])
        weights = (1 + np.log(times)) * np.log(len(pages) / frequency[word])
        order = np.lexsort((strongly, -weights))
        postings[word] = (np.array(strongly)[order], weights[order])
    sites = [page.site for page in pages]
    free = np.ones(len(pages), np.bool_)
    chosen: list[Topic] = []
    while len(chosen) < topics:
        best, word = 0.0, ""
        for each, (where, weights) in postings.items():
            left = free[where]
            if np.count_nonzero(left) < least or len({sites[page] for page in where[left][:most]}) < _SITES:
                continue
            if (weight := float(weights[left][:most].sum())) > best:
                best, word = weight, each
        if not word:
            break
        found = postings[word][0]
        mine = found[free[found]][:most]
        free[mine] = False
        chosen.append(Topic(word, tuple(mine.tolist())))
        postings = {each: its for each, its in postings.items() if each[:_ALIKE] != word[:_ALIKE]}
    return chosen


def _language(pages: list[RealPage], counts: list[Counter[str]]) -> set[str]:
    """Find the words that are on most pages of some site."""
    sizes = Counter(page.site for page in pages)
    by_site: dict[str, Counter[str]] = {site: Counter() for site in sizes}
    for page, its in zip(pages, counts, strict=True):
        by_site[page.site].update(its.keys())
    return {
        word
        for site, its in by_site.items()
        for word, count in its.items()
        if count > max(4, _EVERYWHERE * sizes[site])
    }
