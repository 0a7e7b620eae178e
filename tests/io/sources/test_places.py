"""Places: an iteration that begins at one gives what an iteration from the beginning gives from there on."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import sqlite3
import tarfile
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from detemplate.errors import UserError
from detemplate.io.record import Record
from detemplate.io.sources.compression import Stored
from detemplate.io.sources.open import open_sources
from detemplate.io.sources.selection import SelectedSource
from tests.support.warc_fixtures import http, pack, page, record, warcinfo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from detemplate.io.sources.base import Source

PAGES = [(f"http://e.org/{n}", f"<p>page {n} " + "words " * (n * n % 97)) for n in range(60)]
LIMIT = 5000


def from_each_place(make: Callable[[], Source]) -> list[Any]:
    """Go through a source, then through others of its kind from each place; return the items."""
    source = make()
    told = [(item, json.loads(json.dumps(source.place))) for item in source]
    items = [item for item, _ in told]
    assert list(source) == items
    for number in {*range(0, len(told), max(1, len(told) // 12)), len(told) - 1} if told else ():
        again = make()
        again.start_at(told[number][1])
        assert list(again) == items[number + 1 :]
        assert list(again) == items  # the pass after it begins at the beginning
    return items


def opened(*paths: Path, **given: Any) -> Callable[[], Source]:
    return lambda: open_sources([str(path) for path in paths], max_page_bytes=LIMIT, **given)


def lines(*, wide: bool = False) -> list[bytes]:
    rows = [
        json.dumps({"url": url, "html": html, "n": "é"}, indent=1 if wide else None) for url, html in PAGES
    ]
    return [row.encode() + b"\n" for row in rows]


def json_files() -> dict[str, bytes]:
    plain = lines()
    odd = [
        b"\xef\xbb\xbf",
        *plain[:5],
        b"\n\n  \n",
        b"no json\n",
        b'{"url": "u", "html": "' + b"x" * 9000 + b'"}\n',
    ]
    long = b'{"url": "u", "html": "' + b"x" * 1_200_000 + b'"}\n'
    crlf = [line.replace(b"\n", b"\r\n") for line in plain]
    return {
        "plain.jsonl": b"".join(plain),
        "odd.jsonl": b"".join([*odd, b"\n" * 300_000, long, *crlf, plain[0].rstrip()]),
        "array.json": b" [" + b", ".join(plain) + b"]\n",
        "wide.json": b"".join(lines(wide=True)),
        "cut.json": b"[" + b",".join(plain)[:-30],
    }  # fmt: skip


def packed(parts: list[bytes], way: str) -> bytes:
    if way == "gz-members":
        return b"".join(gzip.compress(part, mtime=0) for part in parts)
    if way == "gz":
        return gzip.compress(b"".join(parts), mtime=0)
    if way == "zst-frames":
        return b"".join(zstandard.compress(part) for part in parts)
    return b"".join(parts)


@pytest.mark.parametrize("name", json_files())
@pytest.mark.parametrize("way", ["", "gz", "gz-members", "zst-frames"])
def test_json(name: str, way: str, tmp_path: Path) -> None:
    data = json_files()[name]
    cuts = [*range(0, len(data), 700)] if len(data) < 100_000 else [*range(0, len(data), 50_000)]
    parts = [data[at : at + cuts[1]] for at in cuts]
    path = tmp_path / (name + ("." + way.partition("-")[0] if way else ""))
    path.write_bytes(packed(parts, way))
    items = from_each_place(opened(path))
    assert sum(isinstance(item, Record) for item in items) >= 59


@pytest.mark.parametrize("way", ["", "gz", "gz-members", "zst-frames", "zst-dictionary"])
def test_warc(way: str, tmp_path: Path) -> None:
    records = [warcinfo(), *(page(n) for n in range(50))]
    path = tmp_path / f"x.warc{'.' + way.partition('-')[0] if way else ''}"
    path.write_bytes(pack(records, "zst-dictionary") if way == "zst-dictionary" else packed(records, way))
    assert len(from_each_place(opened(path))) == 51


@pytest.mark.parametrize("seed", range(12))
def test_damaged_streams(seed: int, tmp_path: Path) -> None:
    """Flipped bytes, and what a WARC reader does to go on after them."""
    chance = random.Random(seed)
    way = ("gz-members", "zst-frames", "gz", "")[seed % 4]
    noise = [chance.randbytes(chance.randrange(3000)).hex().encode() for _ in range(60)]
    records = [record(http(b"<p>" + noise[n]), url=f"http://e.org/{n}") for n in range(60)]
    items = [b'{"url": "u%d", "html": "%s"}\n' % (n, noise[n]) for n in range(60)]
    for name, parts in (("x.warc", records), ("x.jsonl", items), ("x.csv", [b"url,html\n", *items])):
        data = bytearray(packed(parts, way))
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(40, len(data))] ^= 1 << chance.randrange(8)
        path = tmp_path / (name + ("." + way.partition("-")[0] if way else ""))
        path.write_bytes(data[: chance.randrange(len(data) // 2, 2 * len(data))])
        from_each_place(opened(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("way", ["", "gz-members"])
def test_csv(encoding: str, way: str, tmp_path: Path) -> None:
    rows = [f'{url},"{html}\nsecond ""line"" é\r\n<p>"\r\n' for url, html in PAGES]
    data = "".join(["url,html\n", *rows[:20], f"u,{'x' * 9000}\n", '"open\n', *rows[20:]]).encode(encoding)
    path = tmp_path / ("x.csv.gz" if way else "x.csv")
    path.write_bytes(packed([data[at : at + 999] for at in range(0, len(data), 999)], way))
    assert len(from_each_place(opened(path))) > 20


def table() -> pa.Table:
    urls, html = zip(*PAGES, strict=True)
    return pa.table({"url": urls, "html": [None if n == 7 else page for n, page in enumerate(html)]})


@pytest.mark.parametrize("rows", [1, 7, 100])
def test_columns(rows: int, tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "x.parquet", row_group_size=rows)
    with pa.OSFile(str(tmp_path / "f.arrow"), "w") as file, pa.ipc.new_file(file, table().schema) as writer:
        writer.write_table(table(), max_chunksize=rows)
    with pa.OSFile(str(tmp_path / "s.arrow"), "w") as file, pa.ipc.new_stream(file, table().schema) as writer:
        writer.write_table(table(), max_chunksize=rows)
    for name in ("x.parquet", "f.arrow", "s.arrow"):
        assert len(from_each_place(opened(tmp_path / name))) == 60
        data = bytearray((tmp_path / name).read_bytes())
        data[len(data) // 2 : len(data) // 2 + 40] = b"\xff" * 40
        (tmp_path / name).write_bytes(data)
        with contextlib.suppress(UserError):  # the file may be refused
            from_each_place(opened(tmp_path / name))


def test_databases(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE pages (url TEXT, html TEXT)")
        database.execute(
            "INSERT INTO pages SELECT 'http://e.org/' || n, '<p>' || n FROM "
            "(WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000) SELECT n FROM c)"
        )
        long = "<p>" + "x" * 2_000_000
        for n in range(3):
            database.execute("INSERT INTO pages VALUES (?, ?)", (f"long{n}", long))
            database.execute("INSERT INTO pages VALUES (?, ?)", (f"short{n}", "<p>"))
        database.commit()
    assert len(from_each_place(opened(path))) == 3006


def test_archives_and_directories(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    for url, html in PAGES:
        name = url.removeprefix("http://e.org/")
        (folder / name[0]).mkdir(parents=True, exist_ok=True)
        (folder / name[0] / f"{name}.html").write_text(html)
    (folder / "x.pdf").write_bytes(b"%PDF")
    (folder / "gone.html").symlink_to("nowhere")
    inner = io.BytesIO()
    with (
        zipfile.ZipFile(tmp_path / "x.zip", "w") as archive,
        tarfile.open(tmp_path / "x.tar.gz", "w:gz") as tar,
    ):
        for path in sorted(folder.rglob("*.html"))[:-1]:
            archive.write(path, str(path.relative_to(folder)))
            tar.add(path, str(path.relative_to(folder)))
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("archive/a.warc.gz", pack([page(n) for n in range(9)], ".gz"))
        archive.writestr("archive/b.warc", b"".join(page(n) for n in range(9)))
    (tmp_path / "x.wacz").write_bytes(inner.getvalue())
    for name, count in (("files", 61), ("x.zip", 58), ("x.tar.gz", 58), ("x.wacz", 18)):
        assert len(from_each_place(opened(tmp_path / name))) >= count


def test_lists_and_selections(tmp_path: Path) -> None:
    names = ["a.jsonl", "b.warc.gz", "broken.parquet", "c.html", "d.jsonl", "e.html", "empty.jsonl"]
    paths = [tmp_path / name for name in names]
    paths[0].write_bytes(b"".join(lines()))
    paths[1].write_bytes(pack([page(n) for n in range(20)], ".gz"))
    pq.write_table(table(), paths[2])
    paths[3].write_text("<p>one")
    paths[4].write_bytes(b"".join(lines()) + b"cut")
    paths[5].write_bytes(b"%PDF")
    paths[6].write_bytes(b"")
    make = opened(*paths)

    def broken() -> Source:
        """Open, then break: a file that is unreadable in the middle of a run."""
        pq.write_table(table(), paths[2])
        source = make()
        paths[2].write_bytes(b"PAR1" + bytes(100))
        return source

    assert len(from_each_place(make)) > 200
    assert len(from_each_place(broken)) > 140
    for limit, sample in ((None, 0.5), (17, 1.0), (30, 0.3)):
        items = from_each_place(
            lambda limit=limit, sample=sample: SelectedSource(make(), limit=limit, sample=sample)
        )
        assert sum(isinstance(item, Record) for item in items) == limit or limit is None


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.warc", "x.warc.gz", "x.warc.zst", "x.csv"])
def test_what_is_before_a_place_is_not_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1)
    bodies = [chance.randbytes(10_000).hex().encode() for _ in range(100)]
    parts = [
        record(http(body)) if "warc" in name else b'{"url": "u", "html": "%s"}\n' % body
        for n, body in enumerate(bodies)
    ]
    if "csv" in name:
        parts = [b"url,html\n", *(b"u%d,%s\n" % (n, body) for n, body in enumerate(bodies))]
    ways = {"gz": "gz-members", "zst": "zst-frames"}
    path = tmp_path / name
    path.write_bytes(packed(parts, ways.get(name.rpartition(".")[2], "")))
    source = open_sources([str(path)])
    places = [json.dumps(source.place) for _ in source]
    read = 0
    more = Stored.more

    def counted(self: Stored) -> bytes:
        nonlocal read
        data = more(self)
        read += len(data)
        return data

    again = open_sources([str(path)])
    monkeypatch.setattr(Stored, "more", counted)
    again.start_at(json.loads(places[-5]))
    assert len(list(again)) == 4
    assert read < min(path.stat().st_size // 2, 400_000)
