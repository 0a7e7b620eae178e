"""Subtrees compared in three strengths; values inherited from ancestors."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.page import Page
from detemplate.page.subtrees import STRENGTHS, normalise, subtree_hashes
from detemplate.page.tags import IDS
from tests.support.clock import seconds
from tests.support.soup import parsed, soups


def first(html, tag, strength):
    """Hash of the first element with this tag."""
    page = Page("http://a/", html)
    row = np.flatnonzero((page.columns.kind == ELEMENT) & (page.columns.tag == IDS[tag]))[0]
    return int(subtree_hashes(page, strength)[row])


def equal(one, other, strength, tag="div"):
    return first(one, tag, strength) == first(other, tag, strength)


@pytest.mark.parametrize(
    ("one", "other", "strengths"),
    [
        ("<div>a <b>b</b></div>", "<p>x<div>a\n <b>b</b> </div>", "exact text normal"),
        ("<div>a<!-- c --></div>", "<div>a</div>", "exact text normal"),
        ("<div class=x>a</div>", "<div class=y>a</div>", "text normal"),
        ("<div><a href=/1>a</a></div>", "<div><a href=/2>a</a></div>", "text normal"),
        ("<div>a<script>1</script></div>", "<div>a<script>2</script></div>", "text normal"),
        ("<div>3 items</div>", "<div>14 items</div>", "normal"),
        ("<div>12 March 2024</div>", "<div>3 May 1999</div>", "normal"),
        ("<div><b>a</b></div>", "<div><i>a</i></div>", ""),
        ("<div><b>a</b>b</div>", "<div>a<b>b</b></div>", ""),
        ("<div><p>a<p>b</div>", "<div><p>b<p>a</div>", ""),
        ("<div>a</div>", "<div>b</div>", ""),
        ("<div><svg><a>x</a></svg></div>", "<div><svg></svg><a>x</a></div>", ""),
    ],
)
def test_what_is_equal(one, other, strengths):
    for strength in STRENGTHS:
        assert equal(one, other, strength) == (strength in strengths.split()), strength


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12. März 2024", "1. Mai 2019"),
        ("March 12, 2024", "May 3rd, 1999"),
        ("12 de marzo 2024", "5 de mayo 2020"),
        ("3,456.78 kg", "12 kg"),
        ("10:45", "9:05"),
        ("2024-03-12", "1999-12-01"),
        ("2024年3月12日", "1999年12月1日"),
        ("Page 7 of 12", "Page 11 of 12"),
    ],
)
def test_numbers_and_dates_are_alike(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("12 March", "12 May"), ("3 apples", "3 pears"), ("a", "b"), ("Windows 95", "Linux 95")],
)
def test_words_that_are_no_dates_stay(one, other):
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize("piece", ["a", "ab. ", "0th ", "0. ", "0 ab ", "2024 ", "May 1, ", ".", "1,", "۳"])
def test_alike_in_linear_time(piece):
    """A hostile text takes about twice as long as half of it."""
    short, long = ("1 " + piece * count + " 12" for count in (10_000, 20_000))
    assert seconds(lambda: normalise(long)) < 3 * seconds(lambda: normalise(short)) + 0.005


@given(soups, st.sampled_from(["text", "normal"]))
def test_equals_a_comparison_of_trees(html, strength):
    """Two elements have equal hashes if and only if a plain description of their trees is equal."""
    page = parsed(html)
    assume(page is not None)
    hashes = subtree_hashes(page, strength)
    described = {}
    columns = page.columns
    trees = {}
    for row in range(len(columns) - 1, -1, -1):
        if columns.kind[row] == TEXT:
            text = page.text_of(row)
            trees[row] = normalise(text) if strength == "normal" else text
        elif columns.kind[row] == ELEMENT:
            start = page.canonical[columns.start[row] + 1 :]
            name = start[: min(i for i in (start.find(b" "), start.find(b">")) if i >= 0)]
            inside = tuple(
                trees[child]
                for child in range(row + 1, columns.end[row])
                if columns.parent[child] == row and child in trees
            )
            trees[row] = (name, int(columns.tag[row]) >> 14, inside)
        else:
            continue
        assert described.setdefault(trees[row], int(hashes[row])) == int(hashes[row])
    assert len(set(described.values())) == len(described)
