"""The options of all commands that read pages, and where these fail."""

import gzip
import itertools
import json
import os
import random

import pytest

from detemplate.cli import main
from detemplate.detectors.segments import Segments
from tests.support.commands import cli, read_rows, write_rows
from tests.support.warc_fixtures import http, record

MENU = "<nav><a href=/>Home</a> <a href=/news>News</a></nav>"


def html(number):
    return f"<title>Page {number}</title>{MENU}<h1>Story {number}</h1><p>Body of story {number}.</p>"


@pytest.fixture
def pages(tmp_path):
    rows = [{"url": f"http://site.example/{n}", "html": html(n), "page": html(n + 100), "at": f"http://b.example/{n}", "key": f"k{n}"} for n in range(30)]  # fmt: skip
    return write_rows(tmp_path / "pages.jsonl", rows)


def cleaned(pages, tmp_path, *options):
    out = tmp_path / "out.jsonl"
    cli("clean", pages, "--method", "segments", "-q", "-o", out, *options)
    return read_rows(out)


def test_columns_that_are_said(pages, tmp_path):
    row = cleaned(pages, tmp_path, "--html-column", "page", "--url-column", "at")[3]
    assert row["text"] == "Story 103\n\nBody of story 103."
    assert row["url"] == "http://b.example/3"
    bare = write_rows(tmp_path / "bare.jsonl", [{"html": html(n), "key": f"k{n}"} for n in range(8)])
    rows = cleaned(bare, tmp_path)
    assert rows[3]["url"] == f"{(tmp_path / 'bare.jsonl').as_uri()}#4"
    assert rows[3]["text"] == "Story 3\n\nBody of story 3."  # all are one site
    assert (
        cleaned(bare, tmp_path, "--id-column", "key")[3]["url"] == f"{(tmp_path / 'bare.jsonl').as_uri()}#k3"
    )


def test_every_skip_is_listed_on_demand(pages, tmp_path):
    lost = tmp_path / "lost.jsonl"
    rows = [json.loads(line) for line in open(pages)]  # noqa: PTH123, SIM115
    twice = write_rows(tmp_path / "twice.jsonl", [*rows, rows[3], {"url": "http://b.example/"}])
    cleaned(twice, tmp_path, "--rejects", str(lost))
    assert [row["reason"] for row in read_rows(lost)] == ["bad record"]
    cleaned(twice, tmp_path, "--rejects", str(lost), "--every-skip")
    assert [(row["reason"], row["position"]) for row in read_rows(lost)] == [
        ("duplicate url", 31),
        ("bad record", 32),
    ]


def test_the_first_pages_and_a_sample(pages, tmp_path):
    assert [row["key"] for row in cleaned(pages, tmp_path, "--limit", "3")] == ["k0", "k1", "k2"]
    some = cleaned(pages, tmp_path, "--sample", "0.4")
    assert 4 < len(some) < 20
    assert cleaned(pages, tmp_path, "--sample", "40%") == some
    assert cleaned(pages, tmp_path, "--sample", "0.4", "--limit", "2") != some


@pytest.mark.parametrize("output", ["out.jsonl", "out/", "out.parquet", "out.warc.gz"])
def test_nothing_is_lost_without_a_word(tmp_path, output, said):
    """A file whose keys nobody knows: no output, and a line that says what is in it and what to do."""
    path = write_rows(tmp_path / "x.jsonl", [{"quelltext": "<p>words", "nr": n} for n in range(5)])
    out = tmp_path / output
    for more in ([], ["--stream"]):
        err = said("clean", path, "-o", f"{tmp_path}/{output}", *more, code=3)
        assert err.count("\n") == 1
        for words in (
            "all 5 records are bad",
            "bad record",
            "'quelltext', 'nr'",
            "--html-column",
            "detemplate inspect",
        ):
            assert words in err
        assert not out.exists()
    lost = tmp_path / "lost.jsonl"
    cli("clean", path, "-o", f"{tmp_path}/{output}", "--max-bad", "100", "--rejects", lost, code=3)
    assert len(read_rows(lost)) == 5
    assert len(cleaned(path, tmp_path, "--html-column", "quelltext")) == 5


def test_too_many_bad_records(tmp_path, capsys):
    rows = [{"url": f"http://e.org/{n}", "html": html(n)} for n in range(8)]
    path = write_rows(tmp_path / "x.jsonl", [*rows, {"html": " "}, {"html": b"".decode()}])
    out = tmp_path / "out.jsonl"
    for share, code in (("20", 0), ("20%", 0), ("19.9", 2), ("0", 2), ("0.5%", 2)):
        out.unlink(missing_ok=True)
        cli("clean", path, "-o", out, "--max-bad", share, code=code)
        assert out.exists() == (code == 0)
    assert "2 of 10 records are bad, more than 0.5 %; all of them: empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (["clean"], "out.jsonl"),
        (["expressions", "apply", "expressions.txt"], "out.jsonl"),
        (["expressions", "mine"], "out.json"),
        (["graph", "tables"], "out/"),
        (["train"], "out.json"),
    ],
)
def test_every_command_that_reads_pages(tmp_path, monkeypatch, command, output, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "expressions.txt").write_text("Home News\n")
    path = write_rows(tmp_path / "x.jsonl", [{"foo": 1}, {"bar": 2}])
    assert "no page could be read: all 2 records are bad" in said(*command, path, "-o", output, code=3)
    assert not (tmp_path / output).exists()


def test_inspect_shows_what_is_bad(tmp_path, printed):
    path = write_rows(tmp_path / "x.jsonl", [{"foo": 1}, {"bar": 2}])
    assert "its keys are 'bar'" in printed("inspect", path)


@pytest.mark.parametrize("kind", ["jsonl", "warc", "jsonl.gz", "warc.gz"])
@pytest.mark.parametrize("change", ["grows", "is cut", "goes"])
def test_an_input_that_changes_while_it_is_read(kind, change, tmp_path, monkeypatch):
    """Between the passes, or within one: the run ends, and every row is of a page that was there."""
    source, out = tmp_path / f"in.{kind}", tmp_path / "out.jsonl"
    data = b"".join(changing_page(kind, number) for number in range(400))
    source.write_bytes(data)
    judge, calls = Segments.judge, itertools.count()

    def changing(self, *given):
        if next(calls) == 5:  # the second pass has begun, and has not read all
            if change == "grows":
                with source.open("ab") as file:
                    file.write(changing_page(kind, 400) + changing_page(kind, 401)[:-40])
            elif change == "is cut":
                os.truncate(source, len(data) * 2 // 3)
            else:
                source.unlink()
        return judge(self, *given)

    monkeypatch.setattr(Segments, "judge", changing)
    code = main(["clean", str(source), "-m", "segments", "-o", str(out), "-q", "--workers", "0"])
    assert code in ({0, 3} if change != "goes" else {0, 2, 3})
    if code != 2:
        rows = read_rows(out)
        assert [row["url"] for row in rows] == [f"http://e.org/{number}" for number in range(len(rows))]
        assert len(rows) >= (400 if change == "grows" else 200)


def changing_page(kind, number):
    html = f"<nav>Menu</nav><p>{random.Random(number).randbytes(3000).hex()}"
    if kind.startswith("jsonl"):
        data = json.dumps({"url": f"http://e.org/{number}", "html": html}).encode() + b"\n"
    else:
        data = record(http(html.encode()), url=f"http://e.org/{number}")
    return gzip.compress(data, 1) if kind.endswith("gz") else data
