"""Cluster pages with and without templates: purity and adjusted Rand index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.report.progress import step_progress
from lab.classification.pages import WEBKB, WEBKB_CLASSES, made_pages, page_texts, set_pages
from lab.clustering.clusters import LABELS, USE, agreement, labelled_pages
from lab.clustering.report import report
from lab.harness.command import Parser, run
from lab.harness.common import checked_folder, require_sklearn
from lab.harness.experiment import Experiment, Report
from lab.harness.extractors import chosen_extractors

if TYPE_CHECKING:
    from argparse import Namespace

STARTS: Final = 10


def options(parser: Parser) -> None:
    """Add the options."""
    parser.add_experiment(pages=8, methods="all")


def measure(chosen: Namespace) -> Report:
    """Read and make pages, clean them by each method, and cluster them."""
    require_sklearn(USE)
    extractors = chosen_extractors(chosen.methods)
    folder, pages, seed = checked_folder(chosen.data), chosen.pages, chosen.seed
    groups = {
        "made pages": made_pages(chosen.names, chosen.data, pages, seed),
        WEBKB: set_pages(folder / WEBKB, WEBKB_CLASSES, pages, seed),
        **{path.stem: labelled_pages(folder, path.stem) for path in sorted((folder / LABELS).glob("*.tsv"))},
    }
    groups = {group: of_group for group, of_group in groups.items() if len(of_group) > 1}
    found = {}
    with step_progress(len(groups) * len(extractors)) as step:
        for group, own in groups.items():
            texts = page_texts(extractors, own, step)
            found[group] = {
                name: agreement(each, own, starts=STARTS, seed=seed) for name, each in texts.items()
            }
    return report(groups, found, starts=STARTS, seed=seed)


EXPERIMENT: Final = Experiment(
    "clustering", __doc__, options, measure, "--pages 8 --methods sitelevel,auto --out results/"
)
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
