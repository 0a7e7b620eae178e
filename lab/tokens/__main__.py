"""Count tokens for model training before and after cleaning: how many, how often repeated, how fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.report.progress import step_progress
from lab.harness.command import Parser, run
from lab.harness.common import unseen_sites
from lab.harness.experiment import Experiment, Report
from lab.harness.extractors import chosen_extractors
from lab.index.corpus import window
from lab.tokens.counts import measure_methods
from lab.tokens.report import report

if TYPE_CHECKING:
    from argparse import Namespace


def options(parser: Parser) -> None:
    """Add the options."""
    parser.add_experiment(pages=30, methods="all")


def measure(chosen: Namespace) -> Report:
    """Clean neighbouring pages of each site by each method, and count what is left."""
    extractors = chosen_extractors(chosen.methods)
    rng = np.random.default_rng(chosen.seed)
    sites = {
        labelled.name.rpartition("/")[2]: window([*labelled.pages()], chosen.pages, rng)
        for labelled in unseen_sites(chosen.names, chosen.data)
    }
    with step_progress(len(extractors)) as step:
        outcomes = measure_methods(extractors, [*sites.values()], step)
    return report(outcomes, {site: len(pages) for site, pages in sites.items()}, chosen.seed)


EXPERIMENT: Final = Experiment(
    "tokens", __doc__, options, measure, "--sites erlang,marinebon --methods auto,segments --out results/"
)
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
