"""No command replaces what it reads, and no output replaces another."""

import json
from pathlib import Path

import pytest

from tests.support.commands import cli


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a crawl, in it pages, and links to both."""
    monkeypatch.chdir(tmp_path)
    rows = [{"url": f"http://e.org/{n}", "html": f"<p>page {n}"} for n in range(5)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "sites" / "pages").mkdir(parents=True)
    for name in ("in.jsonl", "sites/in.jsonl"):
        (tmp_path / name).write_text(text)
    (tmp_path / "sites" / "pages" / "a.html").write_text("<p>a")
    (tmp_path / "link.jsonl").symlink_to("in.jsonl")
    (tmp_path / "linked").symlink_to("sites")
    (tmp_path / "e.txt").write_text("page\n")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "arguments",
    [
        "clean in.jsonl -o in.jsonl",
        "clean in.jsonl -o ./sites/../in.jsonl",
        "clean link.jsonl -o in.jsonl",
        "clean in.jsonl -o link.jsonl",
        "clean in.jsonl -o out.jsonl --rejects in.jsonl",
        "clean in.jsonl -o out.jsonl --summary in.jsonl",
        "clean in.jsonl -o out.jsonl --store in.jsonl",
        "clean *.jsonl -o in.jsonl",
        "clean sites -o sites/in.jsonl",
        "clean sites -o linked/in.jsonl",
        "clean linked -o sites/pages/a.html",
        "clean sites/in.jsonl -o sites/ --overwrite",
        "clean sites/in.jsonl -o linked --overwrite",
        "clean sites -o sites/ --overwrite",
        "clean sites/pages -o sites/ --overwrite",
        "expressions apply e.txt in.jsonl -o in.jsonl",
        "expressions apply e.txt in.jsonl -o out.jsonl --rejects e.txt",
        "expressions mine in.jsonl -o in.jsonl",
        "graph tables in.jsonl -o sites/ --rejects in.jsonl",
        "graph tables sites/in.jsonl -o sites/ --overwrite",
        "train in.jsonl -o in.jsonl",
        "learn in.jsonl --store in.jsonl",
        "learn in.jsonl --store x.db --rejects in.jsonl",
        "store export in.jsonl -o in.jsonl",
        "store merge in.jsonl x.db -o link.jsonl",
    ],
)
def test_an_input_is_not_replaced(crawl, capsys, arguments):
    before = contents(crawl)
    cli(*arguments.split(), code=2)
    err = capsys.readouterr().err
    assert "would replace an input" in err
    assert err.count("\n") == 1
    assert contents(crawl) == before


@pytest.mark.parametrize(
    "arguments",
    [
        "clean in.jsonl -o out.jsonl --rejects out.jsonl",
        "clean in.jsonl -o out.jsonl --summary ./out.jsonl",
        "clean in.jsonl -o out.jsonl --rejects x --summary x",
        "clean in.jsonl -o out.jsonl --store out.jsonl",
        "expressions apply e.txt in.jsonl -o out.jsonl --rejects out.jsonl",
    ],
)
def test_outputs_have_different_names(crawl, capsys, arguments):
    before = contents(crawl)
    cli(*arguments.split(), code=2)
    assert "cannot be both" in capsys.readouterr().err
    assert contents(crawl) == before


def test_what_is_no_input_is_replaced(crawl):
    for name in ("out.jsonl", "sites/notes.txt", "sites/out.jsonl"):
        (crawl / name).unlink(missing_ok=True)
        cli("clean", "sites", "-o", name, "--format", "text", "--limit", "1", "-q")
    cli("clean", "in.jsonl", "-o", "out.jsonl", "-q")
    cli("clean", "in.jsonl", "-o", "sites/out.jsonl", "-q")
    cli("clean", "in.jsonl", "-o", "sites/", "--overwrite", "-q")
