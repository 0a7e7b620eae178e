"""The WARC files of crawls: records, repeats, and torn ends."""

import gzip
from ipaddress import ip_address

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.support.crawls import records

pytest.importorskip("scrapy")


from scrapy import Request
from scrapy.http import Response

from detemplate.crawl.warcfile import CUT, WarcWriter, cut_last, stored

HTML = {"Content-Type": "text/html"}


def answer(number, body=None, status=200, **headers):
    text = body if body is not None else b"<p>" + b" ".join(b"word%d" % (number * step) for step in range(30))
    request = Request(f"http://a.org/{number}", meta={"depth": number, "redirect_times": 1})
    address = ip_address("1.2.3.4")
    return Response(request.url, status, HTML | headers, text, request=request, ip_address=address)


def write(path, answers):
    """Append answers."""
    payloads = {}
    if path.exists():
        list(stored(path, payloads))
    output = path.with_name(f"whole-{path.name}")
    with WarcWriter(str(output), fields={"operator": "me"}, kept=path, payloads=payloads) as writer:
        for each in answers:
            writer.write(each, each.request)
    assert output.read_bytes() == path.read_bytes()


def known(path):
    return [(one.url, one.body, one.meta["depth"], one.meta["redirect_times"]) for one, _ in stored(path, {})]


@pytest.mark.parametrize("name", ["c.warc.gz", "c.warc"])
def test_a_file_cut_anywhere_goes_on(tmp_path, name):
    path = tmp_path / name
    ends = []
    for number in range(3):
        write(path, [answer(number)])
        ends.append(path.stat().st_size)
    whole = path.read_bytes()
    for cut in [*range(0, len(whole), 11 if name.endswith("gz") else 31), len(whole)]:
        path.write_bytes(whole[:cut])
        cut_last(path)
        assert whole.startswith(path.read_bytes())
        found = known(path)
        assert len(found) - sum(end <= cut for end in ends) in {0, 1}  # a response without its request
        assert found == [
            (one.url, one.body, number, 1) for number, one in enumerate(map(answer, range(len(found))))
        ]
    write(path, [answer(7)])
    kinds = [record[0] for record in records(path)]
    assert kinds == ["warcinfo", *["response", "request"] * 2, "response", "response", "request"]


@pytest.mark.parametrize(
    "tail", [bytes(200), b"\x1f\x8b\x08", b"garbage", gzip.compress(b"no record", mtime=0), b"WARC/1.1\r\n"]
)
def test_other_ends_are_cut_off(tmp_path, tail):
    for name in ("c.warc.gz", "c.warc"):
        path = tmp_path / name
        write(path, [answer(1)])
        path.write_bytes(path.read_bytes() + tail)
        cut_last(path)
        write(path, [answer(2)])
        assert [record[1][-1:] for record in records(path) if record[0] == "response"] == ["1", "2"]


def test_repeats_are_revisits_and_come_back(tmp_path):
    path = tmp_path / "c.warc.gz"
    write(path, [answer(1), answer(2, answer(1).body)])
    write(path, [answer(3, answer(1).body), answer(4, b"small"), answer(5, b"small")])
    write(path, [answer(6, answer(1).body, 404)])
    found = {record[1][-1]: record for record in records(path) if record[0] in {"response", "revisit"}}
    assert [found[number][0] for number in "123456"] == ["response", "revisit", "revisit", *["response"] * 3]
    assert [one.body for one, _ in stored(path, {})][:3] == [answer(1).body] * 3
    assert [written.repeat for _, written in stored(path, {})] == [False, True, True, False, False, False]


def test_headers_and_bodies_are_kept_as_they_came(tmp_path):
    path = tmp_path / "c.warc.gz"
    body = gzip.compress(b"<p>packed page, longer than the least that may be a repeat of another one")
    headers = {"X-Odd": b"\xe9", "Set-Cookie": ["a=1", "b=2"], "Content-Encoding": "gzip"}
    odd = Request("http://a.org/\u00fc?q=a b")
    cut = Response(odd.url, headers=HTML, body=b"<p>odd address", flags=[CUT], request=odd)
    bare = Response("http://a.org/bare", body=b"<p>no header", request=Request("http://a.org/bare"))
    write(path, [answer(1, body, **headers), cut, bare])
    assert records(path)[-2][3] == bare.body
    first, second, _ = [one for one, _ in stored(path, {})]
    assert (first.body, first.headers[b"X-Odd"]) == (body, b"\xe9")
    assert (first.flags, second.flags) == ([], [CUT])
    assert second.url == "http://a.org/%C3%BC?q=a%20b"
    assert records(path)[1][3].startswith(b"<p>packed")
    with path.open("rb") as file:
        [_, packed, *_] = ArchiveIterator(file)
    assert packed.http_headers.statusline == "200 OK"
    assert {*packed.http_headers.headers} >= {("X-Odd", "\xe9"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")}
    assert packed.rec_headers.get_header("WARC-IP-Address") == "1.2.3.4"
