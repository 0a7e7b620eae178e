"""Passes in this process: pages that are worked on together give what they give one by one."""

import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from detemplate import methods
from detemplate.errors import PageError
from detemplate.io.record import Record
from detemplate.run import passes as run_passes, steps
from detemplate.run.cleaner import Engine, given_page
from detemplate.run.pagework import PageWork, Rendered
from detemplate.run.steps import cut
from detemplate.sites.learner import SiteLearner
from tests.support.forked import Forked

FINISH = Rendered(("text",))


def pages(count):
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


def told(outcomes):
    """Give the items, each with its error or its text."""
    return [
        (item, outcome.reason if isinstance(outcome, PageError) else outcome.text)
        for item, outcome in outcomes
    ]


def done(method, given_pages, limits, *, ahead):
    """Learn pages and clean them, in two passes; give the errors, and the texts."""
    with Engine(method=method, streaming=False) as cleaner:
        passes = cleaner.passes(given_page, FINISH, limits, ahead=ahead)
        learned = [error.reason if error else None for _, error in passes.learn(given_pages)]
        return [learned, told(passes.clean(given_pages))]


@given(st.lists(st.integers(0, 4) | st.none(), max_size=200), st.booleans(), st.integers(1, 20))
def test_pieces_are_bounded_and_depend_on_the_input_alone(sizes, fails, most):
    def items():
        for number, size in enumerate(sizes):
            yield None if size is None else Record(str(number), "x" * (size * steps.SIZE // 4))
        if fails:
            raise KeyError

    found = []
    with pytest.raises(KeyError) if fails else nullcontext():
        found.extend(cut(items(), lambda item: item, most))
    told = [item and int(item.url) for piece in found for item in piece.items]
    assert told == [None if size is None else number for number, size in enumerate(sizes)]
    assert [piece.number for piece in found] == list(range(len(found)))
    for piece in found:
        assert len(piece.items) > 0
        assert len(piece.pages) <= most
        assert sum(given.size for _, given in piece.pages[:-1]) < steps.SIZE
    for piece in found[:-1]:
        size = sum(given.size for _, given in piece.pages)
        assert len(piece.pages) == most or size >= steps.SIZE or len(piece.items) == most == 1


@pytest.mark.parametrize("method", [*methods()])
@pytest.mark.parametrize("size", [1, 3, 8])
def test_sites_that_are_learned_in_pieces_score_as_if_they_were_learned_at_once(method, size):
    """The states of pieces are saved, restored, and merged in order."""
    given_pages = [page for page in pages(24) if page[1] is not None]
    with Engine(method=method, streaming=False) as whole, Engine(method=method, streaming=False) as parts:
        for at in range(0, len(given_pages), size):
            alone = {}
            for url, html in given_pages[at : at + size]:
                page = whole.page(url, html)
                whole.learn(page)
                alone.setdefault(page.site, parts.work.make()).learn(page)
            for site, learner in alone.items():
                before = parts._sites[site]
                parts._sites._live[site] = before.merge(SiteLearner.from_bytes(learner.to_bytes()))
        for page in given_pages:
            one, other = (cleaner.clean(page) for cleaner in (whole, parts))
            assert one.text == other.text
            assert one.verdict.scores.tolist() == other.verdict.scores.tolist()


@pytest.mark.parametrize("room", [0, 400_000, 1 << 28])
@pytest.mark.parametrize("workers", [0, 2])
def test_pages_that_are_kept_for_the_second_pass_are_not_worked_on_again(room, workers, monkeypatch):
    """Whatever there is room for: the results are the same."""
    for name in ("passes", "workerrun"):
        monkeypatch.setattr(f"detemplate.run.{name}.KEPT", room)
    monkeypatch.setattr(steps, "PAGES", 4)
    given_pages = pages(23)
    parsed = []
    plain = PageWork.page

    def counted(self, given, **options):
        parsed.append(given.url)
        return plain(self, given, **options)

    with Engine(streaming=False, workers=workers) as cleaner:
        wanted = done("auto", given_pages, None, ahead=True)[1]
        monkeypatch.setattr(PageWork, "page", counted)
        passes = cleaner.passes(given_page, FINISH, ahead=True, keep=True)
        for _ in passes.learn(given_pages):
            pass
        learned = len(parsed)
        assert told(passes.clean(given_pages)) == wanted
    if not workers:  # in a worker, nobody counts
        again = len(parsed) - learned
        assert again == {0: 23, 1 << 28: 0}.get(room, again)
        assert room in {0, 1 << 28} or 0 < again < 23


@pytest.mark.parametrize(
    ("html", "count"), [("<p>a", 3000), ("<table><tr>" + "<td>a" * 1000, 150), ("<p>" + "<i>a" * 1500, 90)]
)
def test_pages_that_are_kept_take_no_more_than_their_room(html, count, tmp_path, monkeypatch):
    """Many small pages, pages of many small cells, and formatting that multiplies: all much larger than HTML."""
    monkeypatch.setattr(run_passes, "KEPT", 16 << 20)

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    def learn():
        with Engine(streaming=False) as cleaner:
            passes = cleaner.passes(given_page, FINISH, ahead=True, keep=True)
            given_pages = [(f"http://e.org/{number}", html) for number in range(count)]
            for _ in passes.learn(given_pages[:20]):
                pass
            before = resident()
            for _ in passes.learn(given_pages[20:]):
                pass
            print((resident() - before) >> 20, "MiB", file=sys.stderr)
            return resident() - before > 2 * run_passes.KEPT

    run = Forked(learn, tmp_path).wait()
    assert run.code == 0, run.err
