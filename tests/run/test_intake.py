"""Intakes, their limits, and how far a run has come."""

from __future__ import annotations

import json
import math
from contextlib import ExitStack

import pytest
import xxhash

from detemplate.errors import PageError, UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.selection import SelectedSource
from detemplate.run.intake import Intake, first_of_each, page_parser, record_page
from detemplate.run.limits import Clock
from detemplate.run.losses import Rejects
from detemplate.run.progress import PAGES_A_STEP, Meter
from detemplate.run.summary import Summary, run_pass


class Shown:
    """A progress that keeps what it is told."""

    def __init__(self):
        self.calls = []

    def begin(self, doing, total_bytes):
        self.calls.append((doing, total_bytes))

    def advance(self, pages, sites, bytes_read):
        self.calls.append((pages, sites, bytes_read))

    def end(self):
        self.calls.append("end")


class Source(list):
    """Records in memory."""

    rereadable = True
    total_bytes = 100
    bytes_read = 7


def intake(source, parse, **limits):
    return Intake(source, parse, **{"max_page_bytes": 100, "max_page_seconds": 9.0, **limits})


def test_whatever_a_parse_function_makes_comes_out_in_order():
    def parse(record):
        if record.html == "bad":
            raise PageError("empty", "no text")
        if record.html == "worse":
            raise RecursionError("deep")
        return record.html.upper()

    source = Source(
        [
            Record("http://a/1", "one"),
            Skip("http://a/2", "not html"),
            Record("http://a/3", "bad"),
            Record("http://a/1", "again"),
            Record("http://a/4", "worse"),
            Record("http://a/5", "x" * 101),
            Record("", "nameless"),
            Record("", "nameless"),
        ]
    )
    items = intake(source, parse)
    for _ in range(2):  # each pass makes the same choices
        assert [item if isinstance(item, str) else (item.reason, item.rejected) for item in items] == [
            "ONE",
            ("not html", False),
            ("empty", True),
            ("duplicate url", False),
            ("unparsable", True),
            ("too large", True),
            "NAMELESS",
            "NAMELESS",
        ]


@pytest.mark.parametrize("seconds", [0, -1, math.nan])
def test_no_page_can_be_done_in_no_time(seconds):
    with pytest.raises(UserError, match="above 0 seconds"):
        intake(Source(), str, max_page_seconds=seconds)


def test_pages_that_take_too_long_are_lost(monkeypatch):
    times = iter([0.0, 1.0, 2.0, 12.0])
    monkeypatch.setattr("detemplate.run.limits.time.perf_counter", lambda: next(times))
    source = Source([Record("http://a/1", "quick"), Record("http://a/2", "slow")])
    first, second = intake(source, lambda record: record.html)
    assert first == "quick"
    assert (second.reason, second.detail) == ("too slow", "10.0 s, allowed are 9 s")


def test_a_clock_counts_from_its_start(monkeypatch):
    times = iter([5.0, 5.9, 6.1])
    monkeypatch.setattr("detemplate.run.limits.time.perf_counter", lambda: next(times))
    clock = Clock(1.0)
    clock.start()
    clock.check()
    with pytest.raises(PageError, match="too slow"):
        clock.check()


@pytest.mark.parametrize(
    ("site_by", "site"), [("host", "www.a.co.uk"), ("domain", "a.co.uk"), ("directory", "www.a.co.uk/x")]
)
def test_pages_get_the_site_that_they_name_or_one_by_the_rule(site_by, site):
    parse = page_parser(site_by)
    record, page = parse(Record("http://www.a.co.uk/x/1", "<p>a"))
    assert (record.url, page.url) == ("http://www.a.co.uk/x/1",) * 2
    assert page.site.rstrip("/") == site
    assert parse(Record("http://www.a.co.uk/x/1", "<p>a", site="own"))[1].site == "own"
    same = Record("http://www.a.co.uk/x/1", "<p>a")
    assert record_page(same, site_by, keep_document=False).site == page.site


def test_unknown_ways_to_name_sites_are_refused_before_anything_is_read():
    with pytest.raises(UserError, match="way to name sites"):
        page_parser("moon")


def test_a_meter_shows_a_pass_now_and_then_and_its_end():
    shown = Shown()
    with Meter(shown, Source()) as meter:
        meter.begin("learning")
        for pages in range(1, 2 * PAGES_A_STEP + 2):
            meter.advance(pages, 3)
    assert shown.calls == [("learning", 100), (PAGES_A_STEP, 3, 7), (2 * PAGES_A_STEP, 3, 7), "end"]


def test_a_meter_shows_every_page_where_pages_take_long():
    shown = Shown()
    with Meter(shown, Source(), pages_a_step=1) as meter:
        for pages in range(1, 4):
            meter.advance(pages, 1)
    assert [call[0] for call in shown.calls[:-1]] == [1, 2, 3]


def test_a_meter_ends_where_a_run_fails():
    shown = Shown()
    with pytest.raises(ValueError, match="broken"), Meter(shown, Source()):
        raise ValueError("broken")
    assert shown.calls == ["end"]
    with Meter(None, Source()) as meter:
        meter.begin("learning")
        meter.advance(PAGES_A_STEP, 1)


def test_a_pass_counts_and_records_what_is_lost(tmp_path):
    summary = Summary("toy", 1)
    place = SourceRef("p.jsonl", 4)

    def work(item):
        if item == "bad":
            return Skip("http://a/3", "too slow", "9 s", place, rejected=True)
        summary.pages += 1
        return None

    source = Source(
        [
            Record("http://a/1", "good"),
            Skip("http://a/2", "not html"),
            Record("http://a/3", "bad"),
            Record("http://a/4", "good"),
        ]
    )
    items = intake(source, lambda record: record.html)
    with Rejects(str(tmp_path / "lost.jsonl")) as log:
        run_pass(items, work, summary=summary, rejects=log, meter=Meter(None, Source()))
    assert summary.pages == 2
    assert summary.skipped == {"not html": 1, "too slow": 1}
    assert summary.rejected == 1
    lost = [json.loads(line) for line in (tmp_path / "lost.jsonl").read_text().splitlines()]
    assert lost == [
        {"url": "http://a/3", "reason": "too slow", "detail": "9 s", "source": "p.jsonl", "position": 4}
    ]


@pytest.mark.parametrize(
    ("bad", "max_bad", "fails"), [(2, 0.5, False), (3, 0.5, True), (2, 0.4, True), (4, 1.0, False)]
)
def test_a_pass_fails_where_too_many_records_are_bad(tmp_path, bad, max_bad, fails):
    """What the source, the parse function and the work lose counts alike; what is no page does not."""

    def parse(record):
        if record.html == "bad":
            raise PageError("empty", "no text")
        return record.html

    def work(item):
        if item == "slow":
            return Skip("", "too slow", "9 s", rejected=True)
        summary.pages += 1
        return None

    ways = [
        Skip("", "bad record", "line 1: not JSON", rejected=True),
        Record("http://a/1", "bad"),
        Record("http://a/2", "slow"),
        Skip("", "bad record", "line 9: no HTML", rejected=True),
    ]
    goods = [Record(f"http://b/{n}", "good") for n in range(4 - bad)]
    others = [Skip("http://c/1", "not html"), Skip("http://c/2", "http status", "404")] * 5
    source = SelectedSource(Source([*ways[:bad], *goods, *others]), max_bad=max_bad)
    items = intake(source, parse)
    for _ in range(2):
        summary = Summary("toy", 1)
        lost = tmp_path / "lost.jsonl"
        lost.unlink(missing_ok=True)
        with ExitStack() as stack:
            if fails:
                stack.enter_context(pytest.raises(UserError, match=f"{bad} of 4 records are bad"))
            log = stack.enter_context(Rejects(str(lost)))
            run_pass(items, work, summary=summary, rejects=log, meter=Meter(None, Source()))
        assert summary.pages == 4 - bad
        assert lost.exists() != fails


def test_a_run_that_fails_leaves_no_file_of_rejects(tmp_path):
    with pytest.raises(ValueError, match="broken"), Rejects(str(tmp_path / "lost.jsonl")):
        raise ValueError("broken")
    assert not list(tmp_path.iterdir())


def test_urls_of_one_xxh64_are_two_pages():
    one, two = urls_of_one_xxh64()
    assert one != two
    assert xxhash.xxh64_intdigest(one) == xxhash.xxh64_intdigest(two)
    items = first_of_each([Record(url.decode(), "x") for url in (one, two, one)])
    assert [isinstance(item, Record) for item in items] == [True, True, False]


def urls_of_one_xxh64():
    """Make two URLs that differ in two words of one lane of XXH64, such that the lane is the same after both."""
    first, second, size = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 1 << 64

    def after(lane, data, at):
        word = int.from_bytes(data[at : at + 8], "little")
        lane = (lane + word * second) % size
        return (lane << 31 | lane >> 33) * first % size

    one = b"http://e.org/".ljust(96, b"a")
    start = after((first + second) % size, one, 0)
    for number in range(100_000):
        other = one[:32] + b"%08d" % number + one[40:]
        gap = after(start, one, 32) - after(start, other, 32)
        word = (int.from_bytes(one[64:72], "little") + gap * pow(second, -1, size)) % size
        word = word.to_bytes(8, "little")
        if word.isascii():
            return one, other[:64] + word + other[72:]
    raise AssertionError("no such URLs")
