"""Runs with workers: the same results, pages under hard limits, and bounded queues."""

import contextlib
import faulthandler
import json
import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path
from typing import ClassVar

import pytest

from detemplate import Cleaner
from detemplate.detectors.registry import DETECTORS, PLACES
from detemplate.detectors.segments import Segments
from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from detemplate.io.sinks.out import JsonlSink, Out
from detemplate.io.sources.open import open_sources
from detemplate.output.options import DEFAULT
from detemplate.run import steps
from detemplate.run.job import Job
from detemplate.run.limits import TOO_MUCH_MEMORY
from detemplate.run.pagework import PageWork, Rendered
from detemplate.run.run import run
from detemplate.run.workerrun import WorkerRun
from detemplate.sites.store import SiteStore
from tests.support.commands import cli, read_rows, write_rows
from tests.support.helpers import data_pages

STREAMING = [name for name, kind in DETECTORS.items() if kind.streams]


_STOPS = multiprocessing.Semaphore(0)
"""How often a worker has still to stop itself; forked workers share it."""


class Trapped(Segments):
    """``segments``, with steps that go wrong on pages whose titles say so."""

    name: ClassVar[str] = "trapped"

    def ask(self, page):
        _trap(page.title, "before")
        return super().ask(page)

    def judge(self, page, asked, answer):
        _trap(page.title, "after")
        return super().judge(page, asked, answer)


def _trap(title, when):
    if title == f"loop {when}":
        while True:
            pass
    if title == f"eat {when}":
        eaten = []
        while True:
            eaten.append(bytearray(16 << 20))
    if title == f"crash {when}":
        faulthandler.disable()  # it would tell of a fault that is wanted
        os.kill(os.getpid(), signal.SIGSEGV)
    if title == f"stop {when}" and _STOPS.acquire(block=False):
        os.kill(os.getpid(), signal.SIGSTOP)
    if title == f"sleep {when}":
        time.sleep(0.6)
    if title == f"work {when}":
        end = time.thread_time() + 0.6
        while time.thread_time() < end:
            pass
    if title == f"fail {when}":
        raise KeyError(title)


@pytest.fixture
def trapped(monkeypatch):
    monkeypatch.setitem(PLACES, "trapped", f"{__name__}:Trapped")
    return "trapped"


def row(number, title="", host="e.org"):
    html = (
        f"<title>{title or f'Page {number}'}</title><nav><a href=/>Home</a> <a href=/n>News</a></nav>"
        f"<h1>Story {number}</h1><p>Body of story {number}.</p>"
    )
    return {"url": f"http://{host}/{number}", "html": html, "number": number}


def clean(source, out, *arguments):
    cli("clean", source, "-o", out, "-q", *arguments)
    return out.read_bytes()


@pytest.fixture(scope="module")
def crawl(tmp_path_factory, data_dir):
    """Pages of several sites, mixed, with some that are no pages, and repeated URLs."""
    pages = [*data_pages(data_dir, sets=2, sites=1)]
    pages.sort(key=lambda page: page["url"][::-1])
    carried = {"lang": "en", "title": "taken", "source_title": None}  # two of them are renamed
    rows = [{"url": page["url"], "html": page["html"], **carried} for page in pages][:24]
    rows += [row(number) for number in range(12)]
    rows[5:5] = [
        rows[3],
        {"url": "http://e.org/empty", "html": ""},
        {"url": "http://e.org/pdf", "html": "%PDF-1"},
    ]
    return write_rows(tmp_path_factory.mktemp("crawl") / "crawl.jsonl", rows)


@pytest.mark.parametrize(
    ("method", "way"),
    [*((method, "two passes") for method in DETECTORS), *((method, "one pass") for method in STREAMING)],
)
def test_any_number_of_workers_gives_the_same_bytes(method, way, crawl, tmp_path):
    options = ["-m", method, "--explain", "--max-bad", "100", "--site-by", "domain"]
    if way == "one pass":
        options.append("--stream")
    outputs = []
    for workers in (0, 1, 2, 4) if method == "auto" else (0, 2):
        rejects = tmp_path / f"rejects{workers}"
        given = [*options, "--workers", str(workers), "--rejects", str(rejects)]
        outputs.append((clean(crawl, tmp_path / f"out{workers}.jsonl", *given), rejects.read_bytes()))
    assert outputs[0][0].count(b"\n") > 30
    assert b"empty" in outputs[0][1]
    assert outputs[1:] == outputs[:1] * (len(outputs) - 1)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".warc.gz", ".jsonl.zst"])
def test_every_output_is_the_same(suffix, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    source = write_rows(tmp_path / "in.jsonl", [row(number) for number in range(40)])
    first, second = (
        clean(source, tmp_path / f"out{workers}{suffix}", "--workers", workers) for workers in "02"
    )
    assert first == second


def test_spilled_and_known_sites_are_read_by_workers(tmp_path):
    rows = [row(number, host=f"{number % 7}.org") for number in range(70)]
    source = write_rows(tmp_path / "in.jsonl", rows)
    state = str(tmp_path / "state")
    pages = [(str(each["url"]), str(each["html"])) for each in rows]

    def texts(**given):
        with Cleaner("segments", streaming=False, min_df=3, **given) as cleaner:
            return [result.text for result in cleaner.clean_many(pages)]

    plain = texts()
    assert "Home" not in plain[0]
    assert texts(memory=10_000, workers=2) == plain  # at most two sites fit
    clean(source, tmp_path / "a.jsonl", "-m", "segments", "--store", state, "--set", "min_df=3")
    frozen = [
        clean(source, tmp_path / "b.jsonl", "--store", state, "--frozen", "--workers", workers)
        for workers in "02"
    ]
    assert frozen[0] == frozen[1]
    assert b"Home" not in frozen[0]


@pytest.mark.parametrize("stream", [[], ["--stream"]], ids=["two passes", "one pass"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_page_that_takes_its_worker_along_is_rejected_and_no_other(when, stream, trapped, tmp_path):
    rows = [row(number) for number in range(40)]
    wanted = {"loop": "too slow", "eat": TOO_MUCH_MEMORY, "crash": "crashed", "fail": "failed"}
    for number, kind in zip((7, 8, 20, 33), wanted, strict=True):
        rows[number] = row(number, f"{kind} {when}")
    source, rejects = write_rows(tmp_path / "in.jsonl", rows), tmp_path / "rejects"
    arguments = ["-m", trapped, "--max-page-seconds", "1", "--max-page-memory", str(80 << 20), *stream]
    given = [*arguments, "--rejects", str(rejects), "--workers", "2"]
    out = [json.loads(line) for line in clean(source, tmp_path / "out.jsonl", *given).splitlines()]
    assert [each["number"] for each in out] == [n for n in range(40) if n not in {7, 8, 20, 33}]
    lost = read_rows(rejects)
    assert [(each["url"], each["reason"]) for each in lost] == [
        (f"http://e.org/{number}", reason)
        for number, reason in zip((7, 8, 20, 33), wanted.values(), strict=True)
    ]
    without = [row(number) for number in range(40)]
    if when == "before":  # what is lost after it was learned has been learned
        without = [each for each in without if each["number"] not in {7, 8, 20, 33}]
    alone = clean(write_rows(tmp_path / "b.jsonl", without), tmp_path / "c.jsonl", "-m", "segments", *stream)
    kept = {json.loads(line)["number"]: json.loads(line)["text"] for line in alone.splitlines()}
    assert {each["number"]: each["text"] for each in out} == {
        each["number"]: kept[each["number"]] for each in out
    }


PIECES = ("<p>Some words of prose, and more. ", "<li><a href=/x>entry</a>", "<table><tr><td>1<td>2")


@pytest.mark.parametrize(
    ("piece", "method"),
    [
        ("word ", "segments"),
        *(
            pytest.param(piece, method, marks=pytest.mark.slow)
            for piece in PIECES
            for method in ("auto", "segments")
        ),
    ],
)
def test_a_page_of_thirty_megabytes_is_cleaned_or_costs_itself(piece, method, tmp_path):
    rows = [row(number) for number in range(20)]
    rows[9]["html"] = f"<h1>x</h1>{piece * (30_000_000 // len(piece))}"
    source = write_rows(tmp_path / "in.jsonl", rows)
    lost = tmp_path / "lost.jsonl"
    out = clean(source, tmp_path / "out.jsonl", "-m", method, "--workers", "2", "--rejects", str(lost))
    rejected = read_rows(lost)
    assert {each["reason"] for each in rejected} <= {"too slow", "too much memory"}
    numbers = [json.loads(line)["number"] for line in out.splitlines()]
    assert numbers == [number for number in range(20) if number != 9 or not rejected]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_worker_that_is_stopped_for_a_while_loses_no_page(when, trapped, tmp_path):
    """As by Ctrl-Z, or a machine without a processor to spare: that is no time of the page."""
    rows = [row(number, f"stop {when}" if number == 20 else "") for number in range(40)]
    source = write_rows(tmp_path / "in.jsonl", rows)
    given = ["-m", trapped, "--max-page-seconds", "0.5", "--workers", "2"]
    ended, stops = threading.Event(), []
    _STOPS.release()

    def resume():
        while not ended.wait(0.05):
            for pid in children():
                with contextlib.suppress(OSError):
                    if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T":
                        time.sleep(1)
                        stops.append(pid)
                        os.kill(pid, signal.SIGCONT)

    resuming = threading.Thread(target=resume)
    resuming.start()
    try:
        out = clean(source, tmp_path / "out.jsonl", *given)
    finally:
        ended.set()
        resuming.join()
    assert [json.loads(line)["number"] for line in out.splitlines()] == list(range(40))
    assert stops


def test_without_workers_a_failing_step_costs_its_page(trapped, tmp_path):
    source = write_rows(tmp_path / "in.jsonl", [row(0), row(1, "fail after"), row(2)])
    out = clean(source, tmp_path / "out.jsonl", "-m", trapped, "--workers", "0", "--stream")
    assert [json.loads(line)["number"] for line in out.splitlines()] == [0, 2]


def test_without_workers_a_page_takes_the_time_that_it_is_worked_on(trapped, tmp_path):
    """What a process sleeps, or is stopped, is no time of the page."""
    source = write_rows(tmp_path / "in.jsonl", [row(0), row(1, "sleep after"), row(2, "work after")])
    given = ["-m", trapped, "--workers", "0", "--max-page-seconds", "0.5"]
    out = clean(source, tmp_path / "out.jsonl", *given)
    assert [json.loads(line)["number"] for line in out.splitlines()] == [0, 1]


class Refusing(JsonlSink):
    """A sink that fails at one page, with an error of its own."""

    def write(self, row, record):
        if record.url.endswith("/2"):
            raise KeyError("no such column")
        super().write(row, record)


@pytest.mark.parametrize("workers", [0, 2])
def test_an_error_of_a_sink_ends_the_run_and_names_its_page(workers, tmp_path):
    source = open_sources([str(write_rows(tmp_path / "in.jsonl", [row(number) for number in range(5)]))])
    out = tmp_path / "out.jsonl"
    with pytest.raises(
        UserError, match=r"failed at the page .*e\.org/2.*: KeyError: 'no such column'"
    ) as told:
        run(source, Refusing(Out(str(out))), Job(method="segments", workers=workers))
    assert isinstance(told.value.__cause__, KeyError)
    assert not list(tmp_path.glob("*out*"))


def test_a_page_is_lost_for_its_own_fault_in_a_batch(trapped, tmp_path):
    """Answers that a worker had not sent when it was lost cost no other page."""
    rows = [row(number) for number in range(60)]
    wanted = list(range(3, 60, 4))
    for number in wanted:
        rows[number] = row(number, "crash before")
    source, rejects = write_rows(tmp_path / "in.jsonl", rows), tmp_path / "rejects"
    given = ["-m", trapped, "--stream", "--workers", "1", "--rejects", str(rejects)]
    clean(source, tmp_path / "out.jsonl", *given)
    lost = read_rows(rejects)
    assert [each["url"] for each in lost] == [f"http://e.org/{number}" for number in wanted]


def make():
    return Segments()


def flow(workers=2, sites=None, **given):
    work = PageWork(make, "segments", "host", None, DEFAULT, Rendered(("text",)))
    sites = SiteStore(make, Segments) if sites is None else sites
    return WorkerRun(sites, work, lambda item: item, workers=workers, **given)


def records(count):
    return (Record(str(each["url"]), str(each["html"])) for each in map(row, range(count)))


@pytest.mark.parametrize("most", [1, 8, 64])
def test_no_more_is_read_than_is_under_way(most, monkeypatch):
    """Where nobody takes the results, workers wait."""
    monkeypatch.setattr(steps, "PAGES", most)
    taken = 0

    def counted():
        nonlocal taken
        for record in records(10_000):
            taken += 1
            yield record

    with flow(ahead=True) as going:
        results = going.stream(counted())
        for _ in range(3):
            next(results)
        time.sleep(0.3)
        assert taken <= 6 * most + 3


def test_results_of_a_live_stream_come_before_its_end():
    """A reader that answers line by line must get each line before it sends the next."""
    arrived = threading.Semaphore(0)

    def live():
        for record in records(5):
            yield record
            assert arrived.acquire(timeout=20)

    with flow(1, live=True) as going:
        for number, (record, result) in enumerate(going.stream(live())):
            assert record.url.endswith(str(number))
            assert result.text
            arrived.release()
    assert number == 4


def children():
    return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


def test_workers_end_with_their_owner():
    before = children()
    going = flow()
    results = going.stream(records(1000))
    next(results)
    pids = children() - before
    assert len(pids) == 2
    going.close()
    assert not children() - before
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_there_is_a_worker_for_each_processor(tmp_path, monkeypatch):
    forks = []
    fork = os.fork

    def counted():
        forks.append(fork())
        return forks[-1]

    monkeypatch.setattr(os, "fork", counted)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 2, 5})
    clean(write_rows(tmp_path / "in.jsonl", [row(number) for number in range(40)]), tmp_path / "out.jsonl")
    assert len(forks) == 3


@pytest.mark.parametrize("workers", [0, 2])
def test_errors_are_told_as_without_workers(workers):
    pages = [(f"http://e.org/{number}", html) for number, html in enumerate(("<p>a", "", None, "<p>b"))]
    told = []
    cleaner = Cleaner("segments", workers=workers)
    results = cleaner.clean_many(iter(pages), errors=lambda url, error: told.append((url, error.reason)))
    assert [result.url for result in results] == ["http://e.org/0", "http://e.org/3"]
    assert told == [("http://e.org/1", "empty"), ("http://e.org/2", "empty")]
    with pytest.raises(PageError, match="org/1: empty"):
        list(Cleaner("segments", workers=workers).clean_many(iter(pages)))
    with pytest.raises(UserError, match="negative"):
        Cleaner(workers=-1)
