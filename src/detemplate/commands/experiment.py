"""``detemplate experiment``: the papers' experiments, a command each."""

from __future__ import annotations

from typing import Annotated

import typer

experiment = typer.Typer(
    help="Repeat the papers' experiments on labelled sites.", rich_markup_mode=None, no_args_is_help=True
)


@experiment.callback()
def _experiment() -> None:
    pass


@experiment.command()
def incremental(
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="The folder with the labelled sets (default: $DETEMPLATE_DATA)."),
    ] = None,
    sites: Annotated[
        str, typer.Option(metavar="NAMES", help="Sites, separated by commas (default: all).")
    ] = "",
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Where the tables and charts go.")
    ] = "experiment-incremental",
    recall: Annotated[
        float, typer.Option(metavar="X", help="The recall of the template at which methods are compared.")
    ] = 0.8,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few settings, the first pages of each site only.")
    ] = False,
) -> None:
    """Compare incremental detection with detection in batches: storage, precision and delay at equal recall.

    \b
    Example:
      detemplate experiment incremental --sites django,postgresql --out results/
    """
    from pathlib import Path

    from detemplate.evaluation.incremental_experiment import run_incremental

    written = run_incremental(
        Path(out),
        data=None if data is None else Path(data),
        names=[name.strip() for name in sites.split(",") if name.strip()],
        recall=recall,
        quick=quick,
    )
    for path in written:
        typer.echo(str(path))
