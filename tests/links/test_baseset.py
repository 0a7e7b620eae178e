"""The base set against a walk over the made pages; what is refused."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.errors import UserError
from detemplate.links.baseset import BaseSet, Query, base_set
from detemplate.links.crawl import Crawl
from tests.links.test_query import expected
from tests.support.helpers import slow_oracle
from tests.support.link_crawls import Made, Part, crawls, in_memory, keys, sisters, write

if TYPE_CHECKING:
    from pathlib import Path


def everything(page: Made) -> str:
    return f"{page.title} {page.text}"


def bm25(pages: list[Made], query: Query) -> dict[str, float]:
    """Score the pages in which all terms occur."""
    mean = sum(len(everything(page)) for page in pages) / len(pages)
    counts = {page.url: [expected(term.words, everything(page)) for term in query.terms] for page in pages}
    out = {}
    for page in pages:
        if all(counts[page.url]):
            out[page.url] = 0.0
            for at, tf in enumerate(counts[page.url]):
                df = sum(there[at] > 0 for there in counts.values())
                idf = math.log(1 + (len(pages) - df + 0.5) / (df + 0.5))
                out[page.url] += idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * len(everything(page)) / mean))
    return out


def links_of(page: Made) -> list[tuple[int, str, str]]:
    inside = [(at, url, part.context) for at, part in enumerate(page.parts) for url in part.links]
    return [(-1, url, "") for url in page.loose] + inside


def shown(base: BaseSet) -> Counter[tuple[Any, ...]]:
    """Give the links of a base set by URL: source, serial, destination, matches near."""
    return Counter(
        (
            base.urls[source],
            -1 if pagelet < 0 else int(base.serials[pagelet]),
            base.urls[destination],
            int(near),
        )
        for source, pagelet, destination, near in zip(
            base.sources, base.pagelets, base.destinations, base.near, strict=True
        )
    )


@slow_oracle
@given(crawls(), st.sampled_from(["java", "java tea", '"java tea"', "cup"]), st.integers(1, 4), st.booleans())
def test_base_set(pages: list[Made], text: str, root_size: int, uncrawled: bool) -> None:
    query = Query.parse(text)
    scores = bm25(pages, query)
    crawl = in_memory(pages)
    if not scores:
        with pytest.raises(UserError, match="no page of the crawl matches"):
            base_set(crawl, query)
        return
    base = base_set(crawl, query, root_size=root_size, in_links=50, uncrawled=uncrawled)
    made = {page.url: page for page in pages}
    key = keys(pages)

    root = [base.urls[page] for page in base.root]
    assert len(root) == min(root_size, len(scores))
    least = min(scores[url] for url in root)
    assert all(score <= least + 1e-9 for url, score in scores.items() if url not in root)

    near = set(root)
    for page in pages:
        targets = {url for _, url, _ in links_of(page)}
        if targets & set(root):
            near.add(page.url)
        if page.url in root:
            near |= targets if uncrawled else targets & set(made)
    assert sorted(base.urls) == sorted(near)
    assert base.keys.tolist() == sorted(key[url] for url in near)
    assert [key[url] for url in base.urls] == base.keys.tolist()
    assert base.crawled.tolist() == [url in made for url in base.urls]
    assert base.matches.tolist() == [url in scores for url in base.urls]
    assert base.titles == [made[url].title if url in made else "" for url in base.urls]

    places = [
        (page, at) for page, url in enumerate(base.urls) if url in made for at in range(len(made[url].parts))
    ]
    assert list(zip(base.owners, base.serials, strict=True)) == places
    texts = [made[base.urls[page]].parts[at].text for page, at in places]
    assert base.pagelet_matches.tolist() == [
        all(expected(term.words, text) for term in query.terms) for text in texts
    ]
    assert base.has_shingle.tolist() == [text != "" for text in texts]
    for one, first in enumerate(texts):
        for other, second in enumerate(texts):
            if first and second:
                assert (base.pagelet_shingles[one] == base.pagelet_shingles[other]) == (first == second)

    assert shown(base) == Counter(
        (url, serial, target, sum(expected(term.words, context) for term in query.terms))
        for url in base.urls
        if url in made
        for serial, target, context in links_of(made[url])
        if target in near
    )


def popular(count: int) -> list[Made]:
    hubs = [Made(f"http://h{n}.example/", [Part(f"see {n}", ["http://a.example/"])]) for n in range(count)]
    return [Made("http://a.example/", [Part("java")]), *hubs]


def test_in_links_are_drawn() -> None:
    crawl = in_memory(popular(60))
    drawn = {seed: base_set(crawl, "java", in_links=20, seed=seed).urls for seed in (0, 1, 2)}
    assert {len(urls) for urls in drawn.values()} == {21}
    assert len({tuple(urls) for urls in drawn.values()}) == 3
    assert base_set(in_memory(popular(60)), "java", in_links=20, seed=1).urls == drawn[1]
    assert base_set(crawl, "java", in_links=0).urls == ["http://a.example/"]
    assert len(base_set(crawl, "java").urls) == 51


def test_pages_without_a_shingle_are_no_duplicates() -> None:
    pages = [Made(f"http://a{n}.example/", [Part("")], title="java") for n in range(4)]
    pages.append(Made("http://b.example/", [Part("java")]))
    crawl = in_memory(pages)
    crawl.connection.execute("UPDATE pages SET page_shingle = 1 WHERE page_shingle IS NOT NULL")
    assert len(set(base_set(crawl, "java").shingles.tolist())) == 5


def test_nulls_are_survived() -> None:
    crawl = in_memory(sisters())
    for table, column in (("pages", "title"), ("pages", "text"), ("pages", "url"), ("pagelets", "text")):
        crawl.connection.execute(f"UPDATE {table} SET {column} = NULL WHERE page_key % 2 = 0")
    crawl.connection.execute("UPDATE links SET context = NULL, src_pagelet_serial = NULL, dest_url = NULL")
    base = base_set(crawl, "java")
    assert not base.near.any()
    assert (base.pagelets == -1).all()


def test_parquet_is_read_as_tables_are(tmp_path: Path) -> None:
    stored = [("http://sap.toolbox.example/", 0)]
    path = write(tmp_path / "it's [parquet] *", sisters(), stored)
    with Crawl.open(path) as one, in_memory(sisters(), stored) as other:
        assert one.has_templates
        first, second = base_set(one, "java"), base_set(other, "java")
    assert first.stored.sum() == 1
    assert len(first) == 13
    assert all(np.array_equal(getattr(first, name), getattr(second, name)) for name in first.__slots__)
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name]
