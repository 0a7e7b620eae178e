"""The mutable patterns: the shipped sixteen, and a user's file."""

import re
from pathlib import Path

import pytest

from detemplate.errors import UserError
from detemplate.expressions.mutable import Mutable, default_mutables, parse_mutables, read_mutables
from detemplate.expressions.safety import danger
from detemplate.expressions.tokens import Tokenizer

DEFAULTS = default_mutables()
ROOT = Path(__file__).parents[2]


def test_the_documentation_lists_them_beside_the_theses():
    page = (ROOT / "docs/methods/expressions.md").read_text(encoding="utf-8")
    rows = page.partition("## The sixteen patterns")[2].partition("**Tokens.**")[0]
    listed = dict(re.findall(r"^\| ([\w, -]+) \| `.*?` \| (.*?) \|$", rows, re.MULTILINE))
    assert list(listed) == [mutable.name for mutable in DEFAULTS]
    assert sum("narrower" in difference for difference in listed.values()) == 6
    assert sum("wider" in difference for difference in listed.values()) == 1


@pytest.mark.parametrize("mutable", DEFAULTS, ids=lambda mutable: mutable.name)
def test_examples_go_to_their_own_pattern_and_counterexamples_do_not(mutable):
    tokenizer = Tokenizer()
    assert mutable.examples
    assert mutable.counterexamples
    for token in mutable.examples:
        assert tokenizer.piece(token.encode()) == mutable.expression, token
    for token in mutable.counterexamples:
        assert tokenizer.piece(token.encode()) != mutable.expression, token


@pytest.mark.parametrize("mutable", DEFAULTS, ids=lambda mutable: mutable.name)
def test_they_are_portable_and_safe(mutable):
    assert danger(mutable.expression) is None
    assert not re.search(r"\\[dDwWsSbB](?<!\[\^\\s)", mutable.expression)
    assert "[:" not in mutable.expression.replace("[!-/:-@", "")


def test_a_users_patterns_come_first(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("[[mutable]]\nname = \"price\"\nexpression = '''[0-9]+€'''\nexamples = [\"12€\"]\n")
    mutables = read_mutables(path)
    assert mutables[0] == Mutable("price", "[0-9]+€", ("12€",))
    assert mutables[1:] == DEFAULTS
    assert Tokenizer(mutables=mutables).piece("12€".encode()) == "[0-9]+€"


ENTRY = "[[mutable]]\nname = 'a'\nexpression = 'a+'\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[mutable", ["no TOML"]),
        ("", ["must hold"]),
        ("x = 1", ["must hold"]),
        ("mutable = 3", ["must hold"]),
        (ENTRY + "\n[[mutable]]\nname = 'b'\n", ["line 5", "name and expression"]),
        (ENTRY + "[[mutable]]\nname = 'b'\nexpression = 3\n", ["line 4", "must be text"]),
        (ENTRY + "[[mutable]]\nname = 'b'\nexpression = '['\n", ["line 4", "'b'", "invalid"]),
        (ENTRY + "[[mutable]]\nname = 'b'\nexpression = '(a+)+'\n", ["line 4", "'b'", "exponentially"]),
        (ENTRY + "[[mutable]]\nname = 'b'\nexpression = 'a*'\n", ["line 4", "empty"]),
        (ENTRY + "examples = ['b']\n", ["line 1", "does not match its example 'b'"]),
        (ENTRY + "counterexamples = ['aa']\n", ["line 1", "matches its counterexample 'aa'"]),
        (ENTRY + "examples = [1]\n", ["line 1", "lists of text"]),
        (ENTRY + "colour = 'red'\n", ["line 1", "may have"]),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(text, words):
    with pytest.raises(UserError) as caught:
        parse_mutables(text, "own.toml")
    assert "own.toml" in str(caught.value)
    for word in words:
        assert word in str(caught.value)
