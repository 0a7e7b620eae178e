"""Without pyarrow, everything works but Parquet, which says what to install."""

import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.commands import read_rows
from tests.support.imports import ROOT
from tests.support.warc_fixtures import pack, page

EXAMPLE = ROOT.parents[1] / "examples" / "rustbook"
PLAIN = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Block())
from detemplate.cli import main
sys.exit(main(sys.argv[1:]))
"""


def command(*arguments):
    """Run the command in an interpreter that has no pyarrow."""
    words = [sys.executable, "-c", PLAIN, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def line(done):
    assert done.returncode == 2
    [only] = done.stderr.splitlines()
    return only


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "pages.parquet"
    pq.write_table(pa.table({"url": ["http://a/"], "html": ["<p>Words"]}), path)
    return path


def test_html_becomes_json_lines(tmp_path):
    out = tmp_path / "cleaned.jsonl"
    done = command("clean", EXAMPLE, "--base-url", "https://doc.rust-lang.org/book/", "-o", out)
    assert done.returncode == 0, done.stderr
    rows = read_rows(out)
    assert len(rows) == 24
    assert all(row["text"] for row in rows)


def test_warc_becomes_json_lines_and_warc(tmp_path):
    crawl = tmp_path / "crawl.warc.gz"
    crawl.write_bytes(pack(map(page, range(3)), ".gz"))
    for out in ("cleaned.jsonl", "cleaned.csv", "cleaned.warc"):
        assert command("clean", crawl, "-o", tmp_path / out).returncode == 0
        assert all(f"page {number} w" in (tmp_path / out).read_text() for number in range(3))


def test_reading_and_writing_parquet_names_the_extra(tmp_path, pages):
    html = EXAMPLE / "ch00-00-introduction.html"
    for arguments in (
        ("clean", pages, "-o", tmp_path / "o.jsonl"),
        ("clean", html, "-o", tmp_path / "o.parquet"),
        ("clean", html, "-o", "-", "--output-format", "arrow"),
    ):
        assert line(command(*arguments)) == (
            "detemplate: reading or writing Parquet or Arrow needs an extra: "
            f"{sys.executable} -m pip install 'detemplate[parquet]'"
        )
    assert list(tmp_path.iterdir()) == [pages]


def test_what_stores_parquet_names_the_extra(tmp_path):
    html = EXAMPLE / "ch00-00-introduction.html"
    found = line(command("graph", "tables", html, "-o", f"{tmp_path}/crawl/"))
    assert "pip install 'detemplate[parquet]'" in found
