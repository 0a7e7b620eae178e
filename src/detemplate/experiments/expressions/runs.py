"""Runs of the injection experiment: collections with known template, mined and cleaned."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from detemplate.experiments.expressions.injection import inject, make_blocks, tally, total
from detemplate.expressions.collections import count_collections, idiom_limit, without_idioms
from detemplate.expressions.match import Matcher
from detemplate.expressions.mine import Miner, MiningOptions
from detemplate.expressions.remove import MERGE_GAP, MIN_SLIVER, Locality, to_remove
from detemplate.expressions.tokens import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.experiments.expressions.injection import Block, Document, Tally
    from detemplate.experiments.expressions.sources import Sources, Template
    from detemplate.expressions.files import Expression

SCORED: Final = 20
"""Documents of a collection that are scored, of those mined and of those held out; fewer where fewer were
mined."""
DEFAULT: Final = Locality(MERGE_GAP, MIN_SLIVER)
ONE: Final = "one level"
TWO: Final = "two levels"
LITERAL: Final = "one level, a literal token in each"
LEVELS: Final = (ONE, TWO, LITERAL)
"""Which expressions are applied: all; those that the second level leaves; all but those that are made of
mutable patterns alone."""
_MOST_LOST: Final = 5


@dataclass(frozen=True, slots=True)
class Setting:
    """How collections are made and mined.

    Attributes
    ----------
    documents
        Documents in a collection.
    slots
        What varies in the template: ``none``, ``covered`` or ``uncovered``, as for `make_blocks`.
    mutables
        Whether mining has the mutable patterns.
    language
        The documents'.
    cut
        As in :class:`~detemplate.expressions.mine.MiningOptions`.
    """

    documents: int = 50
    slots: str = "covered"
    mutables: bool = True
    language: str = "en"
    cut: float | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents of one made site: those to be mined, and those held out, with fresh values.

    Attributes
    ----------
    site
        Whose template it is.
    blocks
        The template.
    mined, held
        The documents.
    """

    site: str
    blocks: tuple[Block, ...]
    mined: tuple[Document, ...]
    held: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """What came out for one collection.

    Attributes
    ----------
    site, seed, setting
        Which collection.
    level
        One of `LEVELS`.
    locality
        What was done about small pieces.
    held
        Whether the documents are those held out.
    shares, places
        Of each block.
    tally
        Characters.
    least, expressions
        Least documents of template strings; how many expressions there are.
    examples
        Pieces of clean text that were removed, and template that was not, the most frequent ones.
    """

    site: str
    seed: int
    setting: Setting
    level: str
    locality: Locality
    held: bool
    shares: tuple[float, ...]
    places: tuple[str, ...]
    tally: Tally
    least: int | None
    expressions: int
    examples: tuple[Counter[str], Counter[str]] = field(repr=False)


def make_collection(template: Template, texts: Sequence[str], setting: Setting, seed: int) -> Collection:
    """Put a template into clean texts.

    Parameters
    ----------
    template
        A real site's.
    texts
        Clean texts, more than ``setting.documents``: those beyond are held out, at most `SCORED`.
    setting
        How.
    seed
        With the site's name it decides everything: collections of several settings with the same seed
        differ in nothing but the setting; a larger one holds the smaller one's texts.
    """
    own = [seed, crc32(template.site.encode())]
    blocks = make_blocks(template.lines, setting.slots, np.random.default_rng([*own, 0]))
    order = np.random.default_rng([*own, 1]).permutation(len(texts)).tolist()
    held = min(SCORED, setting.documents, len(texts) - setting.documents)
    chosen = [texts[n] for n in [*order[held : held + setting.documents], *order[:held]]]
    mined, out = (
        fill(some, blocks, np.random.default_rng([*own, 2 + part]))
        for part, some in enumerate((chosen[: setting.documents], chosen[setting.documents :]))
    )
    return Collection(template.site, blocks, mined, out)


def fill(texts: Sequence[str], blocks: Sequence[Block], rng: np.random.Generator) -> tuple[Document, ...]:
    """Put blocks into texts, each into its share of them (rounded)."""
    has = [set(rng.permutation(len(texts))[: round(block.share * len(texts))].tolist()) for block in blocks]
    return tuple(
        inject(text, blocks, [block for block, those in enumerate(has) if number in those], rng)
        for number, text in enumerate(texts)
    )


def mine(
    documents: Sequence[Document], tokenizer: Tokenizer, cut: float | None = None
) -> tuple[tuple[Expression, ...], int | None]:
    """Give a collection's expressions, and the least documents of a template string."""
    miner = Miner(tokenizer, MiningOptions(cut=cut))
    for document in documents:
        miner.add(document.text)
    mined = miner.mine()
    return mined.expressions, mined.least_documents


def collections_of(sources: Sources, setting: Setting, seed: int) -> Iterator[Collection]:
    """Make a collection for each template, where its language has enough documents of other sites."""
    for template in sources.templates:
        if sources.languages.get(template.site, "en") != setting.language:
            continue
        texts = [text for site, text in sources.documents.get(setting.language, []) if site != template.site]
        if len(texts) > setting.documents:
            yield make_collection(template, texts, setting, seed)


def run(
    sources: Sources,
    setting: Setting,
    seed: int,
    localities: Sequence[Locality] = (DEFAULT,),
) -> list[Row]:
    """Mine and clean the collections of one setting.

    Parameters
    ----------
    sources
        Templates and documents.
    setting
        How collections are made and mined.
    seed
        Of all that is drawn.
    localities
        What is done about small pieces, each of these.

    Returns
    -------
    list of Row
        For each collection, level, locality, and for mined and held-out documents.
    """
    tokenizer = Tokenizer(mutables=None if setting.mutables else ())
    patterns = {mutable.expression for mutable in tokenizer.mutables}
    collections = list(collections_of(sources, setting, seed))
    mined = [mine(each.mined, tokenizer, setting.cut) for each in collections]
    counts = count_collections(expressions for expressions, _ in mined)
    limit = idiom_limit(None, len(mined))
    rows = []
    for collection, (expressions, least) in zip(collections, mined, strict=True):
        choices = {
            ONE: expressions,
            TWO: without_idioms(expressions, counts, limit),
            LITERAL: [each for each in expressions if not patterns.issuperset(each.pieces or ())],
        }
        for level, kept in choices.items():
            matcher = Matcher(kept)
            for held, documents in ((False, collection.mined[:SCORED]), (True, collection.held)):
                if not documents:
                    continue
                matches = [matcher.matches(document.text) for document in documents]
                for locality in localities:
                    gone = [to_remove(each, locality) for each in matches]
                    pairs = list(zip(documents, gone, strict=True))
                    rows.append(
                        Row(
                            collection.site, seed, setting, level, locality, held,
                            tuple(block.share for block in collection.blocks),
                            tuple(block.place for block in collection.blocks),
                            total(tally(document, *removed) for document, removed in pairs),
                            least, len(kept), _examples(pairs),
                        )
                    )  # fmt: skip
    return rows


def _examples(
    pairs: Sequence[tuple[Document, tuple[np.ndarray, np.ndarray]]],
) -> tuple[Counter[str], Counter[str]]:
    """Find clean text that was removed, and template that was left."""
    lost: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for document, (starts, stops) in pairs:
        removed = np.zeros(len(document.text), np.bool_)
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            removed[start:stop] = True
        lost.update(_runs(document.text, removed & (document.owner < 0)))
        left.update(_runs(document.text, ~removed & (document.owner >= 0)))
    return Counter(dict(lost.most_common(_MOST_LOST))), Counter(dict(left.most_common(_MOST_LOST)))


def _runs(text: str, chosen: np.ndarray) -> Iterator[str]:
    edges = np.flatnonzero(np.diff(chosen, prepend=False, append=False)).tolist()
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        told = " ".join(text[start:stop].split())
        if told:
            yield told
