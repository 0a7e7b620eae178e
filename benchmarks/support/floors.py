"""The quality gates: recorded scores that a change must not lower silently, and the site's other pages.

What method auto learns from other pages of a site must not make it worse.
"""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Final

from benchmarks.support.auto_report import main_score, single_site
from detemplate.errors import UserError
from lab.labelled.catalogue import has_floors
from lab.labelled.measure import Method

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from lab.labelled.measure import Figures

Floors = dict[str, dict[str, dict[str, float]]]
"""By method, then by set or part of a set: ``pages`` and a floor for each gated score."""
GATED: Final = ("f1", "kept", "removed", "values", "intact", "price", "sku", "held")
"""Scores that have floors."""
TOLERANCE: Final = 0.0005
"""Most that a score may be below its floor: new compilers and libraries move scores a little."""
BY_SITE: Final = Method("auto")  # the method with its defaults
BY_PAGE: Final = Method("auto", (("evidence", "page"),))  # the same method, which judges each page by itself
MOST_LOSS: Final = 0.002  # most that a score may be lower with the site's other pages than without them
KNOWN_LOSSES: Final = {
    "daniel-test/zh": 0.0092, "wcxb-dev/collection": 0.0113, "wcxb-dev/documentation": 0.0029,
    "zyte-product": 0.0289,
}  # fmt: skip
"""Most loss where the site's other pages cost more than `MOST_LOSS` today."""
_EPSILON: Final = 1e-9
"""Added before rounding down, so that 0.8123 does not become 0.8122 as a binary fraction."""


def read_floors(path: Path) -> Floors:
    """Read recorded floors; none where there is no file."""
    if not path.exists():
        return {}
    try:
        floors: Floors = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the floors {path}: {error}") from error
    return floors


def write_floors(path: Path, floors: Floors) -> None:
    """Write floors as sorted JSON, so that changes of the file are small."""
    path.write_text(json.dumps(floors, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def figures_to_floors(summaries: Mapping[str, Mapping[str, Figures]]) -> Floors:
    """Turn measured scores into floors: the gated scores of whole sets, rounded down to 4 decimals.

    Single sites are left out: they are too small. So is what has no floors (:func:`has_floors`).
    """
    return {
        method: {
            name: {
                "pages": figures.pages,
                **{score: floor(figures.means[score].mean) for score in GATED if score in figures.means},
            }
            for name, figures in summary.items()
            if not single_site(name) and has_floors(method, name)
        }
        for method, summary in summaries.items()
    }


def floor(score: float) -> float:
    """Round a score down to 4 decimals."""
    return math.floor(score * 10_000 + _EPSILON) / 10_000


def gate(
    options: argparse.Namespace, measured: Floors, *, complete: bool, more: Callable[[], list[str]] = list
) -> int:
    """Do what the options of `Parser.add_floors` ask for, say it on standard error, return the exit code.

    ``more`` makes further checks with ``--check``: it returns a line for each failure.
    """
    recorded = read_floors(options.floors)
    problems: list[str] = []
    if options.check:
        problems = check_floors(recorded, measured, complete=complete)
        print("\n".join(["below the floor:", *problems]) if problems else "no figure fell", file=sys.stderr)
        problems += more()
    if options.update_floors or options.lower_floors:
        new, refused = update_floors(recorded, measured, lower=options.lower_floors)
        write_floors(options.floors, new)
        print(f"wrote {options.floors}", file=sys.stderr)
        if refused:
            print("kept, as only --lower-floors lowers a floor:\n" + "\n".join(refused), file=sys.stderr)
        problems += refused
    return 1 if problems else 0


def check_floors(recorded: Floors, measured: Floors, *, complete: bool) -> list[str]:
    """Return a line for each score that fell by more than `TOLERANCE`, and each set with other pages.

    If all was measured (``complete``), a recorded score that is missing is a failure, too.
    """
    failures = []
    for method, sets in sorted(recorded.items()):
        for name, floors in sorted(sets.items()):
            now = measured.get(method, {}).get(name)
            if now is None:
                if complete:
                    failures.append(f"{method} {name}: recorded, but not measured")
            elif now["pages"] != floors["pages"]:
                failures.append(
                    f"{method} {name}: recorded on {floors['pages']} pages, measured on {now['pages']}"
                )
            else:
                failures += [
                    f"{method} {name} {score}: {now[score]:.4f}, recorded {floors[score]:.4f}"
                    if score in now
                    else f"{method} {name} {score}: recorded, but not measured"
                    for score in sorted(set(floors) - {"pages"})
                    if _fell(floors[score], now.get(score))
                ]
    return failures


def update_floors(recorded: Floors, measured: Floors, *, lower: bool = False) -> tuple[Floors, list[str]]:
    """Raise floors to the measured scores; return them, and a line for each that was kept above its score.

    With ``lower``, floors may be lowered, and replaced where the number of a set's pages has changed. A score
    within `TOLERANCE` below its floor keeps the floor, so that small losses cannot add up.
    """
    new = {method: {name: dict(floors) for name, floors in sets.items()} for method, sets in recorded.items()}
    refused: list[str] = []
    for method, sets in measured.items():
        ours = new.setdefault(method, {})
        for name, now in sets.items():
            before = ours.get(name)
            if before is None or lower:
                ours[name] = dict(now)
                continue
            refused += check_floors({method: {name: before}}, {method: {name: now}}, complete=True)
            if before["pages"] == now["pages"]:
                ours[name] = before | {score: max(now[score], before.get(score, 0)) for score in now}
    return new, refused


def _fell(floor: float, now: float | None) -> bool:
    return now is None or floor - now > TOLERANCE + _EPSILON


def compare(by_site: Mapping[str, Figures], by_page: Mapping[str, Figures]) -> tuple[list[str], list[str]]:
    """Compare scores with and without the other pages of the site, on all with more than one page a site.

    Return a line for each set, or part of a set, and those lines where the other pages cost too much. Single
    sites are left out: they are too small.
    """
    lines, failures = [], []
    for name, figures in by_site.items():
        score = main_score(figures)
        if name not in by_page or score is None or single_site(name) or figures.pages == figures.sites:
            continue
        with_site, alone = figures.means[score].mean, by_page[name].means[score].mean
        line = f"{name} {score}: {with_site:.4f} with the site, {alone:.4f} by the page alone"
        lines.append(line)
        if alone - with_site > KNOWN_LOSSES.get(name, MOST_LOSS) + _EPSILON:
            failures.append(line)
    return lines, failures
