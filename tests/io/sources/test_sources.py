import gzip
import io
import json
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest
import zstandard

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import records, skips
from tests.support.warc_fixtures import pack, page

LINE = b'{"url": "u", "html": "h"}\n'


@pytest.fixture
def inputs(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(LINE)
    (tmp_path / "b.warc.gz").write_bytes(pack([page(1)], ".gz"))
    (tmp_path / "c.html").write_bytes(b"<p>")
    (tmp_path / "d.txt").write_bytes(LINE)
    return tmp_path


def test_several_inputs_in_their_order(inputs):
    source = open_sources([str(inputs / name) for name in ("c.html", "b.warc.gz", "a.jsonl")])
    first = [item.url for item in source]
    assert first == [(inputs / "c.html").as_uri(), "http://e.org/1", "u"]
    assert [item.url for item in source] == first
    assert source.rereadable
    sizes = [(inputs / name).stat().st_size for name in ("a.jsonl", "b.warc.gz", "c.html")]
    assert source.total_bytes == source.bytes_read == sum(sizes)


def test_patterns(inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    (inputs / "sub").mkdir()
    (inputs / "sub" / "a.jsonl").write_bytes(LINE.replace(b"u", b"v", 1))
    (inputs / "[x].jsonl").write_bytes(LINE)
    assert len(list(open_sources(["*.jsonl"]))) == 2
    assert len(list(open_sources(["**/*.jsonl"]))) == 3
    assert len(list(open_sources(["[x].jsonl"]))) == 1  # a name that looks like a pattern
    assert len(list(open_sources(["a.jsonl", "*.jsonl", "a.jsonl"]))) == 2  # read once
    paths = [item.source.path for item in open_sources(["?.jsonl", "**/a.jsonl"]) if item.source]
    assert paths == ["a.jsonl", "sub/a.jsonl"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "no input"),
        (["nowhere.jsonl"], "nowhere.jsonl does not exist"),
        (["*.nothing"], r"nothing matches \*\.nothing"),
        (["d.txt"], r"cannot tell .* \.warc, \.wacz, \.jsonl, .*--input-format"),
        (["/dev/null"], "cannot tell"),
    ],
)
def test_inputs_that_cannot_be(inputs, monkeypatch, names, message):
    monkeypatch.chdir(inputs)
    with pytest.raises(UserError, match=message) as caught:
        open_sources(names)
    assert "\n" not in str(caught.value)


def test_the_kind_can_be_said(inputs):
    (item,) = open_sources([str(inputs / "d.txt")], kind="jsonl")
    assert item.url == "u"
    (item,) = open_sources([str(inputs / "a.jsonl")], kind="html")
    assert item.html == LINE
    assert [item.url for item in open_sources([str(inputs)], kind="warc")] == ["http://e.org/1"]
    with pytest.raises(UserError, match="holds no parquet files"):
        open_sources([str(inputs)], kind="parquet")
    with pytest.raises(UserError, match="unknown input format 'xml'; known are warc, wacz, jsonl"):
        open_sources([str(inputs)], kind="xml")
    with pytest.raises(UserError, match="at least 1 byte"):
        open_sources([str(inputs)], max_page_bytes=0)
    with pytest.raises(UserError, match="not a regular file"):
        open_sources(["/dev/null"], kind="jsonl")


def test_directories_of_several_kinds(inputs):
    """HTML files and archives are read; WARC files beside others are the crawl, the others belong to it."""

    def read_all():
        items = list(open_sources([str(inputs)]))
        return (
            [str(item.source.path.rpartition("/")[2]) for item in records(items) if item.source],
            [str(item.source.path.rpartition("/")[2]) for item in skips(items) if item.source],
        )

    (inputs / "sub").mkdir()
    (inputs / "sub/e.warc").write_bytes(pack([page(2)], ""))
    (inputs / "f.csv").write_text("url,html\nu,<p>\n")
    (inputs / "_part.jsonl").write_bytes(LINE)
    assert read_all() == (["c.html", "b.warc.gz", "e.warc"], ["_part.jsonl", "a.jsonl", "d.txt", "f.csv"])
    (inputs / "b.warc.gz").unlink()
    (inputs / "sub/e.warc").unlink()
    assert read_all() == (["c.html", "a.jsonl"], ["_part.jsonl", "d.txt", "f.csv"])
    (inputs / "a.jsonl").unlink()
    assert read_all() == (["c.html"], ["_part.jsonl", "d.txt", "f.csv"])  # a page's download
    (inputs / "c.html").unlink()
    assert read_all() == (["f.csv"], ["_part.jsonl", "d.txt"])


def test_lists_of_inputs(inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    (inputs / "list.txt").write_text("# a comment\na.jsonl\r\n\nb.warc.gz\n*.html\n")
    assert [item.url for item in open_sources(["@list.txt", "a.jsonl"])][:2] == ["u", "http://e.org/1"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("c.html\n"))
    assert [item.url for item in open_sources(["@-"])] == [(inputs / "c.html").as_uri()]
    (inputs / "@list.txt").mkdir()
    (inputs / "@list.txt/x.html").write_text("<p>")
    assert [item.url.rpartition("/")[2] for item in open_sources(["@list.txt"])] == ["x.html"]
    (inputs / "list.txt").write_text("nowhere.html\n")
    (inputs / "bytes").write_bytes(b"\xff")
    (inputs / "empty").write_text("# nothing\n")
    for name, message in (
        ("@none", "cannot read the list"),
        ("@bytes", "cannot read the list"),
        ("@empty", "the list of inputs empty names none"),
        ("@./list.txt", "nowhere"),
    ):
        with pytest.raises(UserError, match=message):
            open_sources([name])


def stdin(monkeypatch, data, **options):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))
    return open_sources(["-"], **options)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, zstandard.compress])
def test_standard_input(monkeypatch, compress):
    for data, url in {
        LINE * 100: "u",
        b"\n" + LINE: "u",
        page(1) + page(2): "http://e.org/1",
        b"<!doctype html><p>": "file:///stdin",
    }.items():
        source = stdin(monkeypatch, compress(data))
        assert not source.rereadable
        assert source.total_bytes is None
        result = list(source)
        assert result[0].url == url
        assert isinstance(result[0], Record)
        assert result[0].source.path == "-"
        assert source.bytes_read > 0
        assert not skips(result)
    assert list(stdin(monkeypatch, b"")) == []


def test_standard_input_does_not_wait_for_more():
    """A line that is there is a record at once, though the pipe stays open."""
    code = (
        "from detemplate.io.sources.open import open_sources\n"
        "for item in open_sources(['-']): print(item.url, flush=True)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdin.write(LINE)
        child.stdin.flush()
        assert child.stdout.readline() == b"u\n"
        child.stdin.close()


def test_heavy_libraries_are_not_imported_for_nothing():
    code = (
        "import sys, detemplate.io.sources.open, detemplate.io.sinks.open\n"
        "print([name for name in ('pyarrow', 'fastwarc', 'zstandard', 'brotli') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_one_of_many_inputs_that_cannot_be_read_is_a_skip(tmp_path):
    good, table = tmp_path / "a.jsonl", tmp_path / "c.parquet"
    good.write_text(json.dumps({"url": "http://e.org/", "html": "<p>x"}) + "\n")
    table.write_bytes(b"PAR1 and no more")
    (tmp_path / "b.warc.gz").write_bytes(gzip.compress(b"no WARC"))
    (tmp_path / "d.csv").write_text("name,size\nx,1\n")
    with zipfile.ZipFile(tmp_path / "e.zip", "w") as archive:
        archive.writestr("a.html", "<p>y")
    names = [str(tmp_path / name) for name in ("b.warc.gz", "a.jsonl", "c.parquet", "d.csv", "e.zip")]
    source = open_sources(names)
    items = list(source)
    assert [(item.reason if isinstance(item, Skip) else "page") for item in items] == [
        "unreadable", "page", "unreadable", "unreadable", "page",
    ]  # fmt: skip
    lost = [item for item in items if isinstance(item, Skip)]
    assert all(skip.rejected for skip in lost)
    assert [skip.source.path for skip in lost if skip.source] == [names[0], names[2], names[3]]
    assert "not a WARC file" in lost[0].detail
    # A file that is gone in the second pass, too.
    Path(names[4]).unlink()
    assert [item.reason for item in source if isinstance(item, Skip)] == ["unreadable"] * 4
    for name in (names[0], names[2], names[3]):
        with pytest.raises(UserError):
            open_sources([name])


def test_memory_does_not_grow_with_the_members_of_standard_input(monkeypatch):
    """Only the positions of WARC records need to know where members begin."""
    source = stdin(monkeypatch, gzip.compress(LINE) * 15_000)
    items = iter(source)
    next(items)
    tracemalloc.start()
    count = sum(1 for _ in items)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 14_999
    assert peak < 1 << 20


def test_standard_input_of_a_kind(monkeypatch):
    (item,) = stdin(monkeypatch, b"just text", kind="html", base_url="https://e.org/")
    assert item.url == "https://e.org/"
    (item,) = stdin(monkeypatch, b"<p>not json", kind="jsonl")
    assert item.reason == "bad record"
    with pytest.raises(UserError, match="not a WARC file"):
        stdin(monkeypatch, LINE, kind="warc")
    for data, kind in ((b"PAR1xxxx", None), (b"", "parquet")):
        with pytest.raises(UserError, match="Parquet cannot be read from standard input"):
            stdin(monkeypatch, data, kind=kind)
    whole = pack([page(1), page(2)], ".gz")
    *pages, broken = stdin(monkeypatch, whole[:-20])
    assert [item.url for item in pages] == ["http://e.org/1"]
    assert broken.reason == "truncated"
