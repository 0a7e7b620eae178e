"""``detemplate train``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from detemplate.commands.shared import (
    BaseUrl,
    InputFormat,
    Inputs,
    MaxBytes,
    MaxSeconds,
    Quiet,
    SiteBy,
    source_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


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
            help="File of 'detemplate render': learn from rendered layouts, of the pages that are in it.",
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
        typer.Option(metavar="X", help="So are nodes with more than this share of HTML inside of them."),
    ] = 0.85,
    equality: Annotated[
        str, typer.Option(help="When nodes are the same: exact, text or normal, as for method sitelevel.")
    ] = "exact",
    folds: Annotated[
        int, typer.Option(metavar="N", help="Parts of the sites for cross-validation; 0: none.")
    ] = 5,
    families: Annotated[
        list[str] | None,
        typer.Option(
            "--family",
            metavar="PATTERN",
            help="Sites that belong together, like 'docs-*'; never split over folds. Repeatable. Other sites "
            "belong together by their registered domain.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides what is random.")] = 0,
    site_by: SiteBy = "host",
    base_url: BaseUrl = None,
    input_format: InputFormat = None,
    max_page_bytes: MaxBytes = 32 << 20,
    max_page_seconds: MaxSeconds = 20.0,
    quiet: Quiet = False,
) -> None:
    """Train the classifiers of method pagelevel, or with --auto the model of method auto.

    Those of pagelevel need no labels: what recurs on sites shows what template looks like. Give many sites
    with many pages each. That of auto needs pages whose content is known. Needs pip install
    'detemplate[train]'.

    \b
    Examples:
      detemplate train crawl.warc.gz -o model.json
      detemplate train sites/*.jsonl --family 'docs-*' --min-pages 100 -o model.json
      detemplate clean pages/ --method pagelevel --set model=model.json -o clean.jsonl
      detemplate train --auto labelled/ labelled-sites/ --family 'docs-*' -o my.model
    """
    if auto:
        from detemplate.training.auto.run import train_from_labelled

        tell = (lambda _: None) if quiet else _tell
        train_from_labelled(inputs, output, folds=folds, families=families or [], seed=seed, tell=tell)
        return
    import numpy as np

    from detemplate.errors import UserError
    from detemplate.files.atomic import AtomicFile, writing
    from detemplate.layout.layout import SMALL
    from detemplate.layout.store import LayoutStore
    from detemplate.report.progress import terminal_progress
    from detemplate.training.pagelevel.crossvalidate import cross_validate
    from detemplate.training.pagelevel.labels import Labelling
    from detemplate.training.pagelevel.logistic import fit, learn_kit
    from detemplate.training.pagelevel.modelwriter import model_json
    from detemplate.training.pagelevel.sample import Sampling, collect

    learn_kit()  # told before anything is read
    if not output.lower().endswith(".json"):
        raise UserError(f"cannot write {output}: its name must end in .json")
    sampling = Sampling(
        labelling=Labelling(theta, share, equality),
        min_pages=min_pages,
        pages_per_site=pages_per_site,
        nodes_per_page=nodes_per_page,
        site_by=site_by,
        max_page_bytes=max_page_bytes,
        max_page_seconds=max_page_seconds,
        seed=seed,
    )
    store = None if layout is None else LayoutStore.open(layout)
    patterns = families or []
    source = source_of(inputs, base_url, input_format, max_page_bytes)
    file = AtomicFile(output)
    try:
        sample = collect(source, sampling, store, terminal_progress(quiet=quiet))
        if not quiet:
            _tell(
                f"{len(sample.area):,} nodes, {np.mean(sample.template):.1%} template, from "
                f"{sum(site.pages for site in sample.sites):,} pages of {len(sample.sites):,} sites"
            )
            if sample.skipped:
                told = ", ".join(f"{count:,} {reason}" for reason, count in sample.skipped.most_common())
                _tell(f"skipped: {told}")
        found = cross_validate(sample, folds=folds, patterns=patterns, seed=seed, min_area=sampling.min_area)
        if not quiet:
            for number, fold in enumerate(found, 1):
                auc = "" if fold.auc is None else f", AUC {fold.auc:.3f}"
                _tell(
                    f"fold {number}: {len(fold.sites):,} sites, {fold.nodes:,} nodes, "
                    f"{fold.template_share:.1%} template: accuracy {fold.accuracy:.3f}{auc}, F {fold.f:.3f}"
                )
        model = fit(sample, np.arange(len(sample.area)), float(SMALL))
        options = {
            "--layout": layout, "--min-pages": min_pages, "--pages-per-site": pages_per_site,
            "--nodes-per-page": nodes_per_page, "--theta": theta, "--share": share, "--equality": equality,
            "--folds": folds, "--family": patterns, "--seed": seed, "--site-by": site_by,
            "--base-url": base_url, "--input-format": input_format, "--max-page-bytes": max_page_bytes,
            "--max-page-seconds": max_page_seconds,
        }  # fmt: skip
        with writing(output):
            file.file.write(model_json(model, sample, found, _command(inputs, options)))
        file.commit()
    finally:
        file.discard()


def _tell(line: str) -> None:
    typer.echo(line, err=True)


def _command(inputs: list[str], options: Mapping[str, object]) -> str:
    """Write the command down with all its options, so that it means the same under other defaults."""
    import shlex

    words = ["detemplate", "train", *inputs]
    for name, value in options.items():
        values = value if isinstance(value, list) else [] if value is None else [value]
        for each in values:
            words += [name, str(each)]
    return shlex.join(words)
