"""Time the renderings of cleaned pages: text, Markdown and HTML, against the parse of the same pages.

The pages are cleaned by a method before, out of the measurement. Each page is rendered right after it is
parsed, as in a run. Times are processor times; the unit is the time that turbohtml takes to parse the pages.
`--src` times another version of the package, in turns with this one, with the same nodes removed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.support.renderings import CASES, PARSE
from detemplate import Cleaner, Page
from detemplate.errors import PageError, UserError
from detemplate.output.cutting import removed_nodes
from lab.harness.command import Parser, log, machine, positive, run, split_names, tell
from lab.harness.tables import join_sections, table
from lab.labelled.datasets import data_folder, load_sets, set_names

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from benchmarks.support.renderings import Cleaned
    from lab.harness.tables import Column

_EXAMPLE: Final = """\
examples:
  python -m benchmarks.rendering
  python -m benchmarks.rendering --sets wcxb-dev --pages 100 --rounds 2 --out -
  python -m benchmarks.rendering --src /tmp/old/src --out -
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
    here = str(Path(__file__).parents[1] / "src")
    rows = []
    for name in split_names(options.sets):
        log(f"{name}: cleaning")
        pages = cleaned_pages(name, options.pages, options.method)
        if not pages:
            raise UserError(f"{name} has no pages")
        sources = [here, *filter(None, [options.src])]
        best = _least(name, pages, sources, options.rounds)
        rows.append((name, len(pages), best[here], best[sources[-1]]))
    columns: list[Column] = [
        ("", lambda row: row[0]),
        ("pages", lambda row: row[1]),
        ("ms a parse", lambda row: row[2][PARSE] / row[1] * 1000, ".3f"),
        *((case, lambda row, case=case: row[2][case] / row[2][PARSE], ".2f") for case in CASES),
    ]
    sections = [table(columns, rows)]
    if options.src:
        columns = [
            ("× the other version", lambda row: row[0]),
            *((case, lambda row, case=case: row[2][case] / row[3][case], ".2f") for case in CASES),
            ("Markdown / its text", lambda row: row[2]["Markdown"] / row[3]["text"], ".2f"),
        ]
        sections.append(table(columns, rows))
    intro = _INTRO.format(rounds=options.rounds, machine=machine())
    tell(join_sections(intro, "", sections), options.out)
    return 0


def cleaned_pages(name: str, limit: int, method: str) -> list[Cleaned]:
    """Clean pages of a set, of some pages of each site (``sites``), or of the sets of news, in two passes."""
    sites = [each for each in set_names(data_folder()) if each.startswith("sites/")]
    names = {"sites": sites, "news": list(_NEWS)}.get(name, [name])
    most = -(-limit // len(names))
    found: list[Cleaned] = []
    for each in names:
        raw = list(load_sets([each])[0].pages())
        pages = []
        for record in raw[:: max(len(raw) // most, 1)][:most]:
            try:
                pages.append((record.html, Page(record.url, record.html, site=record.site)))
            except PageError:
                continue
        cleaner = Cleaner(method=method)
        for _, page in pages:
            cleaner.learn(page)
        for html, page in pages:
            removed = removed_nodes(page, cleaner.clean(page).verdict.template)
            found.append((page.url, html, page.site, removed))
    return found[:limit]


def _least(name: str, pages: list[Cleaned], sources: list[str], rounds: int) -> dict[str, dict[str, float]]:
    """Time versions in turns, each in a process of its own; return the least seconds by version and case."""
    best: dict[str, dict[str, float]] = {source: {} for source in sources}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pages.json"
        path.write_text(json.dumps(pages), encoding="utf-8")
        for number in range(rounds):
            for source, found in best.items():
                log(f"{name}, round {number + 1}")
                command = [sys.executable, "-m", "benchmarks.support.renderings", str(path), source]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                if done.returncode:
                    last = done.stderr.strip().splitlines()[-1:] or ["it was killed"]
                    raise UserError(f"cannot time {source}: {last[0]}")
                for case, seconds in json.loads(done.stdout).items():
                    found[case] = min(seconds, found.get(case, seconds))
    return best


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.rendering", __doc__, _EXAMPLE)
    parser.add_argument("--sets", default=_SETS, help=f"names by commas (default {_SETS})")
    parser.add_argument("--pages", type=positive, default=400, help="most pages of a set (default 400)")
    parser.add_argument("--method", default="auto", help="method that cleans the pages (default auto)")
    parser.add_argument("--src", help="folder `src` of another version, with its kernels built")
    parser.add_argument("--rounds", type=positive, default=5, help="rounds (default 5)")
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
