"""Train and test page-level detection on layouts of the browser, beside the estimate.

Needs Chromium or Chrome, and the extra lab.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.pagelevel import BASIC, MERGE, SMOOTH
from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from detemplate.layout.store import LayoutStore
from detemplate.page.page import Page
from detemplate.report.terminal import step_progress
from detemplate.training.logistic import fit, learn_kit
from detemplate.training.sample import collect
from detemplate.training.sampling import Sampling
from lab.harness.command import Parser, run
from lab.harness.common import checked_folder, labelled_sets, labelled_sites
from lab.harness.experiment import Experiment, Report
from lab.labelled.datasets import is_own
from lab.layouts.browser import BrowserSettings, LayoutBrowser
from lab.layouts.storing import LayoutWriter
from lab.pagelevel.figures import GroupFigures
from lab.pagelevel.measure import DELTAS, EVERYTHING, GroupOutcome, Measurer, Setting
from lab.rendered.report import Trained, report

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

    from lab.labelled.pages import LabelledPage, LabelledSet

_BROWSER: Final = BrowserSettings(seconds=20.0)  # fetches nothing, runs no scripts
TEST_PAGES: Final = 4  # a test set gives so many times the pages of a training site
TEST_SETS: Final = ("cleanportaleval", "dragnet-hosts", "chaos")  # most pages are of sites of their own
JUDGED: Final = (
    Setting(EVERYTHING),
    Setting(BASIC),
    *(Setting(MERGE, delta=delta) for delta in DELTAS[1::3]),
    Setting(SMOOTH),
)


def options(parser: Parser) -> None:
    """Add the options."""
    parser.add_experiment(pages=8)


def measure(chosen: Namespace) -> Report:
    """Lay pages out, train on both kinds of layouts, and test each on both."""
    learn_kit()
    seed, count = int(chosen.seed), int(chosen.pages)
    if count < 2:
        raise UserError("a site needs 2 pages or more to learn from")
    every = labelled_sites(chosen.names, chosen.data)
    own = is_own(checked_folder(chosen.data))
    sets = every if chosen.names or own else [labelled for labelled in every if labelled.part == "train"]
    tested = labelled_sets([] if own else TEST_SETS, chosen.data)
    rng = np.random.default_rng(seed)
    learned = [page for labelled in sets for page in sampled(labelled, count, gold=False, rng=rng)]
    gold = [
        (labelled, page)
        for labelled in tested
        for page in sampled(labelled, TEST_PAGES * count, gold=True, rng=rng)
    ]
    with (
        TemporaryDirectory(prefix="detemplate-") as folder,
        step_progress(len(learned) + 5 * len(gold)) as step,
    ):
        path = str(Path(folder) / "layouts.parquet")
        failed = lay_out([*learned, *(page for _, page in gold)], Path(path), step)
        learned = [page for page in learned if page_name(page) not in failed]
        gold = [(labelled, page) for labelled, page in gold if page_name(page) not in failed]
        kinds = {"estimated": "", "rendered": path}
        trained = {kind: train(learned, layouts, seed=seed) for kind, layouts in kinds.items()}
        figures = {}
        for trained_on in kinds:
            for tested_on, layouts in kinds.items():
                measurer = Measurer(trained[trained_on].model, JUDGED, layouts)
                groups: dict[str, GroupOutcome] = {}
                for labelled, page in gold:
                    step(page_name(page))
                    group = groups.setdefault(labelled.name, GroupOutcome(labelled.name))
                    group.add(measurer.measure(page, labelled.kind), page.site, rendered=bool(layouts))
                measured = [GroupFigures(group, JUDGED) for group in groups.values() if group.pages]
                figures[trained_on, tested_on] = measured
    if not all(figures.values()):
        raise UserError("no page of these sets has gold that can be aligned with it")
    return report(figures, trained, failed=len(failed), train_pages=len(learned), seed=seed)


def train(pages: Sequence[LabelledPage], layouts: str, *, seed: int) -> Trained:
    """Train the regressions on pages of several sites; the labels come from the sites themselves."""
    sampling = Sampling(min_pages=2, seed=seed)
    records = RecordList([Record(page.url, page.html, None, None, page.site) for page in pages])
    sample = collect(records, sampling, LayoutStore.open(layouts) if layouts else None)
    rows = np.arange(len(sample.area))
    model = fit(sample, rows, sampling.min_area)
    return Trained(model, len(sample.sites), len(rows), float(np.mean(sample.template)))


class RecordList:
    """Records in memory, as a source."""

    rereadable = True
    total_bytes: int | None = None
    bytes_read = 0

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)


def sampled(labelled: LabelledSet, count: int, *, gold: bool, rng: np.random.Generator) -> list[LabelledPage]:
    """Draw pages of a set at random; with `gold`, of those with gold only."""
    pages = [page for page in labelled.pages() if page.gold is not None or not gold]
    return [pages[place] for place in sorted(rng.permutation(len(pages))[:count].tolist())]


def lay_out(pages: Sequence[LabelledPage], path: Path, show: Callable[[str], object]) -> set[str]:
    """Lay pages out into a Parquet file; return the names of those that the browser could not lay out."""
    failed = set()
    with LayoutBrowser(_BROWSER) as browser, LayoutWriter(str(path), {"width": _BROWSER.width}) as writer:
        for record in pages:
            try:
                page = Page(record.url, record.html, site=record.site)
                writer.write(page, browser.layout(page))
            except PageError:
                failed.add(page_name(record))
            show(record.site)
    return failed


def page_name(record: LabelledPage) -> str:
    """Name a page by its site and identifier."""
    return f"{record.site} {record.id}"


EXPERIMENT = Experiment(
    "rendered", __doc__, options, measure, "--sites django,sklearn,linuxdoc --pages 6 --out results/"
)
main = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
