"""Gathering what a report tells of the sites of a store."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.algorithms.keysample import first_pages
from detemplate.report.frequencies import Counted, frequency_bins
from detemplate.report.reporting import DETAILED, LISTED, in_time
from detemplate.report.sitereport import site_report
from detemplate.report.templatecards import Shown, cards
from detemplate.sites.history import SiteHistory
from detemplate.sites.naming import site_name
from detemplate.sites.storefile import StoreFile
from detemplate.sites.storejobs import known_share
from detemplate.sites.storetables import APPLICATION

if TYPE_CHECKING:
    from detemplate.sites.history import PageCounts

_POINTS: Final = 128  # maximum number of points of the curve of growth
_DIRECTORIES: Final = 20  # directories that are listed


def is_store_file(path: str) -> bool:
    """Tell by its first bytes whether a file is a store: SQLite, with the application's number."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head.startswith(b"SQLite format 3\0") and head[68:72] == APPLICATION.to_bytes(4, "big")


def report_store(path: str, *, title: str | None) -> tuple[str, int]:
    """Write the report of a store's sites; return it, and their number.

    Raises UserError: the store is damaged.
    """
    with closing(StoreFile(path)) as store:
        rows = sorted(store.rows(), key=lambda row: (-row.pages, site_name(row.name)))
        sites = []
        for number, row in enumerate(rows[:LISTED]):
            history = store.history(row.name) or SiteHistory()
            told: dict[str, Any] = {
                "site": site_name(row.name),
                "pages": row.pages,
                "share": known_share(history, row.pages),
            }
            told |= {"first": row.first, "last": row.last, "seen": history.pages}
            if number < DETAILED:
                told |= in_time(history) | counted(history.counts)
                known = {
                    key: Shown(each.text, each.pages, each.first, each.last)
                    for key, each in history.templates.items()
                }
                told["cards"], told["all_cards"] = cards(known, {}, 0)
            sites.append(told)
        method = store.settings.method
    written = site_report(
        sites,
        title=title,
        method=method,
        skipped={},
        from_store=True,
        unlisted=max(len(rows) - LISTED, 0),
    )
    return written, len(rows)


def counted(counts: PageCounts) -> dict[str, Any]:
    """Return a store's counts of a site, as :meth:`~detemplate.report.sitestats.SiteStats.as_dict` does.

    Numbers of texts are estimates where the samples do not hold all: ``sampled`` is then the number of texts
    in them. ``counted`` is the number of pages; if it is 0, there is nothing else.
    """
    if not counts.pages:
        return {"counted": 0}
    counts.sample()
    removed, kept = counts.removed, counts.kept
    bins, cut = frequency_bins(
        Counted(removed.counts, removed.share), Counted(kept.counts, kept.share), counts.pages
    )
    every, share = first_pages(removed, kept)
    template, template_share = first_pages(removed)
    at = np.unique(np.linspace(1, counts.pages, _POINTS).astype(np.int64))
    texts = np.round(every.searchsorted(at, side="right") / share).astype(np.int64)
    templates = np.round(template.searchsorted(at, side="right") / template_share).astype(np.int64)
    directories = sorted(counts.directories.items(), key=lambda item: (-item[1][0], item[0]))
    return {
        "counted": counts.pages,
        "shares": counts.shares,
        "frequencies": bins,
        "cut": cut,
        "growth": list(zip(at.tolist(), texts.tolist(), np.minimum(templates, texts).tolist(), strict=True)),
        "sampled": len(removed) + len(kept) if share < 1 else 0,
        "directories": [
            {"name": name, "pages": pages, "share": round(total / pages, 3)}
            for name, (pages, total) in directories[:_DIRECTORIES]
        ],
        "all_directories": len(directories),
        "lost": counts.lost,
        "none": {"pages": counts.none.pages, "urls": counts.none.urls},
        "only": {"pages": counts.only.pages, "urls": counts.only.urls},
    }
