"""Sections of the report on quality that are about method auto alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lab.labelled.catalogue import SITES
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lab.labelled.measure import Figures

    Summary = Mapping[str, Figures]
    """Figures by set or part of a set."""

WORST_SITES: Final = 3
_EVIDENCE: Final = """\
## auto: titles, and the other pages of the site

F1; of sets of values, the share of pages that kept all. *Titles aside*: the page's title is taken out of
output and gold, once of each, as some golds have it and others have not. *Page alone*: `evidence=page`, each
page by itself. *Other pages*: what the other pages of the site add; empty where each page is of another site.
"""
_LEFT_OUT: Final = """\
## Families left out

auto with models that have not seen the family of the site; it has seen all pages of the site. F1; of sets of
values, the share of pages that kept all.
"""


def main_score(figures: Figures) -> str | None:
    """Name the score that sets are compared by: F1, or whether all values are kept; None for neither."""
    return next((score for score in ("f1", "intact") if score in figures.means), None)


def single_site(name: str) -> bool:
    """Tell whether figures are those of one site."""
    return name.startswith(f"{SITES}/") and name not in (f"{SITES}/train", f"{SITES}/test")


def evidence_section(by_site: Summary, by_page: Summary) -> str:
    """Compare method auto on each set with itself without titles, and judging each page by itself."""
    rows = []
    for name, figures in by_site.items():
        score = main_score(figures)
        if single_site(name) or score is None:
            continue
        mean = figures.means[score].mean
        untitled = figures.means.get("untitled")
        row = [name, str(figures.pages), str(figures.sites), f"{mean:.4f}"]
        row.append(f"{untitled.mean:.4f}" if untitled else "")
        alone = by_page.get(name)
        row.append(f"{alone.means[score].mean:.4f}" if alone else "")
        several = alone is not None and figures.pages > figures.sites
        row.append(f"{mean - alone.means[score].mean:+.4f}" if alone and several else "")
        rows.append(row)
    header = ["", "pages", "sites", "auto", "titles aside", "page alone", "other pages"]
    return f"{_EVIDENCE}\n{markdown_table(header, rows)}"


def left_out_section(left_out: Summary, parts: Mapping[str, str]) -> str:
    """Show the scores on families that were left out, and the worst sites; `parts` are those of the sites."""
    groups = {name: figures for name, figures in left_out.items() if not single_site(name)}
    rows = []
    for name in sorted(groups, key=lambda name: (name.partition("/")[0] != SITES, name)):
        score = main_score(groups[name])
        if score:
            mean, low, high = groups[name].means[score]
            pages, sites = groups[name].pages, groups[name].sites
            rows.append([name, f"{mean:.4f} [{low:.4f}, {high:.4f}]", f"{pages:,}", f"{sites:,}"])
    single = {name: figures.means["f1"].mean for name, figures in left_out.items() if single_site(name)}
    worst = [
        f"`{name.partition('/')[2]}` {single[name]:.4f} ({parts[name]})"
        for name in sorted(single, key=single.__getitem__)[:WORST_SITES]
    ]
    shown = f"\n\nThe worst sites: {', '.join(worst)}." if worst else ""
    return f"{_LEFT_OUT}\n{markdown_table(['', 'F1', 'pages', 'sites'], rows)}{shown}"
