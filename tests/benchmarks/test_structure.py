"""The benchmark of structure: its parser, its scores, its pages and its command."""

import json

import pytest

from benchmarks import structure
from benchmarks.support.floors import read_floors
from benchmarks.support.structure import (
    SCORES,
    Code,
    Structure,
    code_scores,
    language,
    read_markdown,
    read_plain,
    scores_of,
    table_score,
    table_similarity,
)
from lab.harness.command import RESULTS

URL = "https://e.org/a/b.html"

MARKDOWN = r"""
# About [rain](https://e.org/rain)

It costs $5 and $6; $a^2 + b$ and c hold.[^1] ![not text](image.png) [here](#top) [gone](<>)

$$
\frac{a}{b}
$$

- one
  - two *deep*

    and more
- three
1. first

| a | b |
|---|--:|
| 1 \| 2 |   |

```py title="x"
def f():

    return 1
```

<table><tr><td colspan="2">wide</td></tr><tr><td>x<td>y</table>

[^1]: A note.
"""


def test_all_elements_are_read():
    found = read_markdown(MARKDOWN, URL)
    assert found.headings == [(1, "About rain")]
    assert found.formulas == ["a^2+b", r"\frac{a}{b}"]
    assert found.links == [("rain", "https://e.org/rain"), ("gone", "")]
    assert found.items == [(1, "one"), (2, "two deep and more"), (1, "three"), (1, "first"), (1, "A note.")]
    assert found.tables == [(("a", "b"), ("1 | 2", "")), (("wide", ""), ("x", "y"))]
    assert found.code == [Code(("def f():", "", "    return 1"), "py")]
    assert found.text.startswith("About rain It costs $5 and $6; a^2+b and c hold. here gone")
    assert "image.png" not in found.text


# The scores.


def test_what_is_as_it_was_scores_one_and_nothing_scores_zero():
    truth = read_markdown(MARKDOWN, URL)
    assert set(scores_of(truth, truth).values()) == {1.0}
    assert set(scores_of(truth, Structure()).values()) == {0.0}
    assert set(scores_of(Structure(), truth).values()) == {None}
    plain = scores_of(truth, read_plain(truth.text), plain=True)
    assert plain.pop("text") == 1.0
    assert set(plain.values()) == {None}


def test_code_counts_lines_and_languages():
    code = [Code(("a", "b", "c"), "python"), Code(("d",), "")]
    assert code_scores(code, code) == (1.0, 1.0)
    assert code_scores(code, [Code(("a", "b", "c"), "py3"), Code(("d",), "rust")]) == (1.0, 1.0)
    assert code_scores(code, [Code(("1", "a", "2", "b", "3", "c"), "")]) == (
        pytest.approx(2 * (2 / 3) / 3),
        0.0,
    )
    assert code_scores(code, [Code(("a", "c"), "js"), Code(("d",))]) == (pytest.approx(0.9), 0.0)
    assert code_scores(code[1:], code[1:]) == (1.0, None)
    assert code_scores(code, []) == (0.0, 0.0)
    assert language("golang") == language("go") != language("rust")
    assert language("no-such-language") == "no-such-language"


def test_tables_count_cells_and_shape():
    table = (("a", "b"), ("c", "d"))  # 7 nodes
    assert table_similarity(table, table) == 1
    assert table_similarity(table, (("a", "b"), ("c", "x"))) == pytest.approx(6 / 7)
    assert table_similarity(table, (("a", "b"), ("c", "dd"))) == pytest.approx(6.5 / 7)
    assert table_similarity(table, (("a", "b"),)) == pytest.approx(4 / 7)
    assert table_similarity(table, (("a", "b", ""), ("c", "d"))) == pytest.approx(7 / 8)
    assert table_score([table], [table, (("x",),)]) == pytest.approx(2 / 3)
    assert table_score([table], []) == 0


# The command.


@pytest.fixture
def options(tmp_path):
    files = {"--out": "s.md", "--json": "s.json", "--peer-scores": "peers.json", "--floors": "floors.json"}
    named = [part for name, file in files.items() for part in (name, str(tmp_path / file))]
    return [*named, "--sets", "made"]


def test_the_command_measures_a_sample(options, tmp_path):
    assert structure.main([*options, "--pages", "4", "--peers", "turbohtml"]) == 0
    report = (tmp_path / "s.md").read_text()
    assert "| detemplate |" in report
    figures = json.loads((tmp_path / "s.json").read_text())["made"]
    ours, plain, peer = figures.values()
    assert set(ours) == set(peer) == set(SCORES)
    assert set(plain) == {"text"}
    assert all(0 <= mean <= 1 and 0 < pages <= 4 for mean, pages in (*ours.values(), *peer.values()))
    assert not (tmp_path / "peers.json").exists()


def test_floors_are_updated_and_checked(options, tmp_path, capsys):
    sample = [*options, "--pages", "2", "--peers", "none"]
    assert structure.main([*sample, "--update-floors"]) == 0
    floors = read_floors(tmp_path / "floors.json")
    assert floors["detemplate"]["made"]["pages"] == 2
    assert structure.main([*sample, "--check"]) == 0
    floors["detemplate"]["made"]["text"] = 1.01
    (tmp_path / "floors.json").write_text(json.dumps(floors))
    assert structure.main([*sample, "--check"]) == 1
    assert "detemplate made text" in capsys.readouterr().err
    assert structure.main([*sample, "--update-floors"]) == 1
    assert structure.main([*sample, "--lower-floors"]) == 0
    assert structure.main([*sample, "--check"]) == 0


def test_the_documentation_has_the_measured_table():
    results = (RESULTS / "structure.md").read_text(encoding="utf-8")
    table = results.partition("## made\n")[2].partition("## defuddle")[0].strip().split("\n\n")[1]
    assert table.startswith("|  | text |")
    assert table in (RESULTS.parents[1] / "docs" / "structure.md").read_text(encoding="utf-8")
