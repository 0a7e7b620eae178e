"""HTML files in ZIP and tar files, and WACZ files."""

import gzip
import io
import struct
import sys
import tarfile
import tracemalloc
import zipfile

import pytest
import zstandard

from detemplate.errors import UserError
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import read, records, skips
from tests.support.warc_fixtures import pack, page

HTML = b"<!doctype html><p>page"
MEMBERS = {
    "a/index.html": HTML,
    "a/b/no suffix": HTML,
    "a/view.php": HTML,
    "a/style.css": b"a {}",
    "../../etc/passwd.html": HTML,
    "/abs\\x.html": HTML,
    "packed.html.gz": gzip.compress(HTML),
    "inner.zip": b"PK\x03\x04",
    "inner.tar.gz": b"",
    "large.html": b"<p>" + b"x" * 5000,
    "é.html": HTML,
}
URLS = [
    "a/index.html", "a/b/no%20suffix", "a/view.php", "etc/passwd.html", "abs/x.html", "packed.html.gz",
    "%C3%A9.html",
]  # fmt: skip


def zipped(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def tarred(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


ARCHIVES = {
    "x.zip": zipped(MEMBERS),
    "x.tar": tarred(MEMBERS),
    "x.tgz": gzip.compress(tarred(MEMBERS)),
    "x.tar.gz": gzip.compress(tarred(MEMBERS)),
    "x.tar.zst": zstandard.compress(tarred(MEMBERS)),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_pages(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(ARCHIVES[name])
    source = open_sources([str(path)], max_page_bytes=1000)
    for _ in range(2):
        result = list(source)
        assert [item.url for item in records(result)] == [f"{path.as_uri()}/{url}" for url in URLS]
        assert {item.html for item in records(result)} == {HTML}
    based = open_sources([str(path)], base_url="https://e.org", max_page_bytes=1000)
    assert [item.url for item in records(based)] == [f"https://e.org/{url}" for url in URLS]
    reasons = {item.source.relative: (item.reason, item.rejected) for item in skips(result) if item.source}
    assert reasons == {
        "a/style.css": ("not html", False),
        "inner.zip": ("nested archive", False),
        "inner.tar.gz": ("nested archive", False),
        "large.html": ("too large", True),
    }
    relatives = [item.source.relative for item in result if item.source]
    assert all(relative and ".." not in relative and relative[0] != "/" for relative in relatives)
    assert source.bytes_read == source.total_bytes


def test_a_tar_file_on_standard_input(monkeypatch):
    data = io.BytesIO(ARCHIVES["x.tar.gz"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(data)))
    assert len(records(open_sources(["-"]))) == len(URLS) + 1
    for start, kind in ((ARCHIVES["x.zip"], "ZIP and WACZ"), (b"SQLite format 3\0", "SQLite")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(start))))
        with pytest.raises(UserError, match=f"{kind} files cannot be read from standard input"):
            open_sources(["-"])


def test_headers_of_a_tar_file_do_not_fill_the_memory(tmp_path):
    """An extended header may claim any size; tarfile would hold it."""
    info = tarfile.TarInfo("x")
    info.type = tarfile.XHDTYPE
    info.size = 200 << 20
    path = tmp_path / "x.tar.gz"
    good = tarred({"a.html": HTML})[:1024]
    path.write_bytes(gzip.compress(good + info.tobuf() + b"\0" * info.size, 1))
    tracemalloc.start()
    first, last = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert first.url.endswith("a.html")
    assert "headers of over" in last.detail
    assert peak < 32 << 20


def test_links_and_sparse_files(tmp_path):
    link = tarfile.TarInfo("link.html")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    path = tmp_path / "x.tar"
    path.write_bytes(link.tobuf() + tarred({"a.html": HTML}))
    skip, page_read = read(path)
    assert (skip.reason, skip.detail, skip.rejected) == ("not html", "no regular file", False)
    assert page_read.url.endswith("a.html")
    sparse = tarfile.TarInfo("s.html")
    sparse.type = tarfile.GNUTYPE_SPARSE
    path.write_bytes(sparse.tobuf(tarfile.GNU_FORMAT) + tarred({"a.html": HTML}))
    (skip,) = read(path)
    assert "sparse" in skip.detail


def test_zip_files_that_are_damaged(tmp_path):
    members = {"a.html": HTML * 100, "b.html": HTML + b"unlike", "c.html": HTML}
    whole = zipped(members, zipfile.ZIP_STORED)
    path = tmp_path / "x.zip"
    path.write_bytes(whole.replace(b"unlike", b"UNLIKE"))  # the checksum is wrong
    first, bad, last = read(path)
    assert (first.url[-6:], last.url[-6:]) == ("a.html", "c.html")
    assert (bad.reason, bad.rejected) == ("unreadable", True)
    assert "CRC" in bad.detail
    for data in (whole[:-30], b"", b"PK\x03\x04", b"hello"):
        path.write_bytes(data)
        with pytest.raises(UserError, match="cannot be read as a ZIP file"):
            open_sources([str(path)])
    encrypted = bytearray(zipped({"a.html": HTML}))
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        encrypted[encrypted.index(magic) + place] |= 1
    path.write_bytes(encrypted)
    (bad,) = read(path)
    assert (bad.reason, bad.rejected) == ("unreadable", True)
    assert "encrypted" in bad.detail
    path.write_bytes(zipped({"a.html": HTML}, zipfile.ZIP_LZMA))
    (bad,) = read(path)
    assert bad.detail == "compression 14 of ZIP files is not read"


def test_decompression_bombs(tmp_path):
    """No member is unpacked beyond the limit; members that share their data are refused."""
    path = tmp_path / "x.zip"
    path.write_bytes(zipped({f"{n}.html": bytes(50 << 20) for n in range(3)}))
    tracemalloc.start()
    result = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [item.reason for item in skips(result)] == ["too large"] * 3
    assert peak < 16 << 20
    data = zipped({f"{n}.html": b"<p>" + bytes(1000 * 1000) for n in range(50)})
    entries = data.index(b"PK\x01\x02")
    central = bytearray(data[entries:])
    at = 0
    while (at := central.find(b"PK\x01\x02", at)) >= 0:  # all members at the place of the first
        struct.pack_into("<I", central, at + 42, 0)
        at += 46
    first = data[: data.index(b"PK\x03\x04", 10)]
    end = central.index(b"PK\x05\x06")
    struct.pack_into("<I", central, end + 16, len(first))
    path.write_bytes(first + central)
    with pytest.raises(UserError, match="its members overlap"):
        open_sources([str(path)])


def wacz(warcs):
    others = {
        "datapackage.json": b"{}",
        "pages/pages.jsonl": b'{"format": "json-pages-1.0"}\n',
        "indexes/index.cdx": b"",
    }
    return zipped({**{f"archive/{name}": data for name, data in warcs.items()}, **others}, zipfile.ZIP_STORED)


def test_wacz(tmp_path):
    path = tmp_path / "x.wacz"
    warcs = {"b.warc.gz": pack([page(2), page(3)], ".gz"), "a.warc": pack([page(1)], ""), "c.txt": b"no WARC"}
    path.write_bytes(wacz(warcs))
    source = open_sources([str(path)])
    for _ in range(2):
        assert [item.url for item in records(source)] == [f"http://e.org/{n}" for n in (1, 2, 3)]
    assert records(source)[0].source.path == f"{path}/archive/a.warc"
    path.write_bytes(zipped(MEMBERS))
    with pytest.raises(UserError, match="no WARC files"):
        open_sources([str(path)])
    path.write_bytes(wacz(warcs)[:-40])
    with pytest.raises(UserError, match="cannot be read as a ZIP file"):
        open_sources([str(path)])
    cut = pack([page(2), page(3)], ".gz")
    path.write_bytes(wacz({"a.warc.gz": cut[: len(cut) // 2 + 30]}))
    *pages, broken = read(path)
    assert [item.url for item in pages] == ["http://e.org/2"]
    assert (broken.reason, broken.rejected) == ("truncated", True)
