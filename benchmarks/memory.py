"""Stream the pages of one endless site through a cleaner; measure memory and time.

Both must stay flat: the state of a site must not grow with the number of its pages.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.support.memory import resident_memory
from benchmarks.support.synthetic import synthetic_site
from lab.harness.command import Parser, log, run, write_or_print
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

_EXAMPLE = """\
examples:
  python -m benchmarks.memory
  python -m benchmarks.memory --pages 20000 --method sandwich --out -
"""
_STEPS: Final = 10
"""Readings of a run, beside that before the first page."""


class Reading(NamedTuple):
    """Memory and time at one moment of the run.

    Attributes
    ----------
    pages
        Number of pages cleaned so far.
    megabytes
        Resident memory of this process, in MB (10⁶ bytes).
    microseconds
        Mean time a page since the last reading, without that for making the page.
    characters
        Mean length of the cleaned texts since the last reading.
    """

    pages: int
    megabytes: float
    microseconds: float
    characters: float


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    readings = watch(options.method, options.pages, options.templates)
    rows = [
        [f"{r.pages:,}", f"{r.megabytes:.1f}", f"{r.microseconds:.0f}", f"{r.characters:.0f}"]
        for r in readings
    ]
    table = markdown_table(["pages", "RSS, MB", "µs a page", "characters of text"], rows)
    growth = readings[-1].megabytes - readings[1].megabytes
    report = (
        f"# Memory\n\n{options.pages:,} made pages of one site, whose template changes "
        f"{options.templates - 1} times, through one `Cleaner(method={options.method!r})` in one pass. "
        f"Growth from the first tenth to the end: {growth:.1f} MB.\n\n{table}\n"
    )
    write_or_print(report, options.out)
    return 0


def watch(method: str, pages: int, templates: int) -> list[Reading]:
    """Clean the stream; the first reading is before the first page."""
    from detemplate import Cleaner, Page

    cleaner = Cleaner(method=method)
    readings = [Reading(0, resident_memory() / 1e6, 0, 0)]
    marks = [pages * step // _STEPS for step in range(1, _STEPS + 1)]
    spent, characters, last = 0.0, 0, 0
    for number, (url, html) in enumerate(synthetic_site(pages, templates=templates), 1):
        start = perf_counter()
        text = cleaner.learn_and_clean(Page(url, html)).text
        spent += perf_counter() - start
        characters += len(text)
        if number == marks[len(readings) - 1]:
            count = number - last
            now = Reading(number, resident_memory() / 1e6, spent / count * 1e6, characters / count)
            readings.append(now)
            spent, characters, last = 0.0, 0, number
            log(f"{number:,} pages: {now.megabytes:.1f} MB, {now.microseconds:.0f} µs a page")
    return readings


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.memory", __doc__, _EXAMPLE)
    parser.add_argument("--pages", type=int, default=200_000, help="how many (default 200000)")
    parser.add_argument("--method", default="segments", help="which method (default segments)")
    parser.add_argument("--templates", type=int, default=3, help="how many templates (default 3)")
    parser.add_out()
    options = parser.parse_args(arguments)
    if options.pages < _STEPS or options.templates < 1:
        parser.error(f"--pages must be at least {_STEPS} and --templates at least 1")
    return options


if __name__ == "__main__":
    run(main)
