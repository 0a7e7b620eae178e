"""Mine and clean documents with injected template, and mirrors; measure on labelled sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.errors import UserError
from lab.expressions.measure import BASE, QUICK_SITES, measure_all
from lab.expressions.report import report
from lab.expressions.sources import MIN_WORDS
from lab.harness.command import Parser, run
from lab.harness.common import checked_folder, labelled_sites
from lab.harness.experiment import Experiment, Report

if TYPE_CHECKING:
    from argparse import Namespace


def options(parser: Parser) -> None:
    """Add the options."""
    parser.add_experiment()
    parser.add_quick("one seed, few settings, only the first sites")


def measure(chosen: Namespace) -> Report:
    """Evaluate template expressions on injected template, on mirrors and on labelled sites."""
    if chosen.seed < 0:
        raise UserError(f"the seed must not be negative: {chosen.seed}")
    folder = checked_folder(chosen.data)
    sets = labelled_sites(chosen.names, folder)
    if chosen.quick:
        sets = sets[:QUICK_SITES]
    results = measure_all(sets, folder, quick=chosen.quick, seed=chosen.seed)
    if not results.outcomes:
        raise UserError(
            f"too few clean documents of {MIN_WORDS} words: templates are put into up to "
            f"{BASE.documents} of other sites; name more sites, or all"
        )
    note = f"A quick run: one seed, the first {QUICK_SITES} sites, few settings." if chosen.quick else ""
    return report(results, note)


EXPERIMENT = Experiment("expressions", __doc__, options, measure, "--quick --out results/")
main = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
