"""Measures the speed of cleaning with thousands of mined expressions: automaton, RE2, Hyperscan.

The expressions are mined from the labelled sites; the text is those sites' visible text. Each engine runs in
a process of its own and is stopped after --seconds. Engines that are not installed are left out. Times
differ between machines; compare their ratios.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from benchmarks.support.processes import Overdue, memory, stream
from benchmarks.support.reports import goal
from detemplate.expressions.match import Matcher
from detemplate.expressions.mine import Miner
from detemplate.expressions.remove import clean_text
from detemplate.page.visible import visible_text
from lab.harness.command import Parser, progress, run, tell
from lab.harness.tables import table
from lab.labelled.datasets import load_sets
from lab.labelled.measure import page_or_none

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from detemplate.expressions.files import Expression
    from lab.harness.tables import Column

_EXAMPLE = """\
examples:
  python -m benchmarks.expressions_cleaning
  python -m benchmarks.expressions_cleaning --expressions 1000 --pages 20 --out -
"""
_INTRO = """\
# Cleaning with template expressions

{expressions:,} expressions, a random sample of {mined:,} that were mined from {sites} sites;
{pieces:.0f} tokens each on average, {longest:,} at most. Text: {megabytes:.1f} MB, the visible text of
{pages:,} pages of these sites. One core each. *all* is the union of all matches of all expressions, and its
removal; where an engine does less, the table says so. An engine is stopped after {seconds:.0f} s; its speed
is that up to then.
"""
_GOAL: Final = 20.0  # minimum speed of the automaton, in MB a second

Ready = tuple[Callable[[str], object], float, str]
"""A function that cleans a text, the time to compile it in seconds, and remarks."""

Engine = Callable[["list[Expression]"], Ready]  # makes such a function of expressions

Row = tuple[str, float | None, float | None, str]
"""An engine's name, its time to compile in seconds, its speed in MB a second, and remarks."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    documents, mined = _material(options.pages)
    mined.sort(key=lambda each: (each.collection, each.pattern))
    chosen = random.Random(1).sample(mined, min(options.expressions, len(mined)))
    size = sum(len(document.encode()) for document in documents) / 1e6
    rows = [_timed(name, chosen, documents, options.seconds) for name in ENGINES]
    lengths = [len(each.pieces or ()) for each in chosen]
    intro = _INTRO.format(
        expressions=len(chosen), mined=len(mined), sites=len({each.collection for each in mined}),
        pieces=sum(lengths) / max(len(lengths), 1), longest=max(lengths, default=0),
        megabytes=size, pages=len(documents), seconds=options.seconds,
    )  # fmt: skip
    columns: list[Column] = [
        ("engine", lambda row: row[0]),
        ("compile, s", lambda row: row[1], ".2f"),
        ("MB/s", lambda row: row[2], ".3g"),
        ("", lambda row: row[3]),
    ]
    reached = (rows[0][2] or 0) >= _GOAL
    told = goal(f"at least {_GOAL:.0f} MB/s with the automaton", reached=reached)
    tell(f"{intro}\n{table(columns, rows)}\n\n{told}\n", options.out)
    return 1 if options.check and not reached else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.expressions_cleaning", __doc__, _EXAMPLE)
    parser.add_argument("--expressions", type=int, default=10_000, help="how many (default 10000)")
    parser.add_argument("--pages", type=int, default=200, help="pages a site at most (default 200)")
    parser.add_argument("--seconds", type=float, default=90, help="time limit of each engine (default 90)")
    parser.add_out()
    parser.add_check()
    options = parser.parse_args(arguments)
    if options.expressions < 1 or options.pages < 2 or not options.seconds > 0:
        parser.error("--expressions must be at least 1, --pages at least 2, --seconds above 0")
    return options


def _material(pages: int) -> tuple[list[str], list[Expression]]:
    """Read the sites' visible texts, and mine them."""
    documents: list[str] = []
    mined: list[Expression] = []
    sets = load_sets(["sites"])
    with progress(len(sets)) as show:
        for number, labelled in enumerate(sets):
            show(labelled.name, number)
            miner = Miner(name=labelled.name)
            for page in itertools.islice(labelled.pages(), pages):
                if (parsed := page_or_none(page.url, page.html)) is not None:
                    documents.append(visible_text(parsed).text)
                    miner.add(documents[-1])
            mined += miner.mine().expressions
    random.Random(1).shuffle(documents)  # an engine that is stopped has cleaned pages of all sites
    return documents, mined


def _timed(name: str, expressions: list[Expression], documents: list[str], seconds: float) -> Row:
    """Run an engine in a process of its own, until the time limit."""
    row: Row = (name, None, None, "")
    # The limit is on processor time; the clock is ahead of it when others use the machine.
    try:
        for compiled, rate, remark in stream(_measure, 8 * seconds, name, expressions, documents, seconds):
            row = (name, compiled, rate, remark)
    except Overdue as why:
        if "over" not in str(why):
            return name, row[1], None, "ended without a result (out of memory?)"
        done = "compiling" if row[1] is None else "the first text"
        return name, row[1], None, f"stopped in {done} after {8 * seconds:.0f} s"
    return row


def _measure(
    name: str, expressions: list[Expression], documents: list[str], seconds: float
) -> Iterator[tuple[float | None, float | None, str]]:
    """Yield the time to compile, the speed and remarks: before and after cleaning."""
    before = memory(peak=True)
    try:
        clean, compiled, remark = ENGINES[name](expressions)
    except ImportError:
        yield None, None, "not installed"
        return
    except Exception as error:  # noqa: BLE001  # each engine has its own errors
        yield None, None, f"{type(error).__name__}: {error}"
        return
    yield compiled, None, remark
    rate = _rate(clean, documents, seconds)
    yield compiled, rate, f"{remark}; {(memory(peak=True) - before) / 2**20:,.0f} MB"


def _rate(clean: Callable[[str], object], documents: list[str], seconds: float) -> float:
    """Measure a function's speed in MB a second."""
    start = time.process_time()
    done = 0
    for document in documents:  # one short text at a time, so that even the slowest engine is measured
        clean(document)
        done += len(document.encode())
        if time.process_time() - start > seconds:
            break
    return done / 1e6 / max(time.process_time() - start, 1e-9)


def _automaton(expressions: list[Expression]) -> Ready:
    start = time.process_time()
    matcher = Matcher(expressions)
    return lambda text: clean_text(text, matcher), time.process_time() - start, "all"


def _re2_alone(expressions: list[Expression]) -> Ready:
    import re2  # type: ignore[import-untyped]

    start = time.process_time()
    compiled = [re2.compile(each.pattern.encode()) for each in expressions]

    def clean(text: str) -> None:
        data = text.encode()
        for expression in compiled:
            for _ in expression.finditer(data):
                pass

    return clean, time.process_time() - start, "matches that do not overlap; no removal"


def _re2_set(memory: int) -> Engine:
    def engine(expressions: list[Expression]) -> Ready:
        import re2

        start = time.process_time()
        options = re2.Options()
        options.max_mem = memory
        options.log_errors = False
        chosen = re2.Set.SearchSet(options)
        for each in expressions:
            chosen.Add(each.pattern.encode())
        chosen.Compile()
        seconds = time.process_time() - start
        return lambda text: chosen.Match(text.encode()), seconds, "only which expressions match"

    return engine


def _hyperscan(*, starts: bool) -> Engine:
    def engine(expressions: list[Expression]) -> Ready:
        import hyperscan  # type: ignore[import-not-found, unused-ignore]

        flag = hyperscan.HS_FLAG_SOM_LEFTMOST if starts else 0
        fit = []
        for pattern in (each.pattern.encode() for each in expressions):
            try:
                hyperscan.Database().compile([pattern], flags=flag)
            except hyperscan.error:
                continue
            fit.append(pattern)
        start = time.process_time()
        database = hyperscan.Database()
        database.compile(fit, ids=list(range(len(fit))), flags=[flag] * len(fit))
        seconds = time.process_time() - start
        found: list[tuple[int, int]] = []

        def on_match(which: int, start: int, stop: int, flags: int, context: object) -> None:  # noqa: ARG001
            found.append((start, stop))

        def clean(text: str) -> None:
            found.clear()
            database.scan(text.encode(), match_event_handler=on_match)

        what = "starts and ends" if starts else "ends only"
        refused = len(expressions) - len(fit)
        return clean, seconds, f"{what}; no removal; refuses {refused:,} expressions as too large"

    return engine


ENGINES: Final[dict[str, Engine]] = {
    "automaton (this package)": _automaton,
    "RE2, one by one": _re2_alone,
    "RE2 set, 64 MB": _re2_set(64 << 20),
    "RE2 set, 2 GB": _re2_set(2 << 30),
    "Hyperscan": _hyperscan(starts=False),
    "Hyperscan with starts": _hyperscan(starts=True),
}


if __name__ == "__main__":
    run(main)
