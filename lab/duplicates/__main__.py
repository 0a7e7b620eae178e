"""Find duplicates by shingles, on pages made of real contents in other sites' real templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.report.progress import step_progress
from lab.duplicates.pairs import AS_THEY_ARE, KINDS, make_collection, measure_kind
from lab.duplicates.report import KEY_METHODS, report
from lab.harness.command import run
from lab.harness.experiment import Experiment, Report
from lab.harness.extractors import chosen_extractors
from lab.transplant.pages import read_parts

if TYPE_CHECKING:
    from argparse import Namespace

    from lab.transplant.pages import Parts

DUPLICATES: Final = 1_700  # pairs of duplicates: the paper has 1,711
OTHERS: Final = 2_000  # other pairs: the paper has 2,058
PART: Final = 4  # other kinds of made pages have one of so many pairs


def measure(chosen: Namespace) -> Report:
    """Make the pages of each kind, clean them by each method, and judge pairs of them."""
    extractors = chosen_extractors(chosen.methods)
    few = {name: extractors[name] for name in KEY_METHODS if name in extractors}
    outcomes = []
    known: dict[int | None, Parts] = {}
    with step_progress(len(extractors) + (len(KINDS) - 1) * len(few)) as step:
        for kind in KINDS:
            if kind.max_words not in known:
                known[kind.max_words] = read_parts(
                    chosen.names, chosen.data, pages=chosen.pages, max_words=kind.max_words, seed=chosen.seed
                )
            part = 1 if kind == AS_THEY_ARE else PART
            collection = make_collection(
                known[kind.max_words], duplicates=-(-DUPLICATES // part), others=-(-OTHERS // part),
                blocks=kind.blocks, seed=chosen.seed,
            )  # fmt: skip
            methods = extractors if kind == AS_THEY_ARE else few
            outcomes.append(measure_kind(collection, kind, methods, step))
    return report(outcomes, chosen.seed)


_EXAMPLE: Final = "--pages 20 --methods sitelevel,pagelevel --out results/"
EXPERIMENT: Final = Experiment("duplicates", __doc__, {"pages": 0, "methods": "all"}, measure, _EXAMPLE)
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
