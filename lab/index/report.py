"""The report on the index: the paper's table 1 and figure 1 beside ours, peers, and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lab.harness.extractors import FULL_TEXT
from lab.harness.reporting import csv_text, join_sections, percent
from lab.index.corpus import HOME, KNOWN_ITEM
from lab.index.runs import by_kind, count_kinds, signed_rank
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lab.index.corpus import Corpus
    from lab.index.lines import LineScores
    from lab.index.runs import MethodOutcome

KNOWN: Final = "known item"
"""Group of queries: those for one known page."""

_INTRO: Final = """\
# An index without templates

Rowlands, Thomas, Wan: *Web Indexing on a Diet: Template Removal with the Sandwich Algorithm* (ADCS
2009), section 4. WT10g and the paper's media site are not to be had. **Real**: all pages, and the
queries of `chaos`, which a search engine answered with the pages that count as relevant. **Made of the
pages**: queries for known items. They are titles, headings or anchor texts that only one page has; for
that page their words are not indexed. Seed {seed}. The engine is Tantivy (BM25).
"""
"""Title and introduction in Markdown, with a field for ``str.format``."""


class Results(NamedTuple):
    """All that the experiment found.

    Attributes
    ----------
    corpora
        The corpora by name.
    outcomes
        Corpus → method → results.
    peers
        Counts of pages by whether they have a peer, by site (`peer_counts`).
    lines
        Scores of lines, by method.
    seed
        The seed.
    """

    corpora: Mapping[str, Corpus]
    outcomes: Mapping[str, Mapping[str, MethodOutcome]]
    peers: Mapping[str, Mapping[str, int]]
    lines: Mapping[str, LineScores]
    seed: int


def report(results: Results) -> str:
    """Write the report as Markdown."""
    sections = []
    for label, corpus in results.corpora.items():
        counts = ", ".join(f"{count:,} {kind}" for kind, count in count_kinds(corpus).items())
        about = f"{len(corpus.pages):,} pages of {len(corpus.sites)} sites. Queries: {counts}."
        sections.append(f"## {label}: sizes (the paper's table 1)\n\n{about}\n\n" + _sizes(results, label))
        sections.append(f"## {label}: searches (the paper's figure 1)\n\n" + _searches(results, label))
    if results.peers:
        sections.append("## Pages with a peer\n\n" + _peers(results.peers))
    if results.lines:
        sections.append("## Lines kept\n\n" + _lines(results.lines))
    return join_sections(_INTRO.format(seed=results.seed), "", sections)


def change(value: float | None, base: float | None) -> float | None:
    """Return how much greater a value is than another, as a share of that one."""
    return None if value is None or not base else value / base - 1


def _sizes(results: Results, label: str) -> str:
    outcomes = results.outcomes[label]
    base = outcomes[FULL_TEXT]
    rows = [["paper: WT10g, lines of a peer", "−17 %", "–", "−9 %", "–", "–"]]
    rows.append(["paper: media, lines of a peer", "−67 %", "–", "−54 %", "–", "–"])
    fields = ("corpus_bytes", "text_bytes", "postings", "occurrences", "index_bytes")
    for name, outcome in outcomes.items():
        cells = [name]
        for field in fields:
            value, of_base = getattr(outcome, field), getattr(base, field)
            cells.append(f"{value:,}" if name == FULL_TEXT else percent(change(value, of_base), 0))
        rows.append(cells)
    return markdown_table(
        ["method", "markup, bytes", "text, bytes", "postings", "words", "index, bytes"], rows
    )


def groups(corpus: Corpus, values: Sequence[float]) -> dict[str, list[float]]:
    """Group the values of queries: all known items together, the others by kind."""
    grouped: dict[str, list[float]] = {}
    for kind, of_kind in by_kind(corpus, values).items():
        grouped.setdefault(KNOWN if kind in KNOWN_ITEM else kind, []).extend(of_kind)
    return grouped


def _searches(results: Results, label: str) -> str:
    corpus, outcomes = results.corpora[label], results.outcomes[label]
    base = groups(corpus, outcomes[FULL_TEXT].precision)
    rows = []
    for name, outcome in outcomes.items():
        precision, reciprocal = groups(corpus, outcome.precision), groups(corpus, outcome.reciprocal)
        cells = [name]
        for kind, values in precision.items():
            if kind == HOME and outcome.corpus_bytes is None:
                cells += ["–", "–", "–"]
                continue
            p = signed_rank(values, base[kind])
            up, down = (
                sum(sign * (a - b) > 0 for a, b in zip(values, base[kind], strict=True)) for sign in (1, -1)
            )
            mean = f"{np.mean(values):.3f}"
            if np.mean(reciprocal[kind]) != np.mean(values):
                mean += f" ({np.mean(reciprocal[kind]):.3f})"
            cells += [mean, f"{up} / {down}", "–" if name == FULL_TEXT else f"{p:.2g}"]
        rows.append(cells)
    header = ["method"]
    for kind in base:
        header += [f"{kind}: AP (RR)", "better / worse", "p"]
    text = (
        "AP: mean average precision; RR: mean reciprocal rank, where it differs. Queries on which a method "
        "is better or worse than the full text. p: Wilcoxon's signed-rank test. The paper: p > 0.99 (topics "
        "451–500), > 0.2, > 0.5 (home pages), > 0.4 (media). Home pages are searched by text and by anchor "
        "texts of the links that are left; methods that give text only have none.\n\n"
    )
    return text + markdown_table(header, rows)


def _peers(peers: Mapping[str, Mapping[str, int]]) -> str:
    total = {name: sum(counts[name] for counts in peers.values()) for name in next(iter(peers.values()))}
    share = total["with peer"] / max(total["pages"], 1)
    rows = []
    for site, counts in sorted(peers.items(), key=lambda item: item[1]["with peer"] / item[1]["pages"]):
        rows.append([
            site, f"{counts['pages']:,}", percent(counts["with peer"] / counts["pages"], 0),
            f"{counts['alone by design']:,}", f"{counts['alone']:,}",
        ])  # fmt: skip
    rows = [row for row in rows if row[2] != "100 %"]
    whole = len(peers) - len(rows)
    text = (
        f"{percent(share, 0)} of {total['pages']:,} pages have another page in their directory (paper: 92 % "
        f"of WT10g, 98 % of the media site). Of the {total['pages'] - total['with peer']:,} others, "
        f"{total['alone by design']:,} are alone by the design of their site: their URL ends in a slash or "
        f"an index page, so that each page has its own directory. On {whole} of {len(peers)} sites every "
        "page has a peer; the others:\n\n"
    )
    return text + markdown_table(["site", "pages", "with peer", "alone by design", "alone otherwise"], rows)


def _lines(lines: Mapping[str, LineScores]) -> str:
    rows = [["paper: media, nearest name", "–", "57 %", "97 %", "0.59"]]
    rows += [
        [name, percent(each.peers, 0), percent(each.precision, 0), percent(each.recall, 0), f"{each.f1:.2f}"]
        for name, each in lines.items()
    ]
    pages = next(iter(lines.values())).pages
    text = f"{pages:,} pages with gold. Means over pages.\n\n"
    return text + markdown_table(["method", "with peer", "precision", "recall", "F1"], rows)


def to_csv(results: Results) -> str:
    """Write sizes and mean precisions as CSV: one line a corpus and method."""
    rows = []
    for label, outcomes in results.outcomes.items():
        for name, outcome in outcomes.items():
            means = groups(results.corpora[label], outcome.precision)
            rows += [
                [label, name, outcome.corpus_bytes, outcome.text_bytes, outcome.postings, outcome.occurrences,
                 outcome.index_bytes, kind, float(np.mean(values))]
                for kind, values in means.items()
            ]  # fmt: skip
    header = ["corpus", "method", "markup", "text", "postings", "words", "index", "queries", "precision"]
    return csv_text(header, rows)


def as_dict(results: Results) -> dict[str, Any]:
    """Convert all results to data that JSON can represent."""
    return {
        "seed": results.seed,
        "queries": {
            label: [[query.kind, " ".join(query.words), sorted(query.relevant)] for query in corpus.queries]
            for label, corpus in results.corpora.items()
        },
        "outcomes": {
            label: {name: outcome._asdict() for name, outcome in outcomes.items()}
            for label, outcomes in results.outcomes.items()
        },
        "peers": dict(results.peers),
        "lines": {name: scores._asdict() for name, scores in results.lines.items()},
    }
