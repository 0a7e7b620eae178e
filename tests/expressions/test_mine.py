"""Mining one collection: counts against brute force, expressions against their own documents."""

import re
import string

import pytest
from hypothesis import example, given, strategies as st

from detemplate.expressions.files import Expression, pattern_of, pieces_of
from detemplate.expressions.match import Matcher
from detemplate.expressions.mine import Miner, MiningOptions, utf8
from detemplate.expressions.remove import Locality, clean_text
from detemplate.expressions.safety import danger
from detemplate.expressions.tokens import Tokenizer
from tests.support.clock import seconds

pytest.importorskip("pydivsufsort")
WORDS = st.sampled_from(
    ["a", "b", "c", "10", "7", "Monday", "May,", "x.", "é", "漢", "a\u00a0b", "\x00", "\x7f!", r"\s+"]
)
GAPS = st.sampled_from([" ", "\n", " \t ", "\r\n", "\f"])
PUNCTUATED = st.text(st.sampled_from(string.punctuation + "ab1é\x01\u2028"), min_size=1, max_size=4)


@st.composite
def documents(draw, words=WORDS, most=6):
    texts = []
    for _ in range(draw(st.integers(0, most))):
        tokens = draw(st.lists(words, max_size=14))
        texts.append("".join(draw(GAPS) + token for token in tokens) + draw(st.sampled_from(["", "\n", " "])))
    return texts


def mined(texts, tokenizer=None, **options):
    miner = Miner(tokenizer, MiningOptions(**options), name="site")
    for text in texts:
        miner.add(text)
    return miner.mine()


def brute_force(texts, tokenizer, min_documents=2, min_length=2):
    """All maximal strings of pieces, with occurrences and documents."""
    pages = [[tokenizer.piece(token) for token in tokenizer.split(text.encode())] for text in texts]
    counts = {}
    for number, page in enumerate(pages):
        for start in range(len(page)):
            for stop in range(start + 1, len(page) + 1):
                entry = counts.setdefault(tuple(page[start:stop]), [0, set(), set(), set()])
                entry[0] += 1
                entry[1].add(number)
                entry[2].add(page[start - 1] if start else (number, "start"))
                entry[3].add(page[stop] if stop < len(page) else (number, "stop"))
    return {
        string: (occurrences, len(pages_with))
        for string, (occurrences, pages_with, before, after) in counts.items()
        if len(string) >= min_length and len(pages_with) >= min_documents and occurrences > 1
        and len(before) > 1 and len(after) > 1
    }  # fmt: skip


def irreducible(strings):
    """Strings that are no shorter one's overlapping repetition."""
    return {
        string
        for string in strings
        if not any(
            string[period:] == string[:-period] and string[:-period] in strings
            for period in range(1, (len(string) + 1) // 2)
        )
    }


RUNS = st.lists(
    st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=2), st.integers(1, 5)), max_size=4).map(
        lambda parts: " ".join(word for words, times in parts for word in words * times)
    ),
    max_size=4,
)
"""Documents of words, and of pairs of words, that are repeated up to five times."""


@given(st.one_of(documents(), RUNS), st.integers(1, 3), st.integers(1, 3))
@example(["x. 1 2 3 4", "5 6 7 8 b", "a b a b a b a"], 1, 1)
def test_counts_are_those_of_brute_force(texts, min_documents, min_length):
    found = mined(texts, min_documents=min_documents, min_length=min_length, cut=1)
    strings = brute_force(texts, Tokenizer(), min_documents, min_length)
    wanted = {string: strings[string] for string in irreducible(strings)}
    assert {each.pieces: (each.occurrences, each.documents) for each in found.expressions} == wanted
    assert len(found.strings) == len(strings)
    assert found.left_out == 0
    assert found.documents == len(texts)
    assert found.tokens == sum(len(Tokenizer().split(text.encode())) for text in texts)


@given(RUNS, RUNS, st.integers(0, 3))
@example(["1 2 3 4 a", "5 6 7 8 a", "a b a b a"], ["7 7 7 b a b a b a b"], 0)
def test_what_is_left_of_a_text_is_as_with_all_strings(texts, others, min_literals):
    found = mined(texts, cut=1, min_literals=min_literals)
    tokenizer = Tokenizer()
    pieces = {mutable.expression for mutable in tokenizer.mutables}
    strings = [
        Expression(pattern_of(string, tokenizer.separator), string, *counts, 1, "")
        for string, counts in brute_force(texts, tokenizer).items()
        if sum(piece not in pieces for piece in string) >= min_literals
    ]
    ours, all_of_them = Matcher(found.expressions), Matcher(strings)
    for text in [*texts, *others]:
        for locality in (Locality(0, 0), Locality(3, 8)):
            assert clean_text(text, ours, locality).text == clean_text(text, all_of_them, locality).text


@pytest.mark.parametrize("make", ["number", "word", "pair", "letters and numbers"])
def test_a_run_is_few_expressions(make):
    """The work and the expressions of texts with one long run are linear in its length."""

    def texts(size):
        tokens = {
            "number": [str(7 * number) for number in range(size)],
            "word": ["word"] * size,
            "pair": ["one", "two"] * (size // 2),
            "letters and numbers": ["a", "1", "a"] * (size // 3),
        }[make]
        return [" ".join(["Home", *tokens, f"x{text}"]) for text in range(6)]

    found = mined(texts(8000))
    assert len(found.strings) > 2000
    assert len(found.expressions) <= 6
    assert sum(len(each.pieces) for each in found.expressions) < 10_000
    assert seconds(lambda: mined(texts(16_000))) < 3 * seconds(lambda: mined(texts(8000))) + 0.05


@given(st.one_of(documents(), documents(PUNCTUATED)), st.sampled_from([r"\S+", "[0-9A-Za-z]+", r"[^,;\s]+"]))
@example(["", "", " a a", " a a", " a a\xa0b"], r"\S+")
def test_expressions_match_the_documents_that_they_come_from_in_all_engines(texts, token):
    re2, pcre2 = pytest.importorskip("re2"), pytest.importorskip("pcre2")
    tokenizer = Tokenizer(token)
    for each in mined(texts, tokenizer, cut=1).expressions:
        assert danger(each.pattern) is None
        assert pieces_of(each.pattern, tokenizer.separator) == each.pieces
        ours = re.compile(each.pattern, re.ASCII)
        assert sum(ours.search(text) is not None for text in texts) == each.documents
        in_bytes = re.compile(each.pattern.encode(), re.ASCII)
        assert sum(in_bytes.search(text.encode()) is not None for text in texts) == each.documents
        assert sum(re2.search(each.pattern, text) is not None for text in texts) == each.documents
        theirs = pcre2.compile(each.pattern, pcre2.ASCII)  # without it, a no-break space is white space
        assert sum(theirs.search(text) is not None for text in texts) == each.documents


def test_expressions_of_patterns_alone_can_be_left_out():
    texts = ["Thursday 22nd sun total 5 warm read 10 more", "Friday 23rd rain total 6 cold read 20 more"]

    def literals(least):
        found = mined(texts, min_literals=least).expressions
        return [" ".join(piece for piece in each.pieces if piece.isalpha()) for each in found]

    assert sorted(literals(0)) == ["", "read more", "total"]
    assert sorted(literals(1)) == ["read more", "total"]
    assert literals(2) == ["read more"]
    assert literals(3) == []


@pytest.mark.parametrize("data", [b"\xff\xfe\x00ab \x80 c", bytes(range(256)), b"", b"\xe9 caf\xe9 x"])
def test_binary_does_no_harm(data):
    found = mined([data, data], cut=1)
    text = utf8(data).decode()
    for each in found.expressions:
        assert re.search(each.pattern, text, re.ASCII)
    assert utf8(data) == data.decode("utf-8", "replace").encode()
