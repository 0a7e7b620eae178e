"""Compare incremental detection with detection in batches: storage, precision and delay at equal recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.detectors.registry import detector_class
from detemplate.errors import UserError
from detemplate.report.terminal import step_progress
from lab.harness.command import Parser, run
from lab.harness.common import labelled_sites
from lab.harness.experiment import Experiment, Report
from lab.incremental.compare import (
    BATCHED,
    DESIGN_PAGES,
    ORDERS,
    PAIRS,
    measure_designs,
    measure_site,
    sweep_settings,
)
from lab.incremental.report import report
from lab.incremental.runs import read_site

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

QUICK_PAGES: Final = 60


def options(parser: Parser) -> None:
    """Add the options; `batched` and `options` (options of methods, by method) are for callers only."""
    parser.add_experiment(seed=False)
    parser.add_argument("--recall", type=float, default=0.8, metavar="X", help="recall of the comparison")
    parser.add_quick("few settings, only the first pages of each site")
    parser.set_defaults(batched=BATCHED, options={})


def measure(chosen: Namespace) -> Report:
    """Compare incremental detection with batches on labelled sites (Wang et al. 2008, section 3)."""
    recall: float = chosen.recall
    of_methods: Mapping[str, Mapping[str, float]] = chosen.options
    if not 0 < recall <= 1:
        raise UserError(f"the recall must be above 0 and at most 1, not {recall}")
    sets = labelled_sites(chosen.names, chosen.data)
    settings = sweep_settings(chosen.batched, quick=chosen.quick, options=of_methods)
    for setting in settings:
        detector_class(setting.method)
    paired = [labelled for labelled in sets if chosen.names or labelled.part == "test"][: 2 * PAIRS]
    with step_progress(len(sets) * len(settings) + len(paired) // 2 * len(ORDERS)) as step:
        sites = [
            measure_site(read_site(labelled, QUICK_PAGES if chosen.quick else None), settings, recall, step)
            for labelled in sets
        ]
        pages = [read_site(labelled, DESIGN_PAGES) for labelled in paired]
        designs = list(measure_designs(pages, recall, step))
    notes = [f"A quick run: few settings, the first {QUICK_PAGES} pages of each site."] * chosen.quick
    for method, values in of_methods.items():
        notes.append(f"`{method}` with {', '.join(f'{name}={value}' for name, value in values.items())}.")
    record = {"recall": recall, "quick": chosen.quick, "options": of_methods}
    return report(sites, designs, record, " ".join(notes))


EXPERIMENT = Experiment("incremental", __doc__, options, measure, "--sites django,postgresql --out results/")
main = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
