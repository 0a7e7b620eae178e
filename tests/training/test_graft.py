"""Labelled pages with a part of another page's template."""

from __future__ import annotations

import numpy as np
import pytest
from auto_sites import example_of
from hypothesis import given
from hypothesis import strategies as st
from soup import soups

from detemplate.errors import PageError
from detemplate.page.page import Page
from detemplate.training import graft as module
from detemplate.training.examples import Example
from detemplate.training.graft import Part, graft, grafts, wordy_parts

ARTICLE = " ".join(f"Word {n} of what the article says, and more of it." for n in range(12))
SAYING = " ".join(f"Reader {n} says that this is all very well." for n in range(5))
OTHER = " ".join(f"Visitor {n} thinks of something else again." for n in range(9))


def page_of(host: str, said: str) -> Example:
    html = (
        "<body><nav><a href=/>Home</a> <a href=/a>About</a></nav>"
        f"<div id=all><article><h1>News</h1><p>{ARTICLE}</p><p>{ARTICLE}</p></article>"
        f"<section id=said><p>{said}</p><p>{said}</p></section></div><footer>All rights reserved</footer></body>"
    )
    return example_of(Page(f"http://{host}/", html), f"{ARTICLE} {ARTICLE}", 1)


def texts(example: Example, label: int) -> list[str]:
    page = example.page
    return [page.segment_text(n) for n in range(len(page.segments)) if example.label[n] == label]


def test_parts_are_the_greatest_wordy_elements_of_the_template():
    parts = wordy_parts(page_of("a.org", SAYING))
    assert [part.markup.count(b"<p>") for part in parts] == [2]
    assert parts[0].markup.startswith(b'<section id="said">')
    assert parts[0].words.tolist() == [len(SAYING.split())] * 2
    # Short texts are no running text, and a few words are no part.
    assert wordy_parts(page_of("a.org", "No.")) == []
    links = "".join(f"<a href=/{n}>Page {n}</a> " for n in range(100))
    assert wordy_parts(page_of("a.org", links)) == []


@pytest.mark.parametrize(
    ("chance", "around"),
    [
        (0.0, ("</article>", '<section id="said">')),
        (0.6, (" more of it.</p>", "</article>")),
        (0.9, ('<div id="all">', "<article>")),
    ],
)
def test_where_a_part_goes(chance, around):
    example, (part,) = page_of("a.org", SAYING), wordy_parts(page_of("b.org", OTHER))
    grafted = graft(example, part, 0.25, chance)
    assert grafted is not None
    assert (around[0].encode() + part.markup + around[1].encode()) in grafted.page.canonical
    assert (grafted.weight, grafted.site, grafted.altered, grafted.family) == (
        0.25,
        False,
        True,
        example.family,
    )
    assert texts(grafted, 1) == texts(example, 1)
    assert sorted(texts(grafted, 0)) == sorted([*texts(example, 0), OTHER, OTHER])
    assert int(grafted.words.sum()) == int(example.words.sum()) + 2 * len(OTHER.split())
    assert not example.altered
    assert len(example.label) == len(example.page.segments)


def test_a_page_without_content_gets_none():
    example, (part,) = page_of("a.org", SAYING), wordy_parts(page_of("b.org", OTHER))
    example.label[:] = 0
    assert graft(example, part, 0.25, 0.0) is None


def test_parts_come_from_other_families_of_the_same_fold():
    examples = [page_of(f"{name}.org", f"{name} {OTHER}") for name in "abcdef"]
    for number, example in enumerate(examples):
        example.family, example.fold = example.page.url, number % 2
    made = list(grafts(examples, 0.5, 0))
    assert len(made) == len(examples)
    names = [text[0] for example in made for text in texts(example, 0) if text.endswith(OTHER)]
    for example, own in zip(examples, made, strict=True):
        first = {text[0] for text in texts(own, 0) if text.endswith(OTHER)}
        (grafted,) = first - {example.page.url[7]}
        assert "abcdef".index(grafted) % 2 == example.fold
    assert len(set(names)) > 3
    again = list(grafts(examples, 0.5, 0))
    assert [each.page.canonical for each in made] == [each.page.canonical for each in again]
    # Pages of whole sites, and those that weigh nothing, are neither given nor taken.
    for example in examples[1:]:
        example.weight = 0.0
    assert list(grafts(examples, 0.5, 0)) == []
    examples[2].weight, examples[2].site = 1.0, True
    assert list(grafts(examples, 0.5, 0)) == []


@given(soups, soups, st.floats(0, 0.999), st.randoms(use_true_random=False))
def test_labels_fit_or_there_is_no_page(source, other, chance, draw):
    try:
        page, donor = Page("http://e.org/", source), Page("http://f.org/", f"<div>{other}</div>")
    except PageError:
        return
    count = len(page.segments)
    label = np.array([draw.choice([-1, 0, 1]) for _ in range(count)], np.int8)
    example = Example(page, "e.org", label, np.full(count, 3, np.int64), 0)
    part = Part(bytes(donor.canonical), np.full(len(donor.segments), 2, np.int64))
    grafted = graft(example, part, 0.5, chance)
    if grafted is not None:
        assert len(grafted.label) == len(grafted.words) == len(grafted.page.segments)
        assert int((grafted.label == 1).sum()) == int((label == 1).sum())


def test_constants_leave_room():
    assert 0 < module.BEHIND < module.BEHIND + module.INSIDE < 1
