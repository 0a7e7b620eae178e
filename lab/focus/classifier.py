"""How much a text is about a topic: a classifier learnt from pages that the crawl does not look for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lab.harness.common import require_sklearn
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from lab.links.corpus import Corpus
    from lab.links.world import WorldSettings

USE: Final = "a focused crawl"
"""What scikit-learn is for here."""
OTHERS: Final = 300
"""Pages on other topics that a classifier learns from."""
_WORDS: Final = 600
"""First words of a text that count."""


def split_words(text: str) -> list[str]:
    """Return the first words of a text; an empty one for a text without words."""
    return words(text)[:_WORDS] or [""]


class TopicClassifier:
    """Tells how much texts are about a topic, learned from texts about it and from others.

    Raises MissingExtra where scikit-learn is not installed.
    """

    def __init__(self, about: Sequence[str], others: Sequence[str]) -> None:
        kit = require_sklearn(USE)
        self._vectors = kit.feature_extraction.text.TfidfVectorizer(analyzer=split_words, sublinear_tf=True)
        labels = [1] * len(about) + [0] * len(others)
        table = self._vectors.fit_transform([*about, *others])
        model = kit.linear_model.LogisticRegression(C=10.0, class_weight="balanced", max_iter=1000)
        self._model = model.fit(table, labels)

    def scores(self, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the probability that each text is about the topic."""
        if not texts:
            return np.zeros(0)
        found: npt.NDArray[np.float64] = self._model.predict_proba(self._vectors.transform(texts))[:, 1]
        return found


def topic_classifier(
    corpus: Corpus, settings: WorldSettings, topic: int, rng: np.random.Generator
) -> TopicClassifier:
    """Learn a topic from its pages that are no authorities, and from pages of other topics and of none.

    The settings of the made web say which pages are authorities; `rng` draws the pages of other topics.
    """
    own = corpus.topics[topic].pages
    authorities = max(1, int(settings.authority_share * len(own)))
    about = own[authorities:] or own[-1:]
    rest = [page for number, other in enumerate(corpus.topics) if number != topic for page in other.pages]
    rest += corpus.others
    drawn = [rest[place] for place in rng.permutation(len(rest))[:OTHERS].tolist()]
    return TopicClassifier(
        [corpus.pages[page].content for page in about], [corpus.pages[page].content for page in drawn]
    )
