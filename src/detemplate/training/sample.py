"""Sampling labelled nodes of many sites (Chakrabarti, Kumar, Punera 2007, section 5.1)."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import xxhash

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.errors import UserError
from detemplate.features.node import NAMES, node_features
from detemplate.io.record import Record, Skip
from detemplate.layout.layout import ESTIMATED, RENDERED, estimated_layout
from detemplate.layout.visible import visible_tree
from detemplate.page.page import Page
from detemplate.run.limits import Clock, Losses, attempted
from detemplate.run.progress import Meter
from detemplate.run.reader import SEEN_URLS, Versions
from detemplate.sites.naming import site_of
from detemplate.training.labels import SiteLabels

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from detemplate.io.sources.base import Source
    from detemplate.layout.layout import Layout
    from detemplate.layout.store import LayoutStore
    from detemplate.run.progress import Progress
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


@dataclass(frozen=True, slots=True)
class SiteSample:
    """A site in the sample."""

    name: str
    """The site's name."""
    pages: int
    """Number of its pages in the sample."""
    nodes: int
    """Number of its nodes in the sample."""


class Sample(NamedTuple):
    """Labelled nodes, ordered by site.

    ``table``: the nodes' features: float32, nodes × :data:`~detemplate.features.node.NAMES`.
    ``area``: area of each node, in square pixels.
    ``template``: label of each node: whether it is template.
    ``site``: number of each node's site in ``sites``.
    ``sites``: the sites, ordered by name.
    ``layout``: kind of the layouts: ``"estimated"`` or ``"rendered"``.
    ``skipped``: number of skipped pages by reason; sites count as ``"site of few pages"``.
    """

    table: npt.NDArray[np.float32]
    area: npt.NDArray[np.float64]
    template: npt.NDArray[np.bool_]
    site: npt.NDArray[np.int32]
    sites: tuple[SiteSample, ...]
    layout: str
    skipped: Counter[str]


def collect(
    source: Source, sampling: Sampling, layouts: LayoutStore | None = None, progress: Progress | None = None
) -> Sample:
    """Sample labelled nodes of a source's sites.

    The source is read twice: first to choose pages of each site, then to take them. A site is labelled and
    released as soon as its last chosen page was read. If each site's pages stand together, the memory is
    that of one site.

    ``source``: records of many sites.
    ``sampling``: which sites, pages and nodes are taken.
    ``layouts``: rendered layouts; pages that are not among them are skipped. None: layouts are estimated.
    ``progress``: shows the progress of reading; None: it is not shown.
    The sample depends on the records and the seed, not on the order of the records.
    Raises UserError: the source cannot be read twice, no site has enough pages, or the pages of incomplete
        sites need more than ``sampling.memory`` because the sites' pages are mixed.
    """
    if not source.rereadable:
        raise UserError("training reads its input twice: write standard input to a file first")
    skipped: Counter[str] = Counter()
    parts = []
    with Meter(progress, source) as meter:
        versions = Versions(source, meter)
        chosen = choose_pages(versions, Losses.of(source), sampling, skipped, meter)
        for name, pages in complete_sites(versions, sampling, chosen, skipped, meter):
            ready = sorted(_with_layouts(pages, layouts, skipped), key=lambda page: page[0])
            if len(ready) < sampling.min_pages:
                skipped["site of few pages"] += 1
                continue
            table, area, template = _sampled(ready, sampling)
            parts.append((SiteSample(name, len(ready), len(area)), table, area, template))
    if not parts:
        raise UserError(
            f"no site has {sampling.min_pages} pages: give more pages of each site, or lower --min-pages"
        )
    parts.sort(key=lambda part: part[0].name)
    sites, tables, areas, templates = zip(*parts, strict=True)
    return Sample(
        np.concatenate(tables),
        np.concatenate(areas),
        np.concatenate(templates),
        np.repeat(np.arange(len(sites), dtype=np.int32), [site.nodes for site in sites]),
        sites,
        ESTIMATED if layouts is None else RENDERED,
        +skipped,
    )


def _with_layouts(
    pages: list[tuple[int, Page]], layouts: LayoutStore | None, skipped: Counter[str]
) -> Iterator[tuple[int, Page, Layout]]:
    """Add the layout to each page; skip pages without one."""
    for key, page in pages:
        layout = estimated_layout(page) if layouts is None else layouts.layout(page)
        if layout is None:
            skipped["no layout"] += 1
        else:
            yield key, page, layout


def _sampled(
    pages: list[tuple[int, Page, Layout]], sampling: Sampling
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Label a site's pages and sample visible nodes of each."""
    labels = SiteLabels(sampling.labelling)
    for _, page, _ in pages:
        labels.learn(page)
    tables: list[npt.NDArray[np.float32]] = [np.zeros((0, len(NAMES)), np.float32)]
    areas, templates = [np.zeros(0)], [np.zeros(0, np.bool_)]
    for key, page, layout in pages:
        tree = visible_tree(page, layout, sampling.min_area)
        taken = np.arange(len(tree.rows))
        if len(taken) > sampling.nodes_per_page:
            draw = np.random.default_rng([sampling.seed, key & 0xFFFFFFFF, key >> 32])
            taken = np.sort(draw.choice(taken, sampling.nodes_per_page, replace=False))
        rows = tree.rows[taken]
        tables.append(node_features(page, layout)[rows])
        areas.append(tree.area[taken])
        templates.append(labels.template(page)[rows])
    return np.concatenate(tables), np.concatenate(areas), np.concatenate(templates)
