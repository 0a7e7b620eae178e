"""What matches a query, against a walk over the words."""

import re
import unicodedata

import duckdb
import pytest
from hypothesis import given, strategies as st

from detemplate.errors import UserError
from detemplate.links.baseset import Query

CONNECTION = duckdb.connect()
PIECES = [
    "java", "Java", "JAVA", "javax", "xjava", "x", "é", "É", "e\u0301", "über", "ÜBER", "σας", "ΣΑΣ", "सी", "स",
    "1", "_", " ", " ", "  ", ", ", "-", ".", "'", "\n", "東京", "東", "京都", "カ",
]  # fmt: skip
QUERIES = [
    "java", "Über", "java x", '"java x"', '"x x"', "é", "σας", "स", "東", "京 java", "x-java", '"java java"',
]  # fmt: skip


def tokens(text):
    kept = (char if char == "_" or unicodedata.category(char)[0] in "LMN" else " " for char in text)
    return "".join(kept).split()


def same(one, other):
    return re.fullmatch(re.escape(one), other, re.IGNORECASE) is not None


def expected(words, text):
    """Count a term's matches from left to right."""
    if any("\u3040" <= char <= "\u9fff" for char in "".join(words)):
        [word] = words
        return text.count(word)
    found, at, there = 0, 0, tokens(text)
    while at + len(words) <= len(there):
        if all(map(same, words, there[at : at + len(words)])):
            found, at = found + 1, at + len(words)
        else:
            at += 1
    return found


def ask(query, text):
    answer = CONNECTION.execute(
        f"SELECT {query.count('text')}, {query.matches('text')} FROM (SELECT ?::VARCHAR AS text)", [text]
    )
    return answer.fetchall()[0]


@given(st.sampled_from(QUERIES), st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_matches_are_counted(given_query, text):
    query = Query.parse(given_query)
    counts = [expected(term.words, text) for term in query.terms]
    assert ask(query, text) == (sum(counts), all(counts))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("rock climbing", [("rock",), ("climbing",)]),
        ('"San Francisco" bay', [("San", "Francisco"), ("bay",)]),
        ("node.js C++", [("node", "js"), ("C",)]),
        ("Java java JAVA", [("JAVA",)]),
        ('"unclosed quote', [("unclosed",), ("quote",)]),
        ("it's '; DROP TABLE pages --", [("it", "s"), ("DROP",), ("TABLE",), ("pages",)]),
        ("e\u0301te", [("éte",)]),
        ('"" -- tea', [("tea",)]),
    ],
)
def test_terms(text, terms):
    assert [term.words for term in Query.parse(text).terms] == terms


def test_no_words():
    for text in ("", "  ", "+-*", '""'):
        with pytest.raises(UserError, match="no words"):
            Query.parse(text)
