"""Count tokens for model training before and after cleaning: how many, how often repeated, how fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.report.progress import step_progress
from lab.harness.charts import bar_chart
from lab.harness.command import run
from lab.harness.common import unseen_sites
from lab.harness.experiment import Experiment, Report
from lab.harness.extractors import FULL_TEXT, chosen_extractors
from lab.harness.tables import section, table
from lab.index.corpus import window
from lab.tokens.counts import GOLD, WIDTH, measure_methods

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Mapping

    from lab.harness.tables import Column
    from lab.tokens.counts import MethodOutcome

_INTRO: Final = """\
# Tokens for the training of language models

The papers are older than such models; there are no figures to compare with. Everything here is
**real**: {pages:,} pages of {sites} labelled sites ({names}), neighbours in the order of their URLs. A
token is a word or a punctuation mark (tokenizers cut words further). A word is *repeated* if it is in a
run of {width} words that another page of the site has, too. Seconds: processor time, the methods one after
the other, per million tokens of the full text; parsing included. Means over sites. Seed {seed}.
"""


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


def report(outcomes: Mapping[str, MethodOutcome], sites: Mapping[str, int], seed: int) -> Report:
    """Report the results of all methods; `sites` has the number of each site's pages."""
    rows = [
        {"method": name, "tokens": sum(each.tokens), "failed": each.failed}
        | each.shares(outcomes[FULL_TEXT])
        | {"by site": {field: getattr(each, field) for field in ("tokens", "words", "repeated", "kept")}}
        for name, each in outcomes.items()
    ]
    columns: list[Column] = [
        ("method", "method"),
        ("tokens", "tokens", ",d"),
        ("of the full text's", "left", ".0%"),
        ("repeated words", "repeated", ".1%"),
        ("content kept", "content", ".1%"),
        ("template left", "template", ".1%"),
        ("seconds / million", lambda row: None if row["method"] == GOLD else row["seconds"], ",.1f"),
        ("failed pages", "failed"),
    ]
    shown = [n for n in (FULL_TEXT, "auto", "segments", "sitelevel", "trafilatura", GOLD) if n in outcomes]
    of_site = [
        {"site": site, "pages": pages}
        | {name: outcomes[name].repeated[n] / max(outcomes[name].words[n], 1) for name in shown}
        for n, (site, pages) in enumerate(sites.items())
    ]
    by_site: list[Column] = [("site", "site"), ("pages", "pages"), *((name, name, ".1%") for name in shown)]
    labels = {"left": "tokens left", "content": "content kept", "repeated": "repeated words"}
    series = {
        label: {name: each.shares(outcomes[FULL_TEXT])[key] for name, each in outcomes.items()}
        for key, label in labels.items()
    }
    names = ", ".join(sites)
    intro = _INTRO.format(pages=sum(sites.values()), sites=len(sites), names=names, width=WIDTH, seed=seed)
    sections = [
        section("Tokens before and after", table(columns, rows)),
        section("Repeated words by site", table(by_site, of_site)),
    ]
    charts = {"tokens": bar_chart(series, "share", (7.4, 0.45 * len(outcomes) + 1.2))}
    return Report(intro, sections, rows, charts, {"seed": seed, "sites": sites})


EXPERIMENT: Final = Experiment(
    "tokens",
    __doc__,
    lambda parser: parser.add_experiment(pages=30, methods="all"),
    measure,
    "--sites erlang,marinebon --methods auto,segments --out results/",
)
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
