"""Mining one collection: counts against brute force, expressions against their own documents."""

import re
import string

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from detemplate.algorithms.cutoff import document_histogram, energy_cut
from detemplate.errors import UserError
from detemplate.expressions.files import pieces_of
from detemplate.expressions.mine import Miner, MiningOptions, utf8
from detemplate.expressions.safety import danger
from detemplate.expressions.tokens import Tokenizer

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
    counts: dict[tuple[str, ...], list] = {}
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


@given(documents(), st.integers(1, 3), st.integers(1, 3))
def test_counts_are_those_of_brute_force(texts, min_documents, min_length):
    found = mined(texts, min_documents=min_documents, min_length=min_length, cut=1)
    wanted = brute_force(texts, Tokenizer(), min_documents, min_length)
    assert {each.pieces: (each.occurrences, each.documents) for each in found.expressions} == wanted
    assert len(found.strings) == len(found.expressions)
    assert found.documents == len(texts)
    assert found.tokens == sum(len(Tokenizer().split(text.encode())) for text in texts)


@given(documents())
def test_the_cut_is_the_energys(texts):
    found = mined(texts)
    strings = brute_force(texts, Tokenizer())
    if not strings:
        assert (found.cut, found.least_documents, found.expressions) == (None, None, ())
        return
    histogram = document_histogram(np.array([documents for _, documents in strings.values()]), len(texts))
    assert found.histogram.tolist() == histogram.tolist()
    least = energy_cut(histogram).documents(len(texts))
    assert found.least_documents == least
    assert {each.pieces for each in found.expressions} == {
        string for string, (_, documents) in strings.items() if documents >= least
    }


@settings(max_examples=60)
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


def test_expressions_stop_at_the_edges_of_tokens():
    found = mined(["sold 10 by weight", "made 20 by hand"])
    (expression,) = found.expressions
    assert expression.pattern == r"(?:^|\s)[,.]*[0-9][0-9,.]*\s+[bB]y(?:\s|$)"
    assert not re.search(expression.pattern, "20 bytes")
    assert not re.search(expression.pattern, "a20 by")


@given(documents(), st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(texts, random):
    first = mined(texts)
    random.shuffle(texts)
    again = mined(texts)
    assert again.expressions == first.expressions
    assert again.histogram.tolist() == first.histogram.tolist()


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["a"], ["a b a b"], [" "], ["a", "b"], ["a", ""]])
def test_small_collections_have_no_template(texts):
    found = mined(texts)
    assert found.expressions == ()
    assert found.cut is None


def test_expressions_of_patterns_alone_can_be_left_out():
    texts = ["Thursday 22nd sun total 5 warm read 10 more", "Friday 23rd rain total 6 cold read 20 more"]

    def literals(least):
        found = mined(texts, min_literals=least).expressions
        return [" ".join(piece for piece in each.pieces if piece.isalpha()) for each in found]

    assert sorted(literals(0)) == ["", "read more", "total"]
    assert sorted(literals(1)) == ["read more", "total"]
    assert literals(2) == ["read more"]
    assert literals(3) == []


def test_two_documents_give_what_they_share():
    found = mined(["Home News one two Imprint Contact", "Home News three Imprint Contact"])
    assert [each.pattern for each in found.expressions] == [
        r"(?:^|\s)Home\s+News(?:\s|$)", r"(?:^|\s)Imprint\s+Contact(?:\s|$)",
    ]  # fmt: skip


def test_template_of_many_documents_is_found_and_content_is_not():
    texts = [
        f"Home News Sport Posted on {day} May 2007 {' '.join(f'w{(number * 31 + day * 7) % (97 + day)}' for number in range(40))} "
        f"Copyright {2000 + day} All rights reserved"
        for day in range(1, 30)
    ]
    found = mined(texts)
    patterns = [each.pattern for each in found.expressions]
    assert any(
        re.search(pattern, "Home News Sport Posted on 30 June 2011 other words") for pattern in patterns
    )
    assert any(re.search(pattern, "other Copyright 1999 All rights reserved") for pattern in patterns)
    assert not any(re.search(pattern, "w1 w2 w3 w4 w5") for pattern in patterns)


@pytest.mark.parametrize("data", [b"\xff\xfe\x00ab \x80 c", bytes(range(256)), b"", b"\xe9 caf\xe9 x"])
def test_binary_does_no_harm(data):
    found = mined([data, data], cut=1)
    text = utf8(data).decode()
    for each in found.expressions:
        assert re.search(each.pattern, text, re.ASCII)
    assert utf8(data) == data.decode("utf-8", "replace").encode()


def test_half_surrogate_pairs_become_replacement_characters():
    assert utf8("a\ud800b") == "a\ufffdb".encode()
    assert mined(["a \ud800 b"] * 2).expressions


def test_a_cut_of_ones_own():
    texts = ["a b c", "a b d", "a b c", "x y"]
    assert {each.documents for each in mined(texts, cut=3).expressions} == {3}
    assert mined(texts, cut=0.5).least_documents == 2
    assert mined(texts, cut=4).expressions == ()


@pytest.mark.parametrize("wrong", [{"min_documents": 0}, {"min_length": 0}, {"bins": 1}])
def test_options_out_of_range(wrong):
    with pytest.raises(UserError, match="must be at least"):
        MiningOptions(**wrong)


def test_memory_is_counted_and_given_back():
    miner = Miner()
    empty = miner.nbytes
    miner.add("word " * 1000)
    assert miner.nbytes >= empty + 4000
    miner.mine()
    assert (miner.nbytes, miner.documents, miner.tokens) == (empty, 0, 0)
