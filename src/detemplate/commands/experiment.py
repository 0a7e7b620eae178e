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


@experiment.command()
def links(
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="The folder with the labelled sets (default: $DETEMPLATE_DATA)."),
    ] = None,
    sites: Annotated[
        str, typer.Option(metavar="NAMES", help="Sites, separated by commas (default: all).")
    ] = "",
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Where the tables and charts go.")
    ] = "experiment-links",
    seeds: Annotated[
        int | None, typer.Option(metavar="N", help="Webs to make (default: 5; 2 with --quick).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few topics, few webs.")] = False,
) -> None:
    """Rank pages by links with and without templates, on webs made of real pages: precision at 10 to 50.

    \b
    Example:
      detemplate experiment links --quick --out results/
    """
    from pathlib import Path

    from detemplate.evaluation.links_experiment import run_links

    written = run_links(
        Path(out),
        data=None if data is None else Path(data),
        names=[name.strip() for name in sites.split(",") if name.strip()],
        seeds=seeds,
        quick=quick,
    )
    for path in written:
        typer.echo(str(path))


@experiment.command()
def expressions(
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="The folder with the labelled sets (default: $DETEMPLATE_DATA)."),
    ] = None,
    sites: Annotated[
        str, typer.Option(metavar="NAMES", help="Sites, separated by commas (default: all).")
    ] = "",
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Where the tables and charts go.")
    ] = "experiment-expressions",
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed, few settings, the first sites only.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of all that is drawn.")] = 0,
) -> None:
    """Mine and clean documents with known template in them, and mirrors; measure on labelled sites.

    \b
    Example:
      detemplate experiment expressions --quick --out results/
    """
    from pathlib import Path

    from detemplate.evaluation.expressions_experiment import run_expressions

    written = run_expressions(
        Path(out),
        data=None if data is None else Path(data),
        names=[name.strip() for name in sites.split(",") if name.strip()],
        quick=quick,
        seed=seed,
    )
    for path in written:
        typer.echo(str(path))


@experiment.command()
def pagelevel(
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="The folder with the labelled sets (default: $DETEMPLATE_DATA)."),
    ] = None,
    sets: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="Text sets, sites or sites/NAME, separated by commas (default: all)."
        ),
    ] = "",
    out: Annotated[
        str, typer.Option(metavar="DIR", help="Where the tables and charts go.")
    ] = "experiment-pagelevel",
    quick: Annotated[bool, typer.Option("--quick", help="Few pages, few settings.")] = False,
    layout: Annotated[
        str, typer.Option(metavar="FILE", help="Layouts of 'detemplate render' (default: all are estimated).")
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            metavar="FILE", help="The classifiers, of 'detemplate train' (default: those that come along)."
        ),
    ] = "",
) -> None:
    """Find template by single pages, with and without smoothing: F of text and links, segmentation.

    \b
    Example:
      detemplate experiment pagelevel --sets cleanportaleval,chaos --out results/
    """
    from pathlib import Path

    from detemplate.evaluation.pagelevel_experiment import run_pagelevel

    written = run_pagelevel(
        Path(out),
        data=None if data is None else Path(data),
        names=[name.strip() for name in sets.split(",") if name.strip()],
        quick=quick,
        layout=layout,
        model=model,
    )
    for path in written:
        typer.echo(str(path))
