"""Options that set several others, and sizes."""

import json

import pytest

from detemplate.commands.merged import Size
from tests.support.commands import cli, read_rows, write_rows

PAGE = "<title>Rain</title><h1>Rain</h1><p>It rained <a href=/n>all night</a>, and much more.<img src=r.png alt=Rain>"


@pytest.fixture
def pages(tmp_path):
    rows = [{"address": f"http://e.org/{n}", "body": PAGE + "x" * 400 * n, "number": n} for n in range(4)]
    return write_rows(tmp_path / "in.jsonl", rows)


def cleaned(pages, tmp_path, *arguments, code=0):
    out = tmp_path / "out.jsonl"
    cli("clean", pages, "-o", out, "-q", *arguments, code=code)
    return read_rows(out)


PARTS = [
    (["--column", "url=address,html=body"], ["--url-column", "address", "--html-column", "body"]),
    (["--column", "id=number"], ["--id-column", "number"]),
    (["--max-page", "bytes=1kB"], ["--max-page-bytes", "1000"]),
    (["--max-page", "seconds=20,bytes=0.5KiB"], ["--max-page-seconds", "20", "--max-page-bytes", "512"]),
    (["-f", "md", "--render", "links=none,images=alt"], ["-f", "md", "--links", "none", "--images", "alt"]),
    (["-f", "md", "--render", "tables=none"], ["-f", "md", "--tables", "none"]),
    (["-f", "html", "--render", "html=sanitized"], ["-f", "html", "--sanitize"]),
    (["-f", "html", "--render", "html=scripts"], ["-f", "html", "--keep-scripts"]),
]


@pytest.mark.parametrize(("merged", "spelt"), PARTS)
def test_parts_are_the_options_that_they_stand_for(pages, tmp_path, merged, spelt):
    assert cleaned(pages, tmp_path, *merged) == cleaned(pages, tmp_path, *spelt)


@pytest.mark.parametrize(
    "merged", [each for each, _ in PARTS if "tables=none" not in each and "html=scripts" not in each]
)
def test_parts_change_the_output(pages, tmp_path, merged):
    plain = ["-f", merged[1]] if "-f" in merged else []
    assert cleaned(pages, tmp_path, *merged) != cleaned(pages, tmp_path, *plain)


def test_learning_has_them_too(pages, tmp_path, said):
    command = ["learn", pages, "--store", str(tmp_path / "s.db")]
    told = said(*command, "--column", "url=address", "--max-page", "bytes=600")
    assert "no URL is known" not in told
    assert "2 too large" in told


def test_logs(pages, tmp_path):
    names = {name: tmp_path / f"{name}=1.json" for name in ("progress", "rejects", "summary")}
    log = [word for name, path in names.items() for word in ("--log", f"{name}={path}")]
    cleaned(pages, tmp_path, "--max-page", "bytes=600", "--log", str(tmp_path / "plain"), *log[2:])
    assert json.loads(names["summary"].read_text())["rejected"] == 2
    assert len(names["rejects"].read_text().splitlines()) == 2
    assert json.loads((tmp_path / "plain").read_text().splitlines()[-1])["pages"] == 2
    for progress in (log[:2], ["--progress", str(names["progress"])]):
        cleaned(pages, tmp_path, *progress)
        assert json.loads(names["progress"].read_text().splitlines()[-1])["pages"] == 4
        names["progress"].unlink()
    repeated = tmp_path / "twice.jsonl"
    row = json.dumps({"url": "http://e.org/", "html": PAGE}) + "\n"
    repeated.write_text(row * 3)
    cleaned(str(repeated), tmp_path, "--log", f"skips={tmp_path}/skips")
    assert "duplicate url" in (tmp_path / "skips").read_text()


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("1000", 1000),
        ("1kB", 1000),
        ("1KiB", 1024),
        ("1.5 MiB", 3 << 19),
        ("2G", 2 * 10**9),
        ("2GiB", 2 << 30),
        ("7B", 7),
    ],
)
def test_sizes(written, size):
    assert Size().convert(written, None, None) == size
    assert Size(10**6).convert(written, None, None) == (10**9 if written == "1000" else size)
