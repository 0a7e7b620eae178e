"""Crawl webs made of real pages for topics, with and without knowledge of templates: harvest rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.detectors.registry import DETECTORS, detector_class
from detemplate.errors import UserError
from detemplate.report.progress import step_progress
from lab.focus.report import report
from lab.focus.webs import USE, measure_web
from lab.harness.command import Parser, positive, run
from lab.harness.common import labelled_sites, require_sklearn
from lab.harness.experiment import Experiment, Report
from lab.links.corpus import read_corpus
from lab.links.world import WorldSettings

if TYPE_CHECKING:
    from argparse import Namespace

SETTINGS: Final = WorldSettings(topics=8, least_pages=30, most_pages=60)
"""Settings of the webs: fewer and smaller topics than in the experiment on ranking."""


def options(parser: Parser) -> None:
    """Add the options."""
    parser.add_experiment(pages=100, methods="pagelets,auto")
    parser.add_argument("--webs", type=positive, default=1, metavar="N", help="number of webs (default: 1)")
    parser.set_defaults(settings=SETTINGS)


def measure(chosen: Namespace) -> Report:
    """Make webs and crawl them for topics by each strategy."""
    require_sklearn(USE)
    methods = list(dict.fromkeys(chosen.methods))
    for method in methods:
        if not detector_class(method).streams:
            able = ", ".join(name for name, kind in DETECTORS.items() if kind.streams)
            raise UserError(f"method {method} cannot clean a stream, as a crawl is one (choose from {able})")
    settings = chosen.settings
    corpus = read_corpus(
        labelled_sites(chosen.names, chosen.data), topics=settings.topics, min_pages=settings.least_pages,
        max_pages=settings.most_pages, pages_a_site=chosen.pages,
    )  # fmt: skip
    outcomes = []
    with step_progress(chosen.webs * len(corpus.topics)) as step:
        for web in range(chosen.seed, chosen.seed + chosen.webs):
            outcomes += measure_web(corpus, settings, web, methods, step)
    return report(outcomes, methods, chosen.seed)


EXPERIMENT: Final = Experiment("focus", __doc__, options, measure, "--methods pagelets --out results/")
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
