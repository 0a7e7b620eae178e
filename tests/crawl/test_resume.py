"""A crawl that is stopped or killed goes on, and its files are whole."""

import json
import os
import shutil
import signal
import time
from contextlib import closing

import pytest

from benchmarks.support.siteserver import Answer, SiteServer
from detemplate.crawl.warcfile import Checkpoint, cut_last
from detemplate.files.atomic import AtomicFile
from detemplate.sites.storefile import StoreFile, StoreWriter
from tests.support.commands import cli
from tests.support.crawls import answers, cleaned_again, records, rows, site


class HeldServer(SiteServer):
    """Answers no more than so many requests until it may answer more: no crawl ends before it is stopped."""

    most = 10**9

    def answer(self, host, target, agent):
        found = super().answer(host, target, agent)
        while len(self.targets) > self.most:
            time.sleep(0.005)
        return found


def held_at(server, number):
    """Wait until a crawl, which asks for one page after the other, has so many answers and waits for the next."""
    end = time.monotonic() + 120
    while len(server.targets) <= number and time.monotonic() < end:
        time.sleep(0.005)
    assert len(server.targets) == number + 1


def test_killed_again_and_again(start, tmp_path):
    """Nothing that is in the WARC file is fetched again; the file, torn each time, and all outputs get whole."""
    pages = site(40)
    pages["/old"] = Answer(status=301, headers={"Location": "/new"}, type="")
    pages["/new"] = "<p>the page behind a redirect <a href='/twin'>t</a>"
    pages["/twin"] = pages["/3.html"]
    pages["/"] = pages["/"].replace("</main>", "<p><a href='/old'>old</a> <a href='/gone'>gone</a></main>")
    words = ("--checkpoint", "progress", "-o", "c.warc.gz", "--clean", "c.jsonl", "--rejects", "r.jsonl")
    words += ("--store", "t.db", "--every-skip")
    grown = tmp_path / "progress" / "crawl.warc.gz"
    with HeldServer(pages) as server:
        done, stored = 0, set()
        for kills in (1, 2, 3):
            server.most = 13 * kills
            crawling = start(server.url(), *words)
            held_at(server, 13 * kills)
            crawling.send(signal.SIGKILL)
            with pytest.raises(AssertionError):
                assert crawling.wait().code == 0
            assert not (tmp_path / "c.warc.gz").exists()
            size = grown.stat().st_size
            if kills == 1:  # the last record is torn
                with grown.open("r+b") as file:
                    file.truncate(size - 40)
            elif kills == 2:  # garbage of a file system that lost its last block
                with grown.open("ab") as file:
                    file.write(bytes(100))
            copy = tmp_path / "copy.warc.gz"
            shutil.copy(grown, copy)
            cut_last(copy)
            kept = {url.partition("//")[2] for url in answers(copy)}
            assert len(kept) > 8 * kills
            assert not stored & set(server.targets[done:])
            done, stored = len(server.targets), kept
        server.most = HeldServer.most
        run = start(server.url(), *words).wait()
        assert run.code == 0, run.err
        asked = server.targets
    assert "of the answers were there before" in run.err
    assert not stored & set(asked[done:])
    assert len(set(asked)) == 44
    assert not (tmp_path / "progress").exists()
    found = answers(tmp_path / "c.warc.gz")
    base = server.url(path="")
    assert {url.removeprefix(base) for url in found} == {*pages} - {"/old", "/twin"}
    assert [record[0] for record in records(tmp_path / "c.warc.gz")].count("warcinfo") == 1
    assert [record[1] for record in records(tmp_path / "c.warc.gz") if record[0] == "revisit"] == [
        f"{base}/twin"
    ]
    # the cleaned pages are those of a run that was never killed
    cleaned = rows(tmp_path / "c.jsonl")
    assert cleaned == cleaned_again(tmp_path / "c.warc.gz")
    assert len(cleaned) == 41
    skips = {row["url"].removeprefix(base): row["reason"] for row in rows(tmp_path / "r.jsonl")}
    assert skips == {"/old": "http status", "/gone": "http status", "/twin": "revisit"}
    cli("store", "show", tmp_path / "t.db")


def test_ctrl_c_says_how_to_go_on(start, tmp_path):
    pages = {path: Answer(html.encode(), wait=0.02) for path, html in site(40).items()}
    words = ("-o", "c.warc.gz", "--clean", "c.jsonl")
    with HeldServer(pages) as server:
        server.most = 12
        crawling = start(server.url(), *words)
        held_at(server, 12)
        crawling.send(signal.SIGINT)
        server.most = HeldServer.most
        run = crawling.wait()
        assert run.code == 130
        assert "interrupted; 12 pages so far, in " in run.err
        assert "c.warc.gz.partial and c.jsonl.partial" in run.err
        kept = answers(tmp_path / "c.warc.gz.partial")
        assert 10 <= len(kept) < 40
        assert {row["url"] for row in rows(tmp_path / "c.jsonl.partial")} == set(kept)

        server.log.clear()
        server.most = 12
        crawling = start(server.url(), *words, "--checkpoint", "progress")
        held_at(server, 12)
        crawling.send(signal.SIGTERM)
        server.most = HeldServer.most
        run = crawling.wait()
        assert run.code == 143
        assert "run the same command again to go on from progress" in run.err
        # another crawl is refused, one with more haste is not
        other = start(server.url(path="/x"), *words, "--checkpoint", "progress").wait()
        assert other.code == 2
        assert "is the checkpoint of another crawl (starts was" in other.err
        run = start(server.url(), *words, "--checkpoint", "progress", "--max-pages", 30).wait()
        assert run.code == 0, run.err
    assert len(answers(tmp_path / "c.warc.gz")) == len(rows(tmp_path / "c.jsonl")) == 30


@pytest.mark.parametrize(
    ("where", "again"),
    [((StoreWriter, "close"), True), ((Checkpoint, "close"), False)],
    ids=["before", "after"],
)
def test_pages_are_learned_once_by_a_crawl_that_is_killed_when_it_writes_its_store(
    where, again, start, tmp_path, monkeypatch
):
    words = ("--checkpoint", "progress", "-o", "c.warc", "--clean", "d/", "--store", "t.db")
    with SiteServer(site(12)) as server:
        with monkeypatch.context() as patch:
            patch.setattr(*where, lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            assert start(server.url(), *words).wait().code == -signal.SIGKILL
        written = (tmp_path / "t.db").read_bytes() if (tmp_path / "t.db").exists() else b""
        grown = (tmp_path / "progress" / "crawl.warc").read_bytes()
        server.log.clear()
        run = start(server.url(), *words, "--summary", "summary").wait()
        assert run.code == 0, run.err
        assert not server.log
    assert "12 pages of 1 site crawled" in run.err
    assert json.loads((tmp_path / "summary").read_text())["pages"] == 12
    assert (written != (tmp_path / "t.db").read_bytes()) == again
    with closing(StoreFile(str(tmp_path / "t.db"))) as store:
        assert [row.pages for row in store.rows()] == [12]
    assert (tmp_path / "c.warc").read_bytes() == grown
    assert len(rows(tmp_path / "d" / "index.jsonl")) == 12
    assert not (tmp_path / "progress").exists()


def test_several_sites_go_on_in_one_file(start, tmp_path):
    """Their pages come in any order, which the cleaned pages have, too; those by relevance are each there once."""
    hosts = ("a.org", "b.org", "c.org")
    pages = {
        f"{host}{path}": Answer(html.replace("<main>", f"<main><p>On {host}").encode(), wait=0.01)
        for host in hosts
        for path, html in site(30).items()
    }
    words = [f"http://{host}/" for host in hosts]
    words += [
        "--checkpoint", "progress", "-o", "c.warc.gz", "--clean", "c.jsonl", "--focus", "word77 word140",
    ]  # fmt: skip
    with HeldServer(pages) as server:
        words += ["--proxy", server.proxy]
        for most in (20, 45):
            server.most = most
            crawling = start(*words)
            end = time.monotonic() + 60
            while len(server.targets) < most + len(hosts) and time.monotonic() < end:
                time.sleep(0.005)
            crawling.send(signal.SIGKILL)
            assert crawling.wait().code == -signal.SIGKILL
        server.most = HeldServer.most
        run = start(*words).wait()
        assert run.code == 0, run.err
        assert len(server.targets) <= 90 + 2 * len(hosts)  # what was under way is asked for again
    found = answers(tmp_path / "c.warc.gz")
    assert found.keys() == {f"http://{page}" for page in pages}
    cleaned = rows(tmp_path / "c.jsonl")
    assert {row["url"] for row in cleaned} <= found.keys()
    assert len({row["url"] for row in cleaned}) == len(cleaned)
    assert cleaned == cleaned_again(tmp_path / "c.warc.gz")


@pytest.mark.parametrize("where", [(AtomicFile, "close"), (Checkpoint, "close")], ids=["before", "after"])
def test_a_crawl_that_is_killed_when_its_outputs_get_their_names_fetches_nothing_more(
    where, start, tmp_path, monkeypatch
):
    """Not even what failed: all is made of the WARC file again."""
    words = ("--checkpoint", "progress", "-o", "c.warc.gz", "--clean", "c.jsonl", "--retries", 0)
    pages = {**site(12), "/3.html": Answer(b"busy", 503)}
    with SiteServer(pages) as server:
        with monkeypatch.context() as patch:
            close = getattr(*where)

            def dying(self, *given):
                if (tmp_path / "progress" / "closing").exists():
                    os.kill(os.getpid(), signal.SIGKILL)
                close(self, *given)

            patch.setattr(*where, dying)
            assert start(server.url(), *words).wait().code == -signal.SIGKILL
        grown = (tmp_path / "progress" / "crawl.warc.gz").read_bytes()
        server.log.clear()
        run = start(server.url(), *words).wait()
        assert run.code == 0, run.err
        assert not server.log
    assert (tmp_path / "c.warc.gz").read_bytes() == grown
    assert len(rows(tmp_path / "c.jsonl")) == 11
    assert rows(tmp_path / "c.jsonl") == cleaned_again(tmp_path / "c.warc.gz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again.jsonl", "c.jsonl", "c.warc.gz"]
