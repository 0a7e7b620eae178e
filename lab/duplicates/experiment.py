"""Finding duplicates as one call: make pages, clean them, judge pairs, write the tables, draw the charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.report.progress import step_progress
from lab.duplicates.charts import write_charts
from lab.duplicates.report import as_dict, report, to_csv
from lab.duplicates.runs import AS_THEY_ARE, KEY_METHODS, KINDS, collect, measure_kind
from lab.harness.charts import require_matplotlib
from lab.harness.common import check_positive, make_folder, write_results
from lab.harness.extractors import chosen_extractors
from lab.transplant.parts import read_parts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lab.transplant.parts import Parts

DUPLICATES: Final = 1_700
"""Pairs of duplicates: the paper has 1,711."""
OTHERS: Final = 2_000
"""Other pairs: the paper has 2,058."""
PART: Final = 4
"""Other kinds of made pages have one of so many pairs."""


def run_duplicates(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    pages: int | None = None,
    seed: int = 0,
    methods: Sequence[str] = (),
    duplicates: int = DUPLICATES,
    others: int = OTHERS,
) -> list[Path]:
    """Find duplicates with and without templates (Chakrabarti, Kumar, Punera 2007, section 6.2).

    Parameters
    ----------
    out, data
        Folder for the results, made if missing; folder with the labelled sets, by default that of
        `lab.labelled.datasets.data_folder`.
    names
        Names of the sites that lend templates and contents; by default all.
    pages
        Most templates and most contents of each site; by default all.
    seed
        Seed of all draws.
    methods
        Methods and peers, see :func:`~lab.harness.extractors.chosen_extractors`.
    duplicates, others
        Most pairs of duplicates, and of other pages.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``table.csv``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        The data is missing, a site or method is unknown, there are too few templates or contents, a number is
        below 1, or the folder cannot be written to.
    MissingExtra
        Matplotlib, or a named peer, is not installed.
    """
    require_matplotlib()
    check_positive(pages=pages, duplicates=duplicates, others=others)
    extractors = chosen_extractors(methods)
    make_folder(out)
    few = {name: extractors[name] for name in KEY_METHODS if name in extractors}
    outcomes = []
    known: dict[int | None, Parts] = {}
    with step_progress(len(extractors) + (len(KINDS) - 1) * len(few)) as step:
        finished = 0
        for kind in KINDS:
            length = kind.max_words
            if length not in known:
                known[length] = read_parts(names, data, pages=pages, max_words=length, seed=seed)
            share = 1 if kind == AS_THEY_ARE else PART
            collection = collect(
                known[length], kind, duplicates=-(-duplicates // share), others=-(-others // share), seed=seed
            )
            chosen = extractors if kind == AS_THEY_ARE else few
            for_kind = {}
            for name, extractor in chosen.items():
                step(f"{kind.name}: {name}", finished)
                outcome = measure_kind(collection, kind, {name: extractor})
                for_kind.update(outcome.methods)
                finished += 1
            outcomes.append(outcome._replace(methods=for_kind))
    texts = {
        "table.md": report(outcomes, seed),
        "table.csv": to_csv(outcomes),
        "results.json": {"seed": seed, "kinds": as_dict(outcomes)},
    }
    return write_results(out, texts, lambda folder: write_charts(outcomes, folder))
