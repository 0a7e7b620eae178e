"""The report on ranking with and without templates: the paper's figures and tables, for made webs."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.links.ranking import CONFIGURATIONS
from lab.harness.charts import estimate_bars, grouped_bars, panel_grid
from lab.harness.experiment import Report
from lab.harness.tables import cell, section, table
from lab.labelled.bootstrap import Estimate, bootstrap_mean
from lab.labelled.tables import markdown_table
from lab.links.runs import DEPTHS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.figure import Figure

    from lab.harness.tables import Column
    from lab.links.corpus import Corpus
    from lab.links.runs import TopicOutcome, WorldOutcome

PAPER: Final = {
    "page-vanilla": {10: 0.81, 50: 0.58},
    "page-fnm": {10: 0.85, 50: 0.67},
    "pagelet-ft-fnm": {10: 0.91, 50: 0.74},
}
"""Precision@N by configuration and N, as far as the paper's text has it; the rest is in its figure 6 only."""

PAPER_TEMPLATE_SHARE: Final = 0.43  # share of a base set's pages that hold a template pagelet

CLAIMS: Final = (
    ("template elimination with filtering is better than page vanilla", "pagelet-ft-fnm", "page-vanilla"),
    ("… than page FNM", "pagelet-ft-fnm", "page-fnm"),
    ("… than pagelet FNM", "pagelet-ft-fnm", "pagelet-fnm"),
    ("page FNM is better than page vanilla", "page-fnm", "page-vanilla"),
    ("pagelet FNM is better than page FNM", "pagelet-fnm", "page-fnm"),
    ("pagelet FT without filtering is worse than page vanilla", "page-vanilla", "pagelet-ft"),
    ("pagelet vanilla is the worst: worse than page vanilla", "page-vanilla", "pagelet-vanilla"),
    ("… than pagelet FT", "pagelet-ft", "pagelet-vanilla"),
)
"""The paper's claims: text, and the configurations of which the first is better than the second."""

_INTRO: Final = """\
# Ranking by links, with and without templates

Bar-Yossef, Rajagopalan: *Template Detection via Data Mining and its Applications* (WWW 2002), section 5.
The web of 2001 is gone; this one is made. **Real**: the pages' contents and their own templates ({real:,}
pages of {sites} sites), the topics ({topics} terms of these contents). **Made**: hosts, links between hosts,
the sister sites' bars, partners and advertisements, pages of links, and which pages are relevant. {worlds}
webs of {pages:,.0f} pages on average. In brackets: 95 % bootstrap interval, resampling topics.
"""

_OVERLAP: Final = (
    "Of the 50 relevant pages with most independent citations, the share that is among the first 50 results. "
    "The paper compares with Google's results, which are not to be had."
)
_WRONG_KINDS: Final = ("sister site", "portal", "general", "another topic", "hub", "article")


_COLOURS: Final = ("#9b9b9b", "#444444", "#d9730d", "#ad1a72", "#0f7b6c", "#0b6e99")


def topics_of(outcomes: Sequence[WorldOutcome]) -> list[TopicOutcome]:
    """Return the topics of all webs."""
    return [topic for outcome in outcomes for topic in outcome.topics]


def mean(things: Iterable[object], name: str) -> float:
    """Average an attribute."""
    return float(np.mean([getattr(thing, name) for thing in things]))


def scores(outcomes: Sequence[WorldOutcome], configuration: str, depth: int | None) -> list[float]:
    """Return precision@depth of all topics in all webs; for None the overlap with the best pages."""
    results = [topic.results[configuration] for topic in topics_of(outcomes)]
    if depth is None:
        return [result.overlap for result in results]
    return [result.precision[DEPTHS.index(depth)] for result in results]


def estimate(outcomes: Sequence[WorldOutcome], configuration: str, depth: int | None) -> Estimate:
    """Average a score over topics and webs, with its interval from resampling topics."""
    terms = [topic.term for topic in topics_of(outcomes)]
    return bootstrap_mean(scores(outcomes, configuration, depth), terms)


def gain(outcomes: Sequence[WorldOutcome], better: str, worse: str, depth: int) -> Estimate:
    """Average how much more precise one configuration is than another on the same topics and webs."""
    one, other = (scores(outcomes, name, depth) for name in (better, worse))
    terms = [topic.term for topic in topics_of(outcomes)]
    return bootstrap_mean([a - b for a, b in zip(one, other, strict=True)], terms)


def report(
    outcomes: Sequence[WorldOutcome],
    variants: Mapping[str, Sequence[WorldOutcome]],
    corpus: Corpus,
    note: str = "",
) -> Report:
    """Write the report on at least one web with the default settings, and on variants by what was changed."""
    kinds = ("authority", "portal", "general", "hub", "article")
    pages = [sum(outcome.counts.get(kind, 0) for kind in kinds) for outcome in outcomes]
    intro = _INTRO.format(
        real=len(corpus.pages), sites=len({page.site for page in corpus.pages}),
        topics=len(corpus.topics), worlds=len(outcomes), pages=float(np.mean(pages)),
    )  # fmt: skip
    share = cell(mean(topics_of(outcomes), "template_share"), ".0%")
    shares = f"{share} (paper: {cell(PAPER_TEMPLATE_SHARE, '.0%')})"
    by_depth: list[Column] = [(f"N = {n}", partial(estimate, outcomes, depth=n), ".0%") for n in DEPTHS]
    overlap: list[Column] = [("overlap", partial(estimate, outcomes, depth=None), ".0%")]
    settings: list[Column] = [("setting", lambda item: f"`{item[0]}`"), ("value", lambda item: str(item[1]))]
    sections = [
        section(
            "The paper and here",
            _paper(outcomes),
            f"Pages of a base set with a template pagelet: {shares}.",
            _claims(outcomes),
        ),
        section(
            "Precision at N (the paper's figure 6)",
            table([("configuration", str), *by_depth], CONFIGURATIONS),
        ),
        section(
            "Overlap with the best pages (in place of the paper's figure 7)",
            _OVERLAP,
            table([("configuration", str), *overlap], CONFIGURATIONS),
        ),
        section(
            "What the wrong results are (the paper's table 1)",
            "Pages a query among the first 50 results that are not relevant.",
            _wrong(outcomes),
        ),
        section("Pages with templates (the paper's table 2)", _shares(outcomes)),
        section(
            "Other webs",
            "One setting changed, the others as they are.",
            _variants({"as they are": outcomes, **variants}),
        ),
        section(
            "The made web",
            _counts(outcomes),
            "What the settings mean: `WorldSettings` in `lab/links/world.py`.",
            table(settings, asdict(outcomes[0].settings).items()),
        ),
    ]
    measures = {f"precision@{depth}": depth for depth in DEPTHS} | {"overlap": None}
    rows = [
        {"configuration": name, "measure": measure, **estimate(outcomes, name, depth)._asdict()}
        for name in CONFIGURATIONS
        for measure, depth in measures.items()
    ]
    record = {
        "settings": asdict(outcomes[0].settings),
        "depths": DEPTHS,
        "worlds": [_record(outcome) for outcome in outcomes],
        "variants": {label: [_record(outcome) for outcome in webs] for label, webs in variants.items()},
    }
    charts = {"precision": precision_chart(outcomes), "overlap": overlap_chart(outcomes)}
    return Report(intro, sections, rows, charts, record, note)


def _record(outcome: WorldOutcome) -> dict[str, Any]:
    return {"seed": outcome.seed, "counts": outcome.counts, "topics": outcome.topics}


def _paper(outcomes: Sequence[WorldOutcome]) -> str:
    rows = []
    for name in CONFIGURATIONS:
        paper = PAPER.get(name, {})
        values = [value for n in (10, 50) for value in (paper.get(n), estimate(outcomes, name, n))]
        rows.append([name, *(cell(value, ".0%") for value in values)])
    header = ["configuration", "P@10, paper", "P@10, here", "P@50, paper", "P@50, here"]
    return markdown_table(header, rows)


def _claims(outcomes: Sequence[WorldOutcome]) -> str:
    """Write how much more precise one configuration is than another, and whether the paper's claim holds."""
    rows = []
    for text, better, worse in CLAIMS:
        gains = [gain(outcomes, better, worse, depth) for depth in (10, 50)]
        verdicts = ["yes" if each.low > 0 else "no" if each.high < 0 else "undecided" for each in gains]
        rows.append([text, *(cell(each, "+.0p") for each in gains), ", ".join(dict.fromkeys(verdicts))])
    return markdown_table(["the paper says", "points at 10", "points at 50", "here"], rows)


def _wrong(outcomes: Sequence[WorldOutcome]) -> str:
    topics = topics_of(outcomes)
    rows = []
    for name in CONFIGURATIONS:
        results = [topic.results[name] for topic in topics]
        averages = [sum(each.wrong.get(kind, 0) for each in results) / len(topics) for kind in _WRONG_KINDS]
        rows.append([name, *(f"{each:.1f}" for each in (*averages, DEPTHS[-1] - mean(results, "results")))])
    return markdown_table(["configuration", *_WRONG_KINDS, "no result"], rows)


def _shares(outcomes: Sequence[WorldOutcome]) -> str:
    by_term: dict[str, list[TopicOutcome]] = {}
    for topic in topics_of(outcomes):
        by_term.setdefault(topic.term, []).append(topic)
    shares = {term: mean(topics, "template_share") for term, topics in by_term.items()}
    rows = [
        [term, cell(mean(its, "base"), ",.0f"), cell(mean(its, "relevant"), ".0f"), cell(shares[term], ".0%")]
        for term, its in sorted(by_term.items())
    ]
    every = topics_of(outcomes)
    average = f"**{cell(float(np.mean(list(shares.values()))), '.0%')}**"
    rows.append(["**average**", f"{mean(every, 'base'):,.0f}", f"{mean(every, 'relevant'):.0f}", average])
    header = ["topic", "pages of the base set", "of these relevant", "with a template pagelet"]
    return markdown_table(header, rows)


def _variants(variants: Mapping[str, Sequence[WorldOutcome]]) -> str:
    rows = []
    for label, webs in variants.items():
        cells = [
            " / ".join(cell(float(np.mean(scores(webs, name, depth))), ".0%") for depth in (10, 50))
            for name in CONFIGURATIONS
        ]
        share = cell(mean(topics_of(webs), "template_share"), ".0%")
        rows.append([label, str(len(webs)), share, *cells])
    header = ["setting", "webs", "template pages", *(f"{name}, P@10 / P@50" for name in CONFIGURATIONS)]
    return markdown_table(header, rows)


def _counts(outcomes: Sequence[WorldOutcome]) -> str:
    names = dict.fromkeys(name for outcome in outcomes for name in outcome.counts)

    def average(name: str) -> float:
        return float(np.mean([outcome.counts.get(name, 0) for outcome in outcomes]))

    return table([("a web has, on average", str), ("", average, ",.0f")], names)


def precision_chart(outcomes: Sequence[WorldOutcome]) -> Figure:
    """Draw precision@N of the six configurations, with 95 % intervals: the paper's figure 6."""
    figure, (axes,) = panel_grid(1, 1, (8.4, 4.2))
    series = [
        (name, colour, [estimate(outcomes, name, depth) for depth in DEPTHS])
        for name, colour in zip(CONFIGURATIONS, _COLOURS, strict=True)
    ]
    grouped_bars(axes, series, 0.7)
    axes.set_xticks(range(len(DEPTHS)), [str(depth) for depth in DEPTHS])
    axes.set(xlabel="N", ylabel="mean precision@N", ylim=(0, 1.02))
    axes.grid(visible=True, axis="y", alpha=0.3)
    figure.legend(loc="outside upper center", ncols=3, frameon=False)
    return figure


def overlap_chart(outcomes: Sequence[WorldOutcome]) -> Figure:
    """Draw the overlap with the best pages. The paper's figure 7 has the overlap with Google's results."""
    figure, (axes,) = panel_grid(1, 1, (6.4, 3.2))
    estimates = [estimate(outcomes, name, None) for name in CONFIGURATIONS]
    estimate_bars(axes, CONFIGURATIONS, estimates, color=_COLOURS, error_kw={"lw": 0.8})
    axes.set(xlim=(0, 1.02), xlabel="share of the 50 best pages among the first 50 results")
    axes.grid(visible=True, axis="x", alpha=0.3)
    return figure
