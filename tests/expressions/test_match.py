"""Matching: tokens, letters, spans in characters, expressions of other forms."""

import re
import sys

import pytest
from hypothesis import given, strategies as st

from detemplate.errors import MissingExtra, PageError, UserError
from detemplate.expressions.files import Expression, pattern_of, pieces_of
from detemplate.expressions.match import Matcher, _Letters
from detemplate.expressions.tokens import Tokenizer

NUMBER = "[,.]*[0-9][0-9,.]*"
LOOSE = r"[$0-9,.()\[\]\-\\/:]+"


def expression(*pieces, separator=r"\s+"):
    return Expression(pattern_of(pieces, separator), pieces)


def own(pattern):
    return Expression(pattern, pieces_of(pattern, r"\s+"))


def found(matcher, text):
    """The matches as (text, pattern's number), in order."""
    matches = matcher.matches(text)
    rows = zip(matches.starts.tolist(), matches.stops.tolist(), matches.which.tolist(), strict=True)
    return [(text[start:stop], which) for start, stop, which in sorted(rows)]


def test_the_thesis_example():
    matcher = Matcher([expression("I'm", NUMBER, "years", "old")])
    assert found(matcher, "Well, I'm 24 years old. I'm 25\n years\told") == [("I'm 25\n years\told", 0)]


@given(st.data())
def test_pieces_that_vary_in_part_match_what_an_engine_matches(data):
    word = st.text(st.sampled_from("aé=1,("), min_size=1, max_size=5)
    mined = data.draw(st.lists(word, min_size=1, max_size=12))
    pieces = list(dict.fromkeys(Tokenizer().piece(each.encode()) for each in mined))
    pieces += [piece for piece in (f"{NUMBER}=", f"a{LOOSE}", f"a{NUMBER}a", "=é") if piece not in pieces]
    text = " ".join(data.draw(st.lists(word, max_size=12)))
    matcher = Matcher([expression(piece) for piece in pieces])
    tokens = [(match.start(), match.group()) for match in re.finditer(r"\S+", text)]
    matches = matcher.matches(text)
    assert sorted(matches.starts.tolist()) == [
        start for start, token in tokens if any(re.fullmatch(piece, token, re.ASCII) for piece in pieces)
    ]
    for piece in pieces:  # one by one, so that each counts
        assert Matcher([expression(piece)]).matches(text).starts.tolist() == [
            start for start, token in tokens if re.fullmatch(piece, token, re.ASCII)
        ]


def test_a_token_can_be_a_word_and_several_patterns_at_once():
    matcher = Matcher(
        [expression("in", NUMBER, "x"), expression("in", LOOSE, "y"), expression("in", "2007", "z")]
    )
    assert found(matcher, "in 2007 x in 2007 y in 2007 z in (1) x in (1) y") == [
        ("in 2007 x", 0), ("in 2007 y", 1), ("in 2007 z", 2), ("in (1) y", 1),
    ]  # fmt: skip


def test_expressions_of_other_forms_match_from_every_start():
    pytest.importorskip("re2")
    matcher = Matcher([own("aba"), own(r"\s+x\s+"), expression("aba", "x")])
    assert found(matcher, "ababa  x y") == [("aba", 0), ("aba", 0), ("x", 1), ("x", 1)]
    assert found(matcher, "é aba x") == [("aba", 0), ("aba x", 2)]


def test_anchors_and_word_boundaries_mean_the_whole_text():
    pytest.importorskip("re2")
    matcher = Matcher([own("^a"), own("a$"), own(r"\bb")])
    assert found(matcher, "aa ab ba a") == [("a", 0), ("b", 2), ("a", 1)]


def test_a_search_can_be_given_up():
    pytest.importorskip("re2")

    class EnoughError(Exception):
        pass

    def check():
        raise EnoughError

    with pytest.raises(EnoughError):
        Matcher([own("a.*")]).matches("a" * 1000, check)
    Matcher([own("b")]).matches("a" * 1000, check)


def test_what_re2_cannot_read_is_told():
    pytest.importorskip("re2")
    with pytest.raises(UserError, match=r"RE2 cannot read the expression '\(a\)\\\\1'"):
        Matcher([own(r"(a)\1")])


def test_without_re2_only_token_sequences_work(monkeypatch):
    monkeypatch.setitem(sys.modules, "re2", None)
    assert found(Matcher([expression("a", "b")]), "a b") == [("a b", 0)]
    with pytest.raises(MissingExtra, match=r"no token sequences needs an extra.*detemplate\[expressions\]"):
        Matcher([expression("a", "b"), own("a|b")])


def test_what_takes_too_much_work_is_refused(monkeypatch):
    from detemplate.algorithms import tokenmatch

    monkeypatch.setattr(tokenmatch, "WORK_BASE", 1000)
    monkeypatch.setattr(tokenmatch, "WORK_PER_LETTER", 1)
    ways = [[("7", NUMBER)[number >> bit & 1] for bit in range(8)] for number in range(256)]
    with pytest.raises(PageError, match="too slow"):
        Matcher([expression(*pieces) for pieces in ways]).matches("7 8 " * 300 + "7 " * 500)


@pytest.mark.parametrize("most", [1, 5, 1000])
@given(texts=st.lists(st.lists(st.sampled_from(["a", "b", "7", "12", "-", "a" * 70])), max_size=5))
def test_letters_that_are_forgotten_are_the_same_again(most, texts):
    letters, all_letters = (_Letters({"a": 0, "a" * 70: 1, NUMBER: 2}, limit) for limit in (most, 1_000_000))
    for token in (token.encode() for text in texts for token in text):
        assert letters[token] == all_letters[token]
        assert len(letters) <= most
        assert token not in letters or len(token) < 70


def test_other_tokenizers_split_as_they_do():
    tokenizer = Tokenizer(r"[^\-\s]+")
    pieces = ("read", "more")
    matcher = Matcher(
        [expression(*pieces, separator=tokenizer.separator)], tokenizer.token, tokenizer.separator
    )
    assert found(matcher, "please read-more - or read\n more.") == [("read-more", 0)]


def test_tokens_with_something_else_between_them_are_not_consecutive():
    matcher = Matcher([expression("a", "b", separator="(?: )")], "[a-z]+", "(?: )")
    assert found(matcher, "a b a  b a,b") == [("a b", 0)]
