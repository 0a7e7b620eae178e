"""Labelled sets as examples for training, and scores of what was trained on them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.auto.decision import expected_cut
from detemplate.errors import PageError
from detemplate.labelled.bootstrap import bootstrap_mean
from detemplate.labelled.datasets import labelled_folder
from detemplate.labelled.measure import score_page
from detemplate.labelled.segmentlabels import label_segments
from detemplate.page.page import Page
from detemplate.training.auto.examples import Example
from detemplate.training.pagelevel.crossvalidate import family

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.labelled.pages import LabelledPage
    from detemplate.training.auto.train import HeldOut

PAGES_PER_SITE: Final = 60
"""Maximum pages of a site that are read, for its site shares."""

LABELLED_PER_SITE: Final = 10
"""Maximum pages of a site whose labels are learnt from."""

SITE_WEIGHT: Final = 0.5
"""Weight of a page of a site that is read as a whole, beside a single page."""


def read_examples(
    inputs: Sequence[str], families: Sequence[str], seed: int
) -> tuple[list[Example], dict[int, LabelledPage]]:
    """Read folders of labelled pages, label the segments, and choose what to learn from.

    Parameters
    ----------
    inputs
        Folders of labelled pages.
    families
        Patterns of names of sites that form one family each. Other sites are of one family if they have
        the same registered domain.
    seed
        Seed of the choice of pages.

    Returns
    -------
    examples : list of Example
        Pages of one site stand together.
    pages : dict of LabelledPage
        The labelled page of each example, by the example's number.

    Raises
    ------
    UserError
        A folder has no labelled pages, or a file is missing or damaged.
    """
    generator = np.random.default_rng(seed)
    examples: list[Example] = []
    pages: dict[int, LabelledPage] = {}
    for folder in inputs:
        for labelled_set in labelled_folder(Path(folder)):
            whole = labelled_set.kind == "site"
            for site in labelled_set.sites():
                chosen = _choose(site, generator) if whole else [(page, 1.0) for page in site if page.gold]
                for page, weight in chosen:
                    parsed = _parse(page, f"{labelled_set.name}/{page.site}")
                    if parsed is None:
                        continue
                    example = _label(parsed, page, number=len(examples))
                    example.family = family(labelled_set.name if whole else page.site, families)
                    example.weight, example.site = weight, whole
                    pages[example.number] = page
                    examples.append(example)
    return examples, pages


def word_f1(held_out: Sequence[HeldOut], pages: dict[int, LabelledPage]) -> dict[str, list[float]]:
    """Score held-out pages, each by itself.

    Parameters
    ----------
    held_out
        Results of forests that have not seen the pages' families.
    pages
        The labelled pages, as :func:`read_examples` gave them.

    Returns
    -------
    dict of list
        By kind of page (``pages``, ``pages/<type>``, ``sites``): mean word F1, lower and upper end of its
        95 % interval (bootstrapped by family), number of pages.
    """
    by_kind: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for example, content, group in held_out:
        page = pages[example.number]
        if page.gold is None:
            continue
        kept = np.flatnonzero(content > expected_cut(content, example.words, group)).tolist()
        text = "\n".join(example.page.segment_text(index) for index in kept)
        f1 = score_page("site" if example.site else "text", page.gold, "", text)["f1"]
        for kind in ("sites",) if example.site else ("pages", f"pages/{page.type}"):
            by_kind[kind].append((float(f1 or 0.0), example.family))
    scores = {}
    for kind, rows in sorted(by_kind.items()):
        estimate = bootstrap_mean([f1 for f1, _ in rows], [name for _, name in rows])
        figures = (estimate.mean, estimate.low, estimate.high)
        scores[kind] = [*(round(figure, 4) for figure in figures), len(rows)]
    return scores


def _choose(
    site: Sequence[LabelledPage], generator: np.random.Generator
) -> Iterator[tuple[LabelledPage, float]]:
    """Choose pages of a site at random, labelled ones first; give each with its weight."""
    order = generator.permutation(len(site)).tolist()
    order.sort(key=lambda number: site[number].gold is None)
    weighed = set(order[:LABELLED_PER_SITE])
    for number in sorted(order[:PAGES_PER_SITE]):
        page = site[number]
        yield page, SITE_WEIGHT if number in weighed and page.gold else 0.0


def _parse(page: LabelledPage, site: str) -> Page | None:
    """Parse a page; None for what is no page, or has no segments."""
    try:
        parsed = Page(page.url, page.html, site=site)
    except PageError:
        return None
    if not len(parsed.segments):
        return None
    parsed.source = ""  # the markup is not needed again, and there are many pages
    return parsed


def _label(parsed: Page, page: LabelledPage, number: int) -> Example:
    """Label the segments of a page; all are unknown if it has no gold."""
    if page.gold is None:
        unknown = np.full(len(parsed.segments), -1, np.int8)
        return Example(parsed, parsed.site, unknown, np.zeros(len(unknown), np.int64), number)
    labels = label_segments(parsed, page.gold)
    return Example(parsed, parsed.site, labels.label, labels.words, number)
