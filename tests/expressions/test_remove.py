"""Removal: the union of all matches, locality, white space."""

import numpy as np
from hypothesis import given, strategies as st

from detemplate.expressions.files import Expression, pattern_of
from detemplate.expressions.match import WHITE, Matcher
from detemplate.expressions.remove import Locality, clean_text, cut

EXACT = Locality(0, 0)


def expression(text):
    pieces = tuple(text.split())
    return Expression(pattern_of(pieces, r"\s+"), pieces)


def cleaned(text, *expressions, locality=EXACT):
    return clean_text(text, Matcher([expression(each) for each in expressions]), locality).text


def test_what_is_left_is_parted_by_one_character():
    assert cleaned("one \t read more  two", "read more") == "one two"
    assert cleaned("one\n\nread more two", "read more") == "one\ntwo"
    assert cleaned("read more two \n", "read more") == "two \n"
    assert cleaned(" \n one read more \n", "read more") == " \n one"
    assert cleaned("read more\n read more", "read more") == ""
    assert cleaned("a read more \n read more b", "read more") == "a\nb"
    assert cleaned(" kept  as it is ", "read more") == " kept  as it is "


def test_gaps_are_merged_before_slivers_are_kept():
    text = "aa bb x cc dd and a long rest of the text aa bb"
    assert cleaned(text, "aa bb", "cc dd") == "x and a long rest of the text"
    assert cleaned(text, "aa bb", "cc dd", locality=Locality(4, 0)) == "and a long rest of the text"
    assert cleaned(text, "aa bb", "cc dd", locality=Locality(3, 0)) == "x and a long rest of the text"
    assert cleaned(text, "aa bb", "cc dd", locality=Locality(4, 6)) == "and a long rest of the text aa bb"
    assert cleaned(text, "aa bb", "cc dd", locality=Locality(0, 6)) == text


@given(
    st.text("ab \n\té", max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 10)), max_size=6)
)
def test_cutting_keeps_every_character_that_is_not_white_space(text, spans):
    mask = np.zeros(len(text), bool)
    for start, length in spans:
        mask[start : start + length] = True
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
    left = cut(text, edges[::2], edges[1::2])
    wanted = [char for char, gone in zip(text, mask, strict=True) if not gone and char not in WHITE]
    assert [char for char in left if char not in WHITE] == wanted
    if not mask.any():
        assert left == text
    # Words are neither joined nor parted, but where a removal begins or ends inside one.
    kept = "".join("\0" if gone else char for char, gone in zip(text, mask, strict=True))
    if not any(f"{a}\0" in kept or f"\0{a}" in kept for a in "abé"):
        assert left.split() == kept.replace("\0", " ").split()


@given(st.lists(st.sampled_from(["a", "b", "c", "long"]), max_size=40).map(" ".join))
def test_every_character_of_every_match_goes(text):
    expressions = [expression(each) for each in ("a b", "b c", "c a b", "long")]
    result = clean_text(text, Matcher(expressions), EXACT)
    words = text.split()
    gone = [False] * len(words)
    for each in expressions:
        for start in range(len(words)):
            if tuple(words[start : start + len(each.pieces)]) == each.pieces:
                gone[start : start + len(each.pieces)] = [True] * len(each.pieces)
    assert result.text.split() == [word for word, out in zip(words, gone, strict=True) if not out]
    assert (result.starts[1:] > result.stops[:-1]).all()
