"""Training the model of method ``auto``: a vocabulary, and a forest for each of its two looks."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.sigmoid import sigmoid
from detemplate.detectors.auto.context import context
from detemplate.detectors.auto.decision import TOGETHER
from detemplate.detectors.auto.detector import Look
from detemplate.detectors.auto.model import AutoModel
from detemplate.features.segment import Vocabulary, segment_features
from detemplate.training.auto.boosting import Growth, grow
from detemplate.training.auto.examples import deal
from detemplate.training.auto.sitecases import SEEN, Case, drawn_case, seen_shares
from detemplate.training.auto.stripped import plain_example
from detemplate.training.auto.vocabulary import learn_vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    import numpy.typing as npt

    from detemplate.algorithms.forest import Forest
    from detemplate.training.auto.examples import Example

    Reals = npt.NDArray[np.float64]
    Rows = npt.NDArray[np.int32]
    Told = Callable[[str], None]

PAGE_GROWTH: Final = Growth(trees=250, leaves=31, rate=0.07, columns=0.2, least=50, ridge=1.0, bins=127)
SITE_GROWTH: Final = Growth(trees=150, leaves=15, rate=0.06, columns=0.4, least=100, ridge=5.0, bins=63)

_PLAIN_WEIGHT: Final = 0.25
"""What a page in plain dress weighs beside the page itself."""
_DRAWN_WEIGHT: Final = 0.6
_REAL_WEIGHT: Final = 0.8
_REAL_SEEN: Final = 3


class Tried(NamedTuple):
    """What two looks find on a page whose family their forests have not seen, with no other page of its site.

    The second forest's own examples come from first looks by forests of other folds, which may have seen it.

    Attributes
    ----------
    example
        The page.
    content
        How much of content each segment looks, before smoothing.
    group
        Number of the group that each is content together with.
    """

    example: Example
    content: Reals
    group: Rows


class Trained(NamedTuple):
    """What training gives.

    Attributes
    ----------
    model
        The model, trained on all examples.
    tried
        One for each example that weighs something, in order.
    """

    model: AutoModel
    tried: list[Tried]


def train_auto(
    examples: Sequence[Example], *, folds: int, seed: int, about: dict[str, Any], tell: Told
) -> Trained:
    """Train the model, and try it on families that it has not seen.

    Parameters
    ----------
    examples
        Labelled pages. Pages of one site stand together.
    folds
        Parts that the families are dealt into; at least 2. The second look learns from first looks by
        forests that have not seen the page's family.
    seed
        Decides what is random.
    about
        What the model's file is to say of how it was made.
    tell
        Called with a line on what has been done.

    Raises
    ------
    MissingExtra
        LightGBM is not installed.
    """
    deal(examples, folds, seed)
    plain = [plain_example(example, _PLAIN_WEIGHT) for example in examples if example.weight]
    examples = [*examples, *(example for example in plain if example is not None)]
    for fold in range(folds):
        vocabulary, forest = _page_forest([each for each in examples if each.fold != fold], folds, seed)
        for example in examples:
            if example.fold == fold:
                table = segment_features(example.page, vocabulary).table
                example.look = sigmoid(forest.sums(table))
        tell(f"first look, fold {fold + 1} of {folds}")
    looks = {id(example): _look(example) for example in examples}
    cases = list(_cases(examples, looks, seed))
    tell(f"{len(cases):,} cases of sites")
    tables = [_row(case, looks[id(case.example)]) for case in cases]
    tried = []
    for fold in range(folds):
        others = [number for number, case in enumerate(cases) if case.example.fold != fold]
        forest = _site_forest(cases, tables, others, seed)
        for case, table in zip(cases, tables, strict=True):
            if case.example.fold == fold and not case.shares[0, 0] and not case.example.plain:
                group = looks[id(case.example)].around.group[:, TOGETHER]
                tried.append(Tried(case.example, sigmoid(forest.sums(table)), group))
        tell(f"second look, fold {fold + 1} of {folds}")
    tried.sort(key=lambda each: each.example.number)
    vocabulary, page = _page_forest(examples, folds, seed)
    site = _site_forest(cases, tables, range(len(cases)), seed)
    return Trained(AutoModel(vocabulary, page, site, about), tried)


def _page_forest(examples: Sequence[Example], folds: int, seed: int) -> tuple[Vocabulary, Forest]:
    """Grow the first look's forest; a page's words are weighed by pages of other families."""
    learnt = [example for example in examples if example.weight]
    tables: list[npt.NDArray[np.float32]] = []
    ordered: list[Example] = []
    for fold in range(folds):
        own = [example for example in learnt if example.fold == fold]
        if own:
            vocabulary = learn_vocabulary([example for example in learnt if example.fold != fold])
            tables += [segment_features(each.page, vocabulary).table[each.judged] for each in own]
            ordered += own
    content = np.concatenate([each.label[each.judged] == 1 for each in ordered])
    weight = np.concatenate([each.weights[each.judged] for each in ordered])
    return learn_vocabulary(learnt), grow(tables, content, weight, PAGE_GROWTH, seed)


def _look(example: Example) -> Look:
    """Give the first look by a forest that has not seen the page's family.

    The vocabulary matters for nothing else here, so it is empty.
    """
    empty = Vocabulary(np.zeros(0, np.uint64), np.zeros(0, np.float32))
    assert example.look is not None
    return Look.of(example.page, segment_features(example.page, empty), example.look)


def _cases(examples: Sequence[Example], looks: dict[int, Look], seed: int) -> Iterator[Case]:
    """Give each page alone; then pages of sites with some of the others; then made-up sites."""
    generator = np.random.default_rng(seed)
    sites: dict[str, list[Example]] = defaultdict(list)
    for example in examples:
        if example.site:
            sites[example.page.site].append(example)
        if example.weight:
            yield Case(example, looks[id(example)].keys.shares(np.zeros(0, np.int32), 0))
    donors = []
    for members in sites.values():
        for example in members:
            if not example.weight:
                continue
            others = [each for each in members if each is not example]
            for seen in generator.permutation(SEEN[1:])[:_REAL_SEEN]:
                drawn = [others[number] for number in generator.permutation(len(others))[: seen - 1]]
                shares = seen_shares(looks[id(example)].keys, [looks[id(each)].keys for each in drawn])
                if shares[0, 0]:
                    donors.append(Case(example, shares))
    yield from donors
    if donors:
        for example in examples:
            if example.weight and not example.site:
                case = drawn_case(example, looks[id(example)], donors, generator)
                if case is not None:
                    yield case


def _row(case: Case, look: Look) -> npt.NDArray[np.float32]:
    return context(look.features, look.around, look.content, case.shares)


def _site_forest(
    cases: Sequence[Case], tables: Sequence[npt.NDArray[np.float32]], chosen: Sequence[int], seed: int
) -> Forest:
    judged = [cases[number].example.judged for number in chosen]
    content = np.concatenate(
        [cases[number].example.label[own] == 1 for number, own in zip(chosen, judged, strict=True)]
    )
    weight = np.concatenate(
        [
            cases[number].example.weights[own] * _weight(cases[number])
            for number, own in zip(chosen, judged, strict=True)
        ]
    )
    rows = [tables[number][own] for number, own in zip(chosen, judged, strict=True)]
    return grow(rows, content, weight, SITE_GROWTH, seed)


def _weight(case: Case) -> float:
    if not case.shares[0, 0]:
        return 1.0
    return _REAL_WEIGHT if case.example.site else _DRAWN_WEIGHT
