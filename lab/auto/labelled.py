"""Labelled sets as examples for training, and scores of what was trained on them.

Golds differ on titles, prices and captions, so these are not learned from: a page's title and its own
product's offer are kept by rule, and a caption is unknown where the gold is all text of the site's own
container. Where the gold has values but no text, their words are content and all others are unknown.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.auto.detector import Auto
from detemplate.detectors.auto.model import PAGE, AutoOptions
from detemplate.features.segment import NAMES, segment_features
from detemplate.page.offers import own_offer
from detemplate.training.crossvalidate import family
from lab.auto.examples import NO_WORDS, Example
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.datasets import labelled_folder
from lab.labelled.measure import page_or_none, score_page
from lab.labelled.metrics import values_kept, visible_text
from lab.labelled.segmentlabels import CONTENT, NEUTRAL, label_segments, label_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.detectors.auto.model import AutoModel
    from detemplate.page.page import Page
    from lab.labelled.pages import Gold, LabelledPage, LabelledSet

    Sources = dict[int, tuple[LabelledSet, LabelledPage]]
    """Where examples are from, by their numbers."""

SITE_PAGES: Final = 3
"""Minimum pages of a site that is read as a whole; pages of smaller ones are single pages."""
PAGES_PER_SITE: Final = 60
LABELLED_PER_SITE: Final = 10
SITE_WEIGHT: Final = 0.5  # weight of a page of a site of ``sites.json``, beside a single page
HOST_WEIGHT: Final = 0.3
"""Weight of a page of any other site that is read as a whole: such sites are mostly news."""
VALUES_WEIGHT: Final = 0.5  # weight of a page whose gold is values: what is no value is unknown
SURE: Final = 0.5  # minimum share of its words that a page must show for a gold to be sure
UNSURE_WEIGHT: Final = 0.1
_CAPTION: Final = NAMES.index("in_figcaption")
"""Column of the segment features with the number of captions around the segment."""


def read_examples(
    inputs: Sequence[str], families: Sequence[str], seed: int, *, every: bool = False
) -> tuple[list[Example], Sources]:
    """Read folders, label the segments, and choose what to learn from; return sources by example number.

    With `every`, sites of part ``test`` are read, too. Sites that match one of the patterns `families`, or
    have the same registered domain, are one family. Pages of one site stand together.
    """
    generator = np.random.default_rng(seed)
    examples: list[Example] = []
    sources: Sources = {}
    for folder in inputs:
        for labelled_set in labelled_folder(Path(folder), every=every):
            container = labelled_set.kind == "site"
            for site in labelled_set.sites():
                whole = container or len(site) >= SITE_PAGES
                if whole:
                    chosen = list(_choose(site, SITE_WEIGHT if container else HOST_WEIGHT, generator))
                else:
                    chosen = [
                        (page, VALUES_WEIGHT if _only_values(page.gold) else 1.0)
                        for page in site
                        if page.gold
                    ]
                for page, weight in chosen:
                    parsed = page_or_none(page.url, page.html, f"{labelled_set.name}/{page.site}")
                    if parsed is None or not len(parsed.segments):
                        continue
                    parsed.source = ""  # the markup is not needed again, and there are many pages
                    example = _label(parsed, page, number=len(examples), container=container)
                    example.family = family(labelled_set.name if container else page.site, families)
                    example.weight, example.site = example.weight * weight, whole
                    sources[example.number] = (labelled_set, page)
                    examples.append(example)
    return examples, sources


def word_f1(
    examples: Sequence[Example], unseeing: Sequence[AutoModel], sources: Sources
) -> dict[str, list[float]]:
    """Score labelled pages, each by itself, by the models that have not seen their families.

    By set, and set and type: mean word F1, ends of its 95 % interval (resampling families), number of pages.
    """
    by_name: dict[str, list[tuple[float, str]]] = defaultdict(list)
    with TemporaryDirectory() as folder:
        detectors = []
        for fold, model in enumerate(unseeing):
            path = Path(folder, f"{fold}.model")
            path.write_bytes(model.to_bytes())
            detectors.append(Auto(AutoOptions(evidence=PAGE, model=str(path))))
        for example in examples:
            labelled_set, page = sources[example.number]
            if page.gold is None or not example.weight:
                continue
            kept = np.flatnonzero(~detectors[example.fold].score(example.page).template).tolist()
            text = "\n".join(example.page.segment_text(index) for index in kept)
            own = labelled_set.name
            if _only_values(page.gold):
                share = values_kept(text, visible_text(page.html), page.gold.values)
                if share is not None:
                    by_name[own].append((share, example.family))
                continue
            f1 = score_page(labelled_set.kind, page.gold, "", text)["f1"]
            for name in ("sites",) if labelled_set.kind == "site" else (own, f"{own}/{page.type}"):
                by_name[name].append((float(f1 or 0.0), example.family))
    scores = {}
    for name, rows in sorted(by_name.items()):
        estimate = bootstrap_mean(*zip(*rows, strict=True))
        scores[name] = [*(round(figure, 4) for figure in estimate), len(rows)]
    return scores


def _choose(
    site: Sequence[LabelledPage], weight: float, generator: np.random.Generator
) -> Iterator[tuple[LabelledPage, float]]:
    """Choose pages of a site at random, labelled ones first; yield each with its weight."""
    order = generator.permutation(len(site)).tolist()
    order.sort(key=lambda number: site[number].gold is None)
    weighed = set(order[:LABELLED_PER_SITE])
    for number in sorted(order[:PAGES_PER_SITE]):
        page = site[number]
        yield page, weight if number in weighed and page.gold else 0.0


def _only_values(gold: Gold) -> bool:
    return bool(gold.values) and not gold.text.strip()


def _label(parsed: Page, page: LabelledPage, number: int, *, container: bool) -> Example:
    """Label the segments of a page, and weigh the page by the share of its gold that it shows."""
    if page.gold is None:
        unknown = np.full(len(parsed.segments), NEUTRAL, np.int8)
        return Example(parsed, parsed.site, unknown, np.zeros(len(unknown), np.int64), number)
    valued = _only_values(page.gold)
    labels = label_values(parsed, page.gold.values) if valued else label_segments(parsed, page.gold)
    label = labels.label
    said = label == CONTENT if valued else None
    titles = parsed.title_segments
    label[titles] = NEUTRAL
    offer = own_offer(parsed, titles)
    label[offer.stated] = label[offer.shown] = NEUTRAL
    if container:
        captions = segment_features(parsed, NO_WORDS).table[:, _CAPTION] > 0
        label[captions] = NEUTRAL
    shown = labels.aligned if valued or page.gold.text.strip() else 1.0
    weight = shown if shown >= SURE else UNSURE_WEIGHT
    return Example(parsed, parsed.site, label, labels.words, number, weight=weight, said=said)
