"""The distiller: its scores are those of HITS on clean links; what was fetched is not raised."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from detemplate.links.focus import LEAST, Distiller
from detemplate.page.links import page_links
from detemplate.page.page import Page
from tests.algorithms.test_hits import principal


def add(distiller, url, lists, *, whole=False, depth=1):
    anchors = "".join(f"<p><a href='/{target}'>x</a>" for links in lists for target, _, _ in links)
    links = page_links(Page(url, f"<body>{anchors}<p>text"))
    serial = np.repeat(np.arange(len(lists)), [len(each) for each in lists])
    flat = [link for each in lists for link in each]
    _, relevance, template = (
        (np.array(column, float) for column in zip(*flat, strict=True)) if flat else [np.zeros(0)] * 3
    )
    hubs = np.zeros(len(links), np.int64) if whole else serial
    distiller.add(
        url,
        links,
        pagelets=hubs,
        relevance=relevance,
        template=template,
        priorities=relevance - template,
        depth=depth,
    )


def raised(distiller):
    return {page.url.rpartition("/")[2]: page.priority for page in distiller.distil()}


LINK = st.tuples(st.integers(0, 5), st.sampled_from([0.25, 0.5, 1.0]))


@given(
    st.lists(st.lists(st.lists(LINK, min_size=1, max_size=4), max_size=3), min_size=1, max_size=5),
    st.booleans(),
)
def test_scores_are_those_of_hits(pages, whole):
    distiller = Distiller()
    rows = []
    best = {}
    for number, blocks in enumerate(pages):
        lists = [[(target, weight, 0.0) for target, weight in links] for links in blocks]
        add(distiller, f"http://a.example/from/{number}", lists, whole=whole)
        hubs = [{}] if whole else [{} for _ in blocks]
        for place, links in enumerate(blocks):
            hub = hubs[0 if whole else place]
            for target, weight in links:
                hub[target] = max(hub.get(target, 0), weight)
                best[target] = max(best.get(target, 0), weight)
        rows += [hub for hub in hubs if hub]
    assume(rows)
    matrix = np.array([[row.get(target, 0.0) for target in range(6)] for row in rows])
    scores = principal(matrix)
    expected = {str(n): best[n] + share for n, share in enumerate(scores / scores.max()) if share > 2 * LEAST}
    found = raised(distiller)
    assert expected.keys() <= found.keys()
    for target, priority in expected.items():
        assert found[target] == pytest.approx(priority, abs=0.02)
    assert list(found.values()) == sorted(found.values(), reverse=True)
