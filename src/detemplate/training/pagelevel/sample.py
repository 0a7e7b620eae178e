"""From sites to a matrix of labelled nodes (Chakrabarti, Kumar, Punera 2007, section 5.1)."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import xxhash

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.detectors.pagelevel.tree import visible_tree
from detemplate.engines.intake import SEEN_URLS
from detemplate.engines.limits import Clock, attempted
from detemplate.errors import UserError
from detemplate.features.node import NAMES, node_features
from detemplate.io.record import Record, Skip
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.layout.layout import ESTIMATED, RENDERED, SMALL, estimated_layout
from detemplate.page.page import Page
from detemplate.sites.naming import site_of
from detemplate.training.pagelevel.labels import Labelling, SiteLabels

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from detemplate.engines.progress import Progress
    from detemplate.io.sources.base import Source
    from detemplate.layout.layout import Layout
    from detemplate.layout.store import LayoutStore

DEFAULT_MEMORY: Final = 4 << 30
"""Bytes that the pages of sites that are not yet complete may hold."""

_BYTES_A_NODE: Final = 64
_BYTES_A_CHARACTER: Final = 3  # as it came, as it was serialised


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which sites, pages and nodes are taken.

    Attributes
    ----------
    labelling
        When a node is template.
    min_pages
        Sites with fewer pages are left out. The paper has 100; with 20, the fewest here by default, a node
        on more than 10 % of the pages is on at least 3.
    pages_per_site
        So many pages of each site are taken, at random (the paper: 200).
    nodes_per_page
        So many visible nodes of each page are taken, at random.
    min_area
        Nodes of a smaller area, in square pixels, are left out (section 5.3).
    site_by
        What is one site, for records that do not name theirs.
    max_page_bytes, max_page_seconds
        Pages beyond are skipped.
    seed
        Decides about everything that is random.
    memory
        Bytes that pages may hold while their site is not complete.

    Raises
    ------
    UserError
        For a value out of range.
    """

    labelling: Labelling = field(default_factory=Labelling)
    min_pages: int = 20
    pages_per_site: int = 200
    nodes_per_page: int = 100
    min_area: float = float(SMALL)
    site_by: str = "host"
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_page_seconds: float = 20.0
    seed: int = 0
    memory: int = DEFAULT_MEMORY

    def __post_init__(self) -> None:
        site_of("", self.site_by)
        if not 2 <= self.min_pages <= self.pages_per_site:
            raise UserError(
                f"a site needs at least 2 and at most {self.pages_per_site} pages (--pages-per-site), "
                f"not {self.min_pages} (--min-pages)"
            )
        if self.nodes_per_page < 1:
            raise UserError(f"a page gives at least 1 node, not {self.nodes_per_page}")
        if not 0 <= self.seed < 2**32:
            raise UserError(f"the seed must be at least 0 and below 2**32, not {self.seed}")
        if not self.max_page_seconds > 0:
            raise UserError(f"the time for a page must be above 0 seconds, not {self.max_page_seconds:g}")


@dataclass(frozen=True, slots=True)
class SiteSample:
    """What one site gave: its name, its pages, and how many nodes of it are in the sample."""

    name: str
    pages: int
    nodes: int


class Sample(NamedTuple):
    """Labelled nodes, ordered by site.

    Attributes
    ----------
    table
        Their features: float32, nodes × :data:`~detemplate.features.node.NAMES`.
    area
        Square pixels.
    template
        The labels.
    site
        Number of each node's site in ``sites``.
    sites
        By name.
    layout
        ``"estimated"`` or ``"rendered"``.
    skipped
        What gave nothing, by reason: pages, and sites as ``"site of few pages"``.
    """

    table: npt.NDArray[np.float32]
    area: npt.NDArray[np.float64]
    template: npt.NDArray[np.bool_]
    site: npt.NDArray[np.int32]
    sites: tuple[SiteSample, ...]
    layout: str
    skipped: Counter[str]


class _Open:
    """A site some of whose pages are still to come."""

    def __init__(self, keys: frozenset[int]) -> None:
        self.waiting = set(keys)
        self.pages: list[tuple[int, Page]] = []
        self.nbytes = 0


class _Nodes(NamedTuple):
    table: npt.NDArray[np.float32]
    area: npt.NDArray[np.float64]
    template: npt.NDArray[np.bool_]


def collect(
    source: Source, sampling: Sampling, layouts: LayoutStore | None = None, progress: Progress | None = None
) -> Sample:
    """Sample the labelled nodes of a source's sites.

    The source is read twice: first to choose the pages of each site, then to take them. A site is labelled
    and let go as soon as its last chosen page has come, so a source that has each site's pages together
    needs the memory of one site.

    Parameters
    ----------
    source
        Records of many sites.
    sampling
        What is taken.
    layouts
        Rendered layouts. With them, pages that they lack are skipped; without them, layouts are estimated.
    progress
        Is told how far it has come.

    Returns
    -------
    Sample
        It depends on the records and the seed, not on the order of the records.

    Raises
    ------
    UserError
        The source cannot be read twice, no site has enough pages, or the sites come so mixed that their
        pages need more than ``sampling.memory``.
    """
    if not source.rereadable:
        raise UserError("training reads its input twice: standard input cannot be; write it to a file first")
    skipped: Counter[str] = Counter()
    found: dict[str, tuple[SiteSample, _Nodes]] = {}
    try:
        chosen = _choose(source, sampling, skipped, progress)
        for name, pages in _complete_sites(source, sampling, chosen, skipped, progress):
            ready = sorted(_laid_out(pages, layouts, skipped), key=lambda each: each[0])
            if len(ready) < sampling.min_pages:
                skipped["site of few pages"] += 1
                continue
            nodes = _site_nodes(ready, sampling)
            found[name] = SiteSample(name, len(ready), len(nodes.area)), nodes
    finally:
        if progress is not None:
            progress.end()
    if not found:
        raise UserError(
            f"no site has {sampling.min_pages} pages: give more pages of each site, or lower --min-pages"
        )
    names = sorted(found)
    each = [found[name][1] for name in names]
    return Sample(
        np.concatenate([nodes.table for nodes in each]),
        np.concatenate([nodes.area for nodes in each]),
        np.concatenate([nodes.template for nodes in each]),
        np.repeat(np.arange(len(names), dtype=np.int32), [len(nodes.area) for nodes in each]),
        tuple(found[name][0] for name in names),
        ESTIMATED if layouts is None else RENDERED,
        +skipped,
    )


def _laid_out(
    pages: list[tuple[int, Page]], layouts: LayoutStore | None, skipped: Counter[str]
) -> Iterator[tuple[int, Page, Layout]]:
    for key, page in pages:
        layout = estimated_layout(page) if layouts is None else layouts.layout(page)
        if layout is None:
            skipped["no layout"] += 1
        else:
            yield key, page, layout


def _records(source: Source, sampling: Sampling) -> Iterator[tuple[int, str, Record] | Skip]:
    """Give a number drawn for each record, its site and itself; of records with one URL, the first."""
    seen = recurrence_table([SEEN_URLS], SEEN_URLS)
    for item in source:
        if isinstance(item, Skip):
            yield item
            continue
        name = item.url
        if not name and item.source is not None:
            name = f"{item.source.path} {item.source.position}"
        key = xxhash.xxh64_intdigest(name.encode("utf-8", "surrogatepass"), sampling.seed)
        if item.url and seen.observe(np.array([key], np.uint64))[0] > 1:
            yield Skip(item.url, "duplicate url", source=item.source)
            continue
        yield key, site_of(item.url, sampling.site_by) if item.site is None else item.site, item


def _choose(
    source: Source, sampling: Sampling, skipped: Counter[str], progress: Progress | None
) -> dict[str, frozenset[int]]:
    """Choose the pages of each site that has enough: those with the least numbers."""
    least: dict[str, list[int]] = {}
    if progress is not None:
        progress.begin("choosing", source.total_bytes)
    for count, item in enumerate(_records(source, sampling)):
        if isinstance(item, Skip):
            skipped[item.reason] += 1
            continue
        key, site, _ = item
        heap = least.setdefault(site, [])
        if len(heap) < sampling.pages_per_site:
            heapq.heappush(heap, -key)
        else:
            heapq.heappushpop(heap, -key)
        if progress is not None and count % 64 == 0:
            progress.advance(count, len(least), source.bytes_read)
    enough = {site: heap for site, heap in least.items() if len(heap) >= sampling.min_pages}
    skipped["site of few pages"] += len(least) - len(enough)
    return {site: frozenset(-key for key in heap) for site, heap in enough.items()}


def _complete_sites(
    source: Source,
    sampling: Sampling,
    chosen: dict[str, frozenset[int]],
    skipped: Counter[str],
    progress: Progress | None,
) -> Iterator[tuple[str, list[tuple[int, Page]]]]:
    """Give each site's chosen pages that can be parsed, as soon as the last of them has come."""
    open_sites: dict[str, _Open] = {}
    clock = Clock(sampling.max_page_seconds)
    held = pages = done = 0
    if progress is not None:
        progress.begin("labelling", source.total_bytes)
    for item in _records(source, sampling):
        if isinstance(item, Skip) or item[0] not in chosen.get(item[1], ()):
            continue
        key, name, record = item
        site = open_sites.setdefault(name, _Open(chosen[name]))
        site.waiting.discard(key)
        page = _page(record, name, sampling, clock)
        if isinstance(page, Skip):
            skipped[page.reason] += 1
        else:
            size = _BYTES_A_CHARACTER * len(page.canonical) + _BYTES_A_NODE * len(page.columns)
            site.pages.append((key, page))
            site.nbytes += size
            held += size
            pages += 1
        if held > sampling.memory:
            raise UserError(
                f"the pages of {len(open_sites):,} sites that are not complete need more than "
                f"{sampling.memory >> 20:,} MB: give each site's pages together, or lower --pages-per-site"
            )
        if not site.waiting:
            del open_sites[name]
            held -= site.nbytes
            done += 1
            yield name, site.pages
        if progress is not None:
            progress.advance(pages, done, source.bytes_read)


def _page(record: Record, site: str, sampling: Sampling, clock: Clock) -> Page | Skip:
    def parse() -> Page:
        return Page(record.url, record.html, site=site, charset=record.charset)

    return attempted(record, parse, max_page_bytes=sampling.max_page_bytes, clock=clock)


def _site_nodes(pages: list[tuple[int, Page, Layout]], sampling: Sampling) -> _Nodes:
    """Label a site's pages and sample their visible nodes."""
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
    return _Nodes(np.concatenate(tables), np.concatenate(areas), np.concatenate(templates))
