"""Classify pages with and without templates; training and test pages are of different sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.report.progress import step_progress
from lab.classification.pages import WEBKB, WEBKB_CLASSES, made_pages, page_texts, set_pages
from lab.classification.problems import USE, accuracies, one_site_each, one_site_out
from lab.classification.report import Task, report
from lab.harness.command import Parser, run
from lab.harness.common import checked_folder, require_sklearn
from lab.harness.experiment import Experiment, Report
from lab.harness.extractors import chosen_extractors

if TYPE_CHECKING:
    from argparse import Namespace

SHOPS: Final = "swde-22"
"""Set of pages of shops and the like: each site has one class."""
SHORT: Final = 100
"""Words of short contents."""


def options(parser: Parser) -> None:
    """Add the options."""
    parser.add_experiment(pages=8, methods="all")


def measure(chosen: Namespace) -> Report:
    """Read and make pages, clean them by each method, and classify them."""
    require_sklearn(USE)
    extractors = chosen_extractors(chosen.methods)
    folder, pages, seed = checked_folder(chosen.data), chosen.pages, chosen.seed
    sources = {
        "made pages": made_pages(chosen.names, chosen.data, pages, seed),
        f"made pages, {SHORT} words": made_pages(chosen.names, chosen.data, pages, seed, SHORT),
        SHOPS: set_pages(folder / SHOPS, (), pages, seed),
        WEBKB: set_pages(folder / WEBKB, WEBKB_CLASSES, pages, seed),
    }
    tasks = {}
    with step_progress(len(sources) * len(extractors)) as step:
        for label, found in sources.items():
            problems = (one_site_out if label == WEBKB else one_site_each)(found)
            if problems:
                texts = page_texts(extractors, found, step)
                accuracy = {name: accuracies(each, problems) for name, each in texts.items()}
                tasks[label] = Task(found, problems, accuracy)
    return report(tasks, seed)


EXPERIMENT: Final = Experiment(
    "classification", __doc__, options, measure, "--pages 8 --methods sitelevel,auto --out results/"
)
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
