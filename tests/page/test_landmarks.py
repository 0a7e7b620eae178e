"""Landmarks are the elements with their tags."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given

from detemplate.errors import PageError
from detemplate.page import tags
from detemplate.page.columns import ELEMENT
from detemplate.page.landmarks import LANDMARKS, landmarks
from detemplate.page.page import Page
from tests.support.soup import soups


@given(soups)
def test_landmarks_are_the_elements_with_their_tags(source):
    try:
        page = Page("http://e.org/", source)
    except PageError:
        return
    columns = page.columns
    wanted = {
        number: rows
        for number in LANDMARKS
        if (rows := [row for row in range(len(columns)) if columns.tag[row] == number])
    }
    assert landmarks(columns) == wanted
    assert page.landmarks == wanted
    assert all(columns.kind[row] == ELEMENT for rows in wanted.values() for row in rows)


def test_titles_of_drawings_are_none():
    page = Page(
        "http://e.org/", "<svg><title>A circle</title></svg><title>A page</title><h1>It</h1><h1>Again</h1>"
    )
    assert [page.text_of(row + 1) for row in page.landmarks[tags.IDS["title"]]] == ["A page"]
    assert [page.text_of(row + 1) for row in page.landmarks[tags.IDS["h1"]]] == ["It", "Again"]
    assert tags.IDS["sup"] not in page.landmarks


@pytest.mark.parametrize("source", ["<h1>x</h1>", "<noscript>" + "a long text " * 50 + "</noscript>"])
def test_a_page_that_was_pickled_has_them(source):
    page = Page("http://e.org/", source)
    assert pickle.loads(pickle.dumps(page)).landmarks == page.landmarks
