r"""Feed damaged and arbitrary input to two kernels, in bulk: the page scan and the recurrence table.

    python -m benchmarks.fuzz_scan [--rounds N] [--seed S] [--pages FILE ...]

The scan must give consistent columns, or None. The recurrence table must give what its oracle in the tests
gives.
Prints one line a kernel.

Every input is a bytes object of its exact size. Python ends it with one NUL, which may be read. Sanitizers
find reads and writes past the end. With GCC on Linux, in a copy of the source tree:

    cp -r . /tmp/sanitized && cd /tmp/sanitized && find src -name '*.so' -delete
    DETEMPLATE_KERNEL_FLAGS="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined" \
        python setup.py build_ext --inplace
    LD_PRELOAD="$(gcc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
        PYTHONPATH=src python -m benchmarks.fuzz_scan --rounds 300000
"""

from __future__ import annotations

import random
import time
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.support.fuzzing import add_options, inputs, read_pages
from detemplate.algorithms import recurrence
from detemplate.page.columns import CODE, ELEMENT, INSTRUCTION, RAW, TEXT, Columns
from detemplate.page.scan import scan
from lab.harness.command import Parser, positive, run
from tests.oracles.recurrence import RecurrenceTable
from tests.oracles.scan import segment_keys

if TYPE_CHECKING:
    from collections.abc import Sequence


def broken_rule(nodes: Columns, size: int) -> str | None:
    """Name the first rule that the columns of a serialisation of ``size`` bytes break, if any."""
    rows = np.arange(len(nodes))
    nested = nodes.parent >= 0
    above = nodes.parent[nested]
    inner = rows[nested]
    rules = {
        "kind": ((nodes.kind >= ELEMENT) & (nodes.kind <= INSTRUCTION)).all(),
        "parent before child": (nodes.parent < rows).all() and (nodes.parent >= -1).all(),
        "parent is an element": (nodes.kind[above] == ELEMENT).all(),
        "subtree within the rows": ((nodes.end > rows) & (nodes.end <= len(nodes))).all(),
        "subtree within the parent's": (nodes.end[inner] <= nodes.end[above]).all(),
        "only elements have subtrees": (
            nodes.end[nodes.kind != ELEMENT] == rows[nodes.kind != ELEMENT] + 1
        ).all(),
        "bytes within the text": (
            (nodes.start >= 0) & (nodes.start < nodes.stop) & (nodes.stop <= size)
        ).all(),
        "bytes in order": (np.diff(nodes.start) > 0).all(),
        "bytes within the parent's": (
            (nodes.start[inner] > nodes.start[above]) & (nodes.stop[inner] <= nodes.stop[above])
        ).all(),
        "blocks in order": len(nodes) == 0 or (nodes.block[0] == 0 and (np.diff(nodes.block) >= 0).all()),
        "characters": ((nodes.chars >= 0) & (nodes.chars <= size)).all(),
        "text of unseen elements has no characters": not nodes.chars[np.isin(nodes.kind, (CODE, RAW))].any(),
        "children": (nodes.children >= np.bincount(above, minlength=len(nodes))).all(),
        "place among the children": (
            (nodes.place >= 0).all() and (nodes.place[inner] < nodes.children[above]).all()
        ),
        "segments": np.array_equal(nodes.segments, np.flatnonzero(nodes.kind == TEXT)),
        "keys": np.array_equal(
            nodes.keys, segment_keys(nodes.path[nodes.segments], nodes.content[nodes.segments])
        ),
    }
    return next((rule for rule, holds in rules.items() if not holds), None)


def fuzz_scan(rounds: int, seed: int, pages: Sequence[bytes]) -> tuple[int, int, int]:
    """Run the scan on inputs."""
    accepted = refused = size = 0
    for data in islice(inputs(random.Random(seed), pages), rounds):
        nodes = scan(data)
        size += len(data)
        if nodes is None:
            refused += 1
            continue
        accepted += 1
        rule = broken_rule(nodes, len(data))
        if rule is not None:
            raise AssertionError(f"{rule}: {data!r}")
    return accepted, refused, size


def _same(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def fuzz_table(rounds: int, seed: int) -> int:
    """Run the recurrence table and its oracle side by side, on tables of all shapes."""
    rng = random.Random(seed)
    seen = 0
    while rounds > 0:
        lives = [rng.choice((-1, 1, 2, 5, 40)) for _ in range(rng.choice((1, 2, 6)))]
        most = rng.choice((1, 7, 500, 2**31 - 1))
        reach = rng.choice((4, 60, 5000))
        ours, oracle = recurrence.recurrence_table(lives, most), RecurrenceTable(lives, most)
        for _ in range(rng.randrange(1, 60)):
            rounds -= 1
            keys = np.array([rng.randrange(reach) for _ in range(rng.choice((0, 1, 5, 80)))], np.uint64)
            keys <<= np.uint64(rng.choice((0, 0, 32, 50)))
            seen += len(keys)
            if not np.array_equal(ours.observe(keys), oracle.observe(keys)):
                raise AssertionError(f"document frequencies differ (seed {seed})")
            if not _same(ours.dump(), oracle.dump()):
                raise AssertionError(f"tables differ (seed {seed})")
        again = recurrence.recurrence_table(lives, most)
        again.load(ours.pages, *ours.dump())
        if not _same(ours.dump(), again.dump()):
            raise AssertionError(f"a loaded table differs (seed {seed})")
    return seen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = Parser("benchmarks.fuzz_scan", __doc__)
    parser.add_argument("--rounds", type=positive, default=100_000, help="inputs (default 100000)")
    add_options(parser)
    options = parser.parse_args(arguments)
    pages = read_pages(options.pages)
    start = time.perf_counter()
    accepted, refused, size = fuzz_scan(options.rounds, options.seed, pages)
    seconds = time.perf_counter() - start
    print(
        f"scan: {options.rounds:,} inputs ({size / 1e6:,.0f} MB, {len(pages)} pages damaged), "
        f"{accepted:,} accepted, {refused:,} refused, {options.rounds / seconds:,.0f}/s"
    )
    start = time.perf_counter()
    seen = fuzz_table(options.rounds // 10, options.seed)
    seconds = time.perf_counter() - start
    print(f"table: {options.rounds // 10:,} calls, {seen:,} entries, {seen / seconds:,.0f} entries/s")
    return 0


if __name__ == "__main__":
    run(main)
