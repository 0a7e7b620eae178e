"""Tokens, pieces, separators: what an expression is made of."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.errors import UserError
from detemplate.expressions.charsets import escape
from detemplate.expressions.files import pattern_of, pieces_of
from detemplate.expressions.mutable import Mutable
from detemplate.expressions.tokens import Tokenizer, literal_of

CHARS = st.sampled_from(string.printable + "\x00\x1f\x7f\x85\xa0éß漢字\u2028\u3000\ufeff🙂")
TEXTS = st.text(CHARS, max_size=60)
TOKENS = st.text(CHARS, min_size=1, max_size=8)


@given(TEXTS)
def test_tokens_are_parted_by_white_space(text):
    assert Tokenizer().split(text.encode()) == re.findall(rb"[^ \t\n\r\f]+", text.encode())


@given(TOKENS)
def test_an_escaped_token_matches_itself_and_nothing_else(token):
    piece = escape(token)
    assert re.fullmatch(piece, token, re.ASCII)
    assert re.fullmatch(piece.encode(), token.encode())
    assert not re.fullmatch(piece, token + "x", re.ASCII)
    assert literal_of(piece) == token
    assert not re.search(r"[\x00-\x1f\x7f]", piece)


def test_only_what_is_special_is_escaped():
    assert escape("a-b/c:d,e'f\"g#h&i~j@k%l_m") == "a-b/c:d,e'f\"g#h&i~j@k%l_m"
    assert escape(r"\.^$*+?{}[]()|") == r"\\\.\^\$\*\+\?\{\}\[\]\(\)\|"
    assert escape("é\x00\x7f漢") == r"é\x00\x7f漢"


@pytest.mark.parametrize("piece", ["[0-9]+", "a+", "(?:a)", r"\s", "a.b", r"\d", "[", ""])
def test_expressions_are_no_literals(piece):
    assert not literal_of(piece)


@given(st.lists(TOKENS, min_size=1, max_size=6), st.sampled_from([r"\S+", r"\w+", "[a-z]+", "[^,]+"]))
def test_pieces_come_back_from_their_pattern(tokens, token):
    tokenizer = Tokenizer(token, mutables=())
    pieces = tuple(map(escape, tokens))
    assert pieces_of(pattern_of(pieces, tokenizer.separator), tokenizer.separator) == pieces


@pytest.mark.parametrize("pattern", ["read more", r"(?:^|\s)(?:\s|$)", r"(?:^|\s)a\s+\s+b(?:\s|$)", ""])
def test_other_patterns_have_no_pieces(pattern):
    assert pieces_of(pattern, r"\s+") is None


@pytest.mark.parametrize(
    ("token", "separator"),
    [
        (r"\S+", r"\s+"),
        (r"[^\s]+", r"\s+"),
        (r"\w+", "[^0-9A-Z_a-z]+"),
        ("[a-z]+", "[^a-z]+"),
        ("[^,;]+", "[,;]+"),
        (r"[^\]\-^\\]+", r"[\-\\-\^]+"),
        ("x+", "[^x]+"),
        ("[é]+", "[^é]+"),
    ],
)
def test_separators_are_derived(token, separator):
    tokenizer = Tokenizer(token, mutables=())
    assert tokenizer.separator == separator
    assert tokenizer.derived


@given(
    TEXTS, st.sampled_from([r"\w+", "[a-zé]+", "[^,;]+", r"[^<>\s]+", r"\S+", r"[a-z\xe9]+", ".+", r"\d+"])
)
def test_a_derived_separator_is_what_stands_between(text, token):
    tokenizer = Tokenizer(token, mutables=())
    tokens = [each.decode() for each in tokenizer.split(text.encode())]
    if "\v" not in text or token != r"\S+":
        assert tokens == re.findall(token, text, re.ASCII)
    rest = re.split("|".join(map(re.escape, sorted(tokens, key=len, reverse=True))) or "(?!)", text)
    if token != r"\S+":
        assert all(re.fullmatch(tokenizer.separator, gap, re.ASCII) for gap in rest if gap)


@pytest.mark.parametrize("token", ["ab+", "(?:a|bc)+", "[a-z]*", "[a-z]{2,}", "<[^>]*>|[^<]+", "a", "(a)+"])
def test_other_tokens_need_a_separator(token):
    with pytest.raises(UserError, match=r"--separator|empty"):
        Tokenizer(token, mutables=())


def test_a_separator_of_its_own_is_grouped_once():
    tokenizer = Tokenizer(r"<[^>]*>|[^<\s]+", r"\s*", ())
    assert tokenizer.separator == r"(?:\s*)"
    assert Tokenizer(tokenizer.token, tokenizer.separator, ()).separator == tokenizer.separator
    assert Tokenizer("ab", "(?:a)|(?:b)", ()).separator == "(?:(?:a)|(?:b))"
    assert not tokenizer.derived
    assert tokenizer.split("<p> é<b>x</b></p> y".encode()) == [
        b"<p>", "é".encode(), b"<b>", b"x", b"</b>", b"</p>", b"y",
    ]  # fmt: skip


def test_a_separator_that_does_not_fit_is_refused():
    with pytest.raises(UserError, match="stands between tokens"):
        Tokenizer("[a-z]+", r"\s+", ()).split(b"a-b")


@pytest.mark.parametrize("bad", [{"token": "["}, {"token": "x*"}, {"token": "x+", "separator": "["}])
def test_wrong_expressions_are_refused(bad):
    with pytest.raises(UserError):
        Tokenizer(**bad)


@pytest.mark.parametrize("expression", [r"a\s+b", r"[a-z\s]+"])
def test_mutables_dangerous_beside_the_separator_are_refused(expression):
    with pytest.raises(UserError, match="mutable pattern 'own'"):
        Tokenizer(mutables=[Mutable("own", expression)])


@pytest.mark.parametrize(
    ("expression", "token", "refused"),
    [
        ("[0-9]+ [a-z]+", r"\S+", True),
        (r"[0-9]+\s[a-z]+", r"\S+", True),
        ("(?:a b|c d)", r"\S+", True),
        ("(?:a b)+c", r"\S+", True),
        ("a-b", "[a-z]+", True),
        ("a-b", r"\S+", False),
        ("(?:a|c d)", r"\S+", False),
        ("(?:a b)?c", r"\S+", False),
        ("a ?b", r"\S+", False),
        (r"[^x ]a", r"\S+", False),
    ],
)
def test_a_users_pattern_that_no_token_can_match_is_refused(expression, token, refused):
    patterns = [Mutable("mine", expression)]
    if refused:
        with pytest.raises(UserError, match=r"pattern 'mine'.* matches no token"):
            Tokenizer(token, mutables=patterns)
    else:
        assert [each.name for each in Tokenizer(token, mutables=patterns).mutables] == ["mine"]


def test_shipped_patterns_give_way_to_their_cores_where_tokens_are_words():
    tokenizer = Tokenizer(r"\w+")
    assert tokenizer.piece(b"2007") == "[0-9]+"
    assert tokenizer.piece(b"January").endswith("December)")
    assert tokenizer.piece(b"27th") == "[0-9]+(?:st|nd|rd|th)"
    again = Tokenizer(r"\w+", tokenizer.separator, tokenizer.mutables)
    assert again.mutables == tokenizer.mutables
    assert again.derived


def test_the_first_pattern_that_matches_the_whole_token_wins():
    tokenizer = Tokenizer(
        mutables=[Mutable("short", "a"), Mutable("group", "(a)(b)?"), Mutable("any", "[a-c]+")]
    )
    assert [tokenizer.mutable(token) for token in (b"a", b"ab", b"abc", b"abd", b"")] == [0, 1, 2, -1, -1]
