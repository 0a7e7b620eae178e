"""Collections with injected template, mined and cleaned: one run a setting."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from detemplate.expressions.collections import count_collections, idiom_limit, without_idioms
from detemplate.expressions.match import Matcher
from detemplate.expressions.mine import Miner, MiningOptions
from detemplate.expressions.remove import MERGE_GAP, MIN_SLIVER, Locality, to_remove
from detemplate.expressions.tokens import DEFAULT_TOKEN, Tokenizer
from lab.expressions.injection import in_intervals, inject, make_blocks, tally, total

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.expressions.files import Expression
    from lab.expressions.injection import Document, Tally, TemplateBlock
    from lab.expressions.sources import Sources, Template

HYPHENS: Final = r"[^\s-]+"
"""Tokens of the thesis's section 5.2: its expressions there have the separator ``[\\-\\s]+``."""
SCORED: Final = 20  # maximum number of documents that are scored: of the mined ones, and of those held out
DEFAULT: Final = Locality(MERGE_GAP, MIN_SLIVER)
ONE: Final = "one level"
TWO: Final = "two levels"
LITERAL: Final = "one level, a literal token in each"
LEVELS: Final = (ONE, TWO, LITERAL)
"""Which expressions are applied: all, those that the second level keeps, or all but pure patterns."""
_MAX_EXAMPLES: Final = 5


@dataclass(frozen=True, slots=True)
class Setting:
    """How collections are made and mined."""

    documents: int = 50
    slots: str = "covered"  # slots in the template: `none`, `covered` or `uncovered`, as for `make_blocks`
    mutables: bool = True
    language: str = "en"
    cut: float | None = None  # cut-off, as in `MiningOptions`
    token: str = DEFAULT_TOKEN


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents with the template of one site."""

    site: str
    blocks: tuple[TemplateBlock, ...]
    mined: tuple[Document, ...]
    held_out: tuple[Document, ...]  # documents that are not mined; their slots have other values


@dataclass(frozen=True, slots=True)
class CollectionOutcome:
    """Results of one collection at one level, on the mined documents or on those held out."""

    site: str
    seed: int
    setting: Setting
    level: str
    locality: Locality
    held_out: bool
    shares: tuple[float, ...]  # share of the documents that have each block
    places: tuple[str, ...]
    tally: Tally
    least_documents: int | None  # cut-off of template strings; None where nothing was mined
    expressions: int
    examples: tuple[Counter[str], Counter[str]] = field(repr=False)  # frequent pieces lost, and template left


def make_collection(template: Template, texts: Sequence[str], setting: Setting, seed: int) -> Collection:
    """Put a template into clean texts; hold some out. Equal seeds differ only in the setting."""
    site_seed = [seed, crc32(template.site.encode())]
    blocks = make_blocks(template.lines, setting.slots, np.random.default_rng([*site_seed, 0]))
    order = np.random.default_rng([*site_seed, 1]).permutation(len(texts)).tolist()
    spare = min(SCORED, setting.documents, len(texts) - setting.documents)
    mined, held_out = (
        fill([texts[n] for n in numbers], blocks, np.random.default_rng([*site_seed, 2 + part]))
        for part, numbers in enumerate((order[spare : spare + setting.documents], order[:spare]))
    )
    return Collection(template.site, blocks, mined, held_out)


def fill(
    texts: Sequence[str], blocks: Sequence[TemplateBlock], rng: np.random.Generator
) -> tuple[Document, ...]:
    """Put blocks into texts: each block into its share of the texts, rounded."""
    holders = [
        set(rng.permutation(len(texts))[: round(block.share * len(texts))].tolist()) for block in blocks
    ]
    return tuple(
        inject(text, blocks, [block for block, numbers in enumerate(holders) if number in numbers], rng)
        for number, text in enumerate(texts)
    )


def mine(
    documents: Sequence[Document], tokenizer: Tokenizer, cut: float | None = None
) -> tuple[tuple[Expression, ...], int | None]:
    """Mine documents; return the expressions and the least number of documents of a template string."""
    miner = Miner(tokenizer, MiningOptions(cut=cut))
    for document in documents:
        miner.add(document.text)
    mined = miner.mine()
    return mined.expressions, mined.least_documents


def collections_of(sources: Sources, setting: Setting, seed: int) -> Iterator[Collection]:
    """Make a collection for each template whose language has enough documents of other sites."""
    for template in sources.templates:
        if sources.languages.get(template.site, "en") != setting.language:
            continue
        texts = [text for site, text in sources.documents.get(setting.language, []) if site != template.site]
        if len(texts) > setting.documents:
            yield make_collection(template, texts, setting, seed)


def run_setting(
    sources: Sources, setting: Setting, seed: int, localities: Sequence[Locality] = (DEFAULT,)
) -> list[CollectionOutcome]:
    """Mine and clean the collections of one setting; results are by collection, level, part and locality."""
    tokenizer = Tokenizer(setting.token, mutables=None if setting.mutables else ())
    patterns = {mutable.expression for mutable in tokenizer.mutables}
    collections = list(collections_of(sources, setting, seed))
    mined = [mine(each.mined, tokenizer, setting.cut) for each in collections]
    counts = count_collections(expressions for expressions, _ in mined)
    limit = idiom_limit(None, len(mined))
    outcomes = []
    for collection, (expressions, least_documents) in zip(collections, mined, strict=True):
        by_level = {
            ONE: expressions,
            TWO: without_idioms(expressions, counts, limit),
            LITERAL: [each for each in expressions if not patterns.issuperset(each.pieces or ())],
        }
        for level, kept in by_level.items():
            matcher = Matcher(kept)
            for held_out, documents in ((False, collection.mined[:SCORED]), (True, collection.held_out)):
                if not documents:
                    continue
                matches = [matcher.matches(document.text) for document in documents]
                for locality in localities:
                    removed = [to_remove(each, locality) for each in matches]
                    pairs = list(zip(documents, removed, strict=True))
                    outcomes.append(
                        CollectionOutcome(
                            collection.site, seed, setting, level, locality, held_out,
                            tuple(block.share for block in collection.blocks),
                            tuple(block.place for block in collection.blocks),
                            total(tally(document, *intervals) for document, intervals in pairs),
                            least_documents, len(kept), _examples(pairs),
                        )
                    )  # fmt: skip
    return outcomes


def _examples(
    pairs: Sequence[tuple[Document, tuple[np.ndarray, np.ndarray]]],
) -> tuple[Counter[str], Counter[str]]:
    """Collect pieces of clean text that were removed, and of template that was left."""
    lost: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for document, (starts, stops) in pairs:
        removed = in_intervals(len(document.text), starts, stops)
        lost.update(_pieces(document.text, removed & (document.owner < 0)))
        left.update(_pieces(document.text, ~removed & (document.owner >= 0)))
    return Counter(dict(lost.most_common(_MAX_EXAMPLES))), Counter(dict(left.most_common(_MAX_EXAMPLES)))


def _pieces(text: str, chosen: np.ndarray) -> Iterator[str]:
    """Yield the runs of chosen characters, with white space collapsed."""
    edges = np.flatnonzero(np.diff(chosen, prepend=False, append=False)).tolist()
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        piece = " ".join(text[start:stop].split())
        if piece:
            yield piece
