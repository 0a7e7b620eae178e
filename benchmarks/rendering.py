"""Time the renderings of cleaned pages: text, Markdown and HTML, against the parse of the same pages.

The pages are cleaned by a method before, out of the measurement. Each page is rendered right after it is
parsed, as in a run. Times are processor times; the unit is the time that turbohtml takes to parse the pages.
"""

from __future__ import annotations

import gc
from time import process_time
from typing import TYPE_CHECKING, Final

import turbohtml

from detemplate import Cleaner, Page
from detemplate.errors import UserError
from detemplate.output.cutting import removed_nodes, to_html
from detemplate.output.text import to_markdown, to_text
from lab.harness.command import Parser, log, machine, positive, run, split_names, tell
from lab.harness.tables import join_sections, table
from lab.labelled.datasets import data_folder, load_sets, set_names
from lab.labelled.measure import page_or_none

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from lab.harness.tables import Column

    Cleaned = tuple[str, str, str, list[int]]
    """A page: URL, HTML, site, and the rows of the nodes to cut."""
    Render = Callable[[Page, list[int]], str]

_RENDERINGS: Final[dict[str, Render]] = {"text": to_text, "Markdown": to_markdown, "HTML": to_html}
_PARSE: Final = "parse"  # the unit: parsing alone
_EXAMPLE: Final = """\
examples:
  python -m benchmarks.rendering
  python -m benchmarks.rendering --sets wcxb-dev --pages 100 --rounds 2 --out -
"""
_SETS: Final = "wcxb-dev,sites,news"  # groups of sets that are measured by default
_NEWS: Final = ("cleanportaleval", "dragnet-hosts", "l3s-gn1", "daniel-test")  # sets of news pages
_INTRO: Final = """\
# Rendering

Processor time of a rendering, as a multiple of the time that turbohtml takes to parse the same pages. The
least of {rounds} rounds; {machine}. `python -m benchmarks.rendering` makes this table.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    rows = []
    for name in split_names(options.sets):
        log(f"{name}: cleaning")
        pages = cleaned_pages(name, options.pages, options.method)
        if not pages:
            raise UserError(f"{name} has no pages")
        times(pages[:3])  # builds tables
        log(f"{name}: timing")
        found = [times(pages) for _ in range(options.rounds)]
        rows.append((name, len(pages), {case: min(each[case] for each in found) for case in found[0]}))
    columns: list[Column] = [
        ("", lambda row: row[0]),
        ("pages", lambda row: row[1]),
        ("ms a parse", lambda row: row[2][_PARSE] / row[1] * 1000, ".3f"),
        *((case, lambda row, case=case: row[2][case] / row[2][_PARSE], ".2f") for case in _RENDERINGS),
    ]
    intro = _INTRO.format(rounds=options.rounds, machine=machine())
    tell(join_sections(intro, "", [table(columns, rows)]), options.out)
    return 0


def cleaned_pages(name: str, limit: int, method: str) -> list[Cleaned]:
    """Clean pages of a set, of some pages of each site (``sites``), or of the sets of news, in two passes."""
    sites = [each for each in set_names(data_folder()) if each.startswith("sites/")]
    names = {"sites": sites, "news": list(_NEWS)}.get(name, [name])
    most = -(-limit // len(names))
    found: list[Cleaned] = []
    for each in names:
        raw = list(load_sets([each])[0].pages())
        records = raw[:: max(len(raw) // most, 1)][:most]
        parsed = ((record.html, page_or_none(record.url, record.html, record.site)) for record in records)
        pages = [(html, page) for html, page in parsed if page is not None]
        cleaner = Cleaner(method=method)
        for _, page in pages:
            cleaner.learn(page)
        for html, page in pages:
            removed = removed_nodes(page, cleaner.clean(page).verdict.template)
            found.append((page.url, html, page.site, removed))
    return found[:limit]


def times(pages: Sequence[Cleaned]) -> dict[str, float]:
    """Time the parse and the renderings of pages, each right after its parse, garbage collector off."""
    seconds = dict.fromkeys((_PARSE, *_RENDERINGS), 0.0)
    gc.collect()
    gc.disable()
    try:
        for url, html, site, removed in pages:
            begin = process_time()
            turbohtml.parse(html)
            seconds[_PARSE] += process_time() - begin
            for case, render in _RENDERINGS.items():
                page = Page(url, html, site=site, keep_document=case != "HTML")
                begin = process_time()
                render(page, removed)
                seconds[case] += process_time() - begin
    finally:
        gc.enable()
    return seconds


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.rendering", __doc__, _EXAMPLE)
    parser.add_argument("--sets", default=_SETS, help=f"names by commas (default {_SETS})")
    parser.add_argument("--pages", type=positive, default=400, help="most pages of a set (default 400)")
    parser.add_argument("--method", default="auto", help="method that cleans the pages (default auto)")
    parser.add_argument("--rounds", type=positive, default=5, help="rounds (default 5)")
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
