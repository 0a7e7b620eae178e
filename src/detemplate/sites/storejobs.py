"""What is done with whole stores: described, exported, merged, and sites forgotten."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.detectors.registry import detector_class
from detemplate.errors import UserError
from detemplate.sites.history import SiteHistory
from detemplate.sites.naming import site_name, site_of
from detemplate.sites.storefile import StoreFile, StoreWriter
from detemplate.sites.storetables import SiteRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_ENOUGH: Final = 8  # pages that tell a site's share of template, where it has more


def described(store: StoreFile, row: SiteRow) -> dict[str, Any]:
    """Describe a site of a store, with its history, as a JSON object."""
    history = store.history(row.name) or SiteHistory()
    share = known_share(history, row.pages)
    return {
        "site": site_name(row.name),
        "method": store.settings.method,
        "pages": row.pages,
        "bytes": row.size,
        "first": row.first,
        "last": row.last,
        "seen": history.pages,
        "template_share": None if share is None else round(share, 6),
        "points": [
            {
                "first": point.first,
                "last": point.last,
                "pages": point.pages,
                "template_share": round(point.share, 6),
                "known_share": round(point.known, 6),
            }
            for point in history.points
        ],
        "redesigns": [
            {
                "date": each.date,
                "known_before": round(each.before, 6),
                "known_after": round(each.after, 6),
                "gone": each.gone,
            }
            for each in history.redesigns
        ],
        "templates": [
            {"text": each.text, "pages": each.pages, "first": each.first, "last": each.last}
            for each in history.texts()
        ],
    }


def known_share(history: SiteHistory, pages: int) -> float | None:
    """Return a site's share of template; None if too few of its pages were looked at to tell it.

    'detemplate learn' looks at one page in 128, 'clean --store' at all.
    """
    return history.share if history.pages and history.pages >= min(pages, _ENOUGH) else None


def site_in(store: StoreFile, site: str) -> SiteRow:
    """Find a site of a store by its name, or by the URL of one of its pages; raises UserError for others."""
    names = [site, site_of(site, store.settings.site_by)] if "://" in site else [site]
    for name in names:
        row = store.row(name)
        if row is not None:
            return row
    raise UserError(
        f"{store.path} has no site {site!r}; 'detemplate store show {store.path}' lists those that it has"
    )


def export(store: StoreFile, write: Callable[[bytes], None], site: str | None = None) -> int:
    """Write the sites of a store, or only one, with their histories, as JSON Lines; return their number.

    Raises UserError: the store is damaged, or does not have the site.
    """
    count = 0
    for row in store.rows() if site is None else [site_in(store, site)]:
        write(json.dumps(described(store, row)).encode() + b"\n")
        count += 1
    return count


def merge(paths: Sequence[str], output: str) -> int:
    """Merge stores into a new one, as if their pages had been learned one store after the other.

    Sites that several stores have are merged by the method. Returns the number of sites of the new store.

    Raises UserError: the stores were learned with different settings, a site that several have cannot be
        merged by the method, the output exists, or a store is damaged.
    """
    if Path(output).exists():
        raise UserError(f"{output} exists already; name a new store")
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(StoreFile(path))) for path in paths]
        first = stores[0]
        for other in stores[1:]:
            _check_alike(first, other)
        if not detector_class(first.settings.method).merges:
            _check_disjoint(stores)
        writer = stack.enter_context(StoreWriter(output))
        for store in stores:
            for row in store.rows():
                _join(writer, first, store, row)
        writer.finish(first.settings)
        return writer.sites


def _join(writer: StoreWriter, first: StoreFile, store: StoreFile, row: SiteRow) -> None:
    """Write a site of a store behind what the stores before it have of the site."""
    old = writer.row(row.name)
    if old is None:
        writer.copy(store, row)
        return
    before, after = (first.restored(each, whose.state(each)) for each, whose in ((old, writer), (row, store)))
    merged = before.merge(after)
    histories = [each for each in (writer.history(row.name), store.history(row.name)) if each is not None]
    history = histories[0].merge(histories[1]) if len(histories) > 1 else next(iter(histories), None)
    state, last = merged.to_bytes(), max(old.last, row.last)
    writer.put(SiteRow.of(row.name, merged.pages, state, first=row.first, last=last), state, history)


def _check_alike(one: StoreFile, other: StoreFile) -> None:
    """Raise UserError if two stores were learned with different settings."""
    ours, theirs = (
        {"method": each.method, "site_by": each.site_by, **each.learned, **each.files}
        for each in (one.settings, other.settings)
    )
    for name, value in ours.items():
        if theirs.get(name) != value:
            raise UserError(
                f"{one.path} was learned with {name}={value}, {other.path} with {name}={theirs.get(name)}: "
                "only stores of the same settings can be merged"
            )


def _check_disjoint(stores: Sequence[StoreFile]) -> None:
    """Raise UserError if a site is in several stores."""
    for number, store in enumerate(stores[1:], 1):
        for row in store.rows():
            for before in stores[:number]:
                if before.row(row.name) is not None:
                    raise UserError(
                        f"method {store.settings.method} cannot merge what two runs learned of one site, and "
                        f"{before.path} and {store.path} both have {site_name(row.name)}: forget it in one, "
                        "or learn both in one store"
                    )


def forget(path: str, sites: Sequence[str]) -> int:
    """Remove sites from a store, all of those that are named or none; return the number that is left.

    Raises UserError: the store does not have one of the sites, is damaged, or another run writes it.
    """
    with closing(StoreFile(path)) as store, StoreWriter(path) as writer:
        for name in dict.fromkeys(site_in(store, site).name for site in sites):
            row = writer.row(name)
            if row is not None:
                writer.remove(row)
        writer.finish(writer.settings or store.settings)
        return writer.sites
