"""Classifiers trained and tested on both kinds of layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.detectors.pagelevel.options import BASIC, MERGE, SMOOTH
from detemplate.errors import PageError
from detemplate.layout.layout import estimated_layout
from detemplate.training.logistic import fit
from detemplate.training.sample import collect
from detemplate.training.sampling import Sampling
from lab.pagelevel.runs import (
    DELTAS,
    EVERYTHING,
    GroupOutcome,
    Setting,
    measure_page,
)
from lab.rendered.pages import RecordList, as_records, page_name, parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from detemplate.detectors.pagelevel.model import PageModel
    from detemplate.layout.store import LayoutStore
    from lab.labelled.pages import LabelledPage
    from lab.rendered.pages import GoldPage

ESTIMATED: Final = "estimated"
"""Kind of layouts: estimated from the columns."""
RENDERED: Final = "rendered"
"""Kind of layouts: those of the browser."""
KINDS: Final = (ESTIMATED, RENDERED)
"""Both kinds."""
JUDGED: Final = (
    Setting(EVERYTHING),
    Setting(BASIC),
    *(Setting(MERGE, delta=delta) for delta in DELTAS[1::3]),
    Setting(SMOOTH),
)
"""Settings that are measured, all at the detector's threshold."""


class Trained(NamedTuple):
    """Classifiers, and what they have learnt from.

    Attributes
    ----------
    model
        The classifiers.
    sites, nodes
        Numbers of sites and nodes.
    template_share
        Share of the nodes that are template.
    """

    model: PageModel
    sites: int
    nodes: int
    template_share: float


def train(pages: Sequence[LabelledPage], layouts: LayoutStore | None, *, seed: int) -> Trained:
    """Train the regressions on pages of several sites.

    Parameters
    ----------
    pages
        The pages. The labels come from the sites themselves.
    layouts
        Layouts of the browser; None: they are estimated.
    seed
        Seed of the sample of nodes.

    Raises
    ------
    UserError
        There are too few pages to learn from.
    MissingExtra
        scikit-learn is not installed.
    """
    sampling = Sampling(min_pages=2, seed=seed)
    sample = collect(RecordList(as_records(pages)), sampling, layouts)
    rows = np.arange(len(sample.area))
    model = fit(sample, rows, sampling.min_area)
    return Trained(model, len(sample.sites), len(rows), float(np.mean(sample.template)))


def measure(
    pages: Sequence[GoldPage],
    model: PageModel,
    layouts: LayoutStore | None,
    show: Callable[[str], object] = lambda _: None,
) -> list[GroupOutcome]:
    """Measure classifiers on pages with gold.

    Parameters
    ----------
    pages
        The pages, set by set.
    model
        The classifiers.
    layouts
        Layouts of the browser, of all pages; None: they are estimated.
    show
        Called with the name of each page.

    Returns
    -------
    list of GroupOutcome
        Results of each set.
    """
    groups: dict[str, GroupOutcome] = {}
    for group_name, kind, record in pages:
        show(page_name(record))
        group = groups.setdefault(group_name, GroupOutcome(group_name))
        try:
            page = parsed(record)
        except PageError as error:
            group.skip(error.reason)
            continue
        stored = layouts.layout(page) if layouts is not None else None
        if layouts is not None and stored is None:
            group.skip("no layout")
            continue
        layout = estimated_layout(page) if stored is None else stored
        result = measure_page(page, layout, record, kind=kind, model=model, settings=JUDGED)
        if isinstance(result, str):
            group.skip(result)
            continue
        group.pages.append(result[0])
        group.oracle.append(result[1])
        group.sites.append(record.site)
        group.ids.append(record.id)
        group.rendered += stored is not None
    return [group for group in groups.values() if group.pages]
