"""The report on ranking with and without templates: the paper's figures and tables, for made webs."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.links.ranking import CONFIGURATIONS
from lab.harness.reporting import join_sections, percent, percent_interval
from lab.labelled.tables import markdown_table
from lab.links.runs import DEPTHS
from lab.links.summary import estimate, gain, mean, mean_template_share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lab.links.corpus import Corpus
    from lab.links.runs import WorldOutcome

PAPER: Final = {
    "page-vanilla": {10: 0.81, 50: 0.58},
    "page-fnm": {10: 0.85, 50: 0.67},
    "pagelet-ft-fnm": {10: 0.91, 50: 0.74},
}
"""Precision@N by configuration and N, as far as the paper's text has it; the rest is in its figure 6 only."""

PAPER_TEMPLATE_SHARE: Final = 0.43
"""Share of a base set's pages that hold a template pagelet, in the paper."""

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
"""Title and introduction in Markdown, with fields for ``str.format``."""

_WRONG_KINDS: Final = ("sister site", "portal", "general", "another topic", "hub", "article")
"""Kinds of wrong results, as in :class:`~lab.links.runs.Result`."""


def report(
    outcomes: Sequence[WorldOutcome],
    variants: Mapping[str, Sequence[WorldOutcome]],
    corpus: Corpus,
    note: str = "",
) -> str:
    """Write the report as Markdown.

    Parameters
    ----------
    outcomes
        Webs made with the default settings, at least one.
    variants
        Webs made with another value of one setting, by what was changed.
    corpus
        The real pages.
    note
        A paragraph below the introduction.
    """
    intro = _INTRO.format(
        real=len(corpus.pages),
        sites=len({page.site for page in corpus.pages}),
        topics=len(corpus.topics),
        worlds=len(outcomes),
        pages=float(np.mean([_pages(outcome) for outcome in outcomes])),
    )
    sections = [
        "## The paper and here\n\n" + _paper(outcomes) + "\n\n" + _claims(outcomes),
        "## Precision at N (the paper's figure 6)\n\n" + _precision(outcomes),
        "## Overlap with the best pages (in place of the paper's figure 7)\n\nOf the 50 relevant pages with"
        " most independent citations, the share that is among the first 50 results. The paper compares with"
        " Google's results, which are not to be had.\n\n" + _overlap(outcomes),
        "## What the wrong results are (the paper's table 1)\n\nPages a query among the first 50 results that"
        " are not relevant.\n\n" + _wrong(outcomes),
        "## Pages with templates (the paper's table 2)\n\n" + _shares(outcomes),
        "## Other webs\n\nOne setting changed, the others as they are.\n\n" + _variants(outcomes, variants),
        "## The made web\n\n" + _counts(outcomes) + "\n\n" + _settings(outcomes),
    ]
    return join_sections(intro, note, sections)


def _percent(value: float) -> str:
    return percent(value, 0)


def _with_interval(outcomes: Sequence[WorldOutcome], configuration: str, depth: int | None) -> str:
    return percent_interval(estimate(outcomes, configuration, depth), 0)


def _pages(outcome: WorldOutcome) -> int:
    """Count all pages of a web."""
    return sum(
        outcome.counts[kind]
        for kind in ("authority", "portal", "general", "hub", "article")
        if kind in outcome.counts
    )


def _paper(outcomes: Sequence[WorldOutcome]) -> str:
    rows = []
    for name in CONFIGURATIONS:
        paper = PAPER.get(name, {})
        cells = [name]
        for depth in (10, 50):
            cells.append(_percent(paper[depth]) if depth in paper else "–")
            cells.append(_with_interval(outcomes, name, depth))
        rows.append(cells)
    share = float(np.mean([topic.template_share for outcome in outcomes for topic in outcome.topics]))
    shares = f"{_percent(share)} (paper: {_percent(PAPER_TEMPLATE_SHARE)})"
    header = ["configuration", "P@10, paper", "P@10, here", "P@50, paper", "P@50, here"]
    return markdown_table(header, rows) + f"\n\nPages of a base set with a template pagelet: {shares}."


def _claims(outcomes: Sequence[WorldOutcome]) -> str:
    """Write how much more precise one configuration is than another, and whether the paper's claim holds."""
    rows = []
    for text, better, worse in CLAIMS:
        gains = [gain(outcomes, better, worse, depth) for depth in (10, 50)]
        cells = [
            f"{100 * each.mean:+.0f} [{100 * each.low:+.0f}, {100 * each.high:+.0f}]".replace("-", "−")
            for each in gains
        ]
        verdicts = ["yes" if each.low > 0 else "no" if each.high < 0 else "undecided" for each in gains]
        rows.append([text, *cells, ", ".join(dict.fromkeys(verdicts))])
    return markdown_table(["the paper says", "points at 10", "points at 50", "here"], rows)


def _precision(outcomes: Sequence[WorldOutcome]) -> str:
    rows = [[name, *(_with_interval(outcomes, name, depth) for depth in DEPTHS)] for name in CONFIGURATIONS]
    return markdown_table(["configuration", *(f"N = {depth}" for depth in DEPTHS)], rows)


def _overlap(outcomes: Sequence[WorldOutcome]) -> str:
    rows = [[name, _with_interval(outcomes, name, None)] for name in CONFIGURATIONS]
    return markdown_table(["configuration", "overlap"], rows)


def _wrong(outcomes: Sequence[WorldOutcome]) -> str:
    topics = [topic for outcome in outcomes for topic in outcome.topics]
    rows = []
    for name in CONFIGURATIONS:
        kinds = Counter[str]()
        for topic in topics:
            kinds.update(topic.results[name].wrong)
        missing = DEPTHS[-1] - float(np.mean([topic.results[name].results for topic in topics]))
        averages = (f"{kinds[kind] / len(topics):.1f}" for kind in _WRONG_KINDS)
        rows.append([name, *averages, f"{missing:.1f}"])
    return markdown_table(["configuration", *_WRONG_KINDS, "no result"], rows)


def _shares(outcomes: Sequence[WorldOutcome]) -> str:
    shares = mean_template_share(outcomes)
    topics = [topic for outcome in outcomes for topic in outcome.topics]
    rows = []
    for term, share in sorted(shares.items()):
        of_term = [topic for topic in topics if topic.term == term]
        base = np.mean([topic.base for topic in of_term])
        relevant = np.mean([topic.relevant for topic in of_term])
        rows.append([term, f"{base:,.0f}", f"{relevant:.0f}", _percent(share)])
    average = [
        f"{np.mean([topic.base for topic in topics]):,.0f}",
        f"{np.mean([topic.relevant for topic in topics]):.0f}",
    ]
    rows.append(["**average**", *average, f"**{_percent(float(np.mean(list(shares.values()))))}**"])
    header = ["topic", "pages of the base set", "of these relevant", "with a template pagelet"]
    return markdown_table(header, rows)


def _variants(outcomes: Sequence[WorldOutcome], variants: Mapping[str, Sequence[WorldOutcome]]) -> str:
    rows = []
    for label, webs in {"as they are": outcomes, **variants}.items():
        shares = [topic.template_share for outcome in webs for topic in outcome.topics]
        cells = [
            f"{_percent(mean(webs, name, 10))} / {_percent(mean(webs, name, 50))}" for name in CONFIGURATIONS
        ]
        rows.append([label, str(len(webs)), _percent(float(np.mean(shares))), *cells])
    header = ["setting", "webs", "template pages", *(f"{name}, P@10 / P@50" for name in CONFIGURATIONS)]
    return markdown_table(header, rows)


def _counts(outcomes: Sequence[WorldOutcome]) -> str:
    names = dict.fromkeys(name for outcome in outcomes for name in outcome.counts)
    rows = [
        [name, f"{np.mean([outcome.counts.get(name, 0) for outcome in outcomes]):,.0f}"] for name in names
    ]
    return markdown_table(["a web has, on average", ""], rows)


def _settings(outcomes: Sequence[WorldOutcome]) -> str:
    rows = [[f"`{name}`", str(value)] for name, value in asdict(outcomes[0].settings).items()]
    return "What the settings mean: `WorldSettings` in `experiments/links/world.py`.\n\n" + markdown_table(
        ["setting", "value"], rows
    )
