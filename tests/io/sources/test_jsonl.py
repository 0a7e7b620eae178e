import gzip
import json
import tracemalloc

import pytest
import zstandard

from detemplate.io.record import Record, Skip
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import read, skips

PAGE = {"url": "http://e.org/1", "html": "<p>é", "site": "e.org", "n": 1, "deep": {"a": [None, True]}}


def write(path, *lines):
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def long_window(data):
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=27)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".jsonl", bytes),
        (".ndjson", bytes),
        (".json", bytes),
        (".jsonl.gz", gzip.compress),
        (".jsonl.zst", zstandard.compress),
        (".jsonl.zstd", long_window),
        (".jsonl.gz", zstandard.compress),  # a name that is wrong about the compression
    ],
)
def test_a_page(tmp_path, suffix, pack):
    path = tmp_path / ("x" + suffix)
    path.write_bytes(pack(b"\xef\xbb\xbf\n" + json.dumps(PAGE).encode() + b"\r\n\n"))
    (page,) = read(path)
    assert (page.url, page.html, page.site) == ("http://e.org/1", "<p>é", "e.org")
    assert page.carried == {"n": 1, "deep": {"a": [None, True]}}
    assert (page.source.path, page.source.position) == (str(path), 2)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "not JSON"),
        (b'{"url": "u", "html": "h"} x', "not JSON"),
        (b"[1]", "not an object but an array"),
        (b'"a"', "not an object but a string"),
        (b"null", "not an object but null"),
        (b"12", "not an object but a number"),
        (b'{"url": "u"}', "no HTML under a name that is known; its keys are none"),
        (b'{"url": "u", "html": null, "n": 1}', "its keys are 'html', 'n'"),
        (b'{"url": "u", "text": "no tag"}', "('text' holds no tag); its keys are 'text'"),
        (b'{"url": "u", "html": "h", "site": 3}', "'site' is not a string"),
        (b'{"url": "u", "html": "\xff"}', "not UTF-8 at byte"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"url": "u", "html": "h", "n": ' + b"9" * 5000 + b"}", "not JSON"),
    ],
)
def test_bad_lines_do_not_end_the_run(tmp_path, line, why):
    good = b'{"url": "u", "html": "h"}'
    first, bad, last = read(write(tmp_path / "x.jsonl", good, line, good))
    assert isinstance(first, Record)
    assert isinstance(last, Record)
    assert (bad.reason, bad.rejected) == ("bad record", True)
    assert bad.detail.startswith("line 2: ")
    assert why in bad.detail


def test_pages_that_are_too_large(tmp_path):
    def line(html):
        return json.dumps({"url": "u", "html": html}, ensure_ascii=False).encode()

    path = write(tmp_path / "x.jsonl", line("a" * 100), line("a" * 101), line("é" * 50), line("é" * 51))
    assert [type(item) for item in read(path, limit=100)] == [Record, Skip, Record, Skip]
    assert {(skip.reason, skip.rejected) for skip in skips(read(path, limit=100))} == {("too large", True)}


def test_lines_that_are_too_long_are_not_held(tmp_path):
    good = b'{"url": "u", "html": "h"}'
    path = write(tmp_path / "x.jsonl.gz", good)
    path.write_bytes(gzip.compress(good + b"\n" + b"x" * (64 << 20) + b"\n" + good + b"\n"))
    source = open_sources([str(path)], max_page_bytes=1000)
    tracemalloc.start()
    first, long, last = source
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(first, Record)
    assert (long.reason, long.rejected) == ("too large", True)
    assert isinstance(last, Record)
    assert last.source.position == 3
    assert peak < 8 << 20
