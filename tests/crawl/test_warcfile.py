"""The WARC files of crawls: records, repeats, and torn ends."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from detemplate.crawl.fetched import Fetched
from detemplate.crawl.warcfile import WarcWriter, repair, stored
from tests.support.crawls import records

if TYPE_CHECKING:
    from pathlib import Path

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html"


def answer(number: int, body: bytes | None = None, head: bytes = HEAD) -> Fetched:
    text = body if body is not None else b"<p>" + b" ".join(b"word%d" % (number * step) for step in range(30))
    return Fetched(
        f"http://a.org/{number}",
        head,
        text,
        depth=number,
        redirects=1,
        address="1.2.3.4",
        request=b"GET / HTTP/1.1",
    )


def write(path: Path, answers: list[Fetched]) -> list[int]:
    """Append answers; give where each one ends."""
    payloads: dict = {}
    if path.exists():
        list(stored(path, payloads))
    with path.open("ab") as file:
        writer = WarcWriter(file, path.name, fields={"operator": "me"}, payloads=payloads)
        ends = [writer.size]
        for each in answers:
            writer.write(each)
            ends.append(writer.size)
    return ends


@pytest.mark.parametrize("name", ["c.warc.gz", "c.warc"])
def test_a_file_cut_anywhere_goes_on(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    ends = write(path, [answer(number) for number in range(3)])
    whole = path.read_bytes()
    for cut in [*range(0, len(whole), 11 if name.endswith("gz") else 31), len(whole)]:
        path.write_bytes(whole[:cut])
        lost = repair(path)
        kept = path.stat().st_size
        assert kept == cut - lost
        assert whole.startswith(path.read_bytes())
        complete = sum(end <= cut for end in ends[1:])
        found = [fetched for fetched, _ in stored(path, {})]
        assert len(found) - complete in {0, 1}  # the response may be there without its request
        assert [(one.url, one.body, one.depth, one.redirects) for one in found] == [
            (one.url, one.body, one.depth, 1) for one in map(answer, range(len(found)))
        ]
        assert repair(path) == 0
    write(path, [answer(7)])
    kinds = [record[0] for record in records(path)]
    assert kinds == ["warcinfo", *["response", "request"] * 4]


@pytest.mark.parametrize(
    "tail", [bytes(200), b"\x1f\x8b\x08", b"garbage", gzip.compress(b"no record", mtime=0), b"WARC/1.1\r\n"]
)
def test_other_ends_are_cut_off(tmp_path: Path, tail: bytes) -> None:
    for name in ("c.warc.gz", "c.warc"):
        path = tmp_path / name
        write(path, [answer(1)])
        whole = path.read_bytes()
        path.write_bytes(whole + tail)
        assert repair(path) == len(tail)
        assert path.read_bytes() == whole


def test_repeats_are_revisits_and_come_back(tmp_path: Path) -> None:
    path = tmp_path / "c.warc.gz"
    write(path, [answer(1), answer(2, answer(1).body)])
    write(path, [answer(3, answer(1).body), answer(4, b"small"), answer(5, b"small")])
    missing = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html"
    write(path, [answer(6, answer(1).body, missing)])
    found = {record[1][-1]: record for record in records(path) if record[0] in {"response", "revisit"}}
    assert [found[number][0] for number in "123456"] == ["response", "revisit", "revisit", *["response"] * 3]
    assert [one.body for one, _ in stored(path, {})][:3] == [answer(1).body] * 3
    assert [written.repeat for _, written in stored(path, {})] == [False, True, True, False, False, False]


def test_headers_are_kept_as_they_came(tmp_path: Path) -> None:
    path = tmp_path / "c.warc.gz"
    head = HEAD + b"\r\nX-Odd: \xe9\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Encoding: gzip"
    body = gzip.compress(b"<p>packed page, longer than the least that may be a repeat of another one")
    write(path, [answer(1, body, head), Fetched("http://a.org/ü?q=a b", HEAD, b"<p>odd address", cut=True)])
    first, second = [one for one, _ in stored(path, {})]
    assert (first.head, first.body) == (head, body)
    assert first.payload(1000).startswith(b"<p>packed")
    assert second.cut
    assert second.url == "http://a.org/%C3%BC?q=a%20b"
    assert records(path)[1][3].startswith(b"<p>packed")
