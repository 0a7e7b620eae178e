"""Sampling labelled nodes of many sites (Chakrabarti, Kumar, Punera 2007, section 5.1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from detemplate.errors import UserError
from detemplate.features.node import NAMES, node_features
from detemplate.layout.layout import ESTIMATED, RENDERED, estimated_layout
from detemplate.layout.visible import visible_tree
from detemplate.run.intake import Versions
from detemplate.run.losses import Losses
from detemplate.run.progress import Meter
from detemplate.training.labels import SiteLabels
from detemplate.training.sitepages import choose_pages, complete_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from detemplate.io.sources.base import Source
    from detemplate.layout.layout import Layout
    from detemplate.layout.store import LayoutStore
    from detemplate.page.page import Page
    from detemplate.run.progress import Progress
    from detemplate.training.sampling import Sampling


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
