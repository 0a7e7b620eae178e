"""Indexing without templates as one call: clean, index, search, write the tables, draw the charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.report.progress import step_progress
from lab.harness.charts import require_matplotlib
from lab.harness.common import (
    check_positive,
    checked_folder,
    labelled_sites,
    make_folder,
    unseen_sites,
    write_results,
)
from lab.harness.extractors import chosen_extractors
from lab.index.charts import write_charts
from lab.index.corpus import site_corpus, topic_corpus
from lab.index.engine import require_tantivy
from lab.index.lines import line_scores
from lab.index.peers import RULES, peer_counts
from lab.index.report import Results, as_dict, report, to_csv
from lab.index.runs import measure_all
from lab.labelled.datasets import load_sets
from lab.labelled.measure import Method

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PAGES: Final = 20
"""Pages of each site by default: neighbours in the order of their URLs."""
TOPICS: Final = "chaos"
"""Set whose gold names queries."""


def run_index(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    pages: int | None = PAGES,
    seed: int = 0,
    methods: Sequence[str] = (),
) -> list[Path]:
    """Index and search pages with and without templates (Rowlands, Thomas, Wan 2009, section 4).

    Parameters
    ----------
    out, data
        Folder for the results, made if missing; folder with the labelled sets, by default that of
        `lab.labelled.datasets.data_folder`.
    names
        Names of the sites; by default those of part ``test``, and the set :data:`TOPICS`. Peers are counted
        on all sites then.
    pages
        Most pages of a site; None: all.
    seed
        Seed of all draws.
    methods
        Methods and peers, see :func:`~lab.harness.extractors.chosen_extractors`.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``table.csv``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        The data is missing, a site or method is unknown, a number is below 1, or the folder cannot be written
        to.
    MissingExtra
        Matplotlib, SciPy, Tantivy or a named peer is not installed.
    """
    require_matplotlib()
    require_tantivy()
    check_positive(pages=pages)
    extractors = chosen_extractors(methods)
    every, sets = labelled_sites(names, data), unseen_sites(names, data)
    make_folder(out)
    corpora = {"sites": site_corpus(sets, pages=pages, seed=seed)}
    if not names:
        corpora[TOPICS] = topic_corpus(load_sets([TOPICS], checked_folder(data))[0])
    ours = sum(isinstance(extractor, Method) for extractor in extractors.values())
    with step_progress(len(extractors) * len(corpora) + ours + len(RULES)) as step:
        outcomes = measure_all(extractors, corpora, step)
        lines = line_scores(extractors, corpora["sites"], step)
    peers = {
        labelled.name.rpartition("/")[2]: peer_counts(page.url for page in labelled.pages())
        for labelled in every
    }
    results = Results(corpora, outcomes, peers, lines, seed)
    texts = {
        "table.md": report(results),
        "table.csv": to_csv(results),
        "results.json": as_dict(results),
    }
    return write_results(out, texts, lambda folder: write_charts(results, folder))
