"""The report on duplicates: the paper's table 2 beside ours, and when the paper's order holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lab.duplicates.runs import KEY_METHODS
from lab.harness.reporting import csv_text, join_sections, percent, percent_interval
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.duplicates.runs import KindOutcome, MethodOutcome
    from lab.labelled.bootstrap import Estimate

PAPER: Final = {
    "full text": (0.309, 0.865),
    "sitelevel": (0.427, 0.832),
    "pagelevel": (0.76, 0.916),
}
"""Shares of duplicates found and of other pairs told apart, by method, in the paper."""

_INTRO: Final = """\
# Duplicates, with and without templates

Chakrabarti, Kumar, Punera: *Page-level Template Detection via Isotonic Smoothing* (WWW 2007), section
6.2, table 2. The lyrics of the paper are not to be had. **Real**: the templates (pages of {sites} test
sites, each used once) and the contents ({contents} of English training sites, as markup). **Made**:
which content stands in which template. So it is known exactly which pages have the same content. Seed
{seed}. Shingles of 6 words, the 8 smallest hashes, duplicates from 4 matches on. In brackets: 95 %
bootstrap interval, resampling contents (sites).
"""
"""Title and introduction in Markdown, with fields for ``str.format``."""


def estimates(outcome: KindOutcome, method: MethodOutcome) -> tuple[Estimate, Estimate]:
    """Average over pairs: shares of duplicates found, and of other pairs told apart."""
    return (
        bootstrap_mean([float(x) for x in method.duplicates], outcome.duplicates),
        bootstrap_mean([float(x) for x in method.others], outcome.others),
    )


def report(outcomes: Sequence[KindOutcome], seed: int) -> str:
    """Write the report as Markdown; the first outcome has all methods."""
    first = outcomes[0]
    intro = _INTRO.format(sites=first.sites, contents=first.contents, seed=seed)
    rows = []
    for name, method in first.methods.items():
        found, apart = estimates(first, method)
        paper = PAPER.get(name, (None, None))
        rows.append([
            name, percent(paper[0], 0), percent_interval(found), percent(paper[1], 0),
            percent_interval(apart), percent(method.kept), percent(method.left), f"{method.f1:.3f}",
        ])  # fmt: skip
    header = [
        "method", "duplicates, paper", "duplicates, here", "others, paper", "others, here",
        "content kept", "template left", "F1",
    ]  # fmt: skip
    table = markdown_table(header, rows)
    counts = (
        f"{first.pages:,} pages, {len(first.duplicates):,} pairs of duplicates (same content, two sites), "
        f"{len(first.others):,} other pairs (same site, different contents). Of a page's words, "
        f"{percent(first.content_share, 0)} are content."
    )
    sections = [f"## Pairs judged rightly (the paper's table 2)\n\n{counts}\n\n{table}"]
    if len(outcomes) > 1:
        sections.append(_kinds(outcomes))
    return join_sections(intro, "", sections)


def _kinds(outcomes: Sequence[KindOutcome]) -> str:
    names = [name for name in KEY_METHODS if all(name in each.methods for each in outcomes)]
    rows = []
    for outcome in outcomes:
        cells = [outcome.kind.name, str(outcome.pages), percent(outcome.content_share, 0)]
        for name in names:
            found, apart = estimates(outcome, outcome.methods[name])
            left = outcome.methods[name].left
            cells.append(f"{percent(found.mean, 0)} / {percent(apart.mean, 0)} ({percent(left, 0)})")
        rows.append(cells)
    text = "Duplicates found / other pairs told apart (template words left).\n\n"
    return (
        "## When the paper's order holds\n\n"
        + text
        + markdown_table(["pages", "number", "content", *names], rows)
    )


def to_csv(outcomes: Sequence[KindOutcome]) -> str:
    """Write all means as CSV: one line a kind of pages and method."""
    rows = [
        [each.kind.name, name, *(estimate.mean for estimate in estimates(each, method)),
         method.kept, method.left, method.f1]
        for each in outcomes
        for name, method in each.methods.items()
    ]  # fmt: skip
    return csv_text(["pages", "method", "duplicates", "others", "kept", "left", "f1"], rows)


def as_dict(outcomes: Sequence[KindOutcome]) -> list[dict[str, Any]]:
    """Convert all figures to data that JSON can represent: shares of pairs with their intervals."""
    records = []
    for each in outcomes:
        methods = {}
        for name, method in each.methods.items():
            found, apart = ([round(value, 5) for value in share] for share in estimates(each, method))
            methods[name] = {
                "duplicates": found,
                "others": apart,
                "kept": round(method.kept, 5),
                "left": round(method.left, 5),
                "f1": round(method.f1, 5),
            }
        records.append({
            "kind": each.kind._asdict(), "sites": each.sites, "pages": each.pages, "contents": each.contents,
            "content_share": round(each.content_share, 5), "duplicates": len(each.duplicates),
            "others": len(each.others), "methods": methods,
        })  # fmt: skip
    return records
