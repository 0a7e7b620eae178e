"""Rank pages by links with and without templates, on webs made of real pages: precision at 10 to 50."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.report.terminal import step_progress
from lab.harness.command import Parser, run
from lab.harness.common import labelled_sites
from lab.harness.experiment import Experiment, Report
from lab.harness.trec import read_judged
from lab.links.corpus import read_corpus
from lab.links.judged import judged_report
from lab.links.report import report
from lab.links.runs import measure_world
from lab.links.world import WorldSettings

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from lab.links.runs import WorldOutcome

SEEDS: Final = 5
QUICK_SEEDS: Final = 2
QUICK_TOPICS: Final = 10
VARIANT_SEEDS: Final = 2  # number of webs for each other value of a setting; 1 in a quick run
VARIANTS: Final[tuple[Mapping[str, Any], ...]] = (
    {"networks": 0.0}, {"networks": 0.1}, {"networks": 0.2}, {"networks": 0.8},
    {"mixed_hubs": 0.0}, {"mixed_hubs": 0.9},
    {"general_lists": 0.0},
    {"hubs": 48},
)  # fmt: skip
QUICK_VARIANTS: Final[tuple[Mapping[str, Any], ...]] = ({"networks": 0.0}, {"mixed_hubs": 0.0})


def options(parser: Parser) -> None:
    """Add the options; `settings` and `variants` are for callers only."""
    parser.add_experiment(seed=False)
    parser.add_argument("--seeds", type=int, metavar="N", help="number of webs (default: 5; 2 with --quick)")
    parser.add_quick("few topics, few webs")
    parser.add_argument(
        "--crawl", type=Path, metavar="DIR",
        help="a crawl of your own, made by 'detemplate tables', in place of made webs; needs judgements",
    )  # fmt: skip
    parser.add_judged("URLs")
    parser.set_defaults(settings=WorldSettings(), variants=None)


def measure(chosen: Namespace) -> Report:
    """Rank by links with and without templates (Bar-Yossef & Rajagopalan 2002, section 5)."""
    judged = read_judged(chosen)
    if (judged is None) != (chosen.crawl is None):
        raise UserError("--crawl, --queries and --judgements belong together: name all three")
    if judged is not None:
        with step_progress(len(judged)) as step:
            return judged_report(chosen.crawl, judged, step)
    quick: bool = chosen.quick
    count = chosen.seeds if chosen.seeds is not None else QUICK_SEEDS if quick else SEEDS
    if count < 1:
        raise UserError(f"{count} webs are too few: make 1 or more")
    settings: WorldSettings = chosen.settings
    if quick:
        settings = replace(settings, topics=min(settings.topics, QUICK_TOPICS))
    corpus = read_corpus(
        labelled_sites(chosen.names, chosen.data),
        topics=settings.topics, min_pages=settings.least_pages, max_pages=settings.most_pages,
    )  # fmt: skip
    webs = {"": [(settings, seed) for seed in range(count)]}
    variants = (QUICK_VARIANTS if quick else VARIANTS) if chosen.variants is None else chosen.variants
    for changed in variants:
        label = ", ".join(f"{name} = {value:g}" for name, value in changed.items())
        changed_settings = replace(settings, **changed)
        seeds = min(count, 1 if quick else VARIANT_SEEDS)
        webs[label] = [(changed_settings, seed) for seed in range(seeds)]
    outcomes: dict[str, list[WorldOutcome]] = {}
    with step_progress(sum(map(len, webs.values()))) as step:
        for label, made in webs.items():
            outcomes[label] = []
            for web, seed in made:
                outcomes[label].append(measure_world(corpus, web, seed))
                step(f"made web {seed} {label}")
    note = "A quick run: few topics, few webs." if quick else ""
    return report(outcomes.pop(""), outcomes, corpus, note)


EXPERIMENT = Experiment("links", __doc__, options, measure, "--quick --out results/")
main = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
