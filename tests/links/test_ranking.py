"""The six configurations: their graphs against loops over the links, and cases with a known answer."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.errors import UserError
from detemplate.links.baseset import base_set
from detemplate.links.ranking import CONFIGURATIONS, Clever, build, rank, template_pagelets
from tests.algorithms.test_hits import principal
from tests.links.test_query import expected
from tests.support.helpers import slow_oracle
from tests.support.link_crawls import Made, Part, crawls, in_memory, sisters

QUERY = "java"


def host_of(url):
    return url.split("/")[2]


def matching(text):
    return expected((QUERY,), text) > 0


def template_texts(pages):
    """Give the texts that stand on pages of different contents."""
    contents = defaultdict(set)
    for page in pages:
        for part in page.parts:
            contents[part.text].add(page.text or page.url)
    return {text for text, where in contents.items() if text and len(where) > 1}


def expected_edges(pages, name, clever):
    """Walk over all links: hub (URL, serial; -1 for a page), authority, weight."""
    way = CONFIGURATIONS[name]
    made = {page.url: page for page in pages}
    texts = template_texts(pages)
    near = defaultdict(int)

    def fits(url):
        return url in made and matching(f"{made[url].title} {made[url].text}")

    for page in pages:
        links = [(-1, "", url) for url in page.loose] + [
            (at, part.context, url) for at, part in enumerate(page.parts) for url in part.links
        ]
        for at, context, url in links:
            if (
                (url not in made)
                or url == page.url
                or (not clever.same_host and host_of(url) == host_of(page.url))
            ):
                continue
            if way.by_pagelet:
                if at < 0 or (way.filter_templates and page.parts[at].text in texts):
                    continue
                if way.filter_non_matching and not matching(page.parts[at].text):
                    continue
                if way.filter_non_matching and clever.match_authorities and not fits(url):
                    continue
            elif way.filter_non_matching and not (fits(page.url) and fits(url)):
                continue
            near[page.url, at if way.by_pagelet else -1, url] += expected((QUERY,), context)
    return {edge: 1.0 + count * clever.text_weights for edge, count in near.items()}


def whole(pages):
    """Give the crawl as a base set, by letting every page link to a page that matches."""
    start = Made("http://start.example/", [Part(f"{QUERY} start"), Part("", [page.url for page in pages])])
    base = base_set(in_memory([*pages, start]), QUERY)
    assert len(base) == len(pages) + 1
    return base


@slow_oracle
@given(crawls(), st.builds(Clever, st.booleans(), st.booleans(), st.booleans()))
def test_graphs_and_rankings(pages, clever):
    base = whole(pages)
    start = Made("http://start.example/", [Part(f"{QUERY} start"), Part("", [page.url for page in pages])])
    for name, way in CONFIGURATIONS.items():
        graph = build(base, way, clever)
        there = graph.edges
        edges = {}
        for row, column, weight in zip(there.hubs, there.authorities, there.weights, strict=True):
            hub = graph.hubs[row]
            who = (
                (base.urls[base.owners[hub]], int(base.serials[hub]))
                if way.by_pagelet
                else (base.urls[hub], -1)
            )
            edges[*who, base.urls[graph.authorities[column]]] = float(weight)
        assert edges == expected_edges([*pages, start], name, clever), name

        ranking = rank(base, name, clever, top=None, hubs=None)
        assert ranking.edges == len(edges)
        assert len(ranking.authorities) <= len({edge[2] for edge in edges})
        assert bool(ranking.authorities) == bool(ranking.hubs) == bool(edges)
        assert {page.url for page in ranking.authorities} <= {edge[2] for edge in edges}
        assert {(hub.url, -1 if hub.pagelet is None else hub.pagelet) for hub in ranking.hubs} <= {
            edge[:2] for edge in edges
        }
        scores = [page.score for page in ranking.authorities]
        assert np.all(np.diff(scores) <= 1e-11)
        few = rank(base, name, clever, top=2, hubs=1)
        assert few.authorities == ranking.authorities[:2]
        assert few.hubs == ranking.hubs[:1]


def urls(ranking):
    return [page.url for page in ranking.authorities]


def test_stored_templates():
    pages = sisters()
    base = base_set(in_memory(pages, [("http://hub0.example/links", 0)]), "java")
    [pagelet] = np.flatnonzero(template_pagelets(base, "stored"))
    assert base.urls[base.owners[pagelet]] == "http://hub0.example/links"
    assert base.serials[pagelet] == 0
    assert rank(base, "pagelet-ft", templates="stored").edges == rank(base, "pagelet-vanilla").edges - 3
    base = base_set(in_memory(pages), "java")
    with pytest.raises(UserError, match="no table 'template_pagelets'"):
        rank(base, templates="stored")
    with pytest.raises(UserError, match="one of local, stored"):
        rank(base, templates="global")


def test_words_near_links_weigh():
    def hubs(host, text, url):
        return [Made(f"http://{host}{n}.example/", [Part(f"{text} {n}", [url])]) for n in range(3)]

    pages = hubs("a", "java java", "http://x.example/") + hubs("b", "java", "http://y.example/")
    pages += [Made(f"http://{name}.example/", [Part(f"java {name}")]) for name in "xy"]
    base = base_set(in_memory(pages), "java")
    assert urls(rank(base))[0] == "http://x.example/"
    plain = rank(base, clever=Clever(text_weights=False))
    assert [page.score for page in plain.authorities] == pytest.approx([0.5**0.5] * 2)
    assert urls(plain) == ["http://x.example/", "http://y.example/"]


def test_uncrawled_pages_are_authorities_on_demand():
    hubs = [Made(f"http://h{n}.example/", [Part(f"java {n}", ["http://far.example/"])]) for n in range(2)]
    crawl = in_memory(hubs)
    assert urls(rank(base_set(crawl, "java"))) == []
    base = base_set(crawl, "java", uncrawled=True)
    assert urls(rank(base)) == ["http://far.example/"]
    assert urls(rank(base, "page-fnm")) == []
    assert urls(rank(base, clever=Clever(match_authorities=True))) == []


@slow_oracle
@given(crawls(), st.sampled_from(list(CONFIGURATIONS)))
def test_scores_are_the_graphs_singular_vectors(pages, name):
    base = whole(pages)
    graph = build(base, CONFIGURATIONS[name])
    if len(graph.edges):
        matrix = np.zeros(graph.edges.shape)
        matrix[graph.edges.hubs, graph.edges.authorities] = graph.edges.weights
        wanted = principal(matrix)
        scores = {page.url: page.score for page in rank(base, name, top=None).authorities}
        got = [scores.get(base.urls[page], 0.0) for page in graph.authorities]
        np.testing.assert_allclose(got, wanted, atol=1e-6)
