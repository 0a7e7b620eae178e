"""Files of expressions that were made to hang or to crash: all are refused, or take linear time."""

import json

import pytest

from detemplate.errors import PageError, UserError
from detemplate.expressions import match
from detemplate.expressions.files import Expression, read
from detemplate.expressions.match import Matcher
from detemplate.expressions.tokens import Tokenizer
from tests.support.clock import seconds

WHOLE = {
    "format": "detemplate-expressions",
    "version": 1,
    "token": r"\S+",
    "separator": r"\s+",
    "mutables": [],
    "collections": [],
    "expressions": [{"pattern": "a", "documents": 1, "occurrences": 1, "collections": 1, "collection": "x"}],
}
COUNTS = {"documents": 1, "tokens": 1, "strings": 1, "cut": 1, "expressions": 1}


@pytest.mark.parametrize(
    "damage",
    [
        {"token": "(a+)+$"},
        {"token": "\ud800+"},
        {"token": None},
        {"separator": "(a+)+$"},
        {"separator": r"(?:\s+)+!"},
        {"mutables": [{"name": "x", "expression": ""}]},
        {"mutables": [{"name": "x", "expression": "\ud800"}]},
        {"mutables": [{"name": "x", "expression": 5}]},
        {"mutables": [{"name": "x", "expression": r"(a)\1"}]},
        {"mutables": 5},
        {"collections": [{"name": "x", **COUNTS, "documents": "a"}]},
        {"collections": [{"name": "x", **COUNTS, "documents": float("inf")}]},
        {"collections": [{"name": "x"}]},
        {"expressions": [{"pattern": "a", "documents": float("inf")}]},
        {"expressions": [{"pattern": "a", "documents": -1}]},
        {"expressions": [{"pattern": "a\ud800"}]},
        {"expressions": [{"pattern": "a", "collection": "\udfff"}]},
    ],
    ids=lambda damage: ascii(damage)[:40],
)
def test_damaged_files_are_refused(tmp_path, damage):
    path = tmp_path / "e.json"
    path.write_text(json.dumps(WHOLE))
    assert len(read(path).expressions) == 1
    path.write_text(json.dumps({**WHOLE, **damage}))
    with pytest.raises(UserError, match=r"e\.json"):
        read(path)


@pytest.mark.parametrize("token", [r"\w+@\w+", r"[a-z]+(?:-[a-z]+)*!"])
def test_tokens_of_any_form_take_linear_time(token):
    tokenizer = Tokenizer(token, r"[^@]*", [])
    matcher = Matcher([Expression("x", ("x",))], token, r"[^@]*")

    def search(text):
        assert tokenizer.split(text.encode()) == []
        assert len(matcher.matches(text)) == 0

    short, long = (seconds(lambda n=n: search("a" * n)) for n in (4000, 40_000))
    assert long < 40 * short + 0.02  # where each start reads on to the end, 100 times


@pytest.mark.parametrize(
    "form", [{"expressions": [{"pattern": "a[^b]*"}]}, {"token": "a(?:[^b]*z)?", "separator": "!"}]
)
def test_expressions_that_are_slow_from_every_start_are_given_up(tmp_path, monkeypatch, form):
    """They are safe, and each search is linear: with a search from every start, they are quadratic."""
    path = tmp_path / "e.json"
    path.write_text(json.dumps({**WHOLE, **form}))
    file = read(path)
    monkeypatch.setattr(match, "_SECONDS", 0.2)
    with pytest.raises(PageError, match="too slow"):
        Matcher(file.expressions, file.token, file.separator).matches("a" * 2_000_000)
