"""The base set of a query: the pages that a text search finds (the root set), and their neighbours.

Kleinberg 1999, section 2: the base set is the root set, all pages that it links to, and for each of its pages
a limited number of pages that link to it. A query's terms are found by SQL.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.errors import UserError
from detemplate.page.address import host

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.links.crawl import Crawl

_QUOTED: Final = re.compile(r'"([^"]*)"|(\S+)')  # a quoted or unquoted term
_NO_WORD: Final = r"[^\p{L}\p{M}\p{N}_]"  # a character outside of words (RE2)

_NO_SPACES: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)
"""Characters of scripts without spaces between words (Thai to Han), and Hangul with its joined particles."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word, or several consecutive words.

    ``words``: the words; they have letters, marks, digits and underscores only.
    """

    words: tuple[str, ...]

    @property
    def body(self) -> str:
        """A regular expression (RE2) that matches the words."""
        return f"{_NO_WORD}+".join(self.words)

    @property
    def whole(self) -> bool:
        """Whether only whole words match; False if the script has no spaces between words."""
        return not any(map(_NO_SPACES.search, self.words))

    def count(self, text: str) -> str:
        """Return an SQL expression that counts this term's matches in the SQL expression ``text``.

        RE2 has no look-around, and neighbouring matches share the character between them. So runs of
        neighbouring matches are extracted first, and the matches in them are counted.
        """
        runs = text
        if self.whole:
            run = f"(?i)(?:^|{_NO_WORD}){self.body}(?:{_NO_WORD}{self.body})*(?:$|{_NO_WORD})"
            runs = f"array_to_string(regexp_extract_all({text}, '{run}'), ' ')"
        count = f"len(regexp_extract_all({runs}, '(?i){self.body}'))"
        return f"CASE WHEN {self.may_match(text)} THEN {count} ELSE 0 END"

    def may_match(self, text: str) -> str:
        """Return an SQL condition that holds for all texts with the term; five times as fast as `matches`."""
        return f"regexp_matches({text}, '(?i){self.body}')"

    def matches(self, text: str) -> str:
        """Return an SQL condition: this term occurs in the SQL expression ``text``."""
        if not self.whole:
            return self.may_match(text)
        exact = f"regexp_matches({text}, '(?i)(?:^|{_NO_WORD}){self.body}(?:$|{_NO_WORD})')"
        return f"CASE WHEN {self.may_match(text)} THEN {exact} ELSE false END"


@dataclass(frozen=True, slots=True)
class Query:
    """A query: a text matches it if all its terms occur in the text.

    Terms are separated by spaces, or enclosed in double quotes. A term is one or more consecutive words. A
    word is a run of letters, marks, digits and underscores: ``node.js`` is the words *node* and *js*. Case is
    ignored (Unicode's simple case folding). Words match whole words; in scripts without spaces between
    words, they match any part of the text.

    ``text``: the query as the user wrote it.
    ``terms``: its terms, each once.
    """

    text: str
    terms: tuple[Term, ...]

    @classmethod
    def parse(cls, text: str) -> Query:
        """Parse a query.

        Raises UserError: the query has no words.
        """
        chunks = (quoted or plain for quoted, plain in _QUOTED.findall(unicodedata.normalize("NFC", text)))
        terms = {tuple(map(str.casefold, words)): Term(words) for words in map(_words, chunks) if words}
        if not terms:
            raise UserError(f"the query {text!r} has no words; write at least one")
        return cls(text, tuple(terms.values()))

    def matches(self, text: str) -> str:
        """Return an SQL condition: all terms occur in the SQL expression ``text``."""
        return " AND ".join(f"({term.matches(text)})" for term in self.terms)

    def count(self, text: str) -> str:
        """Return an SQL expression that counts the matches of all terms in the SQL expression ``text``."""
        return " + ".join(f"({term.count(text)})" for term in self.terms)


def _words(chunk: str) -> tuple[str, ...]:
    """Return the words of a term."""
    kept = (char if char == "_" or unicodedata.category(char)[0] in "LMN" else " " for char in chunk)
    return tuple("".join(kept).split())


ROOT_SIZE: Final = 200
"""Maximum number of pages of the root set."""

IN_LINKS: Final = 50
"""Maximum number of pages taken that link to a page of the root set, per page."""

_SATURATION: Final = 1.2  # BM25's k₁ (its usual value): saturation of term frequencies
_LENGTH: Final = 0.75  # BM25's b (its usual value): normalisation by page length


@dataclass(frozen=True, slots=True)
class BaseSet:
    """The pages that are ranked for a query, their pagelets, and the links among them, as arrays.

    ``query``: the query.
    ``root``: numbers of the pages of the root set; int64.
    ``keys``: key of each page; int64, ascending. A page's number is its place here.
    ``urls``, ``titles``, ``hosts``: URL, title and host of each page. A page that was not crawled has an
        empty title.
    ``shingles``: shingle of each page; int64. A page without a shingle has one that no other page has.
    ``crawled``: whether each page was crawled.
    ``matches``: whether the title and text of each page match the query; False for a page that was not
        crawled.
    ``owners``, ``serials``: page number and serial of each pagelet; int64, ascending in this order.
    ``pagelet_shingles``, ``has_shingle``: shingle of each pagelet (0 if it has none), and whether it has one.
    ``pagelet_matches``: whether the text of each pagelet matches the query.
    ``stored``: whether each pagelet is in the crawl's table ``template_pagelets``.
    ``sources``, ``pagelets``, ``destinations``: of each link between two pages of the set: the numbers of the
        page and of the pagelet (-1: none) that hold it, and of the page that it leads to; int64.
    ``near``: of each link: the number of matches of the query's terms in its anchor text and the 50
        characters on either side.
    ``has_templates``: whether the crawl has the table ``template_pagelets``.
    """

    query: Query
    root: npt.NDArray[np.int64]
    keys: npt.NDArray[np.int64]
    urls: list[str]
    titles: list[str]
    hosts: list[str]
    shingles: npt.NDArray[np.int64]
    crawled: npt.NDArray[np.bool_]
    matches: npt.NDArray[np.bool_]
    owners: npt.NDArray[np.int64]
    serials: npt.NDArray[np.int64]
    pagelet_shingles: npt.NDArray[np.int64]
    has_shingle: npt.NDArray[np.bool_]
    pagelet_matches: npt.NDArray[np.bool_]
    stored: npt.NDArray[np.bool_]
    sources: npt.NDArray[np.int64]
    pagelets: npt.NDArray[np.int64]
    destinations: npt.NDArray[np.int64]
    near: npt.NDArray[np.int64]
    has_templates: bool

    def __len__(self) -> int:
        return len(self.keys)


def base_set(
    crawl: Crawl,
    query: str | Query,
    *,
    root_size: int = ROOT_SIZE,
    in_links: int = IN_LINKS,
    uncrawled: bool = False,
    seed: int = 0,
) -> BaseSet:
    """Collect a query's base set.

    The root set is the pages that BM25, over title and text, ranks first among the pages with all terms of
    the query. If more than ``in_links`` pages link to a page of it, that many of them are drawn at random.
    Nothing else is random.

    ``query``: the query, parsed or as text.
    ``root_size``: maximum number of pages of the root set.
    ``in_links``: maximum number of pages taken that link to a page of the root set, per page.
    ``uncrawled``: whether to take pages that the root set links to but that were not crawled. They have no
        text, so they never match the query.
    ``seed``: seed of the random draw.
    Returns: the pages with their pagelets and links.
    Raises UserError: no page matches the query, or a number is out of range.
    """
    if root_size < 1:
        raise UserError(f"a root set of {root_size} pages is too small: give 1 or more")
    if in_links < 0:
        raise UserError(f"{in_links} in-links a page is out of range: give 0 or more")
    query = Query.parse(query) if isinstance(query, str) else query
    _search(crawl, query)
    crawl.run(_ROOT, root_size)
    if not crawl.rows("SELECT 1 FROM _root LIMIT 1"):
        raise UserError(f"no page of {crawl.name} matches {query.text!r}; try other words")
    crawl.run(_NEIGHBOURS, seed, in_links)
    crawl.run(_BASE.format(join="LEFT JOIN" if uncrawled else "JOIN"))
    return _load(crawl, query)


def _search(crawl: Crawl, query: Query) -> None:
    """Find the pages that match a query, with their BM25 scores, in one scan of the pages' text.

    A page's length is that of its title and text in bytes. The result stays in the temporary table
    ``_matching`` for the next base set of the same query.
    """
    if crawl.searched == query.terms:
        return
    crawl.searched = None
    text = "concat_ws(' ', title, text)"
    columns = ", ".join(f"{term.count(text)} AS tf{i}" for i, term in enumerate(query.terms))
    crawl.run(f"""CREATE OR REPLACE TEMP TABLE _found AS
        SELECT page_key, strlen({text}) AS length, {columns} FROM pages
        WHERE {" OR ".join(term.may_match(text) for term in query.terms)}""")
    sums = ", ".join(f"count(*) FILTER (tf{i} > 0)" for i in range(len(query.terms)))
    [frequencies] = crawl.rows(f"SELECT {sums} FROM _found")
    [(count, mean)] = crawl.rows(f"SELECT count(*), avg(strlen({text})) FROM pages")
    score = " + ".join(
        f"{float(np.log1p((count - df + 0.5) / (df + 0.5)))!r} * tf{i} * {_SATURATION + 1} / "
        f"(tf{i} + {_SATURATION} * ({1 - _LENGTH} + {_LENGTH} * length / {mean or 1.0!r}))"
        for i, df in enumerate(frequencies)
    )
    crawl.run(f"""CREATE OR REPLACE TEMP TABLE _matching AS SELECT page_key, {score} AS score FROM _found
        WHERE {" AND ".join(f"tf{i} > 0" for i in range(len(query.terms)))}""")
    crawl.run("DROP TABLE _found")
    crawl.searched = query.terms


_ROOT: Final = """CREATE OR REPLACE TEMP TABLE _root AS
    SELECT page_key FROM _matching ORDER BY score DESC, page_key LIMIT ?"""

_NEIGHBOURS: Final = """CREATE OR REPLACE TEMP TABLE _neighbours AS
    WITH incoming AS (
        SELECT DISTINCT src_page_key, dest_page_key FROM links
        WHERE dest_page_key IN (SELECT page_key FROM _root) AND src_page_key <> dest_page_key),
    drawn AS (
        SELECT src_page_key, row_number() OVER (
            PARTITION BY dest_page_key
            ORDER BY md5_number_lower(concat_ws(' ', ?::BIGINT, dest_page_key, src_page_key)), src_page_key
        ) AS place FROM incoming)
    SELECT page_key FROM _root
    UNION SELECT src_page_key FROM drawn WHERE place <= ?
    UNION SELECT dest_page_key FROM links WHERE src_page_key IN (SELECT page_key FROM _root)"""
"""Makes the keys of the base set. Parameters: the seed; how many linking pages are drawn per root page."""

_BASE: Final = """CREATE OR REPLACE TEMP TABLE _base AS
    SELECT page_key, row_number() OVER (ORDER BY page_key) - 1 AS place, url IS NOT NULL AS crawled,
        url, title, page_shingle
    FROM _neighbours {join} (SELECT page_key, coalesce(url, '') AS url, title, page_shingle FROM pages)
    USING (page_key) WHERE page_key IS NOT NULL"""
"""Makes the base set, in order of keys. ``join``: ``LEFT JOIN`` keeps pages that were not crawled."""

_PAGES: Final = """
    SELECT page_key::BIGINT AS page_key, coalesce(url, called, '') AS url, coalesce(title, '') AS title,
        coalesce(page_shingle, -1 - place)::BIGINT AS shingle,
        crawled, page_key IN (SELECT page_key FROM _matching) AS matches,
        page_key IN (SELECT page_key FROM _root) AS root
    FROM _base LEFT JOIN (
        SELECT dest_page_key AS page_key, min(dest_url) AS called FROM links
        WHERE dest_page_key IN (SELECT page_key FROM _base WHERE NOT crawled) GROUP BY ALL
    ) USING (page_key) ORDER BY place"""
"""Reads the pages of the base set. A page that was not crawled has the least URL that links give it.

Shingles are hashes: none is a small negative number, which a page without a shingle has.
"""

_PAGELETS: Final = """CREATE OR REPLACE TEMP TABLE _pagelets AS
    SELECT row_number() OVER (ORDER BY place, pagelet_serial) - 1 AS number, page_key, place,
        pagelet_serial::BIGINT AS serial, coalesce(pagelet_shingle, 0)::BIGINT AS shingle,
        pagelet_shingle IS NOT NULL AS shingled, coalesce({matches}, false) AS matches, {stored} AS stored
    FROM pagelets JOIN _base USING (page_key)"""
"""Makes the pagelets of the base set, numbered from 0. ``matches`` and ``stored`` are conditions."""

_STORED: Final = "(page_key, pagelet_serial) IN (SELECT (page_key, pagelet_serial) FROM template_pagelets)"
"""Condition: the pagelet is in the crawl's table ``template_pagelets``."""

_LINKS: Final = """
    SELECT source.place AS source, coalesce(number, -1) AS pagelet, target.place AS target,
        coalesce({near}, 0)::BIGINT AS near
    FROM links JOIN _base AS source ON src_page_key = source.page_key
    JOIN _base AS target ON dest_page_key = target.page_key
    LEFT JOIN (SELECT page_key, serial, min(number) AS number FROM _pagelets GROUP BY ALL) AS pagelet
        ON pagelet.page_key = src_page_key AND serial = src_pagelet_serial
    ORDER BY source, link_serial, src_pagelet_serial, target"""
"""Reads the links within the base set. ``near`` counts the query's terms in a link's context."""


def _load(crawl: Crawl, query: Query) -> BaseSet:
    """Read the base set from the temporary tables."""
    pages = crawl.arrow(_PAGES)
    stored = _STORED if crawl.has_templates else "false"
    crawl.run(_PAGELETS.format(matches=query.matches("text"), stored=stored))
    pagelets = crawl.arrow("FROM _pagelets ORDER BY number")
    links = crawl.arrow(_LINKS.format(near=query.count("context")))
    urls = pages["url"].to_pylist()
    return BaseSet(
        query=query,
        root=np.flatnonzero(_flags(pages, "root")),
        keys=_numbers(pages, "page_key"),
        urls=urls,
        titles=pages["title"].to_pylist(),
        hosts=[host(url) for url in urls],
        shingles=_numbers(pages, "shingle"),
        crawled=_flags(pages, "crawled"),
        matches=_flags(pages, "matches"),
        owners=_numbers(pagelets, "place"),
        serials=_numbers(pagelets, "serial"),
        pagelet_shingles=_numbers(pagelets, "shingle"),
        has_shingle=_flags(pagelets, "shingled"),
        pagelet_matches=_flags(pagelets, "matches"),
        stored=_flags(pagelets, "stored"),
        sources=_numbers(links, "source"),
        pagelets=_numbers(links, "pagelet"),
        destinations=_numbers(links, "target"),
        near=_numbers(links, "near"),
        has_templates=crawl.has_templates,
    )


def _numbers(table: Any, column: str) -> npt.NDArray[np.int64]:  # noqa: ANN401  # pyarrow has no types
    return np.asarray(table[column].to_numpy(), np.int64)


def _flags(table: Any, column: str) -> npt.NDArray[np.bool_]:  # noqa: ANN401
    return np.asarray(table[column].to_numpy(), np.bool_)
