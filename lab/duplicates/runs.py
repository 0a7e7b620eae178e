"""Running the test for duplicates on the texts of each method, for several kinds of made pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lab.duplicates.pairs import distinct, judged, make_collection
from lab.harness.extractors import site_texts
from lab.labelled.metrics import f1_score
from lab.labelled.words import count_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from lab.duplicates.pairs import Collection, Pair
    from lab.labelled.measure import Extractor
    from lab.transplant.making import MadePage
    from lab.transplant.parts import Parts

KEY_METHODS: Final = ("full text", "sitelevel", "pagelevel", "auto")
"""Methods that are compared on other kinds of made pages."""


class Kind(NamedTuple):
    """A kind of made pages."""

    name: str
    """Name in tables."""
    max_words: int | None
    """Words at which a content ends; None: it is whole."""
    blocks: bool
    """Whether groups of pages share a block of titles."""
    together: int | None = None
    """Pages of a site that a method sees together; None: all."""


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
"""Kinds of made pages; the fourth is nearest to the paper's lyrics."""


class MethodOutcome(NamedTuple):
    """Results of one method.

    Attributes
    ----------
    duplicates, others
        Whether each pair of duplicates is found, and each other pair told apart.
    kept, left
        Share of the contents' words that the texts have; share of the words around them that are left. Means
        over pages.
    f1
        F1 of the texts' words: content against words around it. Mean over pages.
    """

    duplicates: list[bool]
    others: list[bool]
    kept: float
    left: float
    f1: float


class KindOutcome(NamedTuple):
    """Results on one kind of made pages.

    Attributes
    ----------
    kind
        The kind.
    sites, pages, contents
        Numbers of made sites and pages, and of different contents.
    content_share
        Share of the pages' words that are content. Mean over pages.
    duplicates, others
        The pairs, as ``site:number`` of their first pages: the groups of the bootstrap.
    methods
        Results by method.
    """

    kind: Kind
    sites: int
    pages: int
    contents: int
    content_share: float
    duplicates: list[str]
    others: list[str]
    methods: dict[str, MethodOutcome]


def collect(parts: Parts, kind: Kind, *, duplicates: int, others: int, seed: int) -> Collection:
    """Make the pages of a kind; `parts` have contents of the kind's length."""
    contents = distinct(content for of_site in parts.contents.values() for content in of_site)
    return make_collection(
        parts.templates,
        contents,
        duplicates=duplicates,
        others=others,
        blocks=kind.blocks,
        rng=np.random.default_rng(seed),
    )


def measure_kind(
    collection: Collection,
    kind: Kind,
    extractors: Mapping[str, Extractor],
    show: Callable[[str], object] = lambda _: None,
) -> KindOutcome:
    """Run each method over all made sites, and judge the pairs by its texts.

    Parameters
    ----------
    collection
        Made pages and pairs.
    kind
        Their kind.
    extractors
        Methods by name.
    show
        Called with what is worked on.
    """
    sites, pairs = collection
    sources: dict[str, list[tuple[str, str]]] = {}
    for site, made in sites.items():
        step = kind.together or len(made)
        for at in range(0, len(made), step):
            sources[f"{site} {at}"] = [(page.url, page.html) for page in made[at : at + step]]
    texts = {name: _joined(of_method) for name, of_method in site_texts(extractors, sources, show).items()}
    truth = np.array([pair.duplicate for pair in pairs])
    methods = {}
    for name, of_method in texts.items():
        found = judged(pairs, of_method)
        shares = np.array([
            _shares(page, text)
            for site, pages in sites.items()
            for page, text in zip(pages, of_method[site], strict=True)
        ])  # fmt: skip
        methods[name] = MethodOutcome(
            found[truth].tolist(), (~found[~truth]).tolist(), *(float(x) for x in shares.mean(axis=0))
        )
    pages = [page for of_site in sites.values() for page in of_site]
    content = [
        len(page.content.words) / (len(page.content.words) + len(page.template_words)) for page in pages
    ]
    return KindOutcome(
        kind,
        len(sites),
        len(pages),
        len({(page.content.site, page.content.id) for page in pages}),
        float(np.mean(content)),
        _groups(pairs, sites, duplicate=True),
        _groups(pairs, sites, duplicate=False),
        methods,
    )


def _joined(texts: dict[str, list[str]]) -> dict[str, list[str]]:
    """Join the texts of each site's parts, which are named by the site and the place of the first page."""
    joined: dict[str, list[str]] = {}
    for part, of_part in texts.items():
        joined.setdefault(part.rpartition(" ")[0], []).extend(of_part)
    return joined


def _groups(pairs: Sequence[Pair], sites: Mapping[str, Sequence[MadePage]], *, duplicate: bool) -> list[str]:
    """Name what pairs have in common: the content of duplicates, the site of others."""
    names = []
    for pair in pairs:
        site, number = pair.first
        content = sites[site][number].content
        if pair.duplicate == duplicate:
            names.append(f"{content.site}/{content.id}" if duplicate else site)
    return names


def _shares(page: MadePage, text: str) -> tuple[float, float, float]:
    """Compute the shares of the content and of the template that a text has, and its F1."""
    output, content = count_words(text), count_words(" ".join(page.content.words))
    around = count_words(" ".join(page.template_words))
    hits = (output & content).total()
    wrong = ((output - content) & around).total()
    kept = hits / max(content.total(), 1)
    left = wrong / max(around.total(), 1)
    return kept, left, f1_score(hits, content.total() - hits, wrong)
