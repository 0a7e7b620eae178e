"""``detemplate experiment``: the experiments on what clean pages are used for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from detemplate.commands.command import Option
from detemplate.commands.experiment_options import (
    Data,
    Methods,
    Out,
    Pages,
    PagesOfSite,
    Seed,
    Sites,
    names_in,
    print_files,
)


def duplicates(
    data: Data = None,
    sites: Sites = "",
    pages: Pages = None,
    seed: Seed = 0,
    methods: Methods = "all",
    out: Out = Path("experiment-duplicates"),
) -> None:
    """Find duplicates by shingles, on pages made of real contents in other sites' real templates.

    \b
    Example:
      detemplate experiment duplicates --pages 20 --methods sitelevel,pagelevel --out results/
    """
    from detemplate.experiments.duplicates.experiment import run_duplicates

    print_files(
        run_duplicates(
            out, data=data, names=names_in(sites), pages=pages, seed=seed, methods=names_in(methods)
        )
    )


def index(
    data: Data = None,
    sites: Sites = "",
    pages: PagesOfSite = 20,
    seed: Seed = 0,
    methods: Methods = "all",
    out: Out = Path("experiment-index"),
) -> None:
    """Index and search pages with and without templates: sizes, average precision, peers, lines kept.

    \b
    Example:
      detemplate experiment index --sites erlang,marinebon --methods sandwich --out results/
    """
    from detemplate.experiments.index.experiment import run_index

    print_files(
        run_index(out, data=data, names=names_in(sites), pages=pages, seed=seed, methods=names_in(methods))
    )


def classification(
    data: Data = None,
    sites: Sites = "",
    pages: PagesOfSite = 8,
    seed: Seed = 0,
    methods: Methods = "all",
    out: Out = Path("experiment-classification"),
) -> None:
    """Classify pages with and without templates; training and test pages are of different sites.

    \b
    Example:
      detemplate experiment classification --pages 8 --methods sitelevel,auto --out results/
    """
    from detemplate.experiments.classification.experiment import run_classification

    print_files(
        run_classification(
            out, data=data, names=names_in(sites), pages=pages, seed=seed, methods=names_in(methods)
        )
    )


def tokens(
    data: Data = None,
    sites: Sites = "",
    pages: PagesOfSite = 30,
    seed: Seed = 0,
    methods: Methods = "all",
    out: Out = Path("experiment-tokens"),
) -> None:
    """Count tokens for model training before and after cleaning: how many, how often repeated, how fast.

    \b
    Example:
      detemplate experiment tokens --sites erlang,marinebon --methods auto,segments --out results/
    """
    from detemplate.experiments.tokens.experiment import run_tokens

    print_files(
        run_tokens(out, data=data, names=names_in(sites), pages=pages, seed=seed, methods=names_in(methods))
    )


def clustering(
    data: Data = None,
    sites: Sites = "",
    pages: PagesOfSite = 8,
    seed: Seed = 0,
    methods: Methods = "all",
    out: Out = Path("experiment-clustering"),
) -> None:
    """Cluster pages with and without templates: purity and adjusted Rand index.

    \b
    Example:
      detemplate experiment clustering --pages 8 --methods sitelevel,auto --out results/
    """
    from detemplate.experiments.clustering.experiment import run_clustering

    print_files(
        run_clustering(
            out, data=data, names=names_in(sites), pages=pages, seed=seed, methods=names_in(methods)
        )
    )


def focus(
    data: Data = None,
    sites: Sites = "",
    pages: PagesOfSite = 100,
    seed: Seed = 0,
    webs: Annotated[int, Option(metavar="N", help="Number of webs.")] = 1,
    methods: Annotated[
        str, Option(metavar="NAMES", help="Methods that know templates, separated by commas.")
    ] = "pagelets,auto",
    out: Out = Path("experiment-focus"),
) -> None:
    """Crawl webs made of real pages for topics, with and without knowledge of templates: harvest rate.

    \b
    Example:
      detemplate experiment focus --methods pagelets --out results/
    """
    from detemplate.experiments.focus.experiment import run_focus

    print_files(
        run_focus(
            out,
            data=data,
            names=names_in(sites),
            pages=pages,
            seed=seed,
            webs=webs,
            methods=names_in(methods),
        )
    )


def rendered(
    data: Data = None,
    sites: Sites = "",
    pages: PagesOfSite = 8,
    seed: Seed = 0,
    out: Out = Path("experiment-rendered"),
) -> None:
    """Train and test page-level detection on layouts of the browser, beside the estimate.

    Needs Chromium or Chrome, and pip install 'detemplate[render]'.

    \b
    Example:
      detemplate experiment rendered --sites django,sklearn,linuxdoc --pages 6 --out results/
    """
    from detemplate.experiments.rendered.experiment import run_rendered

    print_files(run_rendered(out, data=data, names=names_in(sites), pages=pages, seed=seed))
