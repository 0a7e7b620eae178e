"""Real pages for a made web, and the topics found in their words."""

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
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from lab.labelled.pages import LabelledPage, LabelledSet

    Posting = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]

MAX_MARKUP: Final = 60_000  # maximum length of a page's HTML, in characters; this saves time
MIN_WORDS: Final = 60
_COUNTED_WORDS: Final = 2_000  # words of a page's content that are counted: the first ones
_TITLE_WORDS: Final = 8  # words of content that stand for a missing title
_TERM: Final = re.compile(r"[^\W\d_]{4,24}")
_MIN_OCCURRENCES: Final = 2  # occurrences of a term from which a page is about it
_MAX_SITE_SHARE: Final = 0.6  # of a site's pages that have a topic's term: function words have more
_MIN_SITE_PAGES: Final = 4  # a word on no more pages of a site than this is never too common there
_MAX_SHARE: Final = 0.08  # largest share of all pages that may have a topic's term
_PREFIX: Final = 5  # terms of two topics must differ within so many letters: `server` and `servers` do not
_MIN_SITES: Final = 3  # minimum number of sites that a topic's pages are from. Pages of one site look alike
_TITLE: Final = re.compile(r"<title[^>]*>([^<]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RealPage:
    """A page of a labelled site."""

    site: str
    path: str  # path of the address, from `/`
    title: str  # title of the page, or the first words of its content
    html: bytes = field(repr=False)  # markup with the page's template, as UTF-8
    content: str = field(repr=False)  # text inside the site's content container


class Topic(NamedTuple):
    """A term of the pages' content, and the numbers of the pages about it, by falling weight of the term."""

    term: str
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """Real pages and the topics found in them. A page belongs to one topic at most."""

    pages: list[RealPage]
    topics: list[Topic]
    others: tuple[int, ...]  # numbers of the pages that belong to no topic
    mentions: tuple[tuple[int, ...], ...]  # for each topic, the pages of `others` whose content has its term


def read_corpus(
    sets: Iterable[LabelledSet],
    *,
    topics: int,
    min_pages: int,
    max_pages: int,
    pages_a_site: int | None = None,
) -> Corpus:
    """Read pages and find topics in them. Nothing is random."""
    pages = [
        real
        for labelled in sets
        for page in islice(labelled.pages(), pages_a_site)
        if (real := _real_page(page, labelled.name.rpartition("/")[2])) is not None
    ]
    chosen = find_topics(pages, topics=topics, min_pages=min_pages, max_pages=max_pages)
    taken = {page for topic in chosen for page in topic.pages}
    others = tuple(page for page in range(len(pages)) if page not in taken)
    if len(chosen) < 2 or not others:
        raise UserError(
            f"{len(pages)} pages give {len(chosen)} topics of {min_pages} pages: name more sites, or all"
        )
    vocabularies = [set(words(pages[page].content)) for page in others]
    mentions = tuple(
        tuple(page for page, known in zip(others, vocabularies, strict=True) if topic.term in known)
        for topic in chosen
    )
    return Corpus(pages, chosen, others, mentions)


def _real_page(page: LabelledPage, site: str) -> RealPage | None:
    """Convert a labelled page; None if it is too long or has too little content."""
    content = page.gold.text if page.gold else ""
    if len(page.html) > MAX_MARKUP or len(content.split()) < MIN_WORDS:
        return None
    element = _TITLE.search(page.html)
    title = " ".join(unescape(element[1] if element else "").split())
    path = urlsplit(page.url).path if "://" in page.url else "/" + page.url.partition("/")[2]
    return RealPage(
        site,
        path if path.startswith("/") else f"/{path}",
        title or " ".join(content.split()[:_TITLE_WORDS]),
        page.html.encode("utf-8", "replace"),
        content,
    )


def find_topics(pages: list[RealPage], *, topics: int, min_pages: int, max_pages: int) -> list[Topic]:
    """Choose terms of greatest ``(1 + ln tf) · ln(pages / df)`` over their best free pages, then the next."""
    counts = [
        Counter(word for word in words(page.content)[:_COUNTED_WORDS] if _TERM.fullmatch(word))
        for page in pages
    ]
    postings = _postings(pages, counts, min_pages)
    sites = [page.site for page in pages]
    free = np.ones(len(pages), np.bool_)
    chosen: list[Topic] = []
    while len(chosen) < topics:
        best_weight, best_term = 0.0, ""
        for term, (about, weights) in postings.items():
            left = free[about]
            best = about[left][:max_pages]
            if np.count_nonzero(left) < min_pages or len({sites[page] for page in best}) < _MIN_SITES:
                continue
            if (weight := float(weights[left][:max_pages].sum())) > best_weight:
                best_weight, best_term = weight, term
        if not best_term:
            break
        about = postings[best_term][0]
        own = about[free[about]][:max_pages]
        free[own] = False
        chosen.append(Topic(best_term, tuple(own.tolist())))
        postings = {
            term: posting for term, posting in postings.items() if term[:_PREFIX] != best_term[:_PREFIX]
        }
    return chosen


def _postings(pages: list[RealPage], counts: list[Counter[str]], min_pages: int) -> dict[str, Posting]:
    """Find the possible terms of topics: for each the pages about it and its weight there, falling."""
    frequency = Counter(word for of_page in counts for word in of_page)
    about = Counter(word for of_page in counts for word, n in of_page.items() if n >= _MIN_OCCURRENCES)
    excluded = _common_words(pages, counts)
    terms = sorted(
        word
        for word, count in about.items()
        if count >= min_pages and frequency[word] <= _MAX_SHARE * len(pages) and word not in excluded
    )
    postings: dict[str, Posting] = {}
    for term in terms:
        numbers = [page for page, of_page in enumerate(counts) if of_page[term] >= _MIN_OCCURRENCES]
        occurrences = np.array([counts[page][term] for page in numbers])
        weights = (1 + np.log(occurrences)) * np.log(len(pages) / frequency[term])
        order = np.lexsort((numbers, -weights))
        postings[term] = (np.array(numbers)[order], weights[order])
    return postings


def _common_words(pages: list[RealPage], counts: list[Counter[str]]) -> set[str]:
    """Find the words that are on most pages of some site."""
    sizes = Counter(page.site for page in pages)
    on_site = Counter(
        (page.site, word) for page, of_page in zip(pages, counts, strict=True) for word in of_page
    )
    return {
        word
        for (site, word), count in on_site.items()
        if count > max(_MIN_SITE_PAGES, _MAX_SITE_SHARE * sizes[site])
    }
