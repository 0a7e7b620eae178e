"""Find template on single pages, with and without smoothing: F of text and links, segmentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.detectors.pagemodel import check_layouts
from detemplate.errors import UserError
from detemplate.report.terminal import step_progress
from lab.harness.command import Parser, run, split_names
from lab.harness.common import checked_folder, labelled_sets
from lab.harness.experiment import Experiment, Report
from lab.harness.parallel import process_count, results_in_order
from lab.labelled.catalogue import SITES, TEXT_SETS
from lab.labelled.datasets import is_own
from lab.pagelevel.figures import GroupFigures
from lab.pagelevel.measure import (
    GroupOutcome,
    Measurer,
    all_settings,
    measure_page,
    open_layouts,
    sample,
    sample_size,
)
from lab.pagelevel.report import report

if TYPE_CHECKING:
    from argparse import Namespace


def options(parser: Parser) -> None:
    """Add the options."""
    parser.add_experiment(seed=False, sites=False)
    parser.add_argument(
        "--sets", dest="names", type=split_names, default=[], metavar="NAMES",
        help="text sets, sites or sites/NAME, separated by commas (default: all)",
    )  # fmt: skip
    parser.add_quick("few pages, few settings")
    parser.add_argument("--layout", default="", metavar="FILE", help="layouts of lab.layouts (default: none)")
    parser.add_argument("--model", default="", metavar="FILE", help="classifiers from 'detemplate train'")


def measure(chosen: Namespace) -> Report:
    """Measure page-level detection and its smoothing (Chakrabarti, Kumar, Punera 2007, section 6.1)."""
    quick: bool = chosen.quick
    classifiers = check_layouts(chosen.model, rendered=bool(chosen.layout))
    if chosen.layout:
        open_layouts(chosen.layout)
    own = is_own(checked_folder(chosen.data))
    sets = labelled_sets(chosen.names or ([] if own else [*TEXT_SETS, SITES]), chosen.data)
    unfit = [labelled.name for labelled in sets if labelled.kind == "values"]
    if unfit:
        raise UserError(f"the set {unfit[0]!r} does not say what is content: choose text sets or sites")
    settings = all_settings(quick=quick)
    measurer = Measurer(classifiers, settings, chosen.layout)
    jobs = ((labelled, record) for labelled in sets for record in sample(labelled, quick=quick))
    groups: dict[str, GroupOutcome] = {}
    with step_progress(sum(sample_size(labelled, quick=quick) for labelled in sets)) as step:
        for (labelled, record), result in results_in_order(
            measure_page, measurer, jobs, process_count(quick=quick)
        ):
            step(labelled.name)
            site = labelled.kind == "site"
            name = f"{SITES}/{labelled.part}" if site else labelled.name
            group = groups.setdefault(name, GroupOutcome(name))
            group.add(result, labelled.name if site else record.site, rendered=bool(chosen.layout))
    figures = [GroupFigures(group, settings) for group in groups.values() if group.pages]
    if not figures:
        raise UserError("no page of these sets has gold that can be aligned with it")
    return report(figures, settings, quick=quick, layout=classifiers.layout)


EXPERIMENT = Experiment("pagelevel", __doc__, options, measure, "--sets cleanportaleval,chaos --out results/")
main = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
