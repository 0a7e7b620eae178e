"""Sound inputs of every kind, small, for the fuzzer of sources to damage."""

from __future__ import annotations

import gzip
import io
import json
import re
import sqlite3
import tarfile
import tempfile
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import zstandard

from detemplate.files.arrow import pa, pq
from detemplate.io.sources.members import GZIP_MAGIC, ZSTD_MAGIC

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
    "duckdb": ("x.duckdb", "duckdb"),
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

_HEADERS: Final = 3 * 4096
"""Bytes of the three headers of a DuckDB file; its blocks follow."""

_BLOCK: Final = 1 << 14
"""Bytes of a block of a DuckDB file as it is made here: the smallest that there is."""

_ZEROS: Final = bytes(4)
"""Four zero bytes stand before a number of further ones, two bytes, in a folded file."""

_UNFOLDED: Final = 1 << 20
"""Most bytes of a file that was folded."""

_PAGE: Final = (
    "<!DOCTYPE html><title>Page {0}</title><nav>Home News</nav><p>Text é {0} with <b>words</b> 漢字"
)
"""A page."""


def sound_inputs(kind: str, rng: random.Random) -> list[Input]:
    """Give inputs of a kind, as they are and compressed."""
    made = _MADE[kind](rng)
    inputs: list[Input] = [(data, bytes) for data in made]
    if kind == "duckdb":
        inputs += [(folded(data), unfolded) for data in made]
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


def _duckdb(rng: random.Random) -> list[bytes]:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.duckdb"
        with duckdb.connect() as connection:
            connection.execute(f"ATTACH '{path}' AS made (BLOCK_SIZE {_BLOCK})")
            connection.execute(
                "CREATE TABLE made.pages "
                "(url VARCHAR, html VARCHAR, score DOUBLE, tags VARCHAR[], seen TIMESTAMPTZ)"
            )
            rows = [(*row.values(), None) for row in _rows(rng)]
            connection.executemany("INSERT INTO made.pages VALUES (?, ?, ?, ?, ?)", rows)
            connection.execute("CREATE VIEW made.seen AS SELECT * FROM made.pages")
            connection.execute("DETACH made")
        return [path.read_bytes()]


def folded(data: bytes) -> bytes:
    """Give a file with its zeros counted: a DuckDB file is mostly zeros, in which damage changes nothing."""

    def counted(zeros: re.Match[bytes]) -> bytes:
        return _ZEROS + (len(zeros[0]) - len(_ZEROS)).to_bytes(2, "little")

    return re.sub(rb"\0{4,65539}", counted, data)


def unfolded(data: bytes) -> bytes:
    """Give a DuckDB file that was folded and then damaged, with the checksums of what it is now.

    DuckDB reads no header and no block that does not match its checksum.
    """
    plain = re.sub(
        rb"\0{4}(..)",
        lambda zeros: bytes(len(_ZEROS) + int.from_bytes(zeros[1], "little")),
        data,
        flags=re.DOTALL,
    )[: 1 << 20]
    plain = plain.ljust(_HEADERS, b"\0")
    starts = [*range(0, _HEADERS, 4096), *range(_HEADERS, len(plain), _BLOCK), len(plain)]
    parts = (plain[start:end] for start, end in pairwise(starts))
    return b"".join(_checksum(part[8:]) + part[8:] if any(part) else part for part in parts)


def _checksum(data: bytes) -> bytes:
    """Give DuckDB's checksum of a header or a block."""
    words = np.frombuffer(data[: len(data) // 8 * 8], "<u8") * np.uint64(0xBF58476D1CE4E5B9)
    return (5381 ^ int(np.bitwise_xor.reduce(words))).to_bytes(8, "little")


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
    "zip": _zip, "wacz": _wacz, "tar": _tar, "mhtml": _mhtml, "html": _html, "duckdb": _duckdb,
    "text": _text,
}  # fmt: skip
