"""The options of ``detemplate crawl``, and what it says of mistakes."""

import gzip
import json
import subprocess
import sys

from benchmarks.support.siteserver import Answer, SiteServer
from detemplate import Cleaner
from tests.support.commands import cli
from tests.support.crawls import rows, site


def test_how_pages_are_cleaned(crawl, tmp_path):
    """Method, its options, sites, formats and the store are those of ``clean --stream``."""
    pages = site(12)
    words = ("--method", "segments", "--set", "min_df=3", "--site-by", "domain")
    words += ("--store", "t.db", "--format", "markdown")
    with SiteServer(pages) as server:
        run = crawl(server.url(), *words, "--clean", "c.jsonl", "--log", "log.jsonl", "-o", "c.warc.gz", "-q")
        assert (run.code, run.err) == (0, "")
        again = tmp_path / "again.jsonl"
        same = ("--method", "segments", "--set", "min_df=3", "--site-by", "domain", "--format", "markdown")
        cli("clean", tmp_path / "c.warc.gz", "--stream", *same, "-q", "-o", again)
        first = rows(tmp_path / "c.jsonl")
        assert first == rows(again)
        assert {"markdown", "method"} <= first[0].keys()
        # the next crawl begins with what this one has learned: also its first page is clean
        run = crawl(
            server.url(), "--store", "t.db", "--clean", "d.jsonl", "--max-pages", 1, "-o", "c.warc.gz"
        )
        assert run.code == 0, run.err
    assert "All rights" in first[0]["markdown"]
    assert "All rights" not in rows(tmp_path / "d.jsonl")[0]["text"]
    with Cleaner.load(tmp_path / "t.db") as cleaner:
        assert (cleaner.method, cleaner.site_by) == ("segments", "domain")
    events = [json.loads(line)["event"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert (events[0], events[-1]) == ("begin", "end")


def test_pages_that_take_too_long_or_break(crawl, tmp_path):
    deep = "<div>" * 60_000 + "<p>end"
    pages = {
        "/": "<a href='/deep'>d</a> <a href='/fine'>f</a>",
        "/deep": deep,
        "/fine": Answer(b"<p>fine \xff\xfe page"),
    }
    with SiteServer(pages) as server:
        words = ("--max-page-seconds", 1e-6, "--rejects", "r.jsonl", "--clean", "c.jsonl", "-o", "c.warc.gz")
        run = crawl(server.url(), *words)
        assert run.code == 3
        assert "the given URL gave no page: http://127.0.0.1:" in run.err
        assert "(too slow: " in run.err
        assert {row["reason"] for row in rows(tmp_path / "r.jsonl")} == {"too slow"}
        run = crawl(server.url(), "--clean", "c.jsonl", "-o", "c.warc.gz")
        assert run.code == 0, run.err
    assert len(rows(tmp_path / "c.jsonl")) == 3


def test_rules_and_records_are_those_of_clean(crawl, tmp_path):
    """Each changes the rows: rules, threshold, reasons, metadata and rendering."""
    note = "<p class=note>Mind the <b>umbrella</b>, please.</p>"
    pages = {
        url: page.replace("<p", f"{note}<p", 1) for url, page in site(6).items() if isinstance(page, str)
    }
    words = ["-f", "md,html", "--explain", "--metadata", "none", "--render", "links=none,html=scripts"]
    ruled = [*words, "--drop", ".note", "--keep", "127.0.0.1##nav", "--threshold", "0.9"]
    found = []
    for extra in (words, ruled):
        out = tmp_path / f"{len(found)}.jsonl"
        with SiteServer(pages) as server:
            run = crawl(server.url(), *extra, "--clean", out, "-o", "c.warc.gz", "-q")
            assert (run.code, run.err) == (0, "")
        again = tmp_path / "again.jsonl"
        cli("clean", tmp_path / "c.warc.gz", "--stream", *extra, "-q", "-o", again)
        found.append(rows(out))
        assert found[-1] == rows(again)
    plain, ruled_rows = found
    assert plain != ruled_rows
    assert "author" not in plain[0]
    assert any("umbrella" in row["markdown"] for row in plain)
    assert not any("umbrella" in row["markdown"] for row in ruled_rows)
    assert "you said so: drop .note" in str(ruled_rows[0]["removed"])


def test_how_pages_are_fetched(crawl, tmp_path):
    """``--fetch`` sets what options of their own set."""
    with SiteServer({"/": "<p>one"}) as server:
        for words in (
            ["--fetch", "agent=Spider/1,retries=0"],
            ["--user-agent", "Spider/1", "--retries", "0"],
        ):
            run = crawl(server.url(), *words, "-o", "c.warc.gz", "-q")
            assert run.code == 0, run.err
            assert b"\r\nUser-Agent: Spider/1\r\n" in gzip.decompress((tmp_path / "c.warc.gz").read_bytes())


def test_the_missing_extra_is_named(tmp_path):
    code = (
        "import sys; sys.modules['scrapy'] = None\nfrom detemplate.cli import main\n"
        "code = main(['crawl', 'a.org', '-o', 'c.warc'])\n"
        "try:\n    from detemplate.crawl import CleanPipeline\nexcept Exception as error:\n    print(error)\nsys.exit(code)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert run.stderr.startswith("detemplate: crawling needs an extra: ")
    assert run.stderr.rstrip().endswith("pip install 'detemplate[crawl]'")
    assert "detemplate[crawl]" in run.stdout
    assert run.stderr.count("\n") == 1
