"""Measure quality against the number of a site's pages seen.

Each target page is cleaned by a detector that has learned *n* pages of its site: the target and n - 1 others.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

from benchmarks.support.pagesseen import (
    PANEL_SHARE,
    SCORES,
    SEEN,
    Group,
    Plan,
    falls,
    grouped,
    measure_part,
    parts_of,
)
from detemplate.detectors.registry import DEFAULT_METHOD
from detemplate.errors import UserError
from lab.harness.charts import panel_grid, require_matplotlib, save_charts
from lab.harness.command import RESULTS, Parser, progress, run, split_names
from lab.harness.common import make_folder, write_results
from lab.harness.experiment import csv_text
from lab.harness.parallel import results_in_order
from lab.harness.tables import cell, table
from lab.labelled.datasets import load_sets
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from benchmarks.support.pagesseen import Curve, Point
    from lab.harness.tables import Column
    from lab.labelled.bootstrap import Estimate

_SETS: Final = ("sites", "dragnet-hosts", "cleanportaleval")
_MARK: Final = "▼"  # marks a difference whose whole 95 % interval is below 0
_COLOURS: Final = ("#0b6e99", "#d9730d", "#6940a5", "#0f7b6c", "#ad1a72", "#444444", "#9b9b9b", "#b8860b")
"""Colours of the lines; they repeat after the last."""
_EXAMPLE: Final = """\
examples:
  python -m benchmarks.pages_seen
  python -m benchmarks.pages_seen --methods segments,sandwich --sets sites/django dragnet-hosts --out seen
"""
_INTRO: Final = """\
# Quality against the pages seen

`{command}`

Each target page ({targets} at most a site, drawn) is cleaned by a detector that has learned *n* pages of its
site: the target and *n* − 1 others, drawn with seed {seed}. The pages of a small *n* are among those of
every greater one, and all methods meet the same draws. Sites with fewer than *n* readable pages are left out
at *n*.

**Same pages**: only pages whose site has the greatest *n* of the table, so that all its rows are of the same
pages. That *n* is the greatest that {share:.0%} of the target pages reach. The chart draws these. **All pages
that reach n**: rows further down are of fewer sites.

Scores are those of the report on quality: of sites, the mean over the pages of a site, then over sites; of
other sets, over pages. In brackets: 95 % bootstrap interval, resampling sites (pages, where there is one
site). *Against* another *n*: the mean difference of the same pages. {mark}: the whole interval is below 0,
the score falls; with nothing but chance at work, one difference in forty would be marked.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    try:
        seen = tuple(sorted({int(number) for number in _split(options.seen)}))
    except ValueError:
        raise UserError(f"--seen takes whole numbers, not {' '.join(options.seen)!r}") from None
    methods = tuple(dict.fromkeys(_split(options.methods)))
    plan = Plan(methods, seen, options.pages_per_site, options.seed)
    if options.jobs < 1:
        raise UserError(f"--jobs must be at least 1, not {options.jobs}")
    if not (names := _split(options.sets)):
        raise UserError("--sets names no set")
    parts = parts_of(load_sets(names))
    require_matplotlib()
    make_folder(options.out)
    curves: list[Curve] = []
    targets, start = 0, perf_counter()
    with progress(len(parts)) as show:
        for part, found in results_in_order(measure_part, plan, parts, min(options.jobs, len(parts))):
            curves += found
            targets += len(found) // len(methods)
            rate = targets / (perf_counter() - start)
            show(f"{part.labelled.name} · {targets:,} target pages, {rate:.2f} a second")
    if not curves:
        raise UserError(f"no site of these sets has {seen[0]} pages, one of them with gold")
    groups = grouped(curves, seen)
    texts = {
        "table.md": report_of(groups, plan, options.command),
        "table.csv": figures_csv(groups),
        "pages.csv": pages_csv(curves, plan),
    }
    for path in write_results(options.out, texts, partial(_draw, groups, plan)):
        print(f"wrote {path}", file=sys.stderr)
    return 0


def _split(names: Sequence[str]) -> list[str]:
    """Split names that are separated by commas or spaces."""
    return [name for part in names for name in split_names(part)]


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.pages_seen", __doc__, _EXAMPLE)
    seen = ",".join(map(str, SEEN))
    for name, default, metavar, about in (
        ("methods", [DEFAULT_METHOD], "NAME", f"methods (default {DEFAULT_METHOD})"),
        ("sets", _SETS, "NAME", f"sets; 'sites' for all sites (default {','.join(_SETS)})"),
        ("seen", [seen], "N", f"numbers of pages learned (default {seen})"),
    ):
        told = f"separated by commas or spaces: {about}"
        parser.add_argument(f"--{name}", nargs="+", default=default, metavar=metavar, help=told)
    parser.add_argument("--pages-per-site", type=int, default=5, metavar="N", help="targets (default 5)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draws (default 0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    out = RESULTS / "pages_seen"
    parser.add_argument("--out", type=Path, default=out, help="folder for tables and charts")
    return parser.read(arguments)


# The report.


def report_of(groups: Sequence[Group], plan: Plan, command: str) -> str:
    """Write the report on groups, at least one, in Markdown."""
    targets, seed = plan.pages_per_site, plan.seed
    sections = [_INTRO.format(command=command, targets=targets, seed=seed, share=PANEL_SHARE, mark=_MARK)]
    sections += [f"## Where it falls\n\n{_fallen(groups)}\n"]
    sections += [f"## {group.name} · {group.method}\n\n{_section(group)}\n" for group in groups]
    return "\n".join(sections)


def _change(change: Estimate | None) -> str:
    """Write a difference with its interval, marked where it falls."""
    return cell(change, "+.3f") + (f" {_MARK}" if falls(change) else "")


def _title(score: str) -> str:
    return "F1" if score == "f1" else score


def _fallen(groups: Sequence[Group]) -> str:
    rows = []
    for group in groups:
        for before, point in zip(group.same, group.same[1:], strict=False):
            against = {before.seen: point.since_last, group.same[0].seen: point.since_first}
            rows += [
                [group.method, group.name, str(point.seen), str(base), _change(change)]
                for base, change in against.items()
                if falls(change)
            ]
    if not rows:
        return "Nowhere for certain: of the same pages, no difference has its whole interval below 0."
    return "Of the same pages:\n\n" + markdown_table(["", "", "pages seen", "against", "difference"], rows)


def _section(group: Group) -> str:
    first = group.same[0]
    panel = f"{first.pages:,} of {first.sites:,} sites, with at least {group.panel} pages each."
    parts = [f"**Same pages**: {panel}", _points(group, group.same)]
    if group.every == group.same:
        parts.append("**All pages that reach n** are the same.")
    else:
        parts += ["**All pages that reach n**", _points(group, group.every)]
    if group.crashed:
        parts.append(f"{group.crashed:,} outputs could not be made and count as empty.")
    return "\n\n".join(parts)


def _points(group: Group, points: Sequence[Point]) -> str:
    def mean(name: str) -> Column:
        return name, lambda point: point.scores[name].mean if name in point.scores else None, ".3f"

    first, *others = SCORES[group.kind]
    columns: list[Column] = [
        ("pages seen", "seen"),
        (_title(first), lambda point: point.scores.get(first), ".3f"),
        (f"against {points[0].seen}", lambda point: _change(point.since_first)),
        ("against the previous n", lambda point: _change(point.since_last)),
        *map(mean, others),
        ("pages", "pages", ",d"),
        ("sites", "sites", ",d"),
    ]
    return table(columns, points)


def figures_csv(groups: Sequence[Group]) -> str:
    """Write the means as CSV, one figure a line; ``pages`` is ``same`` (the panel) or ``all``."""
    return csv_text([
        {"group": group.name, "method": group.method, "pages": view, "seen": point.seen}
        | {"target_pages": point.pages, "sites": point.sites, "figure": figure, **estimate._asdict()}
        for group in groups
        for view, points in (("same", group.same), ("all", group.every))
        for place, point in enumerate(points)
        for figure, estimate in _figures(points, place)
    ])  # fmt: skip


def _figures(points: Sequence[Point], place: int) -> Iterator[tuple[str, Estimate]]:
    point = points[place]
    yield from point.scores.items()
    if point.since_first is not None:
        yield f"against {points[0].seen}", point.since_first
    if point.since_last is not None and place > 1:
        yield f"against {points[place - 1].seen}", point.since_last


def pages_csv(curves: Sequence[Curve], plan: Plan) -> str:
    """Write the scores of every target page as CSV; a score that a set does not have is empty."""
    names = list(dict.fromkeys(name for curve in curves for name in SCORES[curve.kind]))
    return csv_text([
        {"set": curve.set, "part": curve.part, "site": curve.site, "page": curve.page}
        | {"site_pages": curve.pages, "method": curve.method, "seen": seen}
        | {name: row.get(name) for name in names}
        for curve in curves
        for seen, row in zip(plan.seen, curve.rows, strict=False)
    ])  # fmt: skip


# The charts: one line a method and set, with 95 % intervals.


def _draw(groups: Sequence[Group], plan: Plan, folder: Path) -> list[Path]:
    charts = [("pages-seen", _chart([(each.method, each.name, each) for each in groups], plan.seen))]
    if len(plan.methods) > 1:
        charts.append(("by-set", _chart([(each.name, each.method, each) for each in groups], plan.seen)))
    return save_charts(charts, folder)


def _chart(named: Sequence[tuple[str, str, Group]], seen: Sequence[int]) -> Figure:
    """Draw a panel for each title; ``named`` has (title of the panel, label of the line, group)."""
    titles = list(dict.fromkeys(title for title, _, _ in named))
    labels = list(dict.fromkeys(label for _, label, _ in named))
    colours = {label: _COLOURS[place % len(_COLOURS)] for place, label in enumerate(labels)}
    wide = min(3, len(titles))
    size = (6.6, 4.4) if len(titles) == 1 else (3.6 * wide + 0.6, 2.9 * -(-len(titles) // wide) + 0.5)
    figure, panels = panel_grid(len(titles), wide, size, sharex=True, sharey=True)
    handles = {}
    for title, axes in zip(titles, panels, strict=True):
        for of, label, group in named:
            if of == title:
                handles[label] = _curve(axes, group, colours[label])
        axes.set_title(title, fontsize=9)
        axes.set_xscale("log")
        axes.set_xticks(seen, [str(number) for number in seen])
        axes.minorticks_off()
        axes.tick_params(labelsize=8, labelbottom=True)
        axes.grid(visible=True, alpha=0.3)
    figure.supxlabel("pages of the site seen, the page itself included", fontsize=9)
    names = dict.fromkeys(_title(SCORES[group.kind][0]) for *_, group in named)
    figure.supylabel(f"{' or '.join(names)} (mean, 95 % interval)", fontsize=9)
    columns = min(len(handles), 3 * wide)
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper center", ncols=columns, frameon=False, fontsize=9
    )
    return figure


def _curve(axes: Axes, group: Group, colour: str) -> Artist:
    """Draw the group's main score with its interval; return the line for the legend."""
    score = SCORES[group.kind][0]
    points = [point for point in group.same if score in point.scores]
    across, means = [point.seen for point in points], [point.scores[score] for point in points]
    axes.fill_between(
        across, [each.low for each in means], [each.high for each in means], color=colour, alpha=0.12, lw=0
    )
    [line] = axes.plot(across, [each.mean for each in means], color=colour, lw=1.4, marker="o", ms=3)
    return line


if __name__ == "__main__":
    run(main)
