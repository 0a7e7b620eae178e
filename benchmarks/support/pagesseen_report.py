"""The report on quality against the pages seen: tables in Markdown, the figures as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from benchmarks.support.pagesseen_summary import PANEL_SHARE, SCORES, falls, site_lines
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.support.pagesseen import Curve, Plan
    from benchmarks.support.pagesseen_summary import Group, Point
    from lab.labelled.bootstrap import Estimate

MARK: Final = "▼"
"""Marks a difference whose whole 95 % interval is below 0."""
SHOWN_SITES: Final = 10
"""Most sites of a group that the report shows."""
_TITLES: Final = {"f1": "F1", "intact": "intact"}
"""Titles of scores; others go by their names."""
_INTRO: Final = """\
# Quality against the pages seen

`{command}`

Each target page ({targets} at most a site, drawn) is cleaned by a detector that has learnt *n* pages of its
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
_SITES: Final = """\
Sites of the same pages whose {title} at the greatest *n* is farthest below the best at a smaller *n*, at most
{shown} for each group. Of a few pages each, and chosen for their fall: much of it is chance.
"""


def pagesseen_report(groups: Sequence[Group], plan: Plan, command: str) -> str:
    """Write the report.

    Parameters
    ----------
    groups
        The averaged scores, at least one group.
    plan
        The plan of the measurements.
    command
        The command that measured them.

    Returns
    -------
    str
        Markdown.
    """
    intro = _INTRO.format(
        command=command, targets=plan.pages_per_site, seed=plan.seed, share=PANEL_SHARE, mark=MARK
    )
    sections = [intro]
    sections += [f"## Where it falls\n\n{_fallen(groups)}\n"]
    sections += [f"## {group.name} · {group.method}\n\n{_group(group)}\n" for group in groups]
    sections += [f"## Site by site\n\n{_site_tables(groups)}"]
    return "\n".join(sections)


def _interval(estimate: Estimate | None, *, sign: bool = False) -> str:
    """Write a mean with its interval; with ``sign``, a difference, marked where it falls."""
    if estimate is None:
        return "–"
    form = "+.3f" if sign else ".3f"
    mean, low, high = (f"{value:{form}}".replace("-", "−") for value in estimate)
    return f"{mean} [{low}, {high}]" + (f" {MARK}" if sign and falls(estimate) else "")


def _title(score: str) -> str:
    return _TITLES.get(score, score)


def _fallen(groups: Sequence[Group]) -> str:
    rows = []
    for group in groups:
        for before, point in zip(group.same, group.same[1:], strict=False):
            against = {before.seen: point.since_last, group.same[0].seen: point.since_first}
            rows += [
                [group.method, group.name, str(point.seen), str(base), _interval(change, sign=True)]
                for base, change in against.items()
                if falls(change)
            ]
    if not rows:
        return "Nowhere for certain: of the same pages, no difference has its whole interval below 0."
    return "Of the same pages:\n\n" + markdown_table(["", "", "pages seen", "against", "difference"], rows)


def _group(group: Group) -> str:
    first = group.same[0]
    panel = (
        f"**Same pages**: {first.pages:,} of {first.sites:,} sites, with at least {group.panel} pages each."
    )
    parts = [panel, _points(group, group.same)]
    if group.every == group.same:
        parts.append("**All pages that reach n** are the same.")
    else:
        parts += ["**All pages that reach n**", _points(group, group.every)]
    if group.crashed:
        parts.append(f"{group.crashed:,} outputs could not be made and count as empty.")
    return "\n\n".join(parts)


def _points(group: Group, points: Sequence[Point]) -> str:
    scores = SCORES[group.kind]
    first = points[0].seen
    header = ["pages seen", *map(_title, scores[:1]), f"against {first}", "against the previous n"]
    header += [*map(_title, scores[1:]), "pages", "sites"]
    rows = [
        [
            str(point.seen),
            _interval(point.scores.get(scores[0])),
            _interval(point.since_first, sign=True),
            _interval(point.since_last, sign=True),
            *(f"{point.scores[name].mean:.3f}" if name in point.scores else "–" for name in scores[1:]),
            f"{point.pages:,}",
            f"{point.sites:,}",
        ]
        for point in points
    ]
    return markdown_table(header, rows)


def _site_tables(groups: Sequence[Group]) -> str:
    titles = " or ".join(dict.fromkeys(_title(SCORES[group.kind][0]) for group in groups))
    text = [_SITES.format(title=titles, shown=SHOWN_SITES)]
    names = {group.name for group in groups}
    for group in groups:
        # The sites of all parts together are in the tables of the parts.
        if any(name.startswith(f"{group.name}/") for name in names):
            continue
        rows = [
            [line.site, *(f"{mean:.3f}" for mean in line.means), f"{line.fall:+.3f}".replace("-", "−")]
            for line in site_lines(group)[:SHOWN_SITES]
            if line.fall < 0
        ]
        if rows:
            header = ["", *(str(point.seen) for point in group.same), "last − best before"]
            text.append(f"### {group.name} · {group.method}\n\n{markdown_table(header, rows)}\n")
        else:
            text.append(f"### {group.name} · {group.method}\n\nNone.\n")
    return "\n".join(text)


def figures_csv(groups: Sequence[Group]) -> str:
    """Write the means as CSV, one figure a line.

    Parameters
    ----------
    groups
        The averaged scores.

    Returns
    -------
    str
        Columns ``group``, ``method``, ``pages`` (``same``: the panel, or ``all``), ``seen``,
        ``target_pages``, ``sites``, ``figure``, ``mean``, ``low``, ``high`` (95 %). Figures are the scores,
        and ``against N``: the main score's difference to that at N pages.
    """
    lines: list[tuple[str, ...]] = [
        ("group", "method", "pages", "seen", "target_pages", "sites", "figure", "mean", "low", "high")
    ]
    for group in groups:
        for view, points in (("same", group.same), ("all", group.every)):
            for place, point in enumerate(points):
                for figure, estimate in _figures(points, place):
                    lines.append(
                        (
                            group.name, group.method, view, str(point.seen), str(point.pages),
                            str(point.sites), figure, *(f"{value:.5f}" for value in estimate),
                        )
                    )  # fmt: skip
    return _csv(lines)


def _figures(points: Sequence[Point], place: int) -> Iterator[tuple[str, Estimate]]:
    point = points[place]
    yield from point.scores.items()
    if point.since_first is not None:
        yield f"against {points[0].seen}", point.since_first
    if point.since_last is not None and place > 1:
        yield f"against {points[place - 1].seen}", point.since_last


def pages_csv(curves: Sequence[Curve], plan: Plan) -> str:
    """Write the scores of every target page as CSV.

    Parameters
    ----------
    curves
        The scores.
    plan
        The plan of the measurements.

    Returns
    -------
    str
        Columns ``set``, ``part``, ``site``, ``page``, ``site_pages``, ``method``, ``seen``, and every score
        of any of the sets; empty where a set does not have it.
    """
    scores = list(dict.fromkeys(name for curve in curves for name in SCORES[curve.kind]))
    lines: list[tuple[str, ...]] = [("set", "part", "site", "page", "site_pages", "method", "seen", *scores)]
    for curve in curves:
        for seen, row in zip(plan.seen, curve.rows, strict=False):
            own = (row.get(name) for name in scores)
            lines.append(
                (
                    curve.set, curve.part, curve.site, curve.page, str(curve.pages), curve.method, str(seen),
                    *("" if value is None else f"{value:.4f}" for value in own),
                )
            )  # fmt: skip
    return _csv(lines)


def _csv(lines: Sequence[Sequence[str]]) -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(lines)
    return file.getvalue()
