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

from benchmarks.support.renderings import CASES, PARSE, cleaned_pages
from detemplate.errors import UserError
from lab.harness.command import Parser, log, machine, positive, run, split_names, tell
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

_EXAMPLE: Final = """\
examples:
  python -m benchmarks.rendering
  python -m benchmarks.rendering --sets wcxb-dev --pages 100 --rounds 2 --out -
  python -m benchmarks.rendering --src /tmp/old/src --out -
"""

_SETS: Final = ("wcxb-dev", "sites", "news")
"""Groups of sets that are measured by default."""

_INTRO: Final = """\
# Rendering

Processor time of a rendering, as a multiple of the time that turbohtml takes to parse the same pages. The
least of {rounds} rounds; {machine}. `python -m benchmarks.rendering` makes this table.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    sections = [_INTRO.format(rounds=options.rounds, machine=machine())]
    header = ["", "pages", "ms a parse", *CASES]
    rows, ratios = [], []
    for name in split_names(options.sets):
        log(f"{name}: cleaning")
        pages = cleaned_pages(name, options.pages, options.method)
        if not pages:
            raise UserError(f"{name} has no pages")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pages.json"
            path.write_text(json.dumps(pages), encoding="utf-8")
            here = str(Path(__file__).parents[1] / "src")
            sources = [here, options.src] if options.src else [here]
            best: dict[str, dict[str, float]] = {}
            for number in range(options.rounds):
                for source in sources:
                    log(f"{name}, round {number + 1}")
                    for case, seconds in _other_process(path, source).items():
                        found = best.setdefault(source, {})
                        found[case] = min(seconds, found.get(case, seconds))
        ours = best[here]
        unit = ours[PARSE]
        rows.append(
            [
                name,
                str(len(pages)),
                f"{unit / len(pages) * 1000:.3f}",
                *(f"{ours[case] / unit:.2f}" for case in CASES),
            ]
        )
        if options.src:
            other = best[options.src]
            ratios.append(
                [
                    name,
                    *(f"{ours[case] / other[case]:.2f}" for case in CASES),
                    f"{ours['Markdown'] / other['text']:.2f}",
                ]
            )
    sections.append(markdown_table(header, rows))
    if ratios:
        columns = ["× the other version", *CASES, "Markdown / its text"]
        sections.append(markdown_table(columns, ratios))
    tell("\n\n".join(section.rstrip("\n") for section in sections) + "\n", options.out)
    return 0


def _other_process(path: Path, source: str) -> dict[str, float]:
    """Time one version in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.support.renderings", str(path), source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it was killed"]
        raise UserError(f"cannot time {source}: {last[0]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.rendering", __doc__, _EXAMPLE)
    parser.add_argument(
        "--sets", default=",".join(_SETS), help=f"names by commas (default {','.join(_SETS)})"
    )
    parser.add_argument("--pages", type=positive, default=400, help="most pages of a set (default 400)")
    parser.add_argument("--method", default="auto", help="method that cleans the pages (default auto)")
    parser.add_argument("--src", help="folder `src` of another version, with its kernels built")
    parser.add_argument("--rounds", type=positive, default=5, help="rounds (default 5)")
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
