"""All sinks write their outputs whole or not at all."""

import csv
import gzip
import json
import os
import random
import resource
import stat
import sys
import time
from pathlib import Path

import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from detemplate.errors import UserError
from detemplate.io.sinks.open import open_sink, own_format
from tests.support.forked import Forked
from tests.support.sink_helpers import names, record, row, written

NAMES = [
    *("x.jsonl", "x.jsonl.gz", "x.jsonl.zst", "x.csv", "x.csv.gz", "x.tsv.zst", "x.parquet", "x.arrow"),
    *("x.warc", "x.warc.gz", "x.warc.zst", "x/"),
]


@pytest.mark.parametrize("name", [*NAMES, "x.txt"])
def test_nothing_is_left_after_an_interrupt(tmp_path, name):
    def interrupted():
        with open_sink(f"{tmp_path}/{name}", format="text") as sink:
            sink.write(row(), record())
            assert len(names(tmp_path)) == 1
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "limit"), [*((name, 5_000) for name in NAMES), ("x.jsonl", 0), ("x.parquet", 0), ("x/", 0)]
)
def test_a_disk_that_is_full(tmp_path, name, limit):
    """A limit on the size of files fails where a full disk does: in write, or only in close."""

    def work():
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
        noise = random.Random(1)
        try:
            with open_sink(f"{tmp_path}/{name}", format="text") as sink:
                for number in range(100):
                    text = str(noise.random()) * 200 if limit == 0 else noise.randbytes(500).hex()
                    sink.write(row() | {"url": str(number), "text": text}, record())
        except UserError as error:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
            print(error, file=sys.stderr)
        return 0

    run = Forked(work, tmp_path.parent).wait()
    assert run.code == 0
    [told] = run.err.splitlines()
    assert "cannot write" in told
    assert "File too large" in told
    assert names(tmp_path) == []


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("/")])
def test_modes_and_links(tmp_path, name):
    path = tmp_path / name
    old = os.umask(0o027)
    try:
        open_sink(str(path), format="text").close()
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    path.write_bytes(b"before")
    link = tmp_path / f"link-{name}"
    link.symlink_to(name)
    sink = open_sink(str(link), format="text")
    assert path.read_bytes() == b"before"
    sink.close()
    assert link.is_symlink()
    assert path.read_bytes() != b"before"
    assert stat.S_IMODE(path.stat().st_mode) == 0o604
    assert names(tmp_path) == sorted([name, link.name])


@pytest.mark.parametrize(
    ("output", "kind", "wanted"),
    [
        ("x.jsonl", None, "text"),
        ("-", None, "text"),
        ("/dev/stdout", None, "text"),
        ("/dev/null", None, "text"),
        ("-", "markdown", "markdown"),
        ("x.md", None, "markdown"),
        ("x.HTML", None, "html"),
        ("x.htm", None, "html"),
        ("x.txt", None, "text"),
        ("x.md/", None, "text"),
        ("x.csv", "markdown", "markdown"),
        ("x.md", "csv", "text"),
    ],
)
def test_formats_by_names(output, kind, wanted):
    assert own_format(output, kind) == wanted


def test_a_kind_overrules_the_name(tmp_path):
    assert written(tmp_path / "x.data", row(), kind="csv").read_bytes().startswith(b"url,site,title,text,")
    packed = written(tmp_path / "x.txt.gz", row(), kind="jsonl").read_bytes()
    assert gzip.decompress(packed).startswith(b'{"url": ')
    with pytest.raises(UserError, match=r"unknown kind of output 'xlsx' \(choose from jsonl, csv"):
        open_sink("x.data", format="text", kind="xlsx")


def test_an_unknown_format(tmp_path):
    for formats in ("pdf", ["text", "pdf"]):
        with pytest.raises(UserError, match="unknown output format 'pdf'; known are text, html, markdown"):
            open_sink(str(tmp_path / "x.jsonl"), format=formats)
    assert names(tmp_path) == []


def test_replacing_a_directory(tmp_path, monkeypatch):
    target = tmp_path / "out"
    target.mkdir(mode=0o750)
    (target / "old.txt").touch()
    sink = open_sink(str(target), format="text", overwrite=True)
    sink.write(row(), record())
    sink.abort()
    assert names(target) == ["old.txt"]
    with open_sink(str(target), format="text", overwrite=True) as sink:
        sink.write(row(), record())
        assert names(target) == ["old.txt"]
    assert names(target) == ["e.org", "index.jsonl"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
    assert names(tmp_path) == ["out"]
    monkeypatch.chdir(target / "e.org")
    for precious in (".", "..", "../.."):
        with pytest.raises(UserError, match="will not replace"):
            open_sink(precious, format="text", overwrite=True)
    monkeypatch.setenv("HOME", str(target))
    monkeypatch.chdir("/")
    with pytest.raises(UserError, match="will not replace"):
        open_sink(str(target), format="text", overwrite=True)


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.csv"])
def test_very_many_carried_keys_take_no_time_and_none_is_lost(tmp_path, name):
    start = time.process_time()
    with open_sink(str(tmp_path / name), format="text") as sink:
        for number in range(60):
            carried = {f"key {key}": key for key in range(number * 300, number * 300 + 300)}
            sink.write(row(number, **carried), record())
    assert time.process_time() - start < 20
    if name == "x.csv":
        csv.field_size_limit(1 << 20)
        rows = list(csv.DictReader((tmp_path / name).open(newline="")))
    else:
        read = pq.read_table if name == "x.parquet" else feather.read_table
        rows = read(tmp_path / name).to_pylist()
    assert len(rows[0]) == 1001
    for number, found in enumerate(rows):
        values = found | json.loads(found["extra"] or "{}")
        assert {int(values[f"key {key}"]) for key in range(number * 300, number * 300 + 300)} == {
            *range(number * 300, number * 300 + 300)
        }


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_left_after_abort_and_nothing_is_there_before_close(tmp_path, name):
    output = f"{tmp_path}/{name}"
    sink = open_sink(output, format="text")
    assert not Path(output).exists()
    sink.abort()
    assert names(tmp_path) == []
    sink = open_sink(output, format="text")
    sink.close()  # without a single page
    assert names(tmp_path) == [name.rstrip("/")]
