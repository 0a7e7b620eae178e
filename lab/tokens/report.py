"""The report on tokens for the training of language models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lab.harness.charts import bar_chart
from lab.harness.experiment import Report
from lab.harness.extractors import FULL_TEXT
from lab.harness.tables import section, table
from lab.tokens.counts import GOLD, WIDTH

if TYPE_CHECKING:
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
    return Report(
        _INTRO.format(pages=sum(sites.values()), sites=len(sites), names=names, width=WIDTH, seed=seed),
        [
            section("Tokens before and after", table(columns, rows)),
            section("Repeated words by site", table(by_site, of_site)),
        ],
        rows,
        {"tokens": bar_chart(series, "share", (7.4, 0.45 * len(outcomes) + 1.2))},
        {"seed": seed, "sites": sites},
    )
