"""Template injected into clean documents, with exact counts; templates of real sites."""

from collections import Counter

import numpy as np
from hypothesis import given, strategies as st

from detemplate import Page
from lab.expressions.injection import PLACES, TemplateBlock, inject, tally
from lab.expressions.slots import COVERED, KINDS, OWN, UNCOVERED, Slot
from lab.expressions.sources import site_template
from lab.labelled.pages import Gold

texts = st.text(st.sampled_from("abXY9 .!\n\t。é\u3000\ud800"), max_size=60)
tokens = st.text(st.sampled_from("ab9-é"), min_size=1, max_size=4)
pieces = st.one_of(tokens, st.sampled_from([Slot(kind) for kind in (*COVERED, *UNCOVERED)]))
lines = st.lists(pieces, min_size=1, max_size=5).map(tuple)
places = st.sampled_from(PLACES)
some_blocks = st.lists(
    st.builds(TemplateBlock, places, st.just(1.0), st.lists(lines, min_size=1, max_size=3).map(tuple)),
    max_size=6,
)


def spans(mask):
    """Return the runs of a mask as starts and stops."""
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
    return edges[::2], edges[1::2]


def document(text, blocks, seed=0):
    return inject(text, blocks, range(len(blocks)), np.random.default_rng(seed))


def brute_tally(made, removed):
    """Count character by character."""
    blocks, slots, clean = Counter(), Counter(), Counter()
    for at, character in enumerate(made.text):
        if character.isspace():
            continue
        for column in (0, 1) if removed[at] else (0,):
            if made.owner[at] < 0:
                clean[column] += 1
            else:
                blocks[made.owner[at], column] += 1
                if made.kind[at] >= 0:
                    slots[made.owner[at], made.kind[at], column] += 1
    return blocks, slots, clean


@given(texts, some_blocks, st.data())
def test_tally_against_counting(text, blocks, data):
    made = document(text, blocks)
    removed = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(made.text), max_size=len(made.text))), bool
    )
    counts = tally(made, *spans(removed))
    in_blocks, in_slots, clean = brute_tally(made, removed)
    assert counts.clean.tolist() == [clean[0], clean[1]]
    assert {(b, c): n for (b, c), n in np.ndenumerate(counts.blocks) if n} == dict(in_blocks)
    assert {key: n for key, n in np.ndenumerate(counts.slots) if n} == dict(in_slots)
    assert counts.slots.shape == (len(PLACES), len(KINDS), 2)


def test_a_template_has_the_lines_that_most_pages_show_outside_the_content():
    pages = []
    for number in range(10):
        rare = "<p>Only here</p>" if number < 7 else ""
        html = (
            f"<nav>Home <b>About us</b></nav>{rare}<article>Story {number} About you, Home again</article>"
            f"<footer>Seen {number} times since 2007</footer><i>{number}{number}</i>"
        )
        outside = (
            f"Home About us {'Only here' if rare else ''} Seen {number} times since 2007 {number}{number}"
        )
        pages.append(
            (Page("http://a/", html), Gold(text=f"Story {number} About you, Home again", outside=outside))
        )
    template = site_template(pages)
    # "Home" is in the content, too; "Only here" is on 7 pages of 10; lines of numbers only do not count.
    assert template == (
        ("About", "us"),
        ("Seen", Slot(OWN, tuple(str(number) for number in range(10))), "times", "since", "2007"),
    )
    assert site_template([]) == ()
