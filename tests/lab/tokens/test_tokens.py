"""Tokens: counts by hand, and the menu of a site is what is repeated."""

import random

import pytest

from lab.tokens.__main__ import count_tokens, repeated_words

pytest.importorskip("matplotlib")


def test_tokens_are_words_and_marks():
    assert count_tokens("It's 3.5 €, 東京!") == 11  # It ' s 3 . 5 € , 東 京 !
    assert count_tokens("") == 0


def test_repeated_words_against_the_definition():
    chance = random.Random(5)
    texts = [" ".join(chance.choices("abc", k=chance.randint(0, 30))) for _ in range(6)]
    pages = [text.split() for text in texts]
    expected = 0
    for page in pages:
        for place in range(len(page)):
            runs = [page[at : at + 4] for at in range(max(0, place - 3), place + 1) if at + 4 <= len(page)]
            expected += any(
                sum(any(other[at : at + 4] == run for at in range(len(other) - 3)) for other in pages) > 1
                for run in runs
            )
    assert repeated_words(texts, width=4) == (sum(map(len, pages)), expected)


def test_all_in_one(made_sites, results):
    words = ("--data", made_sites, "--sites", "red", "--methods", "segments", "--pages", 10)
    record, table = results("tokens", *words, charts=["tokens"])
    assert record["sites"] == {"red": 10}
    tokens = {row["method"]: row["tokens"] for row in record["rows"]}
    assert tokens["segments"] < tokens["full text"]
    assert "| segments |" in table
