"""Measures time by step, growth and memory of mining growing collections of HTML for expressions.

The pages of all sites of the measuring data, shuffled, are one collection. If there are too few, they are
repeated with other digits, so that dates and numbers are new. Each size is mined in a process of its own on
one core. So are texts of numbers in a row, of growing length: mutable patterns make all of them alike.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from benchmarks.support.memory import peak_memory
from lab.harness.command import FOLDER, Parser, machine, progress, run, write_or_print
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import load_sets
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
its own column. Python {python}, {machine}.

The thesis (section 5.1): 220 MB, 9,795 pages, in 449 s on one core of a 3 GHz Xeon.
"""
_RUNS_INTRO = """\
## Runs

{texts} texts of n different numbers in a row. *Growth*: processor time a number, relative to the first row.
*Bytes of patterns*: of all expressions together.
"""
_TEXTS = 6
"""Texts of numbers in a row."""
_DIGITS = re.compile(rb"[0-9]+")
"""A run of digits."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    if options.child is not None:
        pages = _read(Path(options.child), options.limit) if options.child else _runs(options.limit)
        print(json.dumps(_mine(pages)))
        return 0
    sizes = sorted(int(size) for size in options.megabytes.split(","))
    lengths = sorted(int(length) for length in options.runs.split(","))
    rows, runs = [], []
    with tempfile.TemporaryDirectory() as folder, progress(len(sizes) + len(lengths) + 1) as tell:
        corpus = Path(folder) / "pages"
        tell("making the collection", 0)
        _make(corpus, sizes[-1] * 1_000_000)
        for number, size in enumerate(sizes, 1):
            tell(f"mining {size} MB", number)
            rows.append(_in_a_process(str(corpus), size * 1_000_000))
        for number, length in enumerate(lengths, len(sizes) + 1):
            tell(f"mining runs of {length:,}", number)
            runs.append(_in_a_process("", length))
    report = _INTRO.format(python=platform.python_version(), machine=machine())
    report += f"\n{_table(rows)}\n\n{_RUNS_INTRO.format(texts=_TEXTS)}\n{_runs_table(runs)}\n"
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


def _read(path: Path, limit: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        while limit > 0 and (line := file.readline()):
            page = file.read(int(line))
            limit -= len(page)
            yield page


def _runs(length: int) -> Iterator[bytes]:
    source = random.Random(2007)
    for _ in range(_TEXTS):
        yield b" ".join(b"%d" % source.randrange(10**9) for _ in range(length))


def _in_a_process(corpus: str, limit: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.mining", "--child", corpus, "--limit", str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=FOLDER.parent)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _mine(pages: Iterator[bytes]) -> dict[str, Any]:
    """Mine pages in this process."""
    from detemplate.expressions.mine import Miner

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    miner = Miner()
    before = peak_memory()
    size, reading, cpu = 0, 0.0, 0.0
    for page in pages:
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
        "patterns": sum(len(each.pattern.encode()) for each in mined.expressions),
        "seconds": reading + perf_counter() - began,
        "cpu": cpu + process_time() - used,
        "vocabulary": vocabulary,
        "memory": peak_memory() - before,
        **mined.seconds,
    }


def _table(rows: Sequence[dict[str, Any]]) -> str:
    first = rows[0]["cpu"] / rows[0]["bytes"]
    head = [
        "MB", "pages", "tokens", "strings", "expressions", "tokenise, s", "strings, s", "rest, s", "all, s",
        "CPU, s", "× linear", "bytes a token", "vocabulary, MB",
    ]  # fmt: skip
    cells = [
        [
            f"{row['bytes'] / 1e6:.0f}",
            f"{row['documents']:,}",
            f"{row['tokens']:,}",
            f"{row['strings']:,}",
            f"{row['expressions']:,}",
            f"{row['tokenise']:.1f}",
            f"{row['search']:.1f}",
            f"{row['rest']:.1f}",
            f"{row['seconds']:.1f}",
            f"{row['cpu']:.1f}",
            f"{row['cpu'] / row['bytes'] / first:.2f}",
            f"{(row['memory'] - row['vocabulary']) / row['tokens']:.1f}",
            f"{row['vocabulary'] / 1e6:.0f}",
        ]
        for row in rows
    ]
    return markdown_table(head, cells)


def _runs_table(rows: Sequence[dict[str, Any]]) -> str:
    first = rows[0]["cpu"] / rows[0]["tokens"]
    cells = [
        [
            f"{row['tokens'] // _TEXTS:,}",
            f"{row['strings']:,}",
            f"{row['expressions']:,}",
            f"{row['patterns']:,}",
            f"{row['cpu']:.2f}",
            f"{row['cpu'] / row['tokens'] / first:.2f}",
            f"{row['memory'] / 1e6:.0f}",
        ]
        for row in rows
    ]
    head = ["n", "strings", "expressions", "bytes of patterns", "CPU, s", "growth", "memory, MB"]
    return markdown_table(head, cells)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.mining", __doc__, _EXAMPLE)
    parser.add_argument("--megabytes", default="10,20,50,100,220", help="sizes (default 10,20,50,100,220)")
    parser.add_argument(
        "--runs",
        default="1000,10000,100000,1000000",
        help="lengths of runs (default 1000,10000,100000,1000000)",
    )
    parser.add_out()
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    for name in ("megabytes", "runs"):
        if not re.fullmatch(r"[1-9][0-9]*(,[1-9][0-9]*)*", getattr(options, name)):
            parser.error(f"--{name} must be whole numbers from 1 on, separated by commas")
    return options


if __name__ == "__main__":
    run(main)
