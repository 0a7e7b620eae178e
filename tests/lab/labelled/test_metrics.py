"""Scores of texts, compared with oracles that cross words out one by one."""

import pytest
from hypothesis import given, strategies as st

from detemplate.algorithms.wordscores import f1_score, text_scores
from lab.labelled.metrics import site_scores, untitled, values_kept

bags = st.lists(st.sampled_from("abcde"), max_size=12)


def cross_out(output, gold):
    """Return the number of words of `output` that are in `gold`, and its surplus words."""
    rest, surplus = list(gold), []
    for word in output:
        if word in rest:
            rest.remove(word)
        else:
            surplus.append(word)
    return len(gold) - len(rest), surplus


@given(bags, bags, bags)
def test_text_scores_agree_with_oracle(output, gold, neutral):
    scores = text_scores(" ".join(output), " ".join(gold), " ".join(neutral))
    hits, surplus = cross_out(output, gold)
    _, wrong = cross_out(surplus, neutral)
    if not gold:
        assert scores == (0.0, 0.0, 0.0) if wrong else scores == (1.0, 1.0, 1.0)
        return
    precision = hits / (hits + len(wrong)) if hits + len(wrong) else 0.0
    recall = hits / len(gold)
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    assert scores == pytest.approx((precision, recall, f1))


@given(bags, bags, bags)
def test_site_scores_agree_with_oracle(output, text, outside):
    scores = site_scores(" ".join(output), " ".join(text), " ".join(outside))
    hits, surplus = cross_out(output, text)
    leftover, _ = cross_out(surplus, outside)
    assert scores.kept == pytest.approx(hits / len(text) if text else 1)
    assert scores.removed == pytest.approx(1 - leftover / len(outside) if outside else 1)
    assert scores.f1 == pytest.approx(f1_score(hits, len(text) - hits, leftover))


def test_values():
    visible = "ISBN-13 : 9780316125581\nPrice $9,970"
    assert values_kept("isbn: 9780316125581; $9,970", visible, [": 9780316125581", "$9,970"]) == 1
    assert values_kept("isbn 9780316125581", visible, [": 9780316125581", "$9,970"]) == 0.5
    # A value that the page does not show is ignored.
    assert values_kept("isbn 9780316125581", visible, [": 9780316125581", "red"]) == 1


@given(st.lists(st.sampled_from("ab"), max_size=8), st.lists(st.sampled_from("abc"), max_size=3))
def test_a_title_is_taken_out_once(text, title):
    places = [at for at in range(len(text)) if title and text[at : at + len(title)] == title]
    rest = text[: places[0]] + text[places[0] + len(title) :] if places else text
    assert untitled(" ".join(text), ["", " ".join(title), "A"]).split() == (
        rest if places or "a" not in text else [word for at, word in enumerate(text) if at != text.index("a")]
    )
