r"""Clean damaged and arbitrary pages by a method, from bytes to text, and check the results.

    python -m benchmarks.fuzz_pages [--methods A,B] [--rounds N] [--seed S] [--pages FILE ...]

The pages belong to a few sites, so that the method learns from some what it uses on others. Each input
either raises ``PageError``, or gives a score in [0, 1] and a reason for every segment, and text, Markdown and
HTML that can be encoded. Method ``auto`` keeps at least one segment of a page that has any. Prints one line a
method.

``python -m benchmarks.fuzz_scan --help`` says how to run it under sanitizers.
"""

from __future__ import annotations

import random
import time
from itertools import islice
from typing import TYPE_CHECKING, Final

from benchmarks.support.fuzzing import add_options, inputs, read_pages
from detemplate import Page, clean
from detemplate.detectors.registry import detector_class
from detemplate.errors import PageError
from detemplate.io.sinks.out import FORMATS
from lab.harness.command import Parser, known_methods, positive, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from detemplate.output.result import Result

_SITES: Final = 4  # sites that the pages are dealt out to, at random
_BATCH: Final = 500  # inputs that one detector sees; the next batch has a new one
_KEPT: Final = 0.5  # share of the pages that keep their DOM, as pages do that are cleaned as they arrive


def broken_rule(result: Result, formats: Iterable[str] = FORMATS, reasons: int = 3) -> str | None:
    """Name the first rule that a cleaned page breaks, if any; check these formats, and the first reasons."""
    page, verdict = result.page, result.verdict
    count = len(page.segments)
    if len(verdict.scores) != count or not ((verdict.scores >= 0) & (verdict.scores <= 1)).all():
        return "a score in [0, 1] a segment"
    if result.method == "auto" and count and verdict.template.all():
        return "something is left"
    if not all(isinstance(verdict.explain(number), str) for number in range(min(count, reasons))):
        return "a reason a segment"
    try:
        for form in formats:
            getattr(result, form).encode()
    except UnicodeEncodeError:
        return "what can be written"
    return None


def fuzz(method: str, rounds: int, seed: int, pages: Sequence[bytes]) -> tuple[int, int, int]:
    """Clean damaged pages; return numbers of pages and others, and bytes. AssertionError: a broken rule."""
    rng = random.Random(seed)
    stream = islice(inputs(rng, pages), rounds)
    accepted = refused = size = 0
    while batch := list(islice(stream, _BATCH)):
        size += sum(map(len, batch))
        parsed = []
        for data in batch:
            try:
                site, kept = f"{rng.randrange(_SITES)}", rng.random() < _KEPT
                parsed.append(Page("http://e.org/", data, site=site, keep_document=kept))
            except PageError:
                refused += 1
        accepted += len(parsed)
        # An iterator is cleaned in one pass, a list in two.
        for result in clean(iter(parsed) if detector_class(method).streams else parsed, method):
            rule = broken_rule(result)
            if rule is not None:
                raise AssertionError(f"{method}, {rule}: {result.page.source!r}")
    return accepted, refused, size


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser("benchmarks.fuzz_pages", __doc__)
    parser.add_argument("--methods", default="auto", help="names separated by commas, or all (default auto)")
    parser.add_argument("--rounds", type=positive, default=20_000, help="pages a method (default 20000)")
    add_options(parser)
    options = parser.parse_args(arguments)
    methods = known_methods(options.methods)
    pages = read_pages(options.pages)
    for name in methods:
        start = time.perf_counter()
        accepted, refused, size = fuzz(name, options.rounds, options.seed, pages)
        seconds = time.perf_counter() - start
        print(
            f"{name}: {options.rounds:,} inputs ({size / 1e6:,.0f} MB), {accepted:,} pages, "
            f"{refused:,} none, {options.rounds / seconds:,.0f}/s"
        )
    return 0


if __name__ == "__main__":
    run(main)
