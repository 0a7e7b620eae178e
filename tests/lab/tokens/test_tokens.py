"""Tokens: counts by hand, and the menu of a site is what is repeated."""

import json
import random

import pytest

from lab.tokens.__main__ import count_tokens, repeated_words
from tests.support.lab import run_lab

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


def test_all_in_one(made_sites, tmp_path, capsys):
    out = tmp_path / "out"
    command = ["tokens", "--data", str(made_sites), "--sites", "red", "--methods", "segments"]
    run_lab([*command, "--pages", "10", "--out", str(out)])
    names = {line.rpartition("/")[2] for line in capsys.readouterr().out.splitlines()}
    assert names == {"table.md", "table.csv", "results.json", "tokens.svg", "tokens.png"}
    record = json.loads((out / "results.json").read_text())
    assert record["sites"] == {"red": 10}
    tokens = {row["method"]: row["tokens"] for row in record["rows"]}
    assert tokens["segments"] < tokens["full text"]
    assert "| segments |" in (out / "table.md").read_text()
