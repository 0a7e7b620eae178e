"""Gathering what a report tells of the sites of a store."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from detemplate.report.reporting import DETAILED, LISTED, in_time, page_counts, site_report
from detemplate.report.templatecards import Shown, cards
from detemplate.sites.history import SiteHistory
from detemplate.sites.naming import site_name
from detemplate.sites.storefile import StoreFile
from detemplate.sites.storejobs import known_share
from detemplate.sites.storetables import APPLICATION


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
                told |= in_time(history) | page_counts(history.counts)
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
