import json

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from detemplate._version import __version__
from detemplate.io.sinks.warc import METADATA_HEADER
from tests.support.sink_helpers import EVIL, REMOVED, row, written

SOURCE = {"record_id": "<urn:uuid:00000000-0000-0000-0000-000000000001>", "date": "2020-02-03T04:05:06Z"}


def write(path, *rows, **given):
    written(path, *rows, **given)
    with path.open("rb") as file:
        result = [
            (item.record_type, dict(item.headers.to_tuples()), item.reader.read(), item.stream_pos)
            for item in ArchiveIterator(file)
        ]
    with path.open("rb") as file:
        assert all(item.verify_block_digest() for item in ArchiveIterator(file))
    return result


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize(
    ("text_format", "media_type"),
    [("text", "text/plain"), ("html", "text/html"), ("markdown", "text/markdown")],
)
def test_records(tmp_path, suffix, text_format, media_type):
    path = tmp_path / ("x.warc" + suffix)
    rows = [row(number, text_format, removed=REMOVED, note="né") for number in (1, 2)]
    info, first, second = write(path, *rows, text_format=text_format, **SOURCE)
    kind, headers, block, position = info
    assert (kind, position) == (WarcRecordType.warcinfo, 0)
    assert f"software: detemplate/{__version__}\r\n".encode() in block
    assert b"arguments" not in block  # it would hold paths, and how many workers there were
    kind, headers, block, position = first
    assert kind == WarcRecordType.conversion
    assert headers["WARC-Target-URI"] == "http://e.org/1"
    assert headers["WARC-Refers-To"] == SOURCE["record_id"]
    assert headers["WARC-Date"] == SOURCE["date"]
    assert headers["Content-Type"] == f"{media_type}; charset=utf-8"
    assert headers["WARC-Block-Digest"].startswith("sha1:")
    assert block.decode() == "Text é 1\n"
    fields = json.loads(headers[METADATA_HEADER])
    assert fields == {key: value for key, value in rows[0].items() if key not in {"url", text_format}}
    assert list(fields) == [key for key in rows[0] if key not in {"url", text_format}]
    ids = {item[1]["WARC-Record-ID"] for item in (info, first, second)}
    assert len(ids) == 3
    # Each record can be read by itself, from its own position.
    with path.open("rb") as file:
        file.seek(second[3])
        (alone,) = ArchiveIterator(file)
        assert alone.headers["WARC-Target-URI"] == "http://e.org/2"


def test_equal_runs_write_equal_files(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    for name in ("a.warc.gz", "b.warc.gz"):
        records = write(tmp_path / name, row(1), row(1), row(2))
    assert records[1][1]["WARC-Date"] == "2020-09-13T12:26:40Z"
    assert len({item[1]["WARC-Record-ID"] for item in records}) == 4
    assert (tmp_path / "a.warc.gz").read_bytes() == (tmp_path / "b.warc.gz").read_bytes()


def test_metadata_too_long_for_a_header(tmp_path):
    long = [{"text": "é" * 1000, "score": 0.5, "reason": "recurs"} for _ in range(20)]
    _, page, metadata, last = write(tmp_path / "x.warc", row(1, removed=long), row(2), **SOURCE)
    assert METADATA_HEADER not in page[1]
    assert metadata[0] == WarcRecordType.metadata
    assert metadata[1]["WARC-Refers-To"] == page[1]["WARC-Record-ID"]
    assert metadata[1]["WARC-Target-URI"] == "http://e.org/1"
    assert metadata[1]["Content-Type"] == "application/json"
    assert json.loads(metadata[2])["removed"] == long
    assert METADATA_HEADER in last[1]


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://e.org/a b\r\nX-Evil: 1", "http://e.org/a%20b%0D%0AX-Evil:%201"),
        ("http://é.org/ü?q=%20#f", "http://%C3%A9.org/%C3%BC?q=%20#f"),
        ("http://e.org/" + EVIL, "http://e.org/a%EF%BF%BDb"),
        ("http://e.org/" + "x" * 100_000, "http://e.org/" + "x" * (8192 - 13)),
    ],
)
def test_hostile_urls(tmp_path, url, target):
    _, page, *metadata = write(tmp_path / "x.warc", row(1) | {"url": url}, record_id="<a\r\nb>", date="\n")
    assert page[1]["WARC-Target-URI"] == target
    assert "X-Evil" not in page[1]
    assert "WARC-Refers-To" not in page[1]
    fields = json.loads(metadata[0][2] if metadata else page[1][METADATA_HEADER])
    assert fields["url"] == url.replace("\ud800", "\ufffd")


def test_hostile_values(tmp_path):
    odd = row(1, **{"k\r\nX: 1": EVIL, "b": b"\xff"}) | {"title": "a\r\n\r\nb\u2028", "text": EVIL}
    _, page = write(tmp_path / "x.warc", odd)
    fields = json.loads(page[1][METADATA_HEADER])
    assert fields["title"] == "a\r\n\r\nb\u2028"
    assert fields["k\r\nX: 1"] == EVIL
    assert page[2].decode() == "a\ufffdb"
