"""``detemplate experiment``: the papers' experiments, one command each."""

from __future__ import annotations

from pathlib import Path  # Typer reads the types off the functions
from typing import Annotated

import typer

from detemplate.commands import experiment_uses
from detemplate.commands.experiment_options import Data, Out, Seed, Sites, names_in, print_files

experiment = typer.Typer(
    help="Repeat the papers' experiments on labelled sites.", rich_markup_mode=None, no_args_is_help=True
)


@experiment.callback()
def _experiment() -> None:
    pass


@experiment.command()
def incremental(
    data: Data = None,
    sites: Sites = "",
    out: Out = Path("experiment-incremental"),
    recall: Annotated[
        float, typer.Option(metavar="X", help="Recall of the template at which methods are compared.")
    ] = 0.8,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few settings, only the first pages of each site.")
    ] = False,
) -> None:
    """Compare incremental detection with detection in batches: storage, precision and delay at equal recall.

    \b
    Example:
      detemplate experiment incremental --sites django,postgresql --out results/
    """
    from detemplate.experiments.incremental.experiment import run_incremental

    written = run_incremental(
        out,
        data=data,
        names=names_in(sites),
        recall=recall,
        quick=quick,
    )
    print_files(written)


@experiment.command()
def links(
    data: Data = None,
    sites: Sites = "",
    out: Out = Path("experiment-links"),
    seeds: Annotated[
        int | None, typer.Option(metavar="N", help="Number of webs (default: 5; 2 with --quick).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Few topics, few webs.")] = False,
) -> None:
    """Rank pages by links with and without templates, on webs made of real pages: precision at 10 to 50.

    \b
    Example:
      detemplate experiment links --quick --out results/
    """
    from detemplate.experiments.links.experiment import run_links

    written = run_links(
        out,
        data=data,
        names=names_in(sites),
        seeds=seeds,
        quick=quick,
    )
    print_files(written)


@experiment.command()
def expressions(
    data: Data = None,
    sites: Sites = "",
    out: Out = Path("experiment-expressions"),
    quick: Annotated[
        bool, typer.Option("--quick", help="One seed, few settings, only the first sites.")
    ] = False,
    seed: Seed = 0,
) -> None:
    """Mine and clean documents with injected template, and mirrors; measure on labelled sites.

    \b
    Example:
      detemplate experiment expressions --quick --out results/
    """
    from detemplate.experiments.expressions.experiment import run_expressions

    written = run_expressions(
        out,
        data=data,
        names=names_in(sites),
        quick=quick,
        seed=seed,
    )
    print_files(written)


@experiment.command()
def pagelevel(
    data: Data = None,
    sets: Annotated[
        str,
        typer.Option(
            metavar="NAMES", help="Text sets, sites or sites/NAME, separated by commas (default: all)."
        ),
    ] = "",
    out: Out = Path("experiment-pagelevel"),
    quick: Annotated[bool, typer.Option("--quick", help="Few pages, few settings.")] = False,
    layout: Annotated[
        str,
        typer.Option(metavar="FILE", help="Layouts from 'detemplate render' (default: all are estimated)."),
    ] = "",
    model: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Classifiers from 'detemplate train' (default: those of the package).",
        ),
    ] = "",
) -> None:
    """Find template on single pages, with and without smoothing: F of text and links, segmentation.

    \b
    Example:
      detemplate experiment pagelevel --sets cleanportaleval,chaos --out results/
    """
    from detemplate.experiments.pagelevel.experiment import run_pagelevel

    written = run_pagelevel(
        out,
        data=data,
        names=names_in(sets),
        quick=quick,
        layout=layout,
        model=model,
    )
    print_files(written)


for _use in (
    experiment_uses.duplicates,
    experiment_uses.index,
    experiment_uses.classification,
    experiment_uses.tokens,
    experiment_uses.clustering,
    experiment_uses.focus,
    experiment_uses.rendered,
):
    experiment.command()(_use)
