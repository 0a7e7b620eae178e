"""The report on the index: the paper's table 1 and figure 1 beside ours, peers, and lines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from lab.harness.charts import COLOURS, bar_chart, legend_above, panel_grid
from lab.harness.experiment import Report
from lab.harness.extractors import FULL_TEXT
from lab.harness.tables import cell, section, table
from lab.index.corpus import HOME, KNOWN_ITEM
from lab.index.searches import signed_rank
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from lab.harness.tables import Column
    from lab.index.corpus import Corpus
    from lab.index.lines import LineScores
    from lab.index.searches import MethodOutcome

    Corpora = Mapping[str, Corpus]
    Outcomes = Mapping[str, Mapping[str, MethodOutcome]]
    """Corpus → method → results."""
    Peers = Mapping[str, Mapping[str, int]]
    """Counts of pages by whether they have a peer, by site."""

KNOWN: Final = "known item"
SIZES: Final = ("corpus_bytes", "text_bytes", "postings", "occurrences", "index_bytes")
PANELS: Final = 6
PAPER_LINES: Final = {"precision": 0.57, "recall": 0.97, "f1": 0.59}
_INTRO: Final = """\
# An index without templates

Rowlands, Thomas, Wan: *Web Indexing on a Diet: Template Removal with the Sandwich Algorithm* (ADCS
2009), section 4. WT10g and the paper's media site are not to be had. **Real**: all pages, and the
queries of `chaos`, which a search engine answered with the pages that count as relevant. **Made of the
pages**: queries for known items. They are titles, headings or anchor texts that only one page has; for
that page their words are not indexed. Seed {seed}. The engine is Tantivy (BM25).
"""


def report(
    corpora: Mapping[str, Corpus],
    outcomes: Outcomes,
    peers: Peers,
    lines: Mapping[str, LineScores],
    seed: int,
) -> Report:
    """Report sizes, searches, peers and lines."""
    sections, rows = [], []
    for label, corpus in corpora.items():
        of_corpus = outcomes[label]
        kinds = Counter(query.kind for query in corpus.queries)
        counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
        about = f"{len(corpus.pages):,} pages of {len(corpus.sites)} sites. Queries: {counts}."
        sections.append(section(f"{label}: sizes (the paper's table 1)", about, _sizes(of_corpus)))
        sections.append(section(f"{label}: searches (the paper's figure 1)", _searches(corpus, of_corpus)))
        rows += [
            {"corpus": label, "method": name, "queries": kind}
            | {field: getattr(outcome, field) for field in (*SIZES, "whole_bytes")}
            | {"precision": float(np.mean(values)), "by query": values}
            for name, outcome in of_corpus.items()
            for kind, values in groups(corpus, outcome.precision).items()
        ]
    sections.append(section("Pages with a peer", _peers(peers)))
    if lines:
        sections.append(section("Lines kept", _lines(lines)))
    record = {
        "seed": seed,
        "queries": {
            label: [[query.kind, " ".join(query.words), sorted(query.relevant)] for query in corpus.queries]
            for label, corpus in corpora.items()
        },
        "peers": peers,
        "lines": lines,
    }
    label, first = next(iter(outcomes.items()))
    series = {
        shown: {
            name: getattr(each, field) / max(getattr(first[FULL_TEXT], field), 1)
            for name, each in first.items()
        }
        for field, shown in (("postings", "postings"), ("index_bytes", "index, bytes"))
    }
    size = (7.4, 0.36 * len(first) + 1.2)
    sizes = bar_chart(series, f"share of the full text's, {label}", size)
    sizes.axes[0].axvline(1.0, color="#999999", lw=0.8)
    charts = {"queries": queries_chart(corpora, outcomes), "sizes": sizes}
    return Report(_INTRO.format(seed=seed), sections, rows, charts, record)


def _sizes(outcomes: Mapping[str, MethodOutcome]) -> str:
    """Write the sizes of the full text, and how those of the methods differ."""
    base = outcomes[FULL_TEXT]
    rows = [["paper: WT10g, lines of a peer", "−17 %", "–", "−9 %", "–", "–"]]
    # Raw lines have a size of their own: that of the markup as it came, not of the serialisation.
    rows.append(["paper: media, lines of a peer", "−67 %", "–", "−54 %", "–", "–"])
    for name, outcome in outcomes.items():
        cells = [name]
        for field in SIZES:
            value = getattr(outcome, field)
            whole = outcome.whole_bytes if field == "corpus_bytes" else getattr(base, field)
            change = None if value is None or not whole else value / whole - 1
            cells.append(f"{value:,}" if name == FULL_TEXT else cell(change, ".0%"))
        rows.append(cells)
    return markdown_table(
        ["method", "markup, bytes", "text, bytes", "postings", "words", "index, bytes"], rows
    )


def groups(corpus: Corpus, values: Sequence[float]) -> dict[str, list[float]]:
    """Group the values of queries: all known items together, the others by kind."""
    grouped: dict[str, list[float]] = {}
    for query, value in zip(corpus.queries, values, strict=True):
        grouped.setdefault(KNOWN if query.kind in KNOWN_ITEM else query.kind, []).append(value)
    return grouped


def _searches(corpus: Corpus, outcomes: Mapping[str, MethodOutcome]) -> str:
    """Write the precision of each method, and how it compares with that of the full text."""
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


def _peers(peers: Peers) -> str:
    """Write how many pages have another one in their directory, and on which sites not all have."""
    total = {name: sum(counts[name] for counts in peers.values()) for name in next(iter(peers.values()))}
    share = total["with peer"] / max(total["pages"], 1)
    rows = []
    for site, counts in sorted(peers.items(), key=lambda item: item[1]["with peer"] / item[1]["pages"]):
        rows.append([
            site, f"{counts['pages']:,}", cell(counts["with peer"] / counts["pages"], ".0%"),
            f"{counts['alone by design']:,}", f"{counts['alone']:,}",
        ])  # fmt: skip
    rows = [row for row in rows if row[2] != "100 %"]
    whole = len(peers) - len(rows)
    text = (
        f"{cell(share, '.0%')} of {total['pages']:,} pages have another page in their directory (paper: 92 % "
        f"of WT10g, 98 % of the media site). Of the {total['pages'] - total['with peer']:,} others, "
        f"{total['alone by design']:,} are alone by the design of their site: their URL ends in a slash or "
        f"an index page, so that each page has its own directory. On {whole} of {len(peers)} sites every "
        "page has a peer; the others:\n\n"
    )
    return text + markdown_table(["site", "pages", "with peer", "alone by design", "alone otherwise"], rows)


def _lines(lines: Mapping[str, LineScores]) -> str:
    """Write the scores of the lines that methods keep."""
    paper = {"name": "paper: media, nearest name", "peers": None} | PAPER_LINES
    columns: list[Column] = [
        ("method", "name"), ("with peer", "peers", ".0%"), ("precision", "precision", ".0%"),
        ("recall", "recall", ".0%"), ("F1", "f1", ".2f"),
    ]  # fmt: skip
    rows = [paper, *({"name": name, **each._asdict()} for name, each in lines.items())]
    pages = next(iter(lines.values())).pages
    return f"{pages:,} pages with gold. Means over pages.\n\n" + table(columns, rows)


def queries_chart(corpora: Corpora, outcomes: Outcomes) -> Figure:
    """Draw the average precision of each query, full text across, cleaned text up: the paper's figure 1."""
    names = [name for name in next(iter(outcomes.values())) if name != FULL_TEXT][:PANELS]
    names = names or [FULL_TEXT]
    figure, panels = panel_grid(len(names), 3, (8.4, 2.9 * -(-len(names) // 3)), sharex=True, sharey=True)
    for axes, name in zip(panels, names, strict=True):
        colours = iter(COLOURS)
        for label, corpus in corpora.items():
            full = groups(corpus, outcomes[label][FULL_TEXT].precision)
            clean = groups(corpus, outcomes[label][name].precision)
            for kind, values in clean.items():
                axes.scatter(full[kind], values, s=7, alpha=0.4, color=next(colours), label=kind)
        axes.plot([0, 1], [0, 1], color="#999999", lw=0.8)
        axes.set_title(name, fontsize=9)
    figure.supxlabel("average precision, full text", fontsize=9)
    figure.supylabel("average precision, cleaned", fontsize=9)
    legend_above(figure, panels[0])
    return figure
