"""Kinds of made pages, and the test for duplicates on the texts that each method leaves of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lab.duplicates.pairs import judged
from lab.labelled.metrics import f1_score
from lab.labelled.words import count_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lab.duplicates.pairs import Collection
    from lab.labelled.measure import Extractor
    from lab.transplant.pages import MadePage


class Kind(NamedTuple):
    """A kind of made pages: words at which a content ends, whether groups of pages share a block of titles.

    A method sees so many pages of a site `together`; None: all.
    """

    name: str
    max_words: int | None
    blocks: bool
    together: int | None = None


AS_THEY_ARE: Final = Kind("whole contents", None, False)
"""Real templates and whole contents: nothing but the combination is made."""
KINDS: Final = (
    AS_THEY_ARE,
    Kind("contents of 150 words", 150, False),
    Kind("whole contents, blocks of titles", None, True),
    Kind("contents of 150 words, blocks of titles", 150, True),
    Kind("whole contents, 4 pages of a site at a time", None, False, 4),
    Kind("whole contents, 2 pages of a site at a time", None, False, 2),
)
"""The fourth is nearest to the paper's lyrics."""


class MethodOutcome(NamedTuple):
    """Whether each pair is judged rightly; mean shares of content kept and template left, and mean F1."""

    duplicates: list[bool]
    others: list[bool]
    kept: float
    left: float
    f1: float


class KindOutcome(NamedTuple):
    """Results on one kind of made pages.

    `duplicates` and `others` are groups of the bootstrap: the content of each pair of duplicates, the site of
    each other pair. `content_share` is the mean share of a page's words that are content.
    """

    kind: Kind
    sites: int
    pages: int
    contents: int
    content_share: float
    duplicates: list[str]
    others: list[str]
    methods: dict[str, MethodOutcome]


def measure_kind(
    collection: Collection,
    kind: Kind,
    extractors: Mapping[str, Extractor],
    show: Callable[[str], object] = lambda _: None,
) -> KindOutcome:
    """Run each method over all made sites of a kind, and judge the pairs by its texts."""
    sites, pairs = collection
    truth = np.array([pair.duplicate for pair in pairs])
    methods = {}
    for name, extractor in extractors.items():
        texts = {site: _texts(extractor, made, kind.together or len(made)) for site, made in sites.items()}
        found = judged(pairs, texts)
        shares = np.array([
            _shares(page, text)
            for site, pages in sites.items()
            for page, text in zip(pages, texts[site], strict=True)
        ])  # fmt: skip
        means = (float(mean) for mean in shares.mean(axis=0))
        methods[name] = MethodOutcome(found[truth].tolist(), (~found[~truth]).tolist(), *means)
        show(f"{kind.name}: {name}")
    pages = [page for of_site in sites.values() for page in of_site]
    firsts = [(pair, sites[pair.first[0]][pair.first[1]].content) for pair in pairs]
    return KindOutcome(
        kind,
        len(sites),
        len(pages),
        len({(page.content.site, page.content.id) for page in pages}),
        float(np.mean([
            len(page.content.words) / (len(page.content.words) + len(page.template_words)) for page in pages
        ])),
        [f"{content.site}/{content.id}" for pair, content in firsts if pair.duplicate],
        [pair.first[0] for pair in pairs if not pair.duplicate],
        methods,
    )  # fmt: skip


def _texts(extractor: Extractor, made: Sequence[MadePage], together: int) -> list[str]:
    """Return the texts of a site's pages, of which the extractor sees so many together."""
    pages = [(page.url, page.html) for page in made]
    parts = [extractor.run(pages[at : at + together]).texts for at in range(0, len(pages), together)]
    return [text for part in parts for text in part]


def _shares(page: MadePage, text: str) -> tuple[float, float, float]:
    """Compute the shares of the content and of the template that a text has, and its F1."""
    output, content = count_words(text), count_words(" ".join(page.content.words))
    around = count_words(" ".join(page.template_words))
    hits = (output & content).total()
    wrong = ((output - content) & around).total()
    kept = hits / max(content.total(), 1)
    left = wrong / max(around.total(), 1)
    return kept, left, f1_score(hits, content.total() - hits, wrong)
