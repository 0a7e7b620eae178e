"""Training the model of method ``auto``: a vocabulary, and a forest for each of the two stages."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.context import page_context, site_context
from detemplate.detectors.auto.model import AutoModel
from detemplate.detectors.auto.siteshares import SiteShares
from detemplate.detectors.auto.stages import PageStage
from detemplate.features.segment import Vocabulary, segment_features
from lab.auto.boosting import grow
from lab.auto.examples import CONTENT, NO_WORDS, assign_folds, learn_vocabulary, stripped_example
from lab.auto.siteexamples import PAGES_SEEN, SiteExample, real_shares, synthetic_example

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    import numpy.typing as npt

    from detemplate.algorithms.forest import Forest
    from lab.auto.examples import Example

    Reals = npt.NDArray[np.float64]
    Table = npt.NDArray[np.float32]
    Tell = Callable[[str], None]
    Stages = dict[int, PageStage]
    """Results of the page stage, by the ``id`` of the example."""

PAGE_GROWTH: Final = {
    "num_trees": 250, "num_leaves": 31, "learning_rate": 0.07, "feature_fraction": 0.2,
    "min_data_in_leaf": 50, "lambda_l2": 1.0, "max_bin": 127,
}  # fmt: skip
SITE_GROWTH: Final = {
    "num_trees": 150, "num_leaves": 15, "learning_rate": 0.06, "feature_fraction": 0.4,
    "min_data_in_leaf": 100, "lambda_l2": 5.0, "max_bin": 63,
}  # fmt: skip
_STRIPPED_WEIGHT: Final = 0.25
_SYNTHETIC_WEIGHT: Final = 0.6
"""Weight of a page with synthetic site shares, beside the page alone."""
_REAL_WEIGHT: Final = 0.8
"""Weight of a page with some other pages of its site, beside the page alone."""
_DRAWS_PER_PAGE: Final = 3
"""Sets of other pages that are drawn for each page of a site."""


class Trained(NamedTuple):
    """The model, trained on all examples, and one for each fold, trained on the examples of the other folds.

    Neither forest of a fold's model has seen a family of the fold. (The site stage learned from page-stage
    results by forests of other folds, which may have seen it.)
    """

    model: AutoModel
    unseeing: list[AutoModel]


def train_auto(
    examples: Sequence[Example], *, folds: int, seed: int, about: dict[str, Any], tell: Tell
) -> Trained:
    """Train the model, and one without each fold; the site stage learns from out-of-fold results.

    Pages of one site stand together in `examples`. `about` goes into the model's file; `tell` gets progress.
    """
    assign_folds(examples, folds, seed)
    copies = [stripped_example(example, _STRIPPED_WEIGHT) for example in examples if example.weight]
    examples = [*examples, *(copy for copy in copies if copy is not None)]
    page_stages = []
    for fold in range(folds):
        vocabulary, forest = _page_forest([each for each in examples if each.fold != fold], folds, seed)
        for example in examples:
            if example.fold == fold:
                table = segment_features(example.page, vocabulary).table
                example.page_content = sigmoid(forest.sums(table))
        page_stages.append((vocabulary, forest))
        tell(f"page stage, fold {fold + 1} of {folds}")
    stages: Stages = {}
    for example in examples:
        assert example.page_content is not None
        features = segment_features(example.page, NO_WORDS)  # later stages use no column of the vocabulary
        stages[id(example)] = PageStage.of(example.page, features, example.page_content)
    site_examples = list(_site_examples(examples, stages, seed))
    tell(f"{len(site_examples):,} examples for the site stage")
    tables = [_table(each, stages) for each in site_examples]
    unseeing = []
    for fold, (vocabulary, forest) in enumerate(page_stages):
        others = [number for number, each in enumerate(site_examples) if each.example.fold != fold]
        site = _site_forest(site_examples, tables, others, seed)
        unseeing.append(AutoModel(vocabulary, forest, site, about | {"without fold": fold}))
        tell(f"site stage, fold {fold + 1} of {folds}")
    vocabulary, page = _page_forest(examples, folds, seed)
    site = _site_forest(site_examples, tables, range(len(site_examples)), seed)
    return Trained(AutoModel(vocabulary, page, site, about), unseeing)


def _page_forest(examples: Sequence[Example], folds: int, seed: int) -> tuple[Vocabulary, Forest]:
    """Train the page stage's forest; the words of a page are weighed by pages of other folds."""
    weighed = [example for example in examples if example.weight]
    tables: list[Table] = []
    ordered: list[Example] = []
    for fold in range(folds):
        own = [example for example in weighed if example.fold == fold]
        if own:
            vocabulary = learn_vocabulary([example for example in weighed if example.fold != fold])
            tables += [segment_features(each.page, vocabulary).table[each.judged] for each in own]
            ordered += own
    content = np.concatenate([each.label[each.judged] == CONTENT for each in ordered])
    weight = np.concatenate([each.weights[each.judged] for each in ordered])
    return learn_vocabulary(weighed), grow(tables, content, weight, PAGE_GROWTH, seed)


def _site_examples(examples: Sequence[Example], stages: Stages, seed: int) -> Iterator[SiteExample]:
    """Yield each page alone, pages of sites with some of the others, then pages of synthetic sites."""
    generator = np.random.default_rng(seed)
    sites: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        if example.site:
            sites[example.page.site].append(example)
        if example.weight:
            yield SiteExample(example, SiteShares.unknown(0, len(example.label)))
    real = []
    for members in sites.values():
        for example in members:
            if not example.weight:
                continue
            others = [each for each in members if each is not example]
            for seen in generator.permutation(PAGES_SEEN[1:])[:_DRAWS_PER_PAGE]:
                chosen = [others[number] for number in generator.permutation(len(others))[: seen - 1]]
                shares = real_shares(stages[id(example)], [stages[id(each)] for each in chosen])
                if shares.pages:
                    real.append(SiteExample(example, shares))
    yield from real
    if real:
        for example in examples:
            if example.weight and not example.site:
                synthetic = synthetic_example(example, stages[id(example)], real, generator)
                if synthetic is not None:
                    yield synthetic


def _table(site_example: SiteExample, stages: Stages) -> Table:
    """Return the table of the site stage."""
    stage = stages[id(site_example.example)]
    alone = page_context(stage.features, stage.around, stage.content)
    return site_context(alone, stage.around, stage.content, site_example.shares)


def _site_forest(
    site_examples: Sequence[SiteExample], tables: Sequence[Table], chosen: Sequence[int], seed: int
) -> Forest:
    """Train the site stage's forest on the chosen examples, given by number."""
    rows, content, weight = [], [], []
    for number in chosen:
        example = site_examples[number].example
        judged = example.judged
        rows.append(tables[number][judged])
        content.append(example.label[judged] == CONTENT)
        weight.append(example.weights[judged] * _weight(site_examples[number]))
    return grow(rows, np.concatenate(content), np.concatenate(weight), SITE_GROWTH, seed)


def _weight(site_example: SiteExample) -> float:
    """Return the weight of an example of the site stage beside the page alone."""
    if not site_example.shares.pages:
        return 1.0
    return _REAL_WEIGHT if site_example.example.site else _SYNTHETIC_WEIGHT
