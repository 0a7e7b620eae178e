"""Index and search pages with and without templates: sizes, average precision, peers, lines kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.report.terminal import step_progress
from lab.harness.command import Parser, run
from lab.harness.common import checked_folder, labelled_sites, unseen_sites
from lab.harness.experiment import Experiment, Report
from lab.harness.extractors import chosen_extractors
from lab.harness.trec import read_judged
from lab.index.corpus import judged_corpus, site_corpus, topic_corpus
from lab.index.lines import RAW_LINES, RULES, any_gold, line_scores, peer_counts
from lab.index.report import report
from lab.index.searches import RawLines, measure_method, require_tantivy
from lab.labelled.datasets import is_own, load_sets
from lab.labelled.measure import Method

if TYPE_CHECKING:
    from argparse import Namespace

    from lab.index.searches import MethodOutcome
    from lab.labelled.measure import Extractor

TOPICS: Final = "chaos"  # set whose gold names queries


def measure(chosen: Namespace) -> Report:
    """Clean pages by each method, index and search what is left, and score lines; count peers."""
    require_tantivy()
    extractors: dict[str, Extractor] = {}
    for name, extractor in chosen_extractors(chosen.methods).items():
        extractors[name] = extractor
        if name == "sandwich":
            extractors[RAW_LINES] = RawLines()
    every = labelled_sites(chosen.names, chosen.data)
    judged = read_judged(chosen)
    if judged is not None:
        corpora = {"sites": judged_corpus(every, judged)}
    else:
        sets = unseen_sites(chosen.names, chosen.data)
        corpora = {"sites": site_corpus(sets, pages=chosen.pages, seed=chosen.seed)}
    if judged is None and not chosen.names and not is_own(checked_folder(chosen.data)):
        corpora[TOPICS] = topic_corpus(load_sets([TOPICS], checked_folder(chosen.data))[0])
    ours = sum(isinstance(extractor, Method) for extractor in extractors.values())
    outcomes: dict[str, dict[str, MethodOutcome]] = {label: {} for label in corpora}
    with step_progress(len(extractors) * len(corpora) + ours + 2 * len(RULES)) as step:
        for label, corpus in corpora.items():
            for name, extractor in extractors.items():
                outcomes[label][name] = measure_method(name, extractor, corpus)
                step(f"{label}: {name}")
        lines = line_scores(extractors, corpora["sites"], step) if any_gold(corpora["sites"]) else {}
    peers = {
        labelled.name.rpartition("/")[2]: peer_counts(page.url for page in labelled.pages())
        for labelled in every
    }
    return report(corpora, outcomes, peers, lines, chosen.seed)


def options(parser: Parser) -> None:
    """Add the options."""
    parser.add_experiment(pages=20, methods="all")
    parser.add_judged("ids")


_EXAMPLE: Final = "--sites erlang,marinebon --methods sandwich --out results/"
EXPERIMENT: Final = Experiment("index", __doc__, options, measure, _EXAMPLE)
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
