"""``detemplate train --auto``: from labelled pages to a model of method auto."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from detemplate.labelled.datasets import Gold, LabelledPage
    from detemplate.training.auto.examples import Example
    from detemplate.training.auto.train import Tried

PAGES_PER_SITE: Final = 60
"""Pages of a site that are read, to learn what sites show."""

LABELLED_PER_SITE: Final = 10
"""Of these, pages whose labels are learnt from."""

SITE_WEIGHT: Final = 0.5
"""What such a page weighs beside one of a site that has no other."""


def train_auto_model(
    inputs: Sequence[str], output: str, *, folds: int, families: Sequence[str], seed: int, quiet: bool
) -> None:
    """Read labelled pages, train, say how good it is on sites not seen, and write the model.

    Raises
    ------
    UserError
        There is nothing to learn from, or a file cannot be read or written.
    MissingExtra
        LightGBM is not installed.
    """
    from detemplate.errors import UserError
    from detemplate.files.atomic import AtomicFile, writing
    from detemplate.training.auto.boosting import boosting_kit
    from detemplate.training.auto.train import train_auto

    kit = boosting_kit()
    if folds < 2:
        raise UserError(f"--folds {folds}: with --auto at least 2 are needed")
    examples, golds = _read(inputs, families, seed)
    count = len({example.family for example in examples if example.weight})
    if count < 2 * folds:
        raise UserError(f"{count} families of sites with labelled pages are too few for {folds} folds")
    _tell(f"{len(examples):,} pages of {count:,} families of sites", quiet)
    file = AtomicFile(output)
    try:
        trained = train_auto(
            examples,
            folds=folds,
            seed=seed,
            about={
                "inputs": [Path(name).name for name in inputs], "folds": folds, "seed": seed,
                "families": list(families), "pages": len(examples), "lightgbm": kit.__version__,
            },
            tell=lambda line: _tell(line, quiet),
        )  # fmt: skip
        scores = _scores(trained.tried, golds)
        trained.model.about["unseen"] = scores
        for kind, (mean, low, high, pages) in scores.items():
            _tell(
                f"{kind}: F1 {mean:.4f} [{low:.4f}, {high:.4f}] on {pages:,} pages, not seen in training",
                quiet,
            )
        with writing(output):
            file.file.write(trained.model.to_bytes())
        file.commit()
    finally:
        file.discard()


def _read(
    inputs: Sequence[str], families: Sequence[str], seed: int
) -> tuple[list[Example], dict[int, LabelledPage]]:
    """Read the labelled pages; pages of one site stand together."""
    import numpy as np

    from detemplate.labelled.datasets import labelled_folder
    from detemplate.training.pagelevel.crossvalidate import family

    generator = np.random.default_rng(seed)
    examples: list[Example] = []
    labelled: dict[int, LabelledPage] = {}
    for name in inputs:
        for one in labelled_folder(Path(name)):
            for site in one.sites():
                whole = one.kind == "site"
                chosen = _chosen(site, generator) if whole else [(page, 1.0) for page in site if page.gold]
                for page, weight in chosen:
                    label = f"{one.name}/{page.site}"
                    example = _example(page, label, whole=whole, number=len(examples))
                    if example is None:
                        continue
                    example.family = family(one.name if whole else page.site, families)
                    example.weight, example.site = weight, whole
                    labelled[example.number] = page
                    examples.append(example)
    return examples, labelled


def _chosen(
    site: Sequence[LabelledPage], generator: np.random.Generator
) -> Iterator[tuple[LabelledPage, float]]:
    """Choose pages of a site at random, those with gold first."""
    order = generator.permutation(len(site)).tolist()
    order.sort(key=lambda number: site[number].gold is None)
    learnt = set(order[:LABELLED_PER_SITE])
    for number in sorted(order[:PAGES_PER_SITE]):
        page = site[number]
        yield page, SITE_WEIGHT if number in learnt and page.gold else 0.0


def _example(page: LabelledPage, site: str, *, whole: bool, number: int) -> Example | None:
    """Parse and label a page; None for what is no page, or shows nothing."""
    import numpy as np

    from detemplate.errors import PageError
    from detemplate.labelled.segmentlabels import label_segments
    from detemplate.page.page import Page
    from detemplate.training.auto.examples import Example

    try:
        parsed = Page(page.url, page.html, site=site)
    except PageError:
        return None
    if not len(parsed.segments):
        return None
    parsed.source = ""  # the markup is not needed again, and there are many pages
    if page.gold is None:
        nothing = np.full(len(parsed.segments), -1, np.int8)
        return Example(parsed, site, nothing, np.zeros(len(nothing), np.int64), number, site=whole)
    labels = label_segments(parsed, page.gold)
    return Example(parsed, site, labels.label, labels.words, number, site=whole)


def _scores(tried: Sequence[Tried], golds: dict[int, LabelledPage]) -> dict[str, list[float]]:
    """Give word F1 on pages by models that have not seen their families: mean, 95 % interval, pages."""
    import numpy as np

    from detemplate.detectors.auto.decision import expected_cut
    from detemplate.labelled.bootstrap import bootstrap_mean
    from detemplate.labelled.measure import score_page

    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for example, content, group in tried:
        page = golds[example.number]
        gold: Gold | None = page.gold
        if gold is None:
            continue
        kept = np.flatnonzero(content > expected_cut(content, example.words, group)).tolist()
        text = "\n".join(example.page.segment_text(index) for index in kept)
        f1 = score_page("site" if example.site else "text", gold, "", text)["f1"]
        for kind in ("sites",) if example.site else ("pages", f"pages/{page.type}"):
            found[kind].append((float(f1 or 0.0), example.family))
    scores = {}
    for kind, rows in sorted(found.items()):
        estimate = bootstrap_mean([f1 for f1, _ in rows], [family for _, family in rows])
        figures = (estimate.mean, estimate.low, estimate.high)
        scores[kind] = [*(round(figure, 4) for figure in figures), len(rows)]
    return scores


def _tell(line: str, quiet: bool) -> None:
    if not quiet:
        typer.echo(line, err=True)
