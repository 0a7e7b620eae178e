"""Stream the pages of one endless site through a cleaner; measure memory and time.

Both must stay flat: the state of a site must not grow with the number of its pages.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.support import processes
from benchmarks.support.madecrawl import synthetic_site
from detemplate import Cleaner, Page
from lab.harness.command import Parser, log, run, write_or_print
from lab.harness.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

_EXAMPLE = """\
examples:
  python -m benchmarks.memory
  python -m benchmarks.memory --pages 20000 --method sandwich --out -
"""
_STEPS: Final = 10  # readings of a run, beside that before the first page


class Reading(NamedTuple):
    """Memory (MB) after some pages; mean time (µs, of cleaning) and length of text a page since the last."""

    pages: int
    megabytes: float
    microseconds: float
    characters: float


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser("benchmarks.memory", __doc__, _EXAMPLE)
    parser.add_argument("--pages", type=int, default=200_000, help="how many (default 200000)")
    parser.add_argument("--method", default="segments", help="which method (default segments)")
    parser.add_argument("--templates", type=int, default=3, help="how many templates (default 3)")
    parser.add_out()
    options = parser.parse_args(arguments)
    if options.pages < _STEPS or options.templates < 1:
        parser.error(f"--pages must be at least {_STEPS} and --templates at least 1")
    readings = watch(options.method, options.pages, options.templates)
    columns = [
        ("pages", "pages", ",d"),
        ("RSS, MB", "megabytes", ".1f"),
        ("µs a page", "microseconds", ".0f"),
        ("characters of text", "characters", ".0f"),
    ]
    growth = readings[-1].megabytes - readings[1].megabytes
    report = (
        f"# Memory\n\n{options.pages:,} made pages of one site, whose template changes "
        f"{options.templates - 1} times, through one `Cleaner(method={options.method!r})` in one pass. "
        f"Growth from the first tenth to the end: {growth:.1f} MB.\n\n{table(columns, readings)}\n"
    )
    write_or_print(report, options.out)
    return 0


def watch(method: str, pages: int, templates: int) -> list[Reading]:
    """Clean the stream; the first reading is before the first page."""
    cleaner = Cleaner(method=method)
    readings = [Reading(0, processes.memory() / 1e6, 0, 0)]
    marks = {pages * step // _STEPS for step in range(1, _STEPS + 1)}
    spent, characters = 0.0, 0
    for number, (url, html) in enumerate(synthetic_site(pages, templates=templates), 1):
        start = perf_counter()
        text = cleaner.learn_and_clean(Page(url, html)).text
        spent += perf_counter() - start
        characters += len(text)
        if number in marks:
            count = number - readings[-1].pages
            now = Reading(number, processes.memory() / 1e6, spent / count * 1e6, characters / count)
            readings.append(now)
            spent, characters = 0.0, 0
            log(f"{number:,} pages: {now.megabytes:.1f} MB, {now.microseconds:.0f} µs a page")
    return readings


if __name__ == "__main__":
    run(main)
