"""``detemplate train``."""

from __future__ import annotations

from typing import Annotated

from detemplate.commands.command import Option
from detemplate.commands.shared import (
    AS_USUAL,
    Inputs,
    MaxSeconds,
    Quiet,
    Reading,
    SiteBy,
)
from detemplate.commands.trainingoptions import (
    Equality,
    Families,
    Folds,
    MinPagesOfSite,
    ModelFile,
    NodesPerPage,
    PagesPerSite,
    Seed,
    Share,
    Theta,
    sampling_of,
    training_command,
)
from detemplate.report.terminal import say


def train(
    inputs: Inputs,
    output: ModelFile,
    layout: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="File of browser layouts: train with the rendered layouts of the pages that are in it.",
        ),
    ] = None,
    min_pages: MinPagesOfSite = 20,
    pages_per_site: PagesPerSite = 200,
    nodes_per_page: NodesPerPage = 100,
    theta: Theta = 0.1,
    share: Share = 0.85,
    equality: Equality = "exact",
    folds: Folds = 5,
    families: Families = None,
    seed: Seed = 0,
    site_by: SiteBy = "host",
    reading: Reading = AS_USUAL,
    max_page_seconds: MaxSeconds = 20.0,
    quiet: Quiet = False,
) -> None:
    """Train the classifiers of method pagelevel.

    Training needs no labels: nodes that recur on a site's pages are taken as template. Give many sites with
    many pages each. Needs pip install 'detemplate[train]'.

    \b
    Examples:
      detemplate train crawl.warc.gz -o model.json
      detemplate train sites/*.jsonl --family 'docs-*' --min-pages 100 -o model.json
      detemplate clean pages/ --method pagelevel --set model=model.json -o clean.jsonl
    """

    def tell(line: str) -> None:
        if not quiet:
            say(line, err=True)

    from detemplate.layout.store import LayoutStore
    from detemplate.report.progress import terminal_progress
    from detemplate.training.run import train_pagelevel

    sampling = sampling_of(
        min_pages=min_pages,
        pages_per_site=pages_per_site,
        nodes_per_page=nodes_per_page,
        theta=theta,
        share=share,
        equality=equality,
        seed=seed,
        site_by=site_by,
        reading=reading,
        max_page_seconds=max_page_seconds,
    )
    patterns = families or []
    command = training_command(inputs, sampling, reading, layout=layout, folds=folds, families=patterns)
    train_pagelevel(
        reading.source(inputs, outputs=[output]),
        output,
        sampling,
        folds=folds,
        patterns=patterns,
        command=command,
        layouts=None if layout is None else LayoutStore.open(layout),
        progress=terminal_progress(quiet=quiet),
        tell=tell,
    )
