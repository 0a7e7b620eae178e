"""The report on tokens for the training of language models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lab.harness.extractors import FULL_TEXT
from lab.harness.reporting import csv_text, join_sections, percent
from lab.labelled.tables import markdown_table
from lab.tokens.runs import GOLD, WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lab.tokens.runs import MethodOutcome

_INTRO: Final = """\
# Tokens for the training of language models

The papers are older than such models; there are no figures to compare with. Everything here is
**real**: {pages:,} pages of {sites} labelled sites ({names}), neighbours in the order of their URLs. A
token is a word or a punctuation mark (tokenizers cut words further). A word is *repeated* if it is in a
run of {width} words that another page of the site has, too. Seconds: processor time, the methods one after
the other, per million tokens of the full text; parsing included. Means over sites. Seed {seed}.
"""
"""Title and introduction in Markdown, with fields for ``str.format``."""


def shares(outcome: MethodOutcome, full: MethodOutcome) -> dict[str, float]:
    """Compute the means over sites of a method's figures.

    Returns
    -------
    dict
        ``left``: tokens as a share of those of the full text; ``repeated``: share of the words that are
        repeated; ``content`` and ``template``: shares of the labelled words that are left; ``seconds`` per
        million tokens of the full text.
    """
    return {
        "left": _mean([a / max(b, 1) for a, b in zip(outcome.tokens, full.tokens, strict=True)]),
        "repeated": _mean([a / max(b, 1) for a, b in zip(outcome.repeated, outcome.words, strict=True)]),
        "content": _mean(outcome.kept),
        "template": _mean(outcome.left),
        "seconds": outcome.seconds / max(sum(full.tokens), 1) * 1e6,
    }


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def report(
    outcomes: Mapping[str, MethodOutcome], sites: Mapping[str, int], seed: int
) -> str:  # fmt: skip
    """Write the report as Markdown; `sites` has the number of each site's pages."""
    full = outcomes[FULL_TEXT]
    rows = []
    for name, outcome in outcomes.items():
        of_method = shares(outcome, full)
        speed = "–" if name == GOLD else f"{of_method['seconds']:,.1f}"
        rows.append([
            name, f"{sum(outcome.tokens):,}", percent(of_method["left"], 0), percent(of_method["repeated"]),
            percent(of_method["content"]), percent(of_method["template"]), speed, str(outcome.failed),
        ])  # fmt: skip
    header = [
        "method", "tokens", "of the full text's", "repeated words", "content kept", "template left",
        "seconds / million", "failed pages",
    ]  # fmt: skip
    intro = _INTRO.format(
        pages=sum(sites.values()), sites=len(sites), names=", ".join(sites), width=WIDTH, seed=seed
    )
    return join_sections(
        intro, "", [f"## Tokens before and after\n\n{markdown_table(header, rows)}", _sites(outcomes, sites)]
    )


def _sites(outcomes: Mapping[str, MethodOutcome], sites: Mapping[str, int]) -> str:
    """Write the share of repeated words by site, for the methods with most effect."""
    columns = [
        name for name in (FULL_TEXT, "auto", "segments", "sitelevel", "trafilatura", GOLD) if name in outcomes
    ]
    rows = []
    for place, (site, pages) in enumerate(sites.items()):
        cells = [site, str(pages)]
        for name in columns:
            outcome = outcomes[name]
            cells.append(percent(outcome.repeated[place] / max(outcome.words[place], 1)))
        rows.append(cells)
    return "## Repeated words by site\n\n" + markdown_table(["site", "pages", *columns], rows)


def to_csv(outcomes: Mapping[str, MethodOutcome]) -> str:
    """Write the means as CSV: one line a method."""
    full = outcomes[FULL_TEXT]
    rows = [[name, sum(each.tokens), *shares(each, full).values()] for name, each in outcomes.items()]
    return csv_text(["method", "tokens", "left", "repeated", "content", "template", "seconds"], rows)


def as_dict(outcomes: Mapping[str, MethodOutcome], sites: Mapping[str, int], seed: int) -> dict[str, Any]:
    """Convert all results to data that JSON can represent; None for NaN."""
    methods = {}
    for name, outcome in outcomes.items():
        record: dict[str, Any] = outcome._asdict()
        for field in ("kept", "left"):
            record[field] = [None if np.isnan(value) else round(value, 5) for value in record[field]]
        methods[name] = record
    return {"seed": seed, "sites": dict(sites), "methods": methods}
