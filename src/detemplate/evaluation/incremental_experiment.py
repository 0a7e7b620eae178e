"""The experiment as one call: measure, write the tables and draw the charts."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from detemplate.errors import UserError
from detemplate.evaluation.charts import require_matplotlib, write_charts
from detemplate.evaluation.datasets import SITES, data_folder, load_sets
from detemplate.evaluation.incremental import BATCHED, QUICK_PAGES, measure, sweep
from detemplate.evaluation.incremental_report import report
from detemplate.evaluation.incremental_summary import as_dict, to_csv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path


def run_incremental(
    out: Path,
    *,
    data: Path | None = None,
    names: Sequence[str] = (),
    recall: float = 0.8,
    quick: bool = False,
    batched: Sequence[str] = BATCHED,
    options: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Path]:
    """Compare incremental detection with batches on labelled sites (Wang et al. 2008, section 3).

    Parameters
    ----------
    out
        Folder for the results; it is made if it is not there.
    data
        The folder with the labelled sets; by default that of `detemplate.evaluation.datasets.data_folder`.
    names
        Names of sites; by default all.
    recall
        The recall at which methods are compared.
    quick
        Fewer settings, and the first pages of each site only.
    batched
        The batch methods.
    options
        Options of methods that differ from their defaults, by method.

    Returns
    -------
    list of pathlib.Path
        The files written: ``table.md``, ``table.csv``, ``results.json`` and the charts.

    Raises
    ------
    UserError
        For data that is not there, an unknown site, a recall out of range, or a folder that cannot be
        written to.
    MissingExtra
        Without Matplotlib.
    """
    require_matplotlib()
    if not 0 < recall <= 1:
        raise UserError(f"the recall must be above 0 and at most 1, not {recall}")
    if data is not None and not data.is_dir():
        raise UserError(f"no measuring data in {data}")
    folder = data or data_folder()
    sets = load_sets([f"{SITES}/{name.removeprefix(f'{SITES}/')}" for name in names] or [SITES], folder)
    if not sets:
        raise UserError(f"{folder} lists no sites")
    settings = sweep(batched, quick=quick, options=options)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot write to {out}: {error.strerror}") from error
    most = QUICK_PAGES if quick else None
    with progress(len(sets) * len(settings)) as step:
        sites = list(measure(sets, settings, recall, most=most, step=step))
    notes = [f"A quick run: few settings, the first {QUICK_PAGES} pages of each site."] if quick else []
    for method, given in (options or {}).items():
        notes.append(f"`{method}` with {', '.join(f'{name}={value}' for name, value in given.items())}.")
    written = [out / "table.md", out / "table.csv", out / "results.json"]
    record = json.dumps(
        {"recall": recall, "quick": quick, "options": options or {}, **as_dict(sites)}, ensure_ascii=False
    )
    try:
        for path, text in zip(
            written, (report(sites, " ".join(notes)), to_csv(sites), record + "\n"), strict=True
        ):
            path.write_text(text, encoding="utf-8")
        written += write_charts(sites, out)
    except OSError as error:
        raise UserError(f"cannot write to {out}: {error.strerror}") from error
    return written


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """Show a bar on standard error where that is a terminal; give what counts one step, with its name."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        yield lambda name: bar.update(task, description=name, advance=1)
