"""Find duplicates by shingles, on pages made of real contents in other sites' real templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.report.terminal import step_progress
from lab.duplicates.pairs import AS_THEY_ARE, KINDS, make_collection, measure_kind
from lab.harness.charts import bar_chart
from lab.harness.command import run
from lab.harness.experiment import Experiment, Report
from lab.harness.extractors import chosen_extractors
from lab.harness.tables import cell, section, table
from lab.labelled.bootstrap import bootstrap_mean
from lab.transplant.pages import read_parts

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from lab.duplicates.pairs import KindOutcome
    from lab.harness.tables import Column
    from lab.transplant.pages import Parts

EXACT: Final = "sitelevel equality=exact"
KEY_METHODS: Final[tuple[str, ...]] = ("full text", EXACT, "sitelevel", "pagelevel", "auto")
"""Methods that are compared on other kinds of made pages."""
METHODS: Final = "all,sitelevel:equality=exact"
PAPER: Final = {"full text": (0.309, 0.865), EXACT: (0.427, 0.832), "pagelevel": (0.76, 0.916)}
"""Shares of duplicates found and of other pairs told apart, by method, in the paper."""
_INTRO: Final = """\
# Duplicates, with and without templates

Chakrabarti, Kumar, Punera: *Page-level Template Detection via Isotonic Smoothing* (WWW 2007), section
6.2, table 2. The paper's SITELEVEL hashes a node's HTML: `sitelevel equality=exact`.

The lyrics of the paper are not to be had. **Real**: the templates (pages of {sites} test
sites, each used once) and the contents ({contents} of English training sites, as markup). **Made**:
which content stands in which template. So it is known exactly which pages have the same content. Seed
{seed}. Shingles of 6 words, the 8 smallest hashes, duplicates from 4 matches on. In brackets: 95 %
bootstrap interval, resampling contents (sites).
"""
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


def report(outcomes: Sequence[KindOutcome], seed: int) -> Report:
    """Report the results; the first kind of pages has all methods."""
    rows = [
        {
            "pages": each.kind.name,
            "method": name,
            "duplicates": bootstrap_mean([float(x) for x in method.duplicates], each.duplicates),
            "others": bootstrap_mean([float(x) for x in method.others], each.others),
        }
        | {key: getattr(method, key) for key in ("kept", "left", "f1")}
        for each in outcomes
        for name, method in each.methods.items()
    ]
    first = outcomes[0]
    counts = (
        f"{first.pages:,} pages, {len(first.duplicates):,} pairs of duplicates (same content, two sites), "
        f"{len(first.others):,} other pairs (same site, different contents). Of a page's words, "
        f"{cell(first.content_share, '.0%')} are content."
    )
    columns: list[Column] = [
        ("method", "method"),
        ("duplicates, paper", lambda row: PAPER.get(row["method"], (None, None))[0], ".0%"),
        ("duplicates, here", "duplicates", ".1%"),
        ("others, paper", lambda row: PAPER.get(row["method"], (None, None))[1], ".0%"),
        ("others, here", "others", ".1%"),
        ("content kept", "kept", ".1%"),
        ("template left", "left", ".1%"),
        ("F1", "f1", ".3f"),
    ]
    shown = table(columns, rows[: len(first.methods)])
    sections = [section("Pairs judged rightly (the paper's table 2)", counts, shown)]
    names = [name for name in KEY_METHODS if all(name in each.methods for each in outcomes)]
    found = {(row["pages"], row["method"]): row for row in rows}

    def judged(each: KindOutcome, name: str) -> str:
        row = found[each.kind.name, name]
        shares = (
            cell(getattr(row[key], "mean", row[key]), ".0%") for key in ("duplicates", "others", "left")
        )
        return "{} / {} ({})".format(*shares)

    of_kind: list[Column] = [
        ("pages", lambda each: each.kind.name),
        ("number", "pages"),
        ("content", "content_share", ".0%"),
        *((name, lambda each, name=name: judged(each, name)) for name in names),
    ]
    about = "Duplicates found / other pairs told apart (template words left)."
    sections.append(section("When the paper's order holds", about, table(of_kind, outcomes)))
    pairs = {
        label: {name: float(np.mean(getattr(each, key))) for name, each in first.methods.items()}
        for label, key in (("duplicates found", "duplicates"), ("others told apart", "others"))
    }
    kinds = {
        name: {each.kind.name: float(np.mean(each.methods[name].duplicates)) for each in outcomes}
        for name in names
    }
    charts = {
        "pairs": bar_chart(pairs, "share of the pairs", (7.4, 0.36 * len(first.methods) + 1.2), limit=1.02),
        "kinds": bar_chart(kinds, "share of duplicates found", (7.4, 0.7 * len(outcomes) + 1.4), limit=1.02),
    }
    record = {
        "seed": seed,
        "kinds": [
            each._asdict()
            | {"duplicates": len(each.duplicates), "others": len(each.others), "methods": names}
            for each in outcomes
        ],
    }
    intro = _INTRO.format(sites=first.sites, contents=first.contents, seed=seed)
    return Report(intro, sections, rows, charts, record)


_EXAMPLE: Final = "--pages 20 --methods sitelevel,pagelevel --out results/"
EXPERIMENT: Final = Experiment("duplicates", __doc__, {"pages": 0, "methods": METHODS}, measure, _EXAMPLE)
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
