import gzip
import io
import random
import time
import tracemalloc
import zlib

import brotli
import pytest
import zstandard

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.compression import InputFile, InputStream
from detemplate.io.sources.open import open_sources
from detemplate.io.sources.warc import WarcSource
from tests.support.io_helpers import read, records, skips
from tests.support.warc_fixtures import http, pack, page, record, warcinfo

LIMIT = 1 << 20
BODY = b"<html><p>" + b"hello world " * 500


def only(tmp_path, *items, limit=LIMIT):
    """Read one record between two whole pages, which must survive it."""
    path = tmp_path / "x.warc"
    path.write_bytes(page(1) + b"".join(items) + page(2))
    result = read(path, limit=limit)
    assert [item.url for item in (result[0], result[-1])] == ["http://e.org/1", "http://e.org/2"]
    assert isinstance(result[-1], Record)
    assert len(result) == 3
    return result[1]


def raw_deflate(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def chunked(data, size=100):
    pieces = [data[i : i + size] for i in range(0, len(data), size)]
    return b"".join(b"%x;note=1\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@pytest.mark.parametrize("compression", ["", ".gz", ".zst", "zst-dictionary"])
def test_pages_and_where_they_are(tmp_path, compression):
    items = [warcinfo(), page(1), page(2)]
    path = tmp_path / "x.warc"
    path.write_bytes(pack(items, compression))
    info, first, second = read(path)
    assert (info.reason, info.detail, info.rejected) == ("not a page", "warcinfo", False)
    assert isinstance(second, Record)
    assert first.url == "http://e.org/1"
    assert isinstance(first.html, bytes)
    assert first.html.startswith(b"<html><p>page 1 ")
    assert first.charset == "utf-8"
    assert second.source.path == str(path)
    assert second.source.date == "2020-02-03T04:05:06Z"
    assert second.source.record_id == "<urn:uuid:00000000-0000-0000-0000-000000000001>"
    offset = len(pack(items, compression)) - len(pack(items[2:], compression))
    if compression == "zst-dictionary":
        offset = path.read_bytes().rindex(b"\x28\xb5\x2f\xfd")
    assert second.source.position == offset


@pytest.mark.parametrize("compression", ["", ".gz", ".zst", "zst-dictionary"])
def test_a_file_cut_anywhere(tmp_path, compression):
    """Everything before the cut comes out and the cut is reported once, whatever its place."""
    items = [page(0, words=2), warcinfo(), page(1, words=1), page(2, words=1)]
    whole = pack(items, compression)
    path = tmp_path / "x.warc"
    path.write_bytes(whole)
    expected = read(path)
    assert [type(item) for item in expected] == [Record, Skip, Record, Record]
    starts = [len(pack(items[:n], compression)) for n in range(len(items) + 1)]
    # An uncompressed record is whole without the empty lines after it.
    contents = [end - (4 if compression == "" else 0) for end in starts[1:]]
    fine = {
        *starts[compression == "zst-dictionary" :],
        *(cut for end in contents for cut in range(end, end + 5) if compression == ""),
    }
    for cut in sorted({*range(8, len(whole), 4), *(cut for cut in fine if 8 <= cut < len(whole))}):
        path.write_bytes(whole[:cut])
        result = read(path)
        broken = [item for item in result if isinstance(item, Skip) and item.reason == "truncated"]
        before = result[: len(result) - len(broken)]
        missing = sum(1 for end in contents if end <= cut) - len(before)
        # A gzip member may have lost no more than its trailer.
        assert missing in ({0, -1} if compression == ".gz" else {0}), cut
        assert before == expected[: len(before)]
        assert len(broken) == (cut not in fine), cut
        if broken:
            assert result[-1] is broken[0]
            assert broken[0].rejected
            assert f"after {len(before)} records" in broken[0].detail


@pytest.mark.parametrize(
    ("compression", "seekable"), [(".gz", True), (".gz", False), (".zst", True), ("zst-dictionary", True)]
)
def test_a_flipped_bit_costs_one_record(tmp_path, compression, seekable):
    noise = random.Random(2)
    items = [page(n, words=30) for n in range(40)]
    whole = pack(items, compression)
    starts = [len(pack(items[:n], compression)) for n in range(len(items) + 1)]
    path = tmp_path / "x.warc"
    for _ in range(40):
        at = noise.randrange(starts[0], len(whole))
        data = bytearray(whole)
        data[at] ^= 1 << noise.randrange(8)
        path.write_bytes(data)
        if seekable:
            result = read(path)
        else:
            stream = io.BytesIO(data)
            stream.seekable = lambda: False
            file = InputFile("-", lambda track: InputStream(stream, track_members=track), rereadable=False)  # noqa: B023
            result = list(WarcSource(file, max_page_bytes=1 << 20))
        hit = sum(1 for end in starts[1:] if end <= at)
        found = {item.url for item in records(result)}
        missing = {f"http://e.org/{n}" for n in range(40)} - found
        # A zstd frame without a checksum may decode, to a record of another length. Of gzip members on a pipe,
        # some that were decoded together with the damaged one may go with it.
        more = 0 if compression == ".gz" and seekable else 1
        assert missing <= {f"http://e.org/{n}" for n in range(hit, hit + 1 + more)}
        broken = [item for item in skips(result) if item.reason == "truncated"]
        assert len(broken) <= 1
        if compression == ".gz" and broken:
            assert broken[0].source.position == starts[hit]


def test_members_in_members_take_linear_time(tmp_path):
    """Each of many members begins with a record, and breaks at the end of the file."""
    start = time.process_time()
    data = b""
    for _ in range(2000):
        head = zlib.compressobj(0, wbits=31)
        data += head.compress(b"WARC/1.0\r\n" + b"x" * 20) + head.flush(zlib.Z_FULL_FLUSH)
        data += b"\0\xff\xff\x00\x00"  # a stored block of 65,535 bytes, which holds what follows
    path = tmp_path / "x.warc.gz"
    path.write_bytes(data + b"\xff" * 100)
    result = read(path)
    assert all(item.reason == "truncated" for item in skips(result))
    assert time.process_time() - start < 20


@pytest.mark.parametrize("length", ["abc", "-5", "", "99999999999999999999999", "1e3"])
def test_a_content_length_that_is_none(tmp_path, length):
    bad = record(http(BODY)).replace(
        b"Content-Length: %d" % len(http(BODY)), f"Content-Length: {length}".encode()
    )
    path = tmp_path / "x.warc"
    path.write_bytes(page(1) + bad + page(2))
    first, broken = read(path)
    assert first.url == "http://e.org/1"
    assert broken.reason == "truncated"


ENCODED = {
    "gzip": (["Content-Encoding: gzip"], gzip.compress(BODY)),
    "x-gzip": (["content-encoding: X-GZIP"], gzip.compress(BODY)),
    "two members": (["Content-Encoding: gzip"], gzip.compress(BODY[:99]) + gzip.compress(BODY[99:])),
    "junk after gzip": (["Content-Encoding: gzip"], gzip.compress(BODY) + b"\0\0junk"),
    "zlib": (["Content-Encoding: deflate"], zlib.compress(BODY)),
    "raw deflate": (["Content-Encoding: deflate"], raw_deflate(BODY)),
    "br": (["Content-Encoding: br"], brotli.compress(BODY)),
    "zstd": (["Content-Encoding: zstd"], zstandard.compress(BODY)),
    "identity": (["Content-Encoding: identity"], BODY),
    "two codings": (["Content-Encoding: gzip, br"], brotli.compress(gzip.compress(BODY))),
    "two headers": (["Content-Encoding: gzip", "Content-Encoding: br"], brotli.compress(gzip.compress(BODY))),
    "chunked": (["Transfer-Encoding: chunked"], chunked(BODY)),
    "chunked gzip": (
        ["Transfer-Encoding: chunked", "Content-Encoding: gzip"],
        chunked(gzip.compress(BODY), 9),
    ),
    "transfer gzip": (["Transfer-Encoding: gzip, chunked"], chunked(gzip.compress(BODY))),
    # Stored decoded under the headers of the encoded response:
    "not chunked": (["Transfer-Encoding: chunked"], BODY),
    "not gzip": (["Content-Encoding: gzip"], BODY),
    "not br": (["Content-Encoding: br"], BODY),
    "not zstd": (["Content-Encoding: zstd"], BODY),
    "not deflate": (["Content-Encoding: deflate"], BODY),
    "no coding": (["Content-Encoding: utf-8"], BODY),
}


@pytest.mark.parametrize("name", ENCODED)
def test_encodings(tmp_path, name):
    headers, body = ENCODED[name]
    result = only(tmp_path, record(http(body, *headers)))
    assert result.html == BODY


UNDECODABLE = {
    "broken gzip": (
        ["Content-Encoding: gzip"],
        gzip.compress(BODY)[:20] + b"zzzz" + gzip.compress(BODY)[24:],
    ),
    "gzip's first bytes only": (["Content-Encoding: gzip"], b"\x1f\x8b\x08nonsense"),
    "not br": (["Content-Encoding: br"], b"\xff\xff\xff\xff\xff"),
    "not zstd": (["Content-Encoding: zstd"], b"\xff\xff\xff\xff\xff"),
    "compress": (["Content-Encoding: compress"], b"\x1f\x9dxyz"),
    "nine codings": (["Content-Encoding: " + ", ".join(["gzip"] * 9)], gzip.compress(BODY)),
    "endless chunk": (["Transfer-Encoding: chunked"], b"ffffffffffffffffffff\r\nhello"),
}


# By name: a gzip header holds the time, and tests that run in several processes must be called alike in all.
@pytest.mark.parametrize("name", UNDECODABLE)
def test_undecodable(tmp_path, name):
    headers, body = UNDECODABLE[name]
    result = only(tmp_path, record(http(body, *headers)))
    assert (result.reason, result.rejected) == ("undecodable", True)
    assert result.detail


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("Content-Encoding: gzip", gzip.compress(BODY * 50, mtime=0)[:-100]),
        ("Content-Encoding: zstd", zstandard.compress(BODY * 500)[:-10]),
        ("Transfer-Encoding: chunked", chunked(BODY)[:-300]),
    ],
    ids=["gzip", "zstd", "chunked"],
)
def test_a_body_that_was_cut_gives_what_it_holds(tmp_path, header, body):
    result = only(tmp_path, record(http(body, header)), limit=8 << 20)
    if header.endswith("zstd"):  # its blocks are large: nothing may come out of a small cut body
        assert isinstance(result, Record | Skip)
        return
    assert result.html
    assert (BODY * 50).startswith(result.html)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", ""])
def test_bombs_are_not_unpacked(tmp_path, coding):
    zeros = bytes(64 << 20)
    pack_body = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "br": lambda data: brotli.compress(data, quality=1),
        "zstd": zstandard.compress,
        "": bytes,
    }[coding]
    item = record(http(pack_body(zeros), f"Content-Encoding: {coding}"))
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(page(1) + item + page(2)))
    del item, zeros
    source = open_sources([str(path)], max_page_bytes=LIMIT)
    tracemalloc.start()
    result = list(source)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (result[1].reason, result[1].rejected) == ("too large", True)
    assert isinstance(result[2], Record)
    assert peak < 12 << 20


@pytest.mark.parametrize(
    ("item", "reason", "detail", "rejected"),
    [
        (record(http(BODY, status="404 Not Found")), "http status", "404", False),
        (record(http(BODY, status="301 Moved")), "http status", "301", False),
        (record(http(b"%PDF", content_type="application/pdf")), "not html", "application/pdf", False),
        (record(http(b"{}", content_type=" ")), "not html", "no content type", False),
        (record(b"x", kind="request"), "not a page", "request", False),
        (record(b"x", kind="metadata"), "not a page", "metadata", False),
        (record(b"x", kind="conversion"), "not a page", "conversion", False),
        (record(b"x", kind="somethingelse"), "not a page", "somethingelse", False),
        (record(b"x", kind="revisit"), "revisit", "", False),
        (record(http(BODY), url=""), "bad record", "no WARC-Target-URI", True),
        (record(b"\1\2\3 no headers"), "bad record", "no HTTP headers", True),
        (record(b""), "bad record", "no HTTP headers", True),
        (record(http(BODY, "X: " + "a" * 300_000)), "bad record", "HTTP headers of more than", True),
        (record(http(BODY, status="abc")), "http status", "none", False),
        (record(b"body { }", kind="resource", content_type="text/css"), "not html", "text/css", False),
        (record(b"1.2.3.4", url="dns:e.org", content_type="text/dns"), "not html", "text/dns", False),
    ],
)
def test_what_is_no_page(tmp_path, item, reason, detail, rejected):
    result = only(tmp_path, item)
    assert (result.reason, result.rejected) == (reason, rejected)
    assert result.detail.startswith(detail)
    assert result.source is not None


@pytest.mark.parametrize(
    ("item", "charset"),
    [
        (record(BODY, kind="resource", content_type="text/html; charset=latin1"), "latin1"),
        (record(BODY, kind="resource", content_type=""), None),
        (record(http(BODY, content_type='Text/HTML;charset="Shift_JIS"')), "Shift_JIS"),
        (record(http(BODY, content_type="application/xhtml+xml")), None),
        (record(http(BODY, content_type=" ")), None),
        (record(http(BODY, "X: caf\xe9", content_type="text/html;\r\n charset=utf-8")), "utf-8"),
        (record(http(BODY).replace(b"\r\n", b"\n")), "utf-8"),
        (record(http(BODY, status="200").replace(b"HTTP/1.1", b"HTTP/2")), "utf-8"),
        (record(BODY), None),
        (record(http(BODY), url="<http://e.org/>"), "utf-8"),
        (record(http(BODY), extra="X-Long: " + "y" * 200_000 + "\r\n"), "utf-8"),
    ],
)
def test_what_is_a_page(tmp_path, item, charset):
    result = only(tmp_path, item)
    assert result.html == BODY
    assert result.charset == charset
    assert result.url == "http://e.org/"


def test_not_a_warc_file(tmp_path):
    path = tmp_path / "x.warc"
    path.write_bytes(b"<html>this is not an archive")
    with pytest.raises(UserError, match=r"is not a WARC file .*--input-format"):
        open_sources([str(path)])
    path.write_bytes(b"")
    (empty,) = read(path)
    assert (empty.reason, empty.rejected) == ("truncated", True)


def test_the_media_type_is_told(tmp_path):
    """XHTML pages with empty scripts are read as XHTML if the server says so."""
    from detemplate.run.reader import page_parser

    body = b'<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/></head><body><p>text</p></body></html>'
    types = ["application/xhtml+xml; charset=utf-8", "text/html", ""]
    path = tmp_path / "x.warc"
    path.write_bytes(
        b"".join(
            record(http(body, content_type=each), url=f"http://e.org/{n}") for n, each in enumerate(types)
        )
    )
    found = records(read(path))
    assert [page.media_type for page in found] == ["application/xhtml+xml", "text/html", "text/html"]
    assert [len(page_parser("host")(page)[1].segments) for page in found] == [1, 0, 0]


@pytest.mark.parametrize("compression", [".gz", ".zst"])
def test_a_record_without_a_length_costs_no_other(tmp_path, compression):
    bad = record(http(BODY), length=0).replace(b"Content-Length: 0", b"Content-Length: x")
    path = tmp_path / "x.warc"
    path.write_bytes(pack([page(1), bad, page(2), bad, bad, page(3)], compression))
    assert [item.url for item in records(read(path))] == [f"http://e.org/{n}" for n in (1, 2, 3)]
    assert len(skips(read(path))) == 3


def test_the_limit_is_exact(tmp_path):
    assert isinstance(only(tmp_path, record(http(BODY)), limit=len(BODY)), Record)
    assert isinstance(only(tmp_path, record(http(BODY)), limit=len(BODY) - 1), Skip)
    item = record(http(gzip.compress(BODY), "Content-Encoding: gzip"))
    assert isinstance(only(tmp_path, item, limit=len(BODY)), Record)
    assert isinstance(only(tmp_path, item, limit=len(BODY) - 1), Skip)
