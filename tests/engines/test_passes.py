"""Passes in this process: pages that are worked on together give what they give one by one."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate import Cleaner
from detemplate.engines.given import given_page
from detemplate.engines.pagework import Rendered
from detemplate.engines.passes import BATCH, BATCH_SIZE, batches
from detemplate.engines.workers.process import PageLimits
from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from detemplate.output.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

METHODS = ("auto", "segments", "shingles", "sitelevel")
FINISH = Rendered(("text",))


def pages(count: int) -> list[Any]:
    """Pages of two sites; every fifth one is broken."""
    menu = "<ul class=menu><li><a href=/>Home</a><li><a href=/b>About</ul>"
    return [
        (f"http://{'ab'[number % 2]}.example/{number}", None)
        if number % 5 == 3
        else (
            f"http://{'ab'[number % 2]}.example/{number}",
            f"<title>Page {number}</title>{menu}<h1>Page {number}</h1><p>{f'A text, number {number}. ' * 9}",
        )
        for number in range(count)
    ]


def done(method: str, given_pages: list[Any], limits: PageLimits | None, *, ahead: bool) -> list[Any]:
    """Learn pages and clean them; give the errors, and the texts."""
    with Cleaner(method=method, streaming=False) as cleaner:
        passes = cleaner.passes(given_page, FINISH, limits, ahead=ahead)
        learnt = [error.reason if error else None for _, error in passes.learn(given_pages)]
        found = [
            (item, outcome.reason if isinstance(outcome, PageError) else outcome.text)
            for item, outcome in passes.clean(given_pages)
        ]
        return [learnt, found]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("limits", [None, PageLimits(20.0)])
def test_pages_that_are_worked_on_together_give_what_they_give_one_by_one(method, limits):
    given_pages = pages(23)
    learnt, found = done(method, given_pages, limits, ahead=True)
    assert [learnt, found] == done(method, given_pages, limits, ahead=False)
    assert [item for item, _ in found] == given_pages
    assert learnt.count("empty") == 4
    assert learnt.count(None) == 19


def counting(items: list[Any], taken: list[Any]) -> Iterator[Any]:
    for item in items:
        taken.append(item)
        yield item


@pytest.mark.parametrize(("ahead", "first"), [(True, BATCH), (False, 1)])
def test_how_many_items_are_taken_before_the_first_is_given_back(ahead, first):
    with Cleaner() as cleaner:
        passes = cleaner.passes(given_page, FINISH, ahead=ahead)
        for go, count in ((passes.learn, first), (passes.clean, first), (passes.stream, 1)):
            taken: list[Any] = []
            next(go(counting(pages(20), taken)))
            assert len(taken) == count


def test_an_iterator_is_cleaned_as_it_comes():
    with Cleaner() as cleaner:
        taken: list[Any] = []
        next(cleaner.clean_many(counting(pages(20), taken)))
        assert len(taken) == 1


def test_what_is_before_an_error_is_given_back_first():
    """An error is raised in its item's turn, whoever raises it."""

    def broken() -> Iterator[Any]:
        yield from pages(2)
        raise OSError("the disk is gone")

    with Cleaner() as cleaner:
        passes = cleaner.passes(given_page, FINISH, ahead=True)
        for items, error in ((broken(), OSError), ([*pages(2), "no page", *pages(2)], UserError)):
            results = passes.clean(items)
            assert [type(outcome) for _, outcome in islice(results, 2)] == [Result, Result]
            with pytest.raises(error):
                next(results)


@pytest.mark.parametrize("guarded", [True, False])
def test_a_fault_of_a_step_costs_its_page_or_is_raised(guarded, monkeypatch):
    with Cleaner() as cleaner:
        passes = cleaner.passes(given_page, FINISH, PageLimits(20.0) if guarded else None, ahead=True)
        read = passes._read
        monkeypatch.setattr(passes, "_read", lambda page: 1 / 0 if page.url.endswith("1") else read(page))
        results = passes.clean(pages(3))
        assert isinstance(next(results)[1], Result)
        if guarded:
            assert next(results)[1].reason == "failed"
            assert isinstance(next(results)[1], Result)
            return
        with pytest.raises(ZeroDivisionError) as raised:
            next(results)
        assert "b.example/1" in raised.value.__notes__[0]


def test_the_time_of_both_steps_counts(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("detemplate.engines.limits.time.perf_counter", lambda: clock[0])

    def slowed(step: Any) -> Any:
        def slow(given_item: Any) -> Any:
            clock[0] += 3
            return step(given_item)

        return slow

    with Cleaner() as cleaner:
        passes = cleaner.passes(given_page, FINISH, PageLimits(5.0), ahead=True)
        for name, reason in (("_read", None), ("_judge", "too slow")):
            monkeypatch.setattr(passes, name, slowed(getattr(passes, name)))
            outcomes = [outcome for _, outcome in passes.clean(pages(3))]
            assert [getattr(outcome, "reason", None) for outcome in outcomes] == [reason] * 3


@given(st.lists(st.integers(0, 4), max_size=30), st.booleans())
def test_batches_are_bounded(sizes, fails):
    def items() -> Iterator[Record]:
        for number, size in enumerate(sizes):
            yield Record(str(number), "x" * (size * BATCH_SIZE // 4))
        if fails:
            raise KeyError

    found: list[list[Record]] = []
    with pytest.raises(KeyError) if fails else nullcontext():
        found.extend(batches(items()))
    assert [item.url for some in found for item in some] == [str(number) for number in range(len(sizes))]
    for some in found:
        assert 0 < len(some) <= BATCH
        assert sum(item.size for item in some[:-1]) < BATCH_SIZE
    for some in found[:-1]:
        assert len(some) == BATCH or sum(item.size for item in some) >= BATCH_SIZE


def test_pairs_are_measured_by_their_markup():
    large = ("http://e.org/", "x" * BATCH_SIZE)
    assert [len(some) for some in batches([large, large, ("u", None), ("u", "x"), None])] == [1, 1, 3]
