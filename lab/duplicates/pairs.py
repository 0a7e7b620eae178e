"""Made pages with duplicate contents, the pairs to judge, and the test for duplicates on methods' texts."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.minwise import least, word_hashes
from detemplate.algorithms.wordscores import f1_score
from detemplate.errors import UserError
from lab.labelled.words import count_words, words
from lab.transplant.pages import list_of_titles, transplant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy.typing as npt

    from lab.labelled.measure import Extractor
    from lab.transplant.pages import Content, MadePage, Parts, Template

WIDTH: Final = 6  # words of a shingle
KEPT: Final = 8  # shingles with the smallest hashes that are kept of a page
MATCHES: Final = 4  # minimum number of kept shingles that two duplicates have in common
COPIES: Final = 6
"""Maximum number of sites that show a content: three in the paper; with six, fewer pages suffice."""
GROUP: Final = 0.08
"""Share of a site's pages that have one block of titles: below the site-level method's tenth."""
TITLES: Final = 20


class Pair(NamedTuple):
    """Two made pages, by site and number of the page on it, and whether both have the same content."""

    first: tuple[str, int]
    second: tuple[str, int]
    duplicate: bool


class Collection(NamedTuple):
    """Made pages by site, and the pairs of them to judge: first the duplicates, then the others."""

    sites: dict[str, list[MadePage]]
    pairs: list[Pair]


def shingles(text: str) -> frozenset[int]:
    """Return the smallest hashes of a text's shingles; a text of fewer than `WIDTH` words is one shingle."""
    found = words(text)
    if not found:
        return frozenset()
    hashes, _ = word_hashes([" ".join(found).encode("utf-8", "replace")])
    return frozenset(least(hashes, WIDTH, KEPT).tolist())


def are_duplicates(first: frozenset[int], second: frozenset[int]) -> bool:
    """Tell whether two texts with these shingles are taken for duplicates."""
    return len(first & second) >= MATCHES


def distinct(contents: Iterable[Content]) -> list[Content]:
    """Leave out contents that share a shingle with an earlier one: the truth about pairs stays exact."""
    seen: set[int] = set()
    kept = []
    for content in contents:
        found = shingles(" ".join(content.words))
        if not found & seen:
            kept.append(content)
        seen |= found
    return kept


def make_collection(parts: Parts, *, duplicates: int, others: int, blocks: bool, seed: int) -> Collection:
    """Put contents into templates of several sites and draw pairs; with `blocks`, pages share titles."""
    rng = np.random.default_rng(seed)
    contents = distinct(content for of_site in parts.contents.values() for content in of_site)
    free = {
        site: [pages[n] for n in rng.permutation(len(pages))]
        for site, pages in parts.templates.items()
        if pages
    }
    copies = min(COPIES, len(free))
    if copies < 2 or not contents:
        raise UserError(
            f"{len(free)} sites with templates and {len(contents)} contents are too few: name more sites"
        )
    wanted = -(-duplicates // (copies * (copies - 1) // 2))
    placed: dict[str, list[Content]] = defaultdict(list)
    for number in rng.permutation(len(contents))[:wanted].tolist():
        left = {site: len(pages) - len(placed[site]) for site, pages in free.items()}
        able = [site for site, count in left.items() if count > 0]
        if len(able) < copies:
            break
        weights = np.array([left[site] for site in able], float)
        drawn = rng.choice(len(able), copies, replace=False, p=weights / weights.sum())
        for place in drawn.tolist():
            placed[able[place]].append(contents[number])
    sites = {site: _made(free[site], placed[site], contents, rng, blocks=blocks) for site in sorted(placed)}
    sites = {site: pages for site, pages in sites.items() if pages}
    same = _same_content(sites)
    chosen = [same[n] for n in sorted(rng.permutation(len(same))[:duplicates].tolist())]
    different = _different_content(sites, others, rng)
    if not chosen or not different:
        raise UserError("no site has two made pages: take more pages, or more pairs")
    return Collection(sites, [*chosen, *different])


def _made(
    templates: Sequence[Template],
    placed: Sequence[Content],
    contents: Sequence[Content],
    rng: np.random.Generator,
    *,
    blocks: bool,
) -> list[MadePage]:
    """Make the pages of one site, in groups with a block of titles each."""
    pages, block = [], ""
    group = max(1, int(GROUP * len(placed)))
    for number, (template, content) in enumerate(zip(templates, placed, strict=False)):
        if blocks and number % group == 0:
            drawn = rng.permutation(len(contents))[:TITLES].tolist()
            block = list_of_titles(f"Popular in group {number // group}", [contents[n].title for n in drawn])
        pages.append(transplant(template, content, block))
    return pages


def _same_content(sites: dict[str, list[MadePage]]) -> list[Pair]:
    places: dict[tuple[str, str], list[tuple[str, int]]] = defaultdict(list)
    for site, pages in sites.items():
        for number, page in enumerate(pages):
            places[page.content.site, page.content.id].append((site, number))
    return [Pair(one, two, True) for same in places.values() for one, two in combinations(same, 2)]


def _different_content(sites: dict[str, list[MadePage]], count: int, rng: np.random.Generator) -> list[Pair]:
    """Draw different pairs of pages of one site; each site has its share by the number of its pages."""
    able = {site: len(pages) for site, pages in sites.items() if len(pages) > 1}
    possible = sum(size * (size - 1) // 2 for size in able.values())
    names = list(able)
    if not names:
        return []
    weights = np.array(list(able.values()), float)
    drawn: set[tuple[str, int, int]] = set()
    while len(drawn) < min(count, possible):
        site = names[int(rng.choice(len(names), p=weights / weights.sum()))]
        one, two = sorted(rng.choice(able[site], 2, replace=False).tolist())
        drawn.add((site, one, two))
    return [Pair((site, one), (site, two), False) for site, one, two in sorted(drawn)]


def judged(pairs: Sequence[Pair], texts: dict[str, list[str]]) -> npt.NDArray[np.bool_]:
    """Tell for each pair whether its pages are taken for duplicates, by the texts of their pages."""
    found = {site: [shingles(text) for text in of_site] for site, of_site in texts.items()}
    return np.array([are_duplicates(*(found[site][n] for site, n in pair[:2])) for pair in pairs])


class Kind(NamedTuple):
    """A kind of made pages: words of a content, shared titles, pages that a method sees `together`."""

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
