"""Sound inputs of every kind, small, for the fuzzer of sources to damage."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import zstandard

from detemplate.files.arrow import pa, pq
from detemplate.io.sources.decoders import GZIP_MAGIC, ZSTD_MAGIC

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    Input = tuple[bytes, Callable[[bytes], bytes]]
    """Bytes to damage, and what is done with them after."""

KINDS: Final = {
    "warc": ("x.warc", "warc"),
    "jsonl": ("x.jsonl", "jsonl"),
    "csv": ("x.csv", "csv"),
    "parquet": ("x.parquet", "parquet"),
    "arrow": ("x.arrow", "arrow"),
    "sqlite": ("x.sqlite", "sqlite"),
    "zip": ("x.zip", "zip"),
    "wacz": ("x.wacz", "wacz"),
    "tar": ("x.tar", "tar"),
    "mhtml": ("x.mhtml", "mhtml"),
    "html": ("x.html", "html"),
    "text": ("x.txt", "text"),
}
"""File name and ``--input-format`` of each kind."""
PACKED_KINDS: Final = ("warc", "jsonl", "csv", "tar", "html", "mhtml", "text")
"""Kinds whose files may be compressed as a whole."""
_PAGE: Final = (
    "<!DOCTYPE html><title>Page {0}</title><nav>Home News</nav><p>Text é {0} with <b>words</b> 漢字"
)
"""A page."""


def sound_inputs(kind: str, rng: random.Random) -> list[Input]:
    """Give inputs of a kind, as they are and compressed."""
    made = _MADE[kind](rng)
    inputs: list[Input] = [(data, bytes) for data in made]
    if kind in PACKED_KINDS:
        plain = [data for data in made if not data.startswith((GZIP_MAGIC, ZSTD_MAGIC))]
        for data in plain:
            inputs += [(data, gzip.compress), (data, zstandard.compress)]
            inputs += [(gzip.compress(data), bytes), (zstandard.compress(data), bytes)]
    return inputs


def _rows(rng: random.Random) -> list[dict[str, object]]:
    return [
        {
            "url": f"http://e.org/{n}",
            "html": _PAGE.format(n),
            "score": n / 3,
            "tags": ["a", None, str(rng.random())],
        }
        for n in range(4)
    ]


def _jsonl(rng: random.Random) -> list[bytes]:
    rows = _rows(rng)
    lines = "\n".join(json.dumps(row, ensure_ascii=bool(rng.randrange(2))) for row in rows)
    return [lines.encode(), json.dumps(rows).encode(), json.dumps(rows, indent=1).encode()]


def _csv(rng: random.Random) -> list[bytes]:
    lines = [
        "url,html,note",
        *(f'{row["url"]},"{row["html"]}","a ""b""\n{rng.random()}"' for row in _rows(rng)),
    ]
    text = "\r\n".join(lines)
    return [text.encode(), text.encode("utf-16"), text.replace(",", ";").encode()]


def _record(number: int, *, coding: str = "") -> bytes:
    body = _PAGE.format(number).encode()
    if coding == "gzip":
        body = gzip.compress(body)
    elif coding == "chunked":
        body = b"".join(
            b"%x\r\n%s\r\n" % (len(body[at : at + 9]), body[at : at + 9]) for at in range(0, len(body), 9)
        )
    header = {"gzip": b"Content-Encoding: gzip\r\n", "chunked": b"Transfer-Encoding: chunked\r\n"}.get(
        coding, b""
    )
    block = b"HTTP/1.1 200 OK\r\n" + header + b"Content-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://e.org/{number}\r\n"
        f"WARC-Date: 2020-02-03T04:05:06Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-00000000000{number}>"
        f"\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def _warc(_: random.Random) -> list[bytes]:
    items = [_record(1), _record(2, coding="gzip"), _record(3, coding="chunked"), _record(4)]
    packed = [b"".join(map(pack, items)) for pack in (bytes, gzip.compress, zstandard.compress)]
    return [*packed, b"".join(items[:1])]


def _table(rng: random.Random) -> pa.Table:
    return pa.Table.from_pylist(_rows(rng))


def _parquet(rng: random.Random) -> list[bytes]:
    made = []
    for options in (
        {"compression": "none"},
        {"compression": "zstd", "use_dictionary": False, "row_group_size": 2},
    ):
        buffer = io.BytesIO()
        pq.write_table(_table(rng), buffer, **options)
        made.append(buffer.getvalue())
    return made


def _arrow(rng: random.Random) -> list[bytes]:
    made = []
    for opened in (pa.ipc.new_file, pa.ipc.new_stream):
        for compression in (None, "zstd"):
            buffer = io.BytesIO()
            table = _table(rng)
            with opened(
                buffer, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)
            ) as writer:
                writer.write_table(table)
            made.append(buffer.getvalue())
    return made


def _sqlite(rng: random.Random) -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sqlite"
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE pages (url TEXT, html TEXT, score REAL)")
        rows = [(row["url"], row["html"], row["score"]) for row in _rows(rng)]
        connection.executemany("INSERT INTO pages VALUES (?, ?, ?)", rows)
        connection.commit()
        connection.close()
        return [path.read_bytes()]


def _text(_: random.Random) -> list[bytes]:
    text = "Home News\nText é with <b>words</b> 漢字\nHome News"
    return [text.encode(), text.encode("utf-16"), text.encode("cp1252", "replace")]


def _files() -> dict[str, bytes]:
    pages = {f"a/{n}.html": _PAGE.format(n).encode() for n in range(3)}
    return pages | {"b.txt": b"text", "c.html.gz": gzip.compress(b"<p>c")}


def _zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number, (name, data) in enumerate(files.items()):
            archive.writestr(name, data, zipfile.ZIP_DEFLATED if number % 2 else zipfile.ZIP_STORED)
    return buffer.getvalue()


def _zip(_: random.Random) -> list[bytes]:
    return [_zipped(_files())]


def _wacz(rng: random.Random) -> list[bytes]:
    plain, packed, *_ = _warc(rng)
    return [_zipped({"archive/a.warc.gz": packed, "datapackage.json": b"{}", "archive/b.warc": plain})]


def _tar(_: random.Random) -> list[bytes]:
    made = []
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
            for name, data in {**_files(), "é" * 120 + ".html": b"<p>long"}.items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        made.append(buffer.getvalue())
    return made


def _mhtml(_: random.Random) -> list[bytes]:
    lines = [
        "From: <Saved by Blink>", "Snapshot-Content-Location: http://e.org/", "MIME-Version: 1.0",
        'Content-Type: multipart/related; type="text/html"; boundary="--x"', "", "----x",
        "Content-Type: text/html", "Content-Transfer-Encoding: quoted-printable",
        "Content-Location: http://e.org/", "", "<p>Text =C3=A9 and=", " more", "----x",
        "Content-Type: text/css", "", "p {}", "----x--", "",
    ]  # fmt: skip
    return ["\r\n".join(lines).encode()]


def _html(_: random.Random) -> list[bytes]:
    return [_PAGE.format(1).encode(), _PAGE.format(2).encode("utf-16")]


_MADE: Final = {
    "warc": _warc, "jsonl": _jsonl, "csv": _csv, "parquet": _parquet, "arrow": _arrow, "sqlite": _sqlite,
    "zip": _zip, "wacz": _wacz, "tar": _tar, "mhtml": _mhtml, "html": _html,
    "text": _text,
}  # fmt: skip
