"""Standard streams that are closed or full, and what terminals obey."""

import json
import subprocess
import sys

import pytest

from detemplate.page.page import Page
from detemplate.report.terminal import printable
from tests.support.commands import cli, write_rows

ESCAPE = "\x1b]0;owned\x07\x9b31m\u202e"


def shell(line, cwd):
    program = f"{sys.executable} -m detemplate"
    return subprocess.run(
        ["sh", "-c", line.replace("detemplate", program, 1)], cwd=cwd, capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip


@pytest.fixture
def pages(tmp_path):
    rows = [{"url": f"http://e.org{ESCAPE}/{n}", "html": f"<p>page {n} {ESCAPE}"} for n in range(5)]
    return write_rows(tmp_path / "in.jsonl", rows)


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("detemplate clean - -o out.jsonl <&-", 2, "standard input is closed"),
        ("detemplate clean @- -o out.jsonl <&-", 2, "standard input is closed"),
        ("detemplate clean in.jsonl -o - >&-", 2, "standard output is closed"),
        ("detemplate clean in.jsonl --output-format arrow >&-", 2, "standard output is closed"),
        ("detemplate clean in.jsonl -o out.jsonl 2>&-", 0, ""),
        ("detemplate clean in.jsonl -o out.jsonl <&- >&- 2>&-", 0, ""),
        ("detemplate clean nowhere.jsonl -o - 2>&-", 2, ""),
        ("detemplate inspect in.jsonl >&-", 0, ""),
        ("detemplate --help >/dev/full", 2, "No space left"),
        ("detemplate --version >/dev/full", 2, "No space left"),
        ("detemplate methods >/dev/full", 2, "No space left"),
        ("detemplate inspect in.jsonl -q >/dev/full", 2, "No space left"),
        ("detemplate clean in.jsonl -q -o - >/dev/full", 2, "No space left"),
        ("detemplate clean nowhere.jsonl 2>/dev/full", 2, ""),
    ],
)
def test_streams_that_are_closed_or_full(pages, tmp_path, line, code, message):
    done = shell(line, tmp_path)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    if "out.jsonl" in line and code == 0:
        rows = (tmp_path / "out.jsonl").read_text().splitlines()
        assert len([json.loads(row) for row in rows]) == 5


@pytest.mark.parametrize("name", ["x" * 300 + ".jsonl", "x" * 300 + "/", "x/" * 3000])
@pytest.mark.parametrize("command", ["clean", "graph tables"])
def test_names_that_are_too_long(pages, tmp_path, name, command, said):
    err = said(*command.split(), pages, "-o", f"{tmp_path}/{name}", code=2)
    assert err.count("\n") == 1
    cli(*command.split(), pages, "-o", f"{tmp_path}/out/", "--rejects", f"{tmp_path}/{name}", code=2)


@pytest.mark.parametrize(
    "arguments", [["inspect"], ["inspect", "--json"], ["clean", "--show", "9", "-o", "OUT"]]
)
def test_nothing_is_printed_that_a_terminal_obeys(pages, tmp_path, capsys, arguments, said):
    out = str(tmp_path / "out.jsonl")
    broken = tmp_path / f"b{ESCAPE[:1]}[31m.jsonl"
    broken.write_text("{no")
    given = [out if item == "OUT" else item for item in arguments]
    cli(*given, pages, broken)
    told = capsys.readouterr()
    for char in told.out + told.err:
        assert char not in "\x1b\x07\x9b\u202e"
    if "--json" in arguments:
        assert ESCAPE.split("\x07", maxsplit=1)[0] in next(iter(json.loads(told.out)["sites"]))
    assert "\x1b" not in said("clean", f"{tmp_path}/no{ESCAPE}where.jsonl", code=2)


def test_printable():
    assert printable("a é 漢\u3000b\xa0c") == "a é 漢\u3000b\xa0c"
    assert printable("a\x1b[31m\n\x9b\ud800\u2028") == "a\\x1b[31m\\n\\x9b\\ud800\\u2028"


def test_names_of_sites_are_bounded():
    hosts = ["a" * 1_000_000 + str(n) for n in range(3)]
    sites = {Page(f"http://{host}/", "<p>x").site for host in hosts}
    assert len(sites) == 3
    assert max(map(len, sites)) == 1000
    assert len(Page("http://e.org/", "<p>x", site="s" * 2000).site) == 1000
    assert Page("http://e.org/", "<p>x", site="s" * 1000).site == "s" * 1000
