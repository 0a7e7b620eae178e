"""Measures time by step, growth and memory of mining growing collections of HTML for expressions.

The pages of all sites of the measuring data, shuffled, are one collection. If there are too few, they are
repeated with other digits, so that dates and numbers are new. Each size is mined in a process of its own on
one core.
"""

from __future__ import annotations

import os
import random
import re
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final

from benchmarks.support.processes import apart, memory
from benchmarks.support.reports import measured_on
from detemplate.expressions.mine import Miner
from lab.harness.command import Parser, progress, run, write_or_print
from lab.harness.tables import table
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import load_sets

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from lab.harness.tables import Column

_EXAMPLE = """\
examples:
  python -m benchmarks.mining
  python -m benchmarks.mining --megabytes 10,20 --out -
"""
_INTRO = """\
# Mining template expressions

Pages of all sites of the measuring data as one collection, mined on their HTML, one core, a process each.
`tokenise` splits pages, numbers tokens and finds mutable patterns; `strings` is suffix array, common
prefixes, intervals and document counts; `rest` is histogram, cut-off and expressions. *CPU* is the processor
time of all steps, which other programs disturb less than the clock time; *× linear* is that time a megabyte,
relative to the first row. *Bytes a token* is the peak of the process's memory (VmHWM) above what it held
after its imports, without the vocabulary, whose size (`sys.getsizeof` of the table, its keys and numbers) has
its own column. {where}.

The thesis (section 5.1): 220 MB, 9,795 pages, in 449 s on one core of a 3 GHz Xeon.

{table}
"""
_DIGITS: Final = re.compile(rb"[0-9]+")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    sizes = sorted(map(int, options.megabytes.split(",")))
    rows = []
    with tempfile.TemporaryDirectory() as folder, progress(len(sizes) + 1) as tell:
        corpus = Path(folder) / "pages"
        tell("making the collection")
        _make(corpus, sizes[-1] * 1_000_000)
        for size in sizes:
            tell(f"mining {size} MB")
            rows.append(apart(_mine, corpus, size * 1_000_000))
    first = rows[0]["cpu"] / rows[0]["bytes"]
    columns: list[Column] = [
        ("MB", lambda row: row["bytes"] / 1e6, ".0f"),
        ("pages", "documents", ",d"),
        *((name, name, ",d") for name in ("tokens", "strings", "expressions")),
        ("tokenise, s", "tokenise", ".1f"),
        ("strings, s", "search", ".1f"),
        ("rest, s", "rest", ".1f"),
        ("all, s", "seconds", ".1f"),
        ("CPU, s", "cpu", ".1f"),
        ("× linear", lambda row: row["cpu"] / row["bytes"] / first, ".2f"),
        ("bytes a token", lambda row: (row["memory"] - row["vocabulary"]) / row["tokens"], ".1f"),
        ("vocabulary, MB", lambda row: row["vocabulary"] / 1e6, ".0f"),
    ]
    report = _INTRO.format(where=measured_on(), table=table(columns, rows))
    write_or_print(report, options.out)
    return 0


def _make(path: Path, size: int) -> None:
    """Write pages of at least ``size`` bytes in all, each after a line with its length."""
    pages = [page.html.encode("utf-8", "replace") for site in load_sets([SITES]) for page in site.pages()]
    source = random.Random(2007)
    source.shuffle(pages)
    written = rounds = 0
    with path.open("wb") as file:
        while written < size:
            for page in pages:
                varied = _with_other_digits(page, source) if rounds else page
                file.write(b"%d\n" % len(varied) + varied)
                written += len(varied)
                if written >= size:
                    break
            rounds += 1


def _with_other_digits(page: bytes, source: random.Random) -> bytes:
    """Replace each run of digits by a random one of the same length."""
    return _DIGITS.sub(lambda match: b"%0*d" % (len(match[0]), source.randrange(10 ** len(match[0]))), page)


def _pages(corpus: Path, limit: int) -> Iterator[bytes]:
    """Read pages of so many bytes."""
    with corpus.open("rb") as file:
        while limit > 0 and (line := file.readline()):
            page = file.read(int(line))
            limit -= len(page)
            yield page


def _mine(corpus: Path, limit: int) -> dict[str, Any]:
    """Mine pages in this process."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    miner = Miner()
    before = memory(peak=True)
    size, reading, cpu = 0, 0.0, 0.0
    for page in _pages(corpus, limit):
        size += len(page)
        began, used = perf_counter(), process_time()
        miner.add(page)
        reading, cpu = reading + perf_counter() - began, cpu + process_time() - used
    words: dict[bytes, int] = vars(miner)["_vocabulary"]
    vocabulary = sys.getsizeof(words) + sum(sys.getsizeof(w) + sys.getsizeof(n) for w, n in words.items())
    del words
    began, used = perf_counter(), process_time()
    mined = miner.mine()
    return {
        "bytes": size,
        "documents": mined.documents,
        "tokens": mined.tokens,
        "strings": len(mined.strings),
        "expressions": len(mined.expressions),
        "seconds": reading + perf_counter() - began,
        "cpu": cpu + process_time() - used,
        "vocabulary": vocabulary,
        "memory": memory(peak=True) - before,
        **mined.seconds,
    }


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.mining", __doc__, _EXAMPLE)
    sizes = "10,20,50,100,220"
    parser.add_argument("--megabytes", default=sizes, help=f"sizes (default {sizes})")
    parser.add_out()
    options = parser.parse_args(arguments)
    if not re.fullmatch(r"[1-9][0-9]*(,[1-9][0-9]*)*", options.megabytes):
        parser.error("--megabytes must be whole numbers from 1 on, separated by commas")
    return options


if __name__ == "__main__":
    run(main)
