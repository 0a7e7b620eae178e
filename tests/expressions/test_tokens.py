"""Tokens, pieces, separators: what an expression is made of."""

import re
import string

import pytest
from hypothesis import given, strategies as st

from detemplate.errors import UserError
from detemplate.expressions.charsets import escape
from detemplate.expressions.files import pattern_of, pieces_of
from detemplate.expressions.mutable import Mutable
from detemplate.expressions.tokens import Tokenizer, literal_of

CHARS = st.sampled_from(string.printable + "\x00\x1f\x7f\x85\xa0éß漢字\u2028\u3000\ufeff🙂")
TEXTS = st.text(CHARS, max_size=60)
TOKENS = st.text(CHARS, min_size=1, max_size=8)


@given(TOKENS)
def test_an_escaped_token_matches_itself_and_nothing_else(token):
    piece = escape(token)
    assert re.fullmatch(piece, token, re.ASCII)
    assert re.fullmatch(piece.encode(), token.encode())
    assert not re.fullmatch(piece, token + "x", re.ASCII)
    assert literal_of(piece) == token
    assert not re.search(r"[\x00-\x1f\x7f]", piece)


@given(st.lists(TOKENS, min_size=1, max_size=6), st.sampled_from([r"\S+", r"\w+", "[a-z]+", "[^,]+"]))
def test_pieces_come_back_from_their_pattern(tokens, token):
    tokenizer = Tokenizer(token, mutables=())
    pieces = tuple(map(escape, tokens))
    assert pieces_of(pattern_of(pieces, tokenizer.separator), tokenizer.separator) == pieces


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


@pytest.mark.parametrize(
    ("expression", "token", "text", "tokens"),
    [
        ("[0-9]+ [a-z]+", r"\S+", "on 12 may, 3 x7 4\tjune", ["on", "12 may,", "3", "x7", "4", "june"]),
        (r"[0-9]+\s[a-z]+", r"\S+", "(12\tmay) 3", ["(12\tmay)", "3"]),
        (r"[0-9]+\s+[a-z]+", r"\S+", "12 \n may", ["12 \n may"]),
        ("(?:a b|c d)", r"\S+", "a b c d bc d xa b", ["a b", "c d", "bc", "d", "xa", "b"]),
        ("(?:a b)+c", r"\S+", "a ba bc", ["a ba bc"]),
        ("a b|c d", r"\S+", "a b c d a d", ["a b", "c d", "a", "d"]),
        ("a-b", "[a-z]+", "a-b a--b x-a-b-x", ["a-b", "a", "b", "x", "a-b", "x"]),
        ("a-b", r"\S+", "a-b", ["a-b"]),
        ("(?:a|c d)", r"\S+", "a c d", ["a", "c d"]),
        ("(?:a b)?c", r"\S+", "c a bc", ["c", "a bc"]),
    ],
)
def test_a_users_pattern_may_match_several_tokens(expression, token, text, tokens):
    tokenizer = Tokenizer(token, mutables=[Mutable("mine", expression)])
    found = tokenizer.split(text.encode())
    assert [each.decode() for each in found] == tokens
    for each in found:
        piece = tokenizer.piece(each)
        assert re.fullmatch(piece, each.decode(), re.ASCII)
        assert tokenizer.is_spanning(piece) >= (len(Tokenizer(token, mutables=()).split(each)) > 1)


@pytest.mark.parametrize(
    ("token", "wanted"),
    [
        ("sid=123&x=4", "sid=(number)&x=(number)"),
        ('href="http://x.org/home?sid=7">Home</a>', 'href="(URL)">Home</a>'),
        ("src=/2007-03-12/x.png", "src=(date or time)x.png"),
        ("(Monday)", "((weekday)"),
        ("by:", "(by):"),
        ("caf\u00e9-BBC", "caf\u00e9-(upper case)"),
        ("\u53d1\u5e03\u4e8e2007\u5e743\u6708", "\u53d1\u5e03\u4e8e(number)\u5e74(number)\u6708"),
        # No word is cut, nothing without a letter or digit is a pattern, and parts are parted.
        ("h1", "h1"),
        ("utf8", "utf8"),
        ("Money", "Money"),
        ("today", "today"),
        ("well-known", "well-known"),
        ("caf\u00e9BBC", "caf\u00e9BBC"),
        ('"BBC,5', '"(upper case)5'),
        ("x" * 1000 + "=5", "x" * 1000 + "=5"),
    ],
)
def test_patterns_match_parts_of_tokens(token, wanted):
    tokenizer = Tokenizer()
    piece = tokenizer.piece(token.encode())
    for mutable in sorted(tokenizer.mutables, key=lambda each: -len(each.expression)):
        piece = piece.replace(mutable.expression, f"\0{mutable.name}\1")
    parts = re.split("\0([^\1]*)\1", piece)
    assert "".join(f"({part})" if at % 2 else literal_of(part) for at, part in enumerate(parts)) == wanted


def test_a_separator_that_does_not_fit_is_refused():
    with pytest.raises(UserError, match="stands between tokens"):
        Tokenizer("[a-z]+", r"\s+", ()).split(b"a-b")


@pytest.mark.parametrize("expression", [r"a\s*", r"[a-z\s]+", r"\s+a", "a[^b]*"])
def test_mutables_dangerous_beside_the_separator_are_refused(expression):
    with pytest.raises(UserError, match="mutable pattern 'own'"):
        Tokenizer(mutables=[Mutable("own", expression)])


def test_a_separator_of_its_own_is_grouped_once():
    tokenizer = Tokenizer(r"<[^>]*>|[^<\s]+", r"\s*", ())
    assert tokenizer.separator == r"(?:\s*)"
    assert Tokenizer(tokenizer.token, tokenizer.separator, ()).separator == tokenizer.separator
    assert Tokenizer("ab", "(?:a)|(?:b)", ()).separator == "(?:(?:a)|(?:b))"
    assert not tokenizer.derived
    assert tokenizer.split("<p> é<b>x</b></p> y".encode()) == [
        b"<p>", "é".encode(), b"<b>", b"x", b"</b>", b"</p>", b"y",
    ]  # fmt: skip
