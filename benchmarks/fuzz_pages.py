r"""Take damaged and arbitrary pages through the whole house, from bytes to text, by a method.

    python -m benchmarks.fuzz_pages [--methods A,B] [--rounds N] [--seed S] [--pages FILE ...]

Pages come from a few sites, so that what is learnt of one damages the next. Each is no page, and says so,
or has a score in [0, 1] and a reason a segment, and can be written as text, as Markdown and as HTML. Method
auto leaves something of each page that shows anything. Prints one line a method.

Under sanitizers as told by ``python -m benchmarks.fuzz_scan --help``.
"""

from __future__ import annotations

import random
import time
from itertools import islice
from typing import TYPE_CHECKING, Final

from benchmarks.command import Parser, positive, run
from benchmarks.fuzz_scan import inputs, read_pages
from detemplate import Page, clean
from detemplate.detectors.registry import DETECTORS, detector_class
from detemplate.errors import PageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.output.result import Result

_SITES: Final = 4
_BATCH: Final = 500
"""Pages until all is forgotten."""
_HALF: Final = 0.5


def broken_rule(result: Result) -> str | None:
    """Name the first rule that a cleaned page breaks, if any."""
    page, verdict = result.page, result.verdict
    count = len(page.segments)
    if len(verdict.scores) != count or not ((verdict.scores >= 0) & (verdict.scores <= 1)).all():
        return "a score in [0, 1] a segment"
    if result.method == "auto" and count and verdict.template.all():
        return "something is left"
    if not all(isinstance(verdict.explain(number), str) for number in range(min(count, 3))):
        return "a reason a segment"
    try:
        for written in (result.text, result.markdown, result.html):
            written.encode()
    except UnicodeEncodeError:
        return "what can be written"
    return None


def fuzz(method: str, rounds: int, seed: int, pages: Sequence[bytes]) -> tuple[int, int, int]:
    """Clean so many pages; give how many were pages, how many were none, and their bytes.

    Raises
    ------
    AssertionError
        If a page breaks a rule; it is in the message.
    """
    rng = random.Random(seed)
    given = islice(inputs(rng, pages), rounds)
    found = refused = size = 0
    while batch := list(islice(given, _BATCH)):
        size += sum(map(len, batch))
        parsed = []
        for data in batch:
            try:
                site, kept = f"{rng.randrange(_SITES)}", rng.random() < _HALF
                parsed.append(Page("http://e.org/", data, site=site, keep_document=kept))
            except PageError:
                refused += 1
        found += len(parsed)
        # Methods that clean a stream learn and clean page by page, the others learn all of them first.
        for result in clean(iter(parsed) if detector_class(method).streams else parsed, method):
            rule = broken_rule(result)
            if rule is not None:
                raise AssertionError(f"{method}, {rule}: {result.page.source!r}")
    return found, refused, size


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the arguments, run, print the figures."""
    parser = Parser("fuzz_pages", __doc__)
    parser.add_argument("--methods", default="auto", help="names separated by commas, or all (default auto)")
    parser.add_argument("--rounds", type=positive, default=20_000, help="pages a method (default 20000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default 1)")
    parser.add_argument("--pages", nargs="*", default=[], metavar="FILE", help="pages to damage, 100 a file")
    given = parser.parse_args(arguments)
    methods = list(DETECTORS) if given.methods == "all" else given.methods.split(",")
    for name in methods:
        detector_class(name)  # there is such a method
    pages = read_pages(given.pages, 100)
    for name in methods:
        start = time.perf_counter()
        found, refused, size = fuzz(name, given.rounds, given.seed, pages)
        seconds = time.perf_counter() - start
        print(
            f"{name}: {given.rounds:,} inputs ({size / 1e6:,.0f} MB), {found:,} pages, {refused:,} none, "
            f"{given.rounds / seconds:,.0f}/s"
        )
    return 0


if __name__ == "__main__":
    run(main)
