"""Pieces of large inputs: together they have the records of the whole file, each once."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import fsspec
import pytest

from detemplate.errors import UserError
from detemplate.io.record import Record
from detemplate.spark.asking import items_of
from detemplate.spark.pieces import Piece, check_spans, pieces_of
from detemplate.spark.reads import Reads
from tests.support.spark_inputs import spark_pages, write_lines, write_parquet, write_warc
from tests.support.warc_fixtures import http, pack, record

if TYPE_CHECKING:
    from pathlib import Path

READS = Reads(versions="keep")


def plain(item: Any) -> tuple[Any, ...]:
    page = item.html if isinstance(item, Record) else item.reason
    return item.url, page, item.source.path, item.source.position, item.source.record_id


def read(pieces: list[Piece], reads: Reads = READS) -> list[tuple[Any, ...]]:
    """Read all pieces, and compare where they end."""
    spans: dict[int, Any] = {}
    found = []
    for number, piece in enumerate(pieces):
        found += [
            plain(item)
            for _, item, _ in items_of(piece, reads, lambda span, n=number: spans.update({n: span}))
        ]
    check_spans(pieces, spans)
    return found


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz", "a.parquet", "a.jsonl"])
@pytest.mark.parametrize("size", [1500, 4000, 11_111])
def test_pieces_have_the_records_of_the_file(name: str, size: int, tmp_path: Path) -> None:
    pages = spark_pages()[:300]
    write = {"warc": write_warc, "parquet": write_parquet, "jsonl": write_lines}[name.split(".")[1]]
    path = tmp_path / name
    write(path, pages)
    if name == "a.warc":
        path.write_bytes(gzip.decompress(path.read_bytes()))
    whole = read([Piece(str(path))])
    pieces = pieces_of([str(path)], READS, size)
    assert len(pieces) > 1 or name == "a.jsonl"
    assert read(pieces) == whole
    assert len(whole) >= 300
    bucket = fsspec.filesystem("memory")
    bucket.pipe(f"/pieces/{name}", path.read_bytes())
    remote = f"memory://pieces/{name}"
    expected = [(url, page, remote, *rest) for url, page, _, *rest in whole]
    assert read(pieces_of([remote], READS, size)) == expected


def test_a_file_of_one_gzip_member_is_read_by_its_first_piece(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    write_warc(path, spark_pages()[:100])
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), 1))
    pieces = pieces_of([str(path)], READS, 1500)
    assert len(pieces) > 2
    assert read(pieces) == read([Piece(str(path))])
    assert not read(pieces[1:])


def test_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    write_warc(path, spark_pages()[:200])
    data = bytearray(path.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 40] = bytes(40)
    path.write_bytes(data)
    whole = read([Piece(str(path))])
    assert {row[1] for row in whole if isinstance(row[1], str)} == {"truncated", "not a page", "not html"}
    assert read(pieces_of([str(path)], READS, 2000)) == whole
    assert [row[1] for row in read(pieces_of([f"{path}-none.warc"], READS, 2000))] == ["unreadable"]


def test_what_looks_like_a_record_on_a_page_is_found_out(tmp_path: Path) -> None:
    """A WARC file within a page: its records would come twice, or those around it not at all."""
    inner = pack([record(http(b"<p>inner"), url=f"http://in.example/{n}") for n in range(20)], "")
    outer = [record(http(b"<p>outer\r\n\r\n" + inner), url=f"http://out.example/{n}") for n in range(3)]
    path = tmp_path / "a.warc"
    path.write_bytes(pack(outer, ""))
    assert [row[0] for row in read([Piece(str(path))])] == [f"http://out.example/{n}" for n in range(3)]
    with pytest.raises(UserError, match=r"cannot be split near byte .*--split-size 0"):
        read(pieces_of([str(path)], READS, 1500))


def test_sizes_that_are_none() -> None:
    from detemplate.spark.job import SparkJob

    with pytest.raises(UserError, match="at least 1,024 bytes"):
        SparkJob(method="segments", split_size=7)
    with pytest.raises(UserError, match="--versions 'best' is unknown"):
        SparkJob("segments", versions="best")
