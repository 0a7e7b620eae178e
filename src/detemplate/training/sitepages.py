"""Choosing pages of each site at random, and gathering them site by site."""

from __future__ import annotations

import heapq
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.errors import UserError
from detemplate.io.record import Record, Skip
from detemplate.page.page import Page
from detemplate.run.intake import SEEN_URLS
from detemplate.run.limits import Clock, attempted
from detemplate.sites.naming import site_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from detemplate.run.intake import Versions
    from detemplate.run.losses import Losses
    from detemplate.run.progress import Meter
    from detemplate.training.sampling import Sampling

_BYTES_A_NODE: Final = 64  # memory of a node's columns, in bytes, about

_BYTES_A_CHARACTER: Final = 3
"""Memory of a character of the markup, as it was read and as it was serialised, in bytes, about."""


class _IncompleteSite:
    """A site that lacks some of its chosen pages."""

    def __init__(self, keys: frozenset[int]) -> None:
        self.missing = set(keys)
        self.pages: list[tuple[int, Page]] = []
        self.nbytes = 0


def _records(versions: Versions, sampling: Sampling) -> Iterator[tuple[int, str, Record] | Skip]:
    """Yield each record with its site and its key: a random number that depends on URL, version and seed."""
    seen = recurrence_table([SEEN_URLS], SEEN_URLS)
    for item in versions:
        if isinstance(item, Skip):
            yield item
            continue
        name = _name(item)
        key = xxhash.xxh64_intdigest(name.encode("utf-8", "surrogatepass"), sampling.seed)
        if item.url and (number := int(seen.observe(np.array([key], np.uint64))[0])) > 1:
            key = xxhash.xxh64_intdigest(f"{name} {number}".encode("utf-8", "surrogatepass"), sampling.seed)
        yield key, site_of(item.url, sampling.site_by) if item.site is None else item.site, item


def _name(record: Record) -> str:
    if record.url or record.source is None:
        return record.url
    return f"{record.source.path} {record.source.position}"


def choose_pages(
    versions: Versions, losses: Losses, sampling: Sampling, skipped: Counter[str], meter: Meter
) -> dict[str, frozenset[int]]:
    """Choose pages of each site that has enough pages: those with the smallest keys.

    ``versions``: records of many sites.
    ``losses``: counts the bad records of the source.
    ``sampling``: how many pages are taken.
    ``skipped``: counts of skipped records and sites by reason; they are added to.
    ``meter``: shows the progress of reading.
    Returns: site → keys of its chosen pages.
    Raises UserError: too many records are bad.
    """
    smallest: dict[str, list[int]] = {}
    meter.begin("choosing")
    for count, item in enumerate(_records(versions, sampling)):
        if isinstance(item, Skip):
            skipped[item.reason] += 1
            losses.lose(item)
            continue
        losses.pages += 1
        key, site, _ = item
        heap = smallest.setdefault(site, [])
        if len(heap) < sampling.pages_per_site:
            heapq.heappush(heap, -key)
        else:
            heapq.heappushpop(heap, -key)
        meter.advance(count, len(smallest))
    losses.check()
    enough = {site: heap for site, heap in smallest.items() if len(heap) >= sampling.min_pages}
    skipped["site of few pages"] += len(smallest) - len(enough)
    return {site: frozenset(-key for key in heap) for site, heap in enough.items()}


def complete_sites(
    versions: Versions,
    sampling: Sampling,
    chosen: dict[str, frozenset[int]],
    skipped: Counter[str],
    meter: Meter,
) -> Iterator[tuple[str, list[tuple[int, Page]]]]:
    """Gather the chosen pages of each site; give a site as soon as its last page was read.

    ``versions``: records of many sites.
    ``sampling``: limits of a page, and of the memory.
    ``chosen``: site → keys of its chosen pages.
    ``skipped``: counts of skipped pages by reason; they are added to.
    ``meter``: shows the progress of reading.
    Yields: the site's name, and its pages with their keys. Pages that cannot be parsed are left out.
    Raises UserError: the pages of incomplete sites need more than ``sampling.memory``.
    """
    incomplete: dict[str, _IncompleteSite] = {}
    clock = Clock(sampling.max_page_seconds)
    nbytes = pages = done = 0
    meter.begin("labelling")
    for item in _records(versions, sampling):
        if isinstance(item, Skip) or item[0] not in chosen.get(item[1], ()):
            continue
        key, name, record = item
        site = incomplete.setdefault(name, _IncompleteSite(chosen[name]))
        site.missing.discard(key)
        parse = partial(Page, record.url, record.html, site=name, charset=record.charset)
        page = attempted(record, parse, max_page_bytes=sampling.max_page_bytes, clock=clock)
        if isinstance(page, Skip):
            skipped[page.reason] += 1
        else:
            size = _BYTES_A_CHARACTER * len(page.canonical) + _BYTES_A_NODE * len(page.columns)
            site.pages.append((key, page))
            site.nbytes += size
            nbytes += size
            pages += 1
        if nbytes > sampling.memory:
            raise UserError(
                f"the pages of {len(incomplete):,} sites that are not complete need more than "
                f"{sampling.memory >> 20:,} MB: give each site's pages together, or lower --pages-per-site"
            )
        if not site.missing:
            del incomplete[name]
            nbytes -= site.nbytes
            done += 1
            yield name, site.pages
        meter.advance(pages, done)
