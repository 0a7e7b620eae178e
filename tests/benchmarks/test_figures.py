"""Figures in the documents are those of the results."""

import re

import pytest

from benchmarks import figures
from benchmarks.figures import documents, updated

TABLE_MD = """# Toys

## Sizes: all (table 1)

Text | with a bar.

| method | size, bytes | p |
|---|---:|---:|
| paper | 9 | – |
| **one** `two` | 10 [8, 12] | 0.5 |
| one | **11** [9, 13] | 0.25 |

## By set

| set | method | F |
|---|---:|---:|
| red (7) | one | 0.1 |
| red (7) | two | 0.2 |

| method | more |
|---|---:|
| one | 7 |

## Twice

| method | p | p |
|---|---:|---:|
| one | a | b |
"""


@pytest.fixture
def results(tmp_path, monkeypatch):
    (tmp_path / "toys").mkdir()
    (tmp_path / "toys" / "table.md").write_text(TABLE_MD)
    (tmp_path / "plain.csv").write_text("method,share\none,0.1234\ntwo,\n")
    monkeypatch.setattr(figures, "RESULTS", tmp_path)
    figures.tables_of.cache_clear()
    yield tmp_path
    figures.tables_of.cache_clear()


def test_documents_have_the_figures_of_the_results():
    """After new results: python -m benchmarks.figures."""
    for path in documents():
        text = path.read_text(encoding="utf-8")
        opened, closed = (
            len(re.findall(mark, text)) for mark in ("<!--= |<!-- table:", "<!--/-->|<!-- /table -->")
        )
        assert opened == closed, f"{path.name}: a mark is not closed"
        assert not re.search(r"^ *<!--[=/]", text, re.MULTILINE), f"{path.name}: a line begins with a figure"
        assert updated(text) == text, f"{path.name}: python -m benchmarks.figures"


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        ("toys; Sizes; one; size", "11"),
        ("toys; Sizes: all; one two; size, bytes", "10"),
        ("toys; By set; red & two; F", "0.2"),
        ("toys; By set; one; more", "7"),
        ("toys; Twice; one; p#2", "b"),
        ("plain; ; one; share~.1%", "12.3 %"),
        ("plain; ; two; share~.1%", "–"),
    ],
)
def test_a_figure_is_a_cell(results, reference, shown):
    assert updated(f"a <!--= {reference} -->old<!--/--> b") == f"a <!--= {reference} -->{shown}<!--/--> b"


def test_a_table_has_the_columns_that_its_mark_names(results):
    mark = (
        "<!-- table: toys; Sizes; method as name; size, bytes; By set >> more; means; rows: one | paper -->\n"
    )
    new = "| name | size, bytes | more |\n|---|---:|---:|\n| one | 11 | 7 |\n| paper | 9 | – |\n"
    for old in ("", "| a |\n|---|\n| b |\n"):
        assert updated(f"x\n\n{mark}{old}<!-- /table -->\n\ny") == f"x\n\n{mark}{new}<!-- /table -->\n\ny"
        twice = f"x\n\n{mark}{old}<!-- /table -->\n\ny | z\n\n"
        assert updated(twice * 2) == f"x\n\n{mark}{new}<!-- /table -->\n\ny | z\n\n" * 2
    other = "<!-- table: toys; Sizes; method; plain >>  >> share~.1% as share; rows: one -->\n"
    assert "| one | 12.3 % |" in updated(f"{other}<!-- /table -->\n")
    whole = updated("<!-- table: toys; Sizes; method; size -->\n<!-- /table -->\n")
    assert whole.splitlines()[3:6] == ["| paper | 9 |", "| one two | 10 [8, 12] |", "| one | 11 [9, 13] |"]


def test_the_command_updates_documents(results, monkeypatch, capsys):
    monkeypatch.setattr(figures, "ROOT", results)
    (results / "docs").mkdir()
    page = results / "docs" / "page.md"
    (results / "README.md").write_text("# Nothing\n")
    page.write_text("at <!--= toys; Sizes; one; p -->1<!--/-->\n")
    assert figures.main(["--check"]) == 1
    assert "-->1<" in page.read_text()
    assert figures.main([]) == 0
    assert "-->0.25<" in page.read_text()
    assert figures.main(["--check"]) == 0
    assert capsys.readouterr().out.splitlines() == ["docs/page.md"] * 2 + ["all documents are as the results"]
