"""The partition into pagelets, compared with the paper's algorithm, literally."""

from collections import deque

import numpy as np
from hypothesis import given, strategies as st

from detemplate.page.columns import ELEMENT
from detemplate.page.links import link_rows
from detemplate.page.page import Page
from detemplate.page.pagelets import pagelet_of, pagelets
from detemplate.page.tags import IDS
from tests.support.soup import parsed, soups


def partition(page, k):
    """The paper's figure 3; counts the links of each subtree one by one."""
    columns = page.columns
    links = link_rows(page).tolist()
    children = {}
    for row in np.flatnonzero(columns.kind == ELEMENT).tolist():
        children.setdefault(int(columns.parent[row]), []).append(row)
    held = {}
    for row in np.flatnonzero(columns.kind == ELEMENT).tolist():
        stop = int(columns.end[row])
        held[row] = sum(row <= link < stop for link in links)
    declared = []
    queue = deque(children.get(-1, []))
    while queue:
        element = queue.popleft()
        inside = children.get(element, [])
        if any(held[child] >= k for child in inside):
            queue.extend(inside)
        else:
            declared.append(element)
    return sorted(declared)


_linked = st.recursive(
    st.sampled_from(["x", "<a href=/1>y</a>", "<a>no link</a>", "<br>", "<a href=/2><img></a>"]),
    lambda inner: st.tuples(
        st.sampled_from(["div", "ul", "td", "b", "section", "template", "noscript", "svg", "a href=/3"]),
        st.lists(inner, max_size=6),
    ).map(lambda parts: f"<{parts[0]}>{''.join(parts[1])}</{parts[0].split()[0]}>"),
    max_leaves=40,
)
trees = st.lists(_linked, max_size=6).map("".join)


@given(st.one_of(trees, soups), st.integers(1, 5))
def test_equals_the_papers_queue(html, k):
    page = parsed(html)
    if page is not None:
        assert pagelets(page, k).tolist() == partition(page, k)


@given(trees, st.integers(1, 5))
def test_pagelet_of_is_a_search_upwards(html, k):
    page = parsed(html)
    if page is None:
        return
    rows = pagelets(page, k)
    known = rows.tolist()
    every = np.arange(len(page.columns))
    found = pagelet_of(page, rows, every)
    for row in every.tolist():
        above = row
        while above >= 0 and above not in known:
            above = int(page.columns.parent[above])
        assert found[row] == (known.index(above) if above >= 0 else -1)


def names(page, k):
    by_number = {number: name for name, number in IDS.items()}
    return [by_number[int(page.columns.tag[row])] for row in pagelets(page, k)]


def test_an_example():
    item = "<li><a href=/x>x</a>"
    page = Page(
        "http://e.org/", f"<nav><ul>{item * 3}</ul></nav><p>text<div>a<a href=/y>y</a></div>in the body"
    )
    assert names(page, 3) == ["head", "ul", "p", "div"]
    assert names(page, 5) == ["html"]
    assert names(page, 4) == ["head", "body"]
    assert pagelet_of(page, pagelets(page, 3), page.segments).tolist() == [1, 1, 1, 2, 3, 3, -1]
