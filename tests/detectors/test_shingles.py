"""Blocks that recur by shingle: counts against brute force, resemblance, and bounds."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.algorithms.minwise import min_wise, word_hashes
from detemplate.detectors.shingles import Shingles, ShinglesOptions
from detemplate.page.page import Page
from tests.support.helpers import taught

number = iter(range(10**9))


def page(body):
    return Page(f"http://e.org/{next(number)}", f"<body>{body}")


def learned(*bodies, **options):
    return taught(Shingles(ShinglesOptions(**options)), map(page, bodies))


def shingles_of(runs, width, sketch):
    words, counts = word_hashes([" ".join(run).encode() for run in runs])
    return min_wise(words, counts, width, sketch).tolist()


runs = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=9), max_size=8)


def brute(run, width):
    if len(run) < width:
        return frozenset({tuple(run)})
    return frozenset(tuple(run[at : at + width]) for at in range(len(run) - width + 1))


@pytest.mark.parametrize("sketch", [1, 2, 4])
def test_the_probability_of_a_shared_shingle_is_resemblance_to_the_power_of_sketch(sketch):
    chance = random.Random(7)
    width, trials, shared, resemblance = 3, 4000, 0, 0.0
    pairs = []
    for _ in range(trials):
        one = [str(chance.random()) for _ in range(40)]
        other = [*one[:36], *(str(chance.random()) for _ in range(4))]
        pairs += [one, other]
    found = shingles_of(pairs, width, sketch)
    shared = sum(a == b for a, b in zip(found[::2], found[1::2], strict=True))
    sets = brute(pairs[0], width), brute(pairs[1], width)
    resemblance = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
    assert resemblance == 34 / 42
    expected = resemblance**sketch
    assert shared / trials == pytest.approx(expected, abs=4 * (expected * (1 - expected) / trials) ** 0.5)


@given(
    st.lists(
        st.lists(st.lists(st.sampled_from(["a", "b c", "d"]), min_size=1, max_size=3), max_size=4), max_size=8
    )
)
def test_scores_against_brute_force(site):
    """If grams are as long as the longest block, a block is its words."""
    bodies = [
        "".join("<p>" + "".join(f"<b>{text}</b> " for text in block) for block in body) for body in site
    ]
    detector = learned(*bodies, width=50, min_df=2)
    df = Counter(block for body in site for block in {" ".join(block) for block in body})
    for body, written in zip(site, bodies, strict=True):
        wanted = [df[" ".join(block)] for block in body for _ in block]
        verdict = detector.score(page(written))
        assert verdict.scores == pytest.approx([count / (count + 2) for count in wanted])
        assert verdict.template.tolist() == [count >= 2 for count in wanted]


def test_a_page_counts_once_and_the_reason_says_so():
    detector = learned("<p>x<p>x<p>x", "<p>x", "<p>y")
    verdict = detector.score(page("<div>x"))
    assert verdict.explain(0) == "in a block that is on 2 of 3 pages"
    assert verdict.scores.tolist() == [np.float32(2 / 7)]
