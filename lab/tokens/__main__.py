"""Count tokens for model training before and after cleaning: how many, how often repeated, how fast."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import xxhash

from detemplate.report.terminal import step_progress
from lab.harness.charts import bar_chart
from lab.harness.command import run
from lab.harness.common import unseen_sites
from lab.harness.experiment import Experiment, Report
from lab.harness.extractors import FULL_TEXT, chosen_extractors
from lab.harness.tables import section, table
from lab.index.corpus import window
from lab.labelled.metrics import site_scores
from lab.labelled.words import words

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Mapping, Sequence

    from lab.harness.tables import Column
    from lab.labelled.measure import Extractor
    from lab.labelled.pages import LabelledPage

WIDTH: Final = 10  # words of a run that is looked for on other pages
GOLD: Final = "labelled content"  # the labelled content among the methods: what a perfect one would leave
_MARK: Final = re.compile(r"[^\w\s]")
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


class MethodOutcome(NamedTuple):
    """Results of one method: lists have one entry a site, `seconds` are processor time for all sites.

    `kept`: share of the content's words that the texts have; `left`: share of the other words. Means over
    labelled pages, NaN without any.
    """

    tokens: list[int]
    words: list[int]
    repeated: list[int]
    kept: list[float]
    left: list[float]
    failed: int
    seconds: float

    def shares(self, full: MethodOutcome) -> dict[str, float]:
        """Compute means over sites, and seconds per million tokens of the full text."""
        return {
            "left": _mean([a / max(b, 1) for a, b in zip(self.tokens, full.tokens, strict=True)]),
            "repeated": _mean([a / max(b, 1) for a, b in zip(self.repeated, self.words, strict=True)]),
            "content": _mean(self.kept),
            "template": _mean(self.left),
            "seconds": self.seconds / max(sum(full.tokens), 1) * 1e6,
        }


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def processor_seconds() -> float:
    """Return the processor time of this process and its ended children, in seconds."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def count_tokens(text: str) -> int:
    """Count the tokens of a text before they are cut into subwords: its words and its punctuation marks."""
    return len(words(text)) + len(_MARK.findall(text))


def repeated_words(texts: Sequence[str], width: int = WIDTH) -> tuple[int, int]:
    """Count the words of a site's texts, and those in runs of `width` words that two pages or more have."""
    split = [words(text) for text in texts]
    runs = [
        [
            xxhash.xxh3_64_intdigest(" ".join(page[at : at + width]).encode("utf-8", "surrogatepass"))
            for at in range(len(page) - width + 1)
        ]
        for page in split
    ]  # fmt: skip
    pages = Counter(run for of_page in runs for run in set(of_page))
    covered = 0
    for of_page in runs:
        starts = [at for at, run in enumerate(of_page) if pages[run] > 1]
        covered += len({at + place for at in starts for place in range(width)})
    return sum(map(len, split)), covered


def outcome_of(
    texts: Sequence[Sequence[str]], sites: Sequence[Sequence[LabelledPage]], failed: int, seconds: float
) -> MethodOutcome:
    """Measure the texts of all sites' pages."""
    result = MethodOutcome([], [], [], [], [], failed, seconds)
    for of_site, pages in zip(texts, sites, strict=True):
        result.tokens.append(sum(map(count_tokens, of_site)))
        total, repeated = repeated_words(of_site)
        result.words.append(total)
        result.repeated.append(repeated)
        scores = [
            site_scores(text, page.gold.text, page.gold.outside)
            for text, page in zip(of_site, pages, strict=True)
            if page.gold is not None
        ]
        result.kept.append(float(np.mean([each.kept for each in scores])) if scores else float("nan"))
        result.left.append(1 - float(np.mean([each.removed for each in scores])) if scores else float("nan"))
    return result


def measure_methods(
    extractors: Mapping[str, Extractor],
    sites: Sequence[Sequence[LabelledPage]],
    show: Callable[[str], object] = lambda _: None,
) -> dict[str, MethodOutcome]:
    """Run each method over each site's pages; measure texts and time. The labelled content comes last."""
    found = {}
    sources = [[(page.url, page.html) for page in site] for site in sites]
    for name, extractor in extractors.items():
        extractor.run(sources[0][:2])  # what is loaded once is not timed
        began = processor_seconds()
        texts = [extractor.run(source) for source in sources]
        seconds = processor_seconds() - began
        failed = sum(each.crashed + each.timed_out for each in texts)
        found[name] = outcome_of([each.texts for each in texts], sites, failed, seconds)
        show(name)
    gold = [[page.gold.text if page.gold is not None else "" for page in site] for site in sites]
    found[GOLD] = outcome_of(gold, sites, 0, 0.0)
    return found


_EXAMPLE: Final = "--sites erlang,marinebon --methods auto,segments --out results/"
EXPERIMENT: Final = Experiment("tokens", __doc__, {"pages": 30, "methods": "all"}, measure, _EXAMPLE)
main: Final = EXPERIMENT.main

if __name__ == "__main__":
    run(main)
