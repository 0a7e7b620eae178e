"""``detemplate experiment``: the papers' experiments, one command each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from detemplate.commands.command import Group, Option
from detemplate.commands.experiment_options import Data, Out, Seed, Sites, names_in, print_files

experiment = Group(
    {
        "incremental": "detemplate.commands.experiment:incremental",
        "links": "detemplate.commands.experiment:links",
        "expressions": "detemplate.commands.experiment:expressions",
        "pagelevel": "detemplate.commands.experiment:pagelevel",
        "duplicates": "detemplate.commands.experiment_uses:duplicates",
        "index": "detemplate.commands.experiment_uses:index",
        "classification": "detemplate.commands.experiment_uses:classification",
        "tokens": "detemplate.commands.experiment_uses:tokens",
        "clustering": "detemplate.commands.experiment_uses:clustering",
        "focus": "detemplate.commands.experiment_uses:focus",
        "rendered": "detemplate.commands.experiment_uses:rendered",
    },
    name="experiment",
    help="Repeat the papers' experiments on labelled sites.",
)


def incremental(
    data: Data = None,
    sites: Sites = "",
    out: Out = Path("experiment-incremental"),
    recall: Annotated[
        float, Option(metavar="X", help="Recall of the template at which methods are compared.")
    ] = 0.8,
    quick: Annotated[
        bool, Option("--quick", help="Few settings, only the first pages of each site.")
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


def links(
    data: Data = None,
    sites: Sites = "",
    out: Out = Path("experiment-links"),
    seeds: Annotated[
        int | None, Option(metavar="N", help="Number of webs (default: 5; 2 with --quick).")
    ] = None,
    quick: Annotated[bool, Option("--quick", help="Few topics, few webs.")] = False,
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


def expressions(
    data: Data = None,
    sites: Sites = "",
    out: Out = Path("experiment-expressions"),
    quick: Annotated[bool, Option("--quick", help="One seed, few settings, only the first sites.")] = False,
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


def pagelevel(
    data: Data = None,
    sets: Annotated[
        str,
        Option(metavar="NAMES", help="Text sets, sites or sites/NAME, separated by commas (default: all)."),
    ] = "",
    out: Out = Path("experiment-pagelevel"),
    quick: Annotated[bool, Option("--quick", help="Few pages, few settings.")] = False,
    layout: Annotated[
        str,
        Option(metavar="FILE", help="Layouts from 'detemplate render' (default: all are estimated)."),
    ] = "",
    model: Annotated[
        str,
        Option(
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
