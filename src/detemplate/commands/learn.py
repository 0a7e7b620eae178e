"""``detemplate learn`` and ``detemplate train``: a store of templates, and a model of method pagelevel."""

from __future__ import annotations

import shlex
from typing import Annotated

from detemplate.commands.command import Option, Without
from detemplate.commands.shared import (
    Inputs,
    Judging,
    Logging,
    Quiet,
    Reading,
    SiteBy,
    Workers,
    closing_summary,
    workers_of,
)
from detemplate.report.terminal import say


def learn(
    inputs: Inputs,
    store: Annotated[
        str,
        Option("The store to make, or to add to: what is learned is saved there.", "FILE", panel="Output"),
    ],
    workers: Workers = None,
    quiet: Quiet = False,
    *,
    reading: Reading,
    judging: Annotated[Judging, Without("threshold", "keep", "drop")],
    logging: Annotated[Logging, Without("every_skip", "progress", "metrics")],
) -> None:
    """Learn the templates of pages into a store; nothing is cleaned.

    One pass. 'clean --store FILE --frozen' then cleans pages by what was learned.

    \b
    Examples:
      detemplate learn crawl.warc.gz --store templates.db
      zcat pages.jsonl.gz | detemplate learn - --store templates.db --method segments
    """
    from detemplate.report.terminal import terminal_progress
    from detemplate.run.job import Job
    from detemplate.run.run import learn as run

    job = Job(**judging.given(), **reading.limits(memory=True), store=store, workers=workers_of(workers))
    source = reading.source(inputs, outputs=(store, *logging.files))
    with closing_summary(logging.summary, quiet=quiet) as report:
        report(run(source, job, rejects=logging.rejects, progress=terminal_progress(quiet=quiet)))


def train(
    inputs: Inputs,
    output: Annotated[str, Option("The model: .json.", "-o --output FILE", panel="Output")],
    layout: Annotated[
        str | None,
        Option(
            "File of browser layouts: train with the rendered layouts of the pages that are in it.", "FILE"
        ),
    ] = None,
    min_pages: Annotated[int, Option("Leave out sites with fewer pages.", "N")] = 20,
    pages_per_site: Annotated[int, Option("Take at most N pages of a site.", "N")] = 200,
    nodes_per_page: Annotated[int, Option("Take at most N nodes of a page.", "N")] = 100,
    theta: Annotated[
        float, Option("Nodes on more than this share of a site's pages are template.", "X")
    ] = 0.1,
    share: Annotated[
        float, Option("So are elements with more than this share of their HTML in such nodes.", "X")
    ] = 0.85,
    equality: Annotated[
        str, Option("When nodes are equal: exact, text or normal, as for method sitelevel.", "HOW")
    ] = "exact",
    folds: Annotated[int, Option("Folds of the cross-validation; 0: no cross-validation.", "N")] = 5,
    families: Annotated[
        list[str] | None,
        Option(
            "Pattern of sites that must not be split over folds, like 'docs-*'. Repeatable. Other sites"
            " are grouped by their registered domain.",
            "--family PATTERN",
        ),
    ] = None,
    seed: Annotated[int, Option("Seed of all random choices.", "N")] = 0,
    site_by: SiteBy = "host",
    quiet: Quiet = False,
    *,
    reading: Annotated[Reading, Without("max_page_memory")],
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
    from detemplate.layout.store import LayoutStore
    from detemplate.report.terminal import terminal_progress
    from detemplate.training.labels import Labelling
    from detemplate.training.run import train_pagelevel
    from detemplate.training.sampling import Sampling

    def tell(line: str) -> None:
        if not quiet:
            say(line, err=True)

    sampling = Sampling(
        labelling=Labelling(theta, share, equality),
        min_pages=min_pages,
        pages_per_site=pages_per_site,
        nodes_per_page=nodes_per_page,
        site_by=site_by,
        seed=seed,
        **reading.limits(),
    )
    # The model has the command with all its options, so that it does not depend on defaults.
    options: dict[str, object] = {
        "--layout": layout, "--min-pages": min_pages, "--pages-per-site": pages_per_site,
        "--nodes-per-page": nodes_per_page, "--theta": theta, "--share": share, "--equality": equality,
        "--folds": folds, "--family": families, "--seed": seed, "--site-by": site_by,
        **reading.options(), "--max-page-seconds": reading.max_page_seconds,
    }  # fmt: skip
    words = ["detemplate", "train", *inputs]
    for name, value in options.items():
        for each in value if isinstance(value, list) else [] if value is None else [value]:
            words += [name, str(each)]
    train_pagelevel(
        reading.source(inputs, outputs=[output]),
        output,
        sampling,
        folds=folds,
        patterns=families or [],
        command=shlex.join(words),
        layouts=None if layout is None else LayoutStore.open(layout),
        progress=terminal_progress(quiet=quiet),
        tell=tell,
    )
