"""Pages to index, and queries with known answers, made of titles, headings and anchor texts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from detemplate.errors import UserError
from detemplate.page import tags
from detemplate.page.links import anchors, page_links
from detemplate.page.urls import page_key
from detemplate.page.visible import visible_text
from lab.labelled.measure import page_or_none
from lab.labelled.pages import GOLD_FILE, read_records
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from detemplate.page.page import Page
    from lab.harness.trec import Judged
    from lab.labelled.pages import LabelledPage, LabelledSet

TITLE: Final = "title"  # words of a page's title that its site's other titles lack
HEADING: Final = "heading"  # first heading of a page
ANCHOR: Final = "anchor"  # text by which most other pages link to a page
HOME: Final = "home page"  # name of a site; its home page is the answer
TOPIC: Final = "topic"  # word given to a search engine, with the pages that it found
KNOWN_ITEM: Final = (TITLE, HEADING, ANCHOR)
_LEAST_WORDS: Final = 2
_MOST_WORDS: Final = 12
_COMMON: Final = 0.5  # share of a site's titles from which a word is one of the site's name


class Query(NamedTuple):
    """A query: its kind, its words, and the numbers of the pages that answer it."""

    kind: str
    words: tuple[str, ...]
    relevant: frozenset[int]


class Corpus(NamedTuple):
    """Pages to index, the numbers of each site's pages, and queries: at most one known-item query a page."""

    pages: list[LabelledPage]
    sites: dict[str, list[int]]
    queries: list[Query]

    @property
    def hidden(self) -> dict[int, tuple[str, ...]]:
        """Words that are not indexed for a page, by its number: those of its known-item query."""
        return {min(query.relevant): query.words for query in self.queries if query.kind in KNOWN_ITEM}


def window(pages: Sequence[LabelledPage], count: int | None, rng: np.random.Generator) -> list[LabelledPage]:
    """Draw neighbouring pages in the order of their URLs, so that directories stay together; None: all."""
    ordered = sorted(pages, key=lambda page: page.url)
    if count is None or count >= len(ordered):
        return ordered
    start = int(rng.integers(len(ordered) - count + 1))
    return ordered[start : start + count]


def site_corpus(sets: Iterable[LabelledSet], *, pages: int | None, seed: int) -> Corpus:
    """Sample `pages` of each site, the home page among them; make known-item and home-page queries."""
    rng = np.random.default_rng(seed)
    chosen: list[LabelledPage] = []
    sites: dict[str, list[int]] = {}
    homes: dict[str, int] = {}
    for labelled in sets:
        every = [page for page in labelled.pages() if _parsed(page) is not None]
        if not every:
            continue
        home = min(every, key=lambda page: (_depth(page.url), page.url))
        own = window(every, pages, rng)
        if home not in own:
            own[0] = home
        site = labelled.name.rpartition("/")[2]
        sites[site] = list(range(len(chosen), len(chosen) + len(own)))
        homes[site] = len(chosen) + own.index(home)
        chosen += own
    return Corpus(chosen, sites, _queries(chosen, sites, homes, rng))


def topic_corpus(labelled: LabelledSet) -> Corpus:
    """Return the pages of a set whose gold names the query that found each page."""
    asked = {record["id"]: record.get("query", "") for record in read_records(labelled.folder / GOLD_FILE)}
    pages = [page for page in labelled.pages() if _parsed(page) is not None]
    sites: dict[str, list[int]] = {}
    answers: dict[str, set[int]] = {}
    for number, page in enumerate(pages):
        sites.setdefault(page.site, []).append(number)
        if asked.get(page.id):
            answers.setdefault(asked[page.id], set()).add(number)
    queries = [Query(TOPIC, tuple(words(text)), frozenset(found)) for text, found in sorted(answers.items())]
    return Corpus(pages, sites, queries)


def judged_corpus(sets: Iterable[LabelledSet], judged: Judged) -> Corpus:
    """Return all pages of a user's sites, with a user's queries; pages are judged by their ``id``."""
    pages: list[LabelledPage] = []
    sites: dict[str, list[int]] = {}
    numbers: dict[str, int] = {}
    for labelled in sets:
        for page in labelled.pages():
            if _parsed(page) is not None:
                sites.setdefault(labelled.name.rpartition("/")[2], []).append(len(pages))
                numbers[page.id] = len(pages)
                pages.append(page)
    queries = [
        Query(TOPIC, tuple(words(text)), frozenset(numbers[name] for name in relevant if name in numbers))
        for text, relevant in judged.values()
    ]
    queries = [query for query in queries if query.relevant]
    if not queries:
        raise UserError("no judged document is a page of these sites: documents are named by the pages' ids")
    return Corpus(pages, sites, queries)


def _parsed(page: LabelledPage) -> Page | None:
    return page_or_none(page.url, page.html, page.site)


def _depth(url: str) -> int:
    """Return the length of a URL's path, without the name of an index page."""
    try:
        path = urlsplit(url).path
    except ValueError:
        path = url
    head, _, last = path.rpartition("/")
    return len(head) + (0 if last.startswith("index.") else len(last))


def _queries(
    pages: Sequence[LabelledPage],
    sites: dict[str, list[int]],
    homes: dict[str, int],
    rng: np.random.Generator,
) -> list[Query]:
    """Make one known-item query for each page that has any, and one for each home page."""
    found: list[dict[str, tuple[str, ...]]] = [{} for _ in pages]
    queries = []
    by_url: dict[int, int] = {}
    texts: dict[int, Counter[tuple[str, ...]]] = {}
    links: list[tuple[int, int, tuple[str, ...]]] = []
    for number, labelled in enumerate(pages):
        page = _parsed(labelled)
        if page is not None:
            by_url[page_key(labelled.url)] = number
            found[number] = {TITLE: tuple(words(page.title)), HEADING: tuple(words(_heading(page)))}
            links += [(number, key, text) for key, text in _linked(page)]
    for source, key, text in links:
        target = by_url.get(key, source)
        if target != source:
            texts.setdefault(target, Counter())[text] += 1
    for number, counted in texts.items():
        found[number][ANCHOR] = max(counted, key=lambda text: (counted[text], text))
    for site, numbers in sites.items():
        titles = Counter(word for number in numbers for word in set(found[number].get(TITLE, ())))
        common = {word for word, count in titles.items() if count > _COMMON * len(numbers)}
        for number in numbers:
            found[number][TITLE] = tuple(w for w in found[number].get(TITLE, ()) if w not in common)
        name = [word for word in titles if word in common] or words(site)
        queries.append(Query(HOME, tuple(name[:_MOST_WORDS]), frozenset([homes[site]])))
    known = Counter((kind, text) for texts_of in found for kind, text in texts_of.items())
    for number, texts_of in enumerate(found):
        able = [
            kind
            for kind in KNOWN_ITEM
            if (made := texts_of.get(kind)) and known[kind, made] == 1
            and _LEAST_WORDS <= len(made) <= _MOST_WORDS
        ]  # fmt: skip
        if able:
            kind = able[int(rng.integers(len(able)))]
            queries.append(Query(kind, texts_of[kind], frozenset([number])))
    return queries


def _heading(page: Page) -> str:
    """Return the text of a page's first ``h1``, else its first ``h2``."""
    for name in ("h1", "h2"):
        for row in np.flatnonzero(page.columns.tag == tags.IDS[name]).tolist():
            text = " ".join(page.segment_text(number) for number in page.segments_in(row))
            if text:
                return text
    return ""


def _linked(page: Page) -> list[tuple[int, tuple[str, ...]]]:
    """Return the keys of the pages that a page links to, with the words of the anchors."""
    links = page_links(page)
    if not len(links):
        return []
    texts, _ = anchors(page, links.rows, visible_text(page), np.full(len(links), -1, np.int32))
    return [(key, tuple(words(text))) for key, text in zip(links.keys.tolist(), texts, strict=True)]


def links_of(page: Page, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[tuple[int, str]]:
    """Return the links of a page with kept text: key of the target, words of the kept segments."""
    links = page_links(page)
    found = []
    for row, key in zip(links.rows.tolist(), links.keys.tolist(), strict=True):
        numbers = [number for number in page.segments_in(row) if kept[number]]
        if numbers:
            text = " ".join(word for number in numbers for word in words(page.segment_text(number)))
            found.append((key, text))
    return found
