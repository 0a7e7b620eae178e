"""``detemplate train``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from detemplate.commands.shared import (
    AS_USUAL,
    Inputs,
    MaxSeconds,
    Quiet,
    Reading,
    SiteBy,
    reads_pages,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


@reads_pages()
def train(
    inputs: Inputs,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The model: .json.")],
    auto: Annotated[
        bool,
        typer.Option(
            "--auto",
            help="Train the model of method auto. INPUTS are then folders of labelled pages: pages.jsonl.zst "
            "(id, url, site, html) and gold.jsonl.zst (id, text), or sites.json and a folder for each site. "
            "Of the options, --folds, --family, --seed and --quiet count.",
        ),
    ] = False,
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File of 'detemplate render': train with the rendered layouts of the pages that are in it.",
        ),
    ] = None,
    min_pages: Annotated[int, typer.Option(metavar="N", help="Leave out sites with fewer pages.")] = 20,
    pages_per_site: Annotated[int, typer.Option(metavar="N", help="Take at most N pages of a site.")] = 200,
    nodes_per_page: Annotated[int, typer.Option(metavar="N", help="Take at most N nodes of a page.")] = 100,
    theta: Annotated[
        float,
        typer.Option(metavar="X", help="Nodes on more than this share of a site's pages are template."),
    ] = 0.1,
    share: Annotated[
        float,
        typer.Option(
            metavar="X", help="So are elements with more than this share of their HTML in such nodes."
        ),
    ] = 0.85,
    equality: Annotated[
        str, typer.Option(help="When nodes are equal: exact, text or normal, as for method sitelevel.")
    ] = "exact",
    folds: Annotated[
        int,
        typer.Option(metavar="N", help="Folds of the cross-validation; 0: no cross-validation."),
    ] = 5,
    families: Annotated[
        list[str] | None,
        typer.Option(
            "--family",
            metavar="PATTERN",
            help="Pattern of sites that must not be split over folds, like 'docs-*'. Repeatable. Other sites "
            "are grouped by their registered domain.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of all random choices.")] = 0,
    site_by: SiteBy = "host",
    reading: Reading = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    quiet: Quiet = False,
) -> None:
    """Train the classifiers of method pagelevel, or with --auto the model of method auto.

    Training pagelevel needs no labels: nodes that recur on a site's pages are taken as template. Give many
    sites with many pages each. Training auto needs labelled pages. Needs pip install 'detemplate[train]'.

    \b
    Examples:
      detemplate train crawl.warc.gz -o model.json
      detemplate train sites/*.jsonl --family 'docs-*' --min-pages 100 -o model.json
      detemplate clean pages/ --method pagelevel --set model=model.json -o clean.jsonl
      detemplate train --auto labelled/ labelled-sites/ --family 'docs-*' -o my.model
    """

    def tell(line: str) -> None:
        if not quiet:
            typer.echo(line, err=True)

    if auto:
        from detemplate.io.sources.inputnames import refuse_outputs
        from detemplate.training.auto.run import train_from_labelled

        refuse_outputs(inputs, [output])
        train_from_labelled(inputs, output, folds=folds, families=families or [], seed=seed, tell=tell)
        return
    from detemplate.layout.store import LayoutStore
    from detemplate.report.progress import terminal_progress
    from detemplate.training.pagelevel.labels import Labelling
    from detemplate.training.pagelevel.run import train_pagelevel
    from detemplate.training.pagelevel.sampling import Sampling

    sampling = Sampling(
        labelling=Labelling(theta, share, equality),
        min_pages=min_pages,
        pages_per_site=pages_per_site,
        nodes_per_page=nodes_per_page,
        site_by=site_by,
        max_page_bytes=reading.max_page_bytes,
        max_page_seconds=max_page_seconds,
        seed=seed,
    )
    patterns = families or []
    options = {
        "--layout": layout, "--min-pages": min_pages, "--pages-per-site": pages_per_site,
        "--nodes-per-page": nodes_per_page, "--theta": theta, "--share": share, "--equality": equality,
        "--folds": folds, "--family": patterns, "--seed": seed, "--site-by": site_by,
        **reading.options(), "--max-page-seconds": max_page_seconds,
    }  # fmt: skip
    train_pagelevel(
        reading.source(inputs, outputs=[output]),
        output,
        sampling,
        folds=folds,
        patterns=patterns,
        command=_command(inputs, options),
        layouts=None if layout is None else LayoutStore.open(layout),
        progress=terminal_progress(quiet=quiet),
        tell=tell,
    )


def _command(inputs: list[str], options: Mapping[str, object]) -> str:
    """Write the command with all its options, so that it does not depend on the defaults."""
    import shlex

    words = ["detemplate", "train", *inputs]
    for name, value in options.items():
        values = value if isinstance(value, list) else [] if value is None else [value]
        for each in values:
            words += [name, str(each)]
    return shlex.join(words)
