"""The base set against a walk over the made pages; what is refused."""

import math
from collections import Counter

import pytest
from hypothesis import given, strategies as st

from detemplate.errors import UserError
from detemplate.links.baseset import Query, base_set
from tests.links.test_query import expected
from tests.support.helpers import slow_oracle
from tests.support.link_crawls import Made, Part, crawls, in_memory, keys


def everything(page):
    return f"{page.title} {page.text}"


def bm25(pages, query):
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


def links_of(page):
    inside = [(at, url, part.context) for at, part in enumerate(page.parts) for url in part.links]
    return [(-1, url, "") for url in page.loose] + inside


def shown(base):
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
def test_base_set(pages, text, root_size, uncrawled):
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


def test_pages_without_a_shingle_are_no_duplicates():
    pages = [Made(f"http://a{n}.example/", [Part("")], title="java") for n in range(4)]
    pages.append(Made("http://b.example/", [Part("java")]))
    crawl = in_memory(pages)
    crawl.connection.execute("UPDATE pages SET page_shingle = 1 WHERE page_shingle IS NOT NULL")
    assert len(set(base_set(crawl, "java").shingles.tolist())) == 5
