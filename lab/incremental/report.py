"""The report on incremental detection against batches: the paper's table 1 for our sites."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from lab.harness.reporting import join_sections, percent, percent_interval
from lab.incremental.designs import designs_table
from lab.incremental.summary import (
    best_recalls,
    comparison_of,
    saving,
    summarise,
    sweep_means,
)
from lab.incremental.sweep import INCREMENTAL, TOLERANCE
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lab.incremental.designs import DesignOutcome
    from lab.incremental.summary import Kind, Summary
    from lab.incremental.sweep import Choice, SiteOutcome

_INTRO: Final = """\
# Incremental detection against batches

Wang, Fang, Cheng, Guo, Xu: *Incremental Web Page Template Detection* (WWW 2008), section 3 and table 1, on
{sites} sites with {pages:,} pages ({scored:,} with gold). `{incremental}` sees each page once and keeps a
table of segments; the others cache pages until a batch is full. For each method and site: the setting that
stores least among those with the recall. *Recall*: share of the words outside a page's content that are
removed; *precision*: of the words removed, the share that was outside; means over a site's pages. *KB*:
1,000 bytes stored on average after each page's arrival. *Delay*: pages that arrive before a page is
processed.
"""
"""Title and introduction in Markdown, with fields for ``str.format``."""

_DESIGNS: Final = """\
## Lifetimes that grow, and constant ones

Two real sites stand for two designs of one site; the order of their pages is made. KB: mean over pairs of the
cheapest setting that has the recall: the wanted one, at most 95 % of the highest that both kinds reach.

"""
"""Introduction of the table on designs."""

_PAPER_SITES: Final = 5
"""Number of the paper's sites."""
_PAPER_SAVING: Final = {"shingles": "93.8 %", "styletree": "93.2 %"}
"""Saving against each batch method, in the paper's table 1."""
_PAPER_SIZE: Final = {INCREMENTAL: "224", "shingles": "3,617", "styletree": "3,302"}
"""Average storage in KB, in the paper's table 1."""


def report(sites: Sequence[SiteOutcome], note: str = "", designs: Sequence[DesignOutcome] = ()) -> str:
    """Write the report as Markdown, with a note below its introduction; at least one site."""
    target = sites[0].wanted.target
    wanted, common = summarise(sites, "wanted"), summarise(sites, "common")
    intro = _INTRO.format(
        sites=len(sites),
        pages=sum(site.pages for site in sites),
        scored=sum(site.scored for site in sites),
        incremental=INCREMENTAL,
    )
    sections = [
        "## The paper and here\n\n" + _expectations(sites, wanted, common),
        f"## Storage at recall {percent(target, 0)}\n\n"
        "In brackets, where no setting of a method has the recall: the highest it has, with what that stores."
        " Mean and savings over the sites where all methods have it; elsewhere no saving is given.\n\n"
        + _table(sites, "wanted", wanted),
        "## Storage at the recall that all methods reach\n\n"
        f"The lowest of the methods' highest recalls on the site, at most {percent(target, 0)}.\n\n"
        + _table(sites, "common", common),
        "## All settings\n\nMeans over all sites.\n\n" + _sweep(sites),
    ]
    if designs:
        sections.insert(1, _DESIGNS + designs_table(designs))
    return join_sections(intro, note, sections)


def _kb(size: float) -> str:
    """Format bytes as kilobytes of 1,000 bytes."""
    kilobytes = size / 1000
    digits = 0 if kilobytes >= 100 else 1 if kilobytes >= 10 else 2
    return f"{kilobytes:,.{digits}f}"


def _expectations(sites: Sequence[SiteOutcome], wanted: Summary | None, common: Summary | None) -> str:
    """Write the table of the paper's figures beside ours."""
    target = sites[0].wanted.target
    batched = [method for method in best_recalls(sites[0]) if method != INCREMENTAL]
    columns = [wanted, common]

    def each(cell: Callable[[Summary], str]) -> list[str]:
        return ["–" if summary is None else cell(summary) for summary in columns]

    reaching = {
        method: sum(best_recalls(site)[method] >= target - TOLERANCE for site in sites)
        for method in (INCREMENTAL, *batched)
    }
    rows = [
        ["sites compared", str(_PAPER_SITES), *each(lambda s: f"{s.sites} of {len(sites)}")],
        ["recall asked for", "80 %", *each(lambda s: percent(s.target))],
    ]
    rows += [[f"sites where `{m}` has {percent(target, 0)}", "all", str(n), ""] for m, n in reaching.items()]
    for method in reaching:
        stored = each(lambda s, m=method: _kb(s.methods[m].storage))  # type: ignore[misc]
        rows.append([f"KB, `{method}`", _PAPER_SIZE.get(method, "–"), *stored])
    rows.append([f"KB, `{INCREMENTAL}` with texts for hashes", "224", *each(lambda s: _kb(s.text_storage))])
    kept = each(lambda s: _kb(s.methods[INCREMENTAL].inserting))
    rows.append([f"KB, `{INCREMENTAL}`, when a page is inserted", "–", *kept])
    kept = each(lambda s: _kb(s.text_inserting))
    rows.append([f"KB, `{INCREMENTAL}`, when a page is inserted, with texts for hashes", "224", *kept])
    for method in batched:
        rows += _savings(method, columns)
    for method in reaching:
        precise = each(lambda s, m=method: percent(s.methods[m].precision))  # type: ignore[misc]
        rows.append([f"precision, `{method}`", "> 98 %", *precise])
    for method in reaching:
        found = each(lambda s, m=method: percent(s.methods[m].block_recall))  # type: ignore[misc]
        rows.append([f"template blocks found, `{method}`", "80 %", *found])
    for method in reaching:
        right = each(lambda s, m=method: percent(s.methods[m].block_precision))  # type: ignore[misc]
        rows.append([f"removed blocks that are template, `{method}`", "> 98 %", *right])
    for method in batched:
        sizes = each(lambda s, m=method: f"{s.methods[m].batch or 0:.1f}")  # type: ignore[misc]
        rows.append([f"pages a batch, `{method}`", "24", *sizes])
    for method in reaching:
        waits = each(lambda s, m=method: f"{s.methods[m].delay:.1f}")  # type: ignore[misc]
        rows.append([f"delay in pages, `{method}`", "0" if method == INCREMENTAL else "–", *waits])
    return markdown_table(
        ["", "paper", f"at recall {percent(target, 0)}", "at the recall that all reach"], rows
    )


def _savings(method: str, columns: Sequence[Summary | None]) -> list[list[str]]:
    """Write the rows on the saving against a batch method, counted in several ways."""
    paper = _PAPER_SAVING.get(method, "–")
    rows = [
        [f"saved against `{method}`", paper],
        ["– against full batches, as the paper counts", paper],
        ["– with texts for hashes, full batches", paper],
        ["– with texts, full batches, when a page is inserted", paper],
        ["– mean of the sites' savings [95 %]", "–"],
        ["– sites where it stores less", str(_PAPER_SITES)],
    ]
    for summary in columns:
        if summary is None:
            cells = ["–"] * len(rows)
        else:
            theirs = summary.methods[method]
            cells = [
                percent(theirs.saved),
                percent(theirs.saved_full),
                percent(saving(summary.text_storage, theirs.full)),
                percent(saving(summary.text_inserting, theirs.full)),
                percent_interval(theirs.saved_by_site),
                f"{theirs.cheaper_on} of {summary.sites}",
            ]
        for row, cell in zip(rows, cells, strict=True):
            row.append(cell)
    return rows


def _stored(choice: Choice) -> str:
    size = _kb(choice.outcome.storage)
    return size if choice.reached else f"({size} at {percent(choice.outcome.recall, 0)})"


def _table(sites: Sequence[SiteOutcome], kind: Kind, summary: Summary | None) -> str:
    """Write the paper's table 1, with further columns for precision and setting."""
    methods = list(sites[0].wanted.choices)
    batched = [method for method in methods if method != INCREMENTAL]
    header = ["site", "pages"]
    if kind == "common":
        header.append("recall")
    header += [f"{method}, KB" for method in methods]
    header += [f"saved against {method}" for method in batched]
    header += [f"precision, {method}" for method in methods]
    header += [f"setting, {method}" for method in methods]
    rows = []
    for site in sites:
        comparison = comparison_of(site, kind)
        choices = comparison.choices
        ours = choices[INCREMENTAL].outcome
        row = [site.name, str(site.pages)]
        if kind == "common":
            row.append(percent(comparison.target, 0))
        row += [_stored(choices[method]) for method in methods]
        for method in batched:
            equal = comparison.target > 0 and choices[INCREMENTAL].reached and choices[method].reached
            row.append(percent(saving(ours.storage, choices[method].outcome.storage)) if equal else "–")
        row += [percent(choices[method].outcome.precision) for method in methods]
        row += [choices[method].outcome.setting.label for method in methods]
        rows.append(row)
    if summary is not None:
        means = summary.methods
        row = [f"**mean of {summary.sites}**", ""]
        if kind == "common":
            row.append(percent(summary.target, 0))
        row += [f"**{_kb(means[method].storage)}**" for method in methods]
        row += [f"**{percent(means[method].saved)}**" for method in batched]
        row += [percent(means[method].precision) for method in methods]
        sizes = [means[method].batch for method in methods]
        row += ["" if size is None else f"{size:.1f} pages" for size in sizes]
        rows.append(row)
    return markdown_table(header, rows)


def _sweep(sites: Sequence[SiteOutcome]) -> str:
    target = sites[0].wanted.target
    rows = [
        [
            mean.setting.method,
            mean.setting.label,
            percent(mean.recall),
            percent(mean.precision),
            _kb(mean.storage),
            f"{mean.delay:.1f}" if math.isfinite(mean.delay) else "–",
            str(mean.reaching),
        ]
        for mean in sweep_means(sites)
    ]
    header = [
        "method",
        "setting",
        "recall",
        "precision",
        "KB",
        "delay",
        f"sites with recall {percent(target, 0)}",
    ]
    return markdown_table(header, rows)
