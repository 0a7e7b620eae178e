"""A crawl is polite: the servers' logs say so."""

import threading
import time
from itertools import pairwise

from benchmarks.support.siteserver import Answer, SiteServer
from tests.support.crawls import answers, rows, site

SLACK = 0.002
"""Seconds by which clocks may differ."""


def test_requests_to_one_domain_are_a_delay_apart(crawl):
    pages = {f"{host}/robots.txt": Answer(b"", 404) for host in ("a.one.org", "b.one.org", "two.org")}
    pages["*"] = "<p>of a <a href='http://b.one.org/x'>site</a> <a href='/more'>more</a>"
    with SiteServer(pages) as server:
        starts = ("http://a.one.org/", "http://b.one.org/", "http://two.org/")
        run = crawl(*starts, "--proxy", server.proxy, "-o", "c.warc.gz", "--max-pages", 5, delay=0.5)
        assert run.code == 0, run.err
        log = server.log
    for domain in ("one.org", "two.org"):
        times = [one.time for one in log if one.host.endswith(domain)]
        assert len(times) >= 3  # robots.txt counts, too
        assert all(later - earlier >= 0.5 - SLACK for earlier, later in pairwise(times)), domain
    # one domain does not wait for the other
    assert log[-1].time - log[0].time < 0.5 * (len(log) - 2)


def test_slow_servers_and_crawl_delays_are_asked_less_often(crawl):
    pages = {
        "slow.org/": "".join(f"<a href='/{n}'>{n}</a> " for n in range(5)),
        "slow.org/robots.txt": Answer(b"", 404),
        "wary.org/": "".join(f"<a href='/{n}'>{n}</a> " for n in range(5)),
        "wary.org/robots.txt": Answer(b"User-agent: detemplate\nCrawl-delay: 0.3\n", type="text/plain"),
        **{f"slow.org/{n}": Answer(b"<p>slow page", wait=0.3) for n in range(5)},
        "*": "<p>a page",
    }
    with SiteServer(pages) as server:
        starts = ("http://slow.org/", "http://wary.org/")
        run = crawl(*starts, "--proxy", server.proxy, "-o", "c.warc.gz", delay=0.01)
        assert run.code == 0, run.err
        slow = [one.time for one in server.log if one.host == "slow.org"]
        wary = [one.time for one in server.log if one.host == "wary.org"]
    # AutoThrottle: after an answer of 0.3 s, the next request waits at least as long
    assert all(later - earlier >= 0.3 - SLACK for earlier, later in list(pairwise(slow))[3:])
    assert len(wary) == 7
    assert all(later - earlier >= 0.3 - SLACK for earlier, later in list(pairwise(wary))[1:])


def test_robots_txt_is_obeyed(crawl, tmp_path):
    rules = "User-agent: detemplate\nDisallow: /no\nAllow: /no/but\n\nUser-agent: *\nDisallow: /\n"
    links = "<a href='/no/1'>1</a> <a href='/no/but'>2</a> <a href='/yes'>3</a>"
    pages = {
        "obey.org/robots.txt": Answer(rules.encode(), type="text/plain"),
        "moved.org/robots.txt": Answer(status=301, headers={"Location": "/rules.txt"}, type=""),
        "moved.org/rules.txt": Answer(b"User-agent: *\nDisallow: /no\n", type="text/plain"),
        "none.org/robots.txt": Answer(b"<p>not found", 404),
        "down.org/robots.txt": Answer(b"<p>try later", 503),
        "*": f"<p>a page {links}",
    }
    with SiteServer(pages) as server:
        starts = [f"http://{name}.org/" for name in ("obey", "moved", "none", "down")]
        options = ("--proxy", server.proxy, "--retries", 1, "--rejects", "r.jsonl", "-o", "c.warc.gz")
        run = crawl(*starts, *options)
        asked = server.targets
        assert run.code == 3  # a given site could not be crawled
        assert "1 of 4 given URLs gave no page, the first one http://down.org/" in run.err
        assert {target for target in asked if target.startswith("obey")} == {
            "obey.org/",
            "obey.org/no/but",
            "obey.org/yes",
        }
        assert {target for target in asked if target.startswith("moved")} == {
            "moved.org/rules.txt",
            "moved.org/",
            "moved.org/yes",
        }
        assert {target for target in asked if target.startswith("none")} == {
            f"none.org/{path}" for path in ("", "no/1", "no/but", "yes")
        }
        assert not [target for target in asked if target.startswith("down")]
        [lost] = rows(tmp_path / "r.jsonl")
        assert (lost["reason"], lost["detail"]) == ("robots.txt", "http://down.org/robots.txt has status 503")
        # under another name, other rules; and none for servers of one's own
        server.log.clear()
        assert crawl(starts[0], *options, "--user-agent", "another/1").code == 3
        assert not server.targets
        assert crawl(starts[0], *options, "--ignore-robots").code == 0
        assert "obey.org/no/1" in server.targets
        assert not [one for one in server.log[1:] if one.target == "/robots.txt"]


def test_a_server_that_dies_and_returns(start, tmp_path):
    pages = site(30)
    busy = iter([Answer(b"busy", 503, headers={"Retry-After": "1"}), Answer(b"busy", 429)])
    pages["/5.html"] = lambda _, page=pages["/5.html"]: next(busy, page)
    server = SiteServer(pages)
    server.start()
    crawling = start(server.url(), "-o", "c.warc.gz", "--rejects", "r.jsonl")
    end = time.monotonic() + 30
    while len(server.targets) < 10 and time.monotonic() < end:
        time.sleep(0.01)
    server.stop()
    before = len(server.targets)
    threading.Timer(1.0, server.start).start()
    run = crawling.wait()
    server.stop()
    assert run.code == 0, run.err
    assert before < 30
    assert len(answers(tmp_path / "c.warc.gz")) == 30
    assert not rows(tmp_path / "r.jsonl")
    five = [one.time for one in server.log if one.target == "/5.html"]
    assert len(five) == 3
    assert five[1] - five[0] >= 1.0 - SLACK  # as the server asked


def test_private_addresses_are_refused(tmp_path, monkeypatch):
    """Names, addresses, redirects, and through a proxy."""
    from tests.crawl.conftest import Crawling

    with SiteServer({"*": "<p>inside"}) as server:
        starts = (server.url(), f"http://localhost:{server.port}/", f"http://[::1]:{server.port}/")
        run = Crawling(tmp_path, (*starts, "-o", "c.warc.gz", "--retries", 0, "--rejects", "r.jsonl")).wait()
        assert run.code == 3
        assert {row["reason"] for row in rows(tmp_path / "r.jsonl")} == {"private address"}
        assert "3 of 3 given URLs gave no page, the first one http://127.0.0.1:" in run.err
        assert "(private address: --allow-private lets it be fetched)" in run.err
        starts = (server.url(2), "http://localhost/", "http://public.org/")
        options = ("--proxy", server.proxy, "--delay", 0, "--rejects", "r.jsonl", "-o", "c.warc.gz")
        run = Crawling(tmp_path, (*starts, *options)).wait()
        assert run.code == 3
        assert [row["reason"] for row in rows(tmp_path / "r.jsonl")] == ["private address"] * 2
        assert {one.host for one in server.log} == {"public.org"}


def test_requests_that_wait_for_robots_txt_obey_it(crawl):
    """All are there before it is: given URLs of one site."""
    pages = {
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /no\n", type="text/plain", wait=0.2),
        "*": "<p>a page",
    }
    with SiteServer(pages) as server:
        starts = [f"http://site.org/{folder}/{n}" for folder in ("yes", "no") for n in range(6)]
        run = crawl(*starts, "--proxy", server.proxy, "--scope", "any", "-o", "c.warc.gz")
        assert run.code == 3
        assert "6 of 12 given URLs gave no page" in run.err
        assert sorted(server.targets) == [f"site.org/yes/{n}" for n in range(6)]
