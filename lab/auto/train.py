"""Training the model of method ``auto``: a vocabulary, and a forest for each of the two stages."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.model import AutoModel
from detemplate.detectors.auto.site import SiteShares
from detemplate.detectors.auto.stages import PageStage, fill_site_columns, page_context
from detemplate.errors import MissingExtra
from detemplate.features.segment import Vocabulary, segment_features
from lab.auto.examples import NO_WORDS, assign_folds, learn_vocabulary, stripped_example
from lab.auto.made import made_page
from lab.auto.pool import Pool
from lab.auto.siteexamples import PAGES_SEEN, SiteExample, SitePage, real_shares, synthetic_example
from lab.auto.trees import Tree, grown, rounded
from lab.labelled.segmentlabels import CONTENT, TEMPLATE, UNTOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from detemplate.algorithms.forest import Forest
    from lab.auto.examples import Example

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
_SYNTHETIC_WEIGHT: Final = 0.6  # weight of a page with synthetic site shares, beside the page alone
_REAL_WEIGHT: Final = 0.8  # weight of a page with some other pages of its site, beside the page alone
SURE_CONTENT: Final = 0.8
SURE_TEMPLATE: Final = 0.1
"""Page-only content probabilities from which a forest labels what no gold tells of, and up to which."""
_DRAWS_PER_PAGE: Final = 3  # sets of other pages that are drawn for each page of a site
_MADE_SHARE: Final = 0.35  # share of the pages of which another one is made
_MADE_WEIGHT: Final = 0.7  # weight of a made page, beside the page that it is made of


def boosting_kit() -> Any:  # noqa: ANN401
    """Import LightGBM; raises MissingExtra where it is not installed."""
    try:
        import lightgbm
    except (ImportError, OSError) as error:  # OSError: it lacks the system's OpenMP
        raise MissingExtra("training the model of method auto", "train") from error
    return lightgbm


def grow(
    tables: Sequence[Table],
    content: npt.NDArray[np.bool_],
    weight: npt.NDArray[np.float64],
    growth: Mapping[str, float],
    seed: int,
) -> Forest:
    """Train a forest whose sums are the log-odds of rows being content; `tables` are parts of one table.

    `growth` has parameters of LightGBM, with `num_trees`.
    Equal seeds give equal forests, with the same version of LightGBM and the same number of threads.
    """
    kit = boosting_kit()
    options = {
        "objective": "binary", "bagging_fraction": 0.7, "bagging_freq": 1, "boost_from_average": True,
        "use_missing": False, "deterministic": True, "force_row_wise": True, "seed": seed, "verbose": -1,
        **{name: value for name, value in growth.items() if name != "num_trees"},
    }  # fmt: skip
    data = kit.Dataset(list(tables), content.astype(np.float32), weight=weight.astype(np.float32))
    booster = kit.train(options, data, growth["num_trees"])
    trees = [_tree(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]
    return rounded(grown(trees, tables[0].shape[1]))


def _tree(structure: dict[str, Any]) -> Tree:
    """Read a tree of LightGBM's model; nodes are numbered in preorder, leaves from the left."""
    feature: list[int] = []
    threshold: list[float] = []
    left: list[int] = []
    right: list[int] = []
    values: list[float] = []

    def add(node: dict[str, Any]) -> int:
        """Add a node and those below it; return its number, for a leaf its complement."""
        if "leaf_value" in node:
            values.append(node["leaf_value"])
            return ~(len(values) - 1)
        number = len(feature)
        feature.append(node["split_feature"])
        threshold.append(node["threshold"])
        left.append(0)
        right.append(0)
        left[number], right[number] = add(node["left_child"]), add(node["right_child"])
        return number

    add(structure)
    return Tree(feature, threshold, left, right, values)


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

    Pages of one site stand together in `examples`. `about` goes into the model's file; that of a fold's model
    also lists the families ``left out``. `tell` gets progress.
    """
    assign_folds(examples, folds, seed)
    generator = np.random.default_rng(seed)
    _label_untold(examples, folds, seed)
    pool = Pool(examples)
    copies = [stripped_example(example, _STRIPPED_WEIGHT) for example in examples if example.weight]
    copies += [_made(each, pool, generator) for each in examples if each.weight and not each.site]
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
    contexts: dict[int, Table] = {}
    for example in examples:
        assert example.page_content is not None
        features = segment_features(example.page, NO_WORDS)  # later stages use no column of the vocabulary
        stage = PageStage.of(example.page, features, example.page_content)
        contexts[id(example)] = page_context(features, stage.around, stage.content)
        stages[id(example)] = stage.without_table()
    site_examples = list(_site_examples(examples, stages, seed))
    tell(f"{len(site_examples):,} examples for the site stage")
    tables = []
    for each in site_examples:
        stage, table = stages[id(each.example)], contexts[id(each.example)]
        if each.shares.pages:
            table = table.copy()
            fill_site_columns(table, stage.around, stage.content, each.shares)
        tables.append(table)
    unseeing = []
    for fold, (vocabulary, forest) in enumerate(page_stages):
        others = [number for number, each in enumerate(site_examples) if each.example.fold != fold]
        site = _site_forest(site_examples, tables, others, seed)
        left_out = sorted({example.family for example in examples if example.fold == fold})
        unseeing.append(AutoModel(vocabulary, forest, site, about | {"left out": left_out}))
        tell(f"site stage, fold {fold + 1} of {folds}")
    vocabulary, page = _page_forest(examples, folds, seed)
    site = _site_forest(site_examples, tables, range(len(site_examples)), seed)
    return Trained(AutoModel(vocabulary, page, site, about), unseeing)


def _label_untold(examples: Sequence[Example], folds: int, seed: int) -> None:
    """Label what no gold tells of, where the page stage that has learned from all other pages is sure."""
    valued = [each for each in examples if each.said is not None]
    if not valued:
        return
    vocabulary, forest = _page_forest([each for each in examples if each.said is None], folds, seed)
    for example in valued:
        content = sigmoid(forest.sums(segment_features(example.page, vocabulary).table))
        untold = example.label == UNTOLD
        example.label[untold & (content > SURE_CONTENT)] = CONTENT
        example.label[untold & (content < SURE_TEMPLATE)] = TEMPLATE


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


def _made(example: Example, pool: Pool, generator: np.random.Generator) -> Example | None:
    """Make another page of some pages; its segments together weigh no more than those of the page."""
    made = made_page(example, pool, generator) if generator.random() < _MADE_SHARE else None
    if made is None:
        return None
    whole = min(float(example.weights.sum() / max(made.weights.sum(), 1e-9)), 1.0)
    return replace(made, weight=example.weight * _MADE_WEIGHT * whole)


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
        pages = {id(each): SitePage.of(each.page, stages[id(each)]) for each in members}
        for example in members:
            if not example.weight:
                continue
            others = [each for each in members if each is not example]
            for seen in generator.permutation(PAGES_SEEN[1:])[:_DRAWS_PER_PAGE]:
                chosen = [others[number] for number in generator.permutation(len(others))[: seen - 1]]
                shares = real_shares(pages[id(example)], [pages[id(each)] for each in chosen])
                if shares.pages:
                    real.append(SiteExample(example, shares))
    yield from real
    if real:
        for example in examples:
            if example.weight and not example.site:
                synthetic = synthetic_example(example, stages[id(example)], real, generator)
                if synthetic is not None:
                    yield synthetic


def _site_forest(
    site_examples: Sequence[SiteExample], tables: Sequence[Table], chosen: Sequence[int], seed: int
) -> Forest:
    """Train the site stage's forest on the chosen examples, given by number."""
    rows, content, weight = [], [], []
    for number in chosen:
        example, shares = site_examples[number]
        beside = _REAL_WEIGHT if example.site else _SYNTHETIC_WEIGHT
        judged = example.judged
        rows.append(tables[number][judged])
        content.append(example.label[judged] == CONTENT)
        weight.append(example.weights[judged] * (beside if shares.pages else 1.0))
    return grow(rows, np.concatenate(content), np.concatenate(weight), SITE_GROWTH, seed)
