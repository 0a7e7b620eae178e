"""``detemplate crawl`` on sites that real servers serve."""

import gzip
import json

from benchmarks.support.siteserver import Answer, SiteServer
from tests.support.crawls import answers, cleaned_again, records, rows, site
from tests.support.hostileserver import hostile_server


def test_a_site_comes_back_whole(crawl, tmp_path):
    pages = site(40)
    with SiteServer(pages, compressed=True) as server:
        run = crawl(
            server.url(),
            *["-o", "c.warc.gz", "--clean", "c.jsonl", "--summary", "s.json", "--contact", "me@a.org"],
        )
        assert run.code == 0, run.err
        asked = server.targets
    # every page once, breadth-first, under a name that says who asks
    assert len(asked) == len(set(asked)) == 40
    assert asked[1].endswith("/1.html")
    assert {one.agent for one in server.log} == {f"detemplate/{version()} (+me@a.org)"}
    assert server.log[0].target == "/robots.txt"
    # another tool reads the pages, decoded, with their digests
    assert answers(tmp_path / "c.warc.gz") == {
        server.url(path=path): html.encode() for path, html in pages.items()
    }
    kinds = [kind for kind, *_ in records(tmp_path / "c.warc.gz")]
    assert kinds[0] == "warcinfo"
    assert kinds.count("request") == kinds.count("response") == 41
    # pages were cleaned as they arrived, which is what one pass over the file gives
    found = rows(tmp_path / "c.jsonl")
    assert found == cleaned_again(tmp_path / "c.warc.gz")
    assert len(found) == 40
    assert "All rights" not in found[-1]["text"]
    summary = json.loads((tmp_path / "s.json").read_text())
    assert (summary["pages"], summary["sites"], summary["responses"], summary["waiting"]) == (40, 1, 40, 0)
    assert summary["bytes"] == (tmp_path / "c.warc.gz").stat().st_size


def version():
    from detemplate import __version__

    return __version__


MIXED = {
    "/robots.txt": Answer(b"User-agent: *\nDisallow: /secret\n", type="text/plain"),
    "/": "<title>t</title><p>start <a href='/moved'>m</a> <a href='/gone'>g</a> <a href='/secret/a'>s</a>"
    "<a href='/image'>i</a> <a href='/notes.txt'>n</a> <a href='/notes'>n</a> <a href='/slow'>s</a>"
    "<a href='http://127.0.0.2:1/'>o</a> <a href='/loop'>l</a> <a href='/away'>a</a> <a href='/big'>b</a>"
    "<a href='/frame'>f</a> <a href='/twin1'>t</a> <a href='/twin2'>t</a> <a href='/cut'>c</a> <a href='/bomb'>b</a>"
    "<a href='/bad'>b</a> <a href='/x;jsessionid=1?PHPSESSID=7'>x</a> <a href='/x?utm_source=y'>x</a>"
    "<a href='/untyped'>u</a> <a href='mailto:a@b.c'>m</a> <a href='/data.zip'>z</a>",
    "/moved": Answer(status=301, headers={"Location": "/there"}, type=""),
    "/there": "<title>there</title><p>the page after a redirect",
    "/gone": Answer(b"<h1>gone</h1>", 410),
    "/secret/a": "<p>not to be fetched",
    "/image": Answer(b"\x89PNG" + bytes(300_000), type="image/png"),
    "/notes": Answer(b"just notes", type="text/plain"),
    "/slow": Answer(b"<p>never waited for", wait=8),
    "/loop": Answer(status=302, headers={"Location": "/loop?again"}, type=""),
    "/away": Answer(status=302, headers={"Location": "http://127.0.0.2:1/"}, type=""),
    "/big": Answer(b"<p>" + b"x" * 300_000),
    "/frame": "<meta http-equiv='Refresh' content='0; url=/after'><p>wait",
    "/after": "<title>after</title><p>the page after a refresh",
    "/twin1": "<title>twin</title><p>" + "two pages have these very words " * 5 + "<a href='deep/1'>d</a>",
    "/twin2": "<title>twin</title><p>" + "two pages have these very words " * 5 + "<a href='deep/1'>d</a>",
    "/deep/1": "<p>deep down",
    "/cut": Answer(b"<p>the end of this is missing" * 20, cut=100),
    "/bomb": Answer(gzip.compress(bytes(10_000_000)), headers={"Content-Encoding": "gzip"}),
    "/bad": Answer(b"this is no gzip at all", headers={"Content-Encoding": "gzip"}),
    "/x": "<p>one page with many session ids",
    "/untyped": Answer(b"<!doctype html><title>u</title><p>no type was told", type=""),
}


def test_all_that_servers_do(crawl, tmp_path):
    pages = dict(MIXED)
    for step in range(15):
        pages["/loop" + "?again" + "x" * step] = Answer(
            status=302, headers={"Location": f"/loop?again{'x' * (step + 1)}"}, type=""
        )
    with SiteServer(pages) as server:
        options = ("--rejects", "r.jsonl", "--every-skip", "--retries", 0, "--max-fetch-seconds", 2)
        run = crawl(
            server.url(), *options, "--max-page-bytes", 200_000, "-o", "c.warc", "--summary", "s.json"
        )
        assert run.code == 0, run.err
        base = server.url(path="")
    skips = {row["url"].removeprefix(base): row["reason"] for row in rows(tmp_path / "r.jsonl")}
    assert {path: skips[path] for path in skips if "loop" not in path} == {
        "/moved": "http status",
        "/gone": "http status",
        "/secret/a": "robots.txt",
        "/image": "not html",
        "/notes": "not html",
        "/slow": "too slow",
        "/away": "http status",
        "/big": "too large",
        "/bomb": "too large",
        "/bad": "undecodable",
        "/cut": "cut off",
        "/twin2": "revisit",
    }
    found = answers(tmp_path / "c.warc")
    assert {url.removeprefix(base) for url in found} == {
        *[
            "/",
            "/there",
            "/image",
            "/notes",
            "/frame",
            "/after",
            "/twin1",
            "/deep/1",
            "/bomb",
            "/bad",
            "/x",
            "/untyped",
        ]
    }
    assert found[f"{base}/image"] == b""  # its download was ended when its type was known
    assert "/notes.txt" not in server.targets
    assert not [asked for asked in server.targets if "secret" in asked or "zip" in asked or "SESSID" in asked]
    assert sum("loop" in asked for asked in server.targets) == 11
    summary = json.loads((tmp_path / "s.json").read_text())
    assert summary["not_followed"] == {"other site": 2, "file type": 2, "redirects": 1}
    assert summary["pages"] == 8
    # the repeat is a revisit record, which refers to the first page
    [revisit] = [record for record in records(tmp_path / "c.warc") if record[0] == "revisit"]
    assert revisit[1] == f"{base}/twin2"
    assert {row["url"].removeprefix(base) for row in cleaned_again(tmp_path / "c.warc")} == {
        *("/", "/there", "/frame", "/after", "/twin1", "/deep/1", "/x", "/untyped")
    }


def test_answers_that_do_not_end_cost_themselves(crawl, tmp_path):
    with hostile_server() as url:
        limits = ("--retries", 0, "--max-fetch-seconds", 2, "--max-page-bytes", 200_000)
        run = crawl(url, *limits, "--rejects", "r.jsonl", "-o", "c.warc")
    assert run.code == 0, run.err
    assert {url.rpartition("/")[2] for url in answers(tmp_path / "c.warc")} == {"", "bomb", "charset"}
    skips = {row["url"].rpartition("/")[2]: row["reason"] for row in rows(tmp_path / "r.jsonl")}
    assert skips == {
        "endless": "too large", "unbounded": "too large", "bomb": "too large", "drip": "too slow", "headers": "too slow",
        "header": "unreachable", "silent": "too slow", "junk": "unreachable", "lengths": "unreachable",
        "chunks": "cut off", "cut": "cut off",
    }  # fmt: skip


def test_traps_are_bounded(crawl, tmp_path):
    def calendar(target):
        day = int(target.rpartition("=")[2] or 0)
        return f"<p>day {day}<a href='/cal?day={day + 1}'>next</a> <a href='/cal?day={day + 2}'>over</a>"

    def deeper(target):
        return f"<p>at {target} <a href='down/'>down</a>"

    pages = {
        "/": "<a href='/cal?day=1'>c</a> <a href='/maze/'>m</a> <a href='/chain/0'>c</a>",
        "/cal": calendar,
        "*": deeper,
    }
    pages |= {f"/chain/{n}": f"<p>link {n} <a href='/chain/{n + 1}'>n</a>" for n in range(40)}
    with SiteServer(pages) as server:
        run = crawl(server.url(), "--max-alike", 12, "--depth", 7, "-o", "c.warc.gz", "--summary", "s.json")
        assert run.code == 0, run.err
        asked = [target.partition("/")[2] for target in server.targets]
    assert sum(target.startswith("cal") for target in asked) == 12
    assert [target for target in asked if target.startswith("maze")] == [
        "maze/",
        *(f"maze/{'down/' * n}" for n in (1, 2, 3)),
    ]
    assert max(int(target[6:]) for target in asked if target.startswith("chain")) == 6
    summary = json.loads((tmp_path / "s.json").read_text())
    assert set(summary["not_followed"]) == {"too many alike", "trap", "too deep"}


def test_lists_of_urls_scopes_and_sitemaps(crawl, tmp_path):
    urls = "".join(f"<url><loc>http://{{host}}/only-there/{n}</loc></url>" for n in range(3))
    namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    pages = {
        "/": "<p>home of <a href='http://www.site.org/sub/'>sub</a> <a href='http://other.org/'>other</a>",
        "*": "<p>a page",
        "www.site.org/robots.txt": Answer(b"Sitemap: http://www.site.org/index.xml\n", type="text/plain"),
        "/robots.txt": Answer(b"", 404),
        "/index.xml": Answer(
            f"<?xml version='1.0'?><sitemapindex {namespace}><sitemap><loc>http://www.site.org/map.xml.gz</loc>"
            "</sitemap></sitemapindex>".encode(),
            type="application/xml",
        ),
        "/map.xml.gz": Answer(
            gzip.compress(f"<urlset {namespace}>{urls.format(host='www.site.org')}</urlset>".encode()),
            type="application/gzip",
        ),
        "site.org/": Answer(status=301, headers={"Location": "http://www.site.org/"}, type=""),
    }
    (tmp_path / "urls.txt").write_text("# two sites\nhttp://site.org/\nhttp://b.org/x/\n")
    with SiteServer(pages) as server:
        run = crawl("@urls.txt", "--sitemaps", "--proxy", server.proxy, "-o", "c.warc.gz", "--max-pages", 9)
        assert run.code == 0, run.err
        asked = set(server.targets)
    # a given site may be served under www; b.org names no sitemap, and has none at the usual place
    assert asked == {
        *(
            "site.org/",
            "www.site.org/",
            "www.site.org/sub/",
            "b.org/x/",
            "b.org/sitemap.xml",
            "site.org/sitemap.xml",
        ),
        *("www.site.org/index.xml", "www.site.org/map.xml.gz"),
        *(f"www.site.org/only-there/{n}" for n in range(3)),
    }


def test_wider_and_narrower_scopes(crawl):
    pages = {
        "/": "<a href='http://b.site.org/'>b</a> <a href='http://other.org/'>o</a> <a href='/in/1'>i</a>",
        "*": "<p>a page <a href='/in/deep/2'>d</a> <a href='/'>home</a>",
    }
    with SiteServer(pages) as server:
        options = ("--proxy", server.proxy, "--ignore-robots", "-o", "c.warc.gz")
        for scope, start, hosts in (
            ("domain", "http://a.site.org/", {"a.site.org", "b.site.org"}),
            ("any", "http://a.site.org/", {"a.site.org", "b.site.org", "other.org"}),
        ):
            server.log.clear()
            assert crawl(start, "--scope", scope, *options).code == 0
            assert {one.host for one in server.log} == hosts
        server.log.clear()
        assert crawl("http://a.site.org/in/1", "--scope", "directory", *options).code == 0
        assert [one.target for one in server.log] == ["/in/1", "/in/deep/2"]
