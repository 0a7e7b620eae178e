"""``python -m lab.layouts``: layouts of a browser, into a file."""

import json

from detemplate.cli import main
from detemplate.commands.command import command_of
from detemplate.layout.store import LayoutStore
from detemplate.page.page import Page
from lab.layouts.__main__ import render
from tests.support.commands import read_rows, write_rows


def run_layouts(arguments):
    return main(arguments, command=command_of(render))


def test_the_command(chromium, tmp_path, capsys):
    pages = [{"url": f"http://e.org/{n}", "html": f"<p>page {n}"} for n in (1, 2, 2)]
    pages += [
        {"url": "http://e.org/empty", "html": " "},
        {"url": "http://e.org/deep", "html": "<div>" * 500_000},
    ]
    given = write_rows(tmp_path / "pages.jsonl", pages)
    out, rejects = tmp_path / "l.parquet", tmp_path / "rejects.jsonl"
    code = run_layouts(
        [str(given), "-o", str(out), "--width", "500", "--max-page-seconds", "2.5", "--rejects", str(rejects)]
    )
    assert code == 0
    stderr = capsys.readouterr().err
    assert "2 pages rendered" in stderr
    assert "skipped 3:" in stderr
    assert "template" not in stderr
    lost = read_rows(rejects)
    assert [(row["url"][13:], row["reason"]) for row in lost] == [("empty", "empty"), ("deep", "render")]
    opened = LayoutStore.open(str(out))
    assert opened.settings["width"] == "500"
    layout = opened.layout(Page("http://e.org/2", "<p>page 2"))
    assert layout.page_width == 500
    assert layout.area.any()


def test_an_output_that_cannot_be_written(chromium, tmp_path, capsys):
    given = tmp_path / "pages.jsonl"
    given.write_text(json.dumps({"url": "http://e.org/", "html": "<p>x"}))
    assert run_layouts([str(given), "-o", str(tmp_path / "no" / "l.parquet")]) == 2
    assert "there is no directory" in capsys.readouterr().err
