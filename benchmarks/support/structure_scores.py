"""Scores of how well the structural elements of a page survive in an extractor's text; each in [0, 1].

Elements of the truth are matched with found ones in order, so that the sum of the similarities is greatest
(:func:`match`). A score is twice that sum over the numbers of true and of found elements: what is lost, what
is repeated and what is added lower it.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import Indel, LCSseq, Levenshtein
from rapidfuzz.process import cdist

from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy.typing as npt

    from benchmarks.support.structure import Code, Structure, Table

SCORES: Final = ("text", "code", "language", "tables", "formulas", "links", "headings", "lists")
"""Names of the scores, in the order of the report."""

_ALIKE: Final = 0.8
"""Similarity from which on two texts may be the same heading or item."""

_OTHER_LEVEL: Final = 0.5
"""What a heading of the right text at another level counts, and an item at another depth."""

_TABLES: Final = 40
"""Tables of a text that are compared. Layout tables can be many."""


def scores_of(truth: Structure, found: Structure, *, plain: bool = False) -> dict[str, float | None]:
    """Score what an extractor found on a page.

    Parameters
    ----------
    truth
        The elements of the page.
    found
        Those of the extractor's text.
    plain
        Whether the text is plain, without markup. Then only ``text`` is scored.

    Returns
    -------
    dict
        By the names of `SCORES`; None for elements that the page has not.

    Raises
    ------
    MissingExtra
        The library for tree edit distances is not installed.
    """
    scores: dict[str, float | None] = dict.fromkeys(SCORES)
    if truth.text:
        scores["text"] = Indel.normalized_similarity(truth.text, found.text)
    if plain:
        return scores
    if truth.code:
        scores["code"], scores["language"] = code_scores(truth.code, found.code)
    if truth.tables:
        scores["tables"] = table_score(truth.tables, found.tables)
    if truth.formulas:
        scores["formulas"] = bag_score(truth.formulas, found.formulas)
    if truth.links:
        scores["links"] = bag_score(truth.links, found.links)
    if truth.headings:
        scores["headings"] = level_score(truth.headings, found.headings)
    if truth.items:
        free = set(truth.definitions)
        scores["lists"] = level_score(truth.items, [item for item in found.items if item[1] not in free])
    return scores


def bag_score(truth: Sequence[Hashable], found: Sequence[Hashable]) -> float:
    """Give the F1 of two multisets: elements are the same or not, in any order."""
    same = (Counter(truth) & Counter(found)).total()
    return 2 * same / (len(truth) + len(found))


def level_score(truth: Sequence[tuple[int, str]], found: Sequence[tuple[int, str]]) -> float:
    """Score headings or list items: text, level or depth, and order."""
    if not found:
        return 0.0
    texts: npt.NDArray[np.float64] = cdist(
        [text for _, text in truth],
        [text for _, text in found],
        scorer=Indel.normalized_similarity,
        score_cutoff=_ALIKE,
        dtype=np.float64,
    )
    levels = np.equal.outer([level for level, _ in truth], [level for level, _ in found])
    return _share(texts * np.where(levels, 1.0, _OTHER_LEVEL))


def code_scores(truth: Sequence[Code], found: Sequence[Code]) -> tuple[float, float | None]:
    """Score blocks of code.

    Returns
    -------
    tuple
        The share of lines that are there verbatim and in order; and of the blocks with a language the share
        whose language is right, None without such blocks.
    """
    similarity = np.array(
        [[_same_lines(block, other) for other in found] for block in truth], np.float64
    ).reshape(len(truth), len(found))
    named = [number for number, block in enumerate(truth) if block.language]
    partner = dict(match(similarity))
    right = [
        number in partner and language(found[partner[number]].language) == language(truth[number].language)
        for number in named
    ]
    return _share(similarity), sum(right) / len(right) if right else None


def _same_lines(block: Code, other: Code) -> float:
    same = LCSseq.similarity(block.lines, other.lines)
    return 2 * same / (len(block.lines) + len(other.lines))


@cache
def language(name: str) -> str:
    """Give the usual name of a programming language: ``py`` and ``python3`` are ``Python``."""
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return str(get_lexer_by_name(name.lower()).name) if name else ""
    except ClassNotFound:
        return name.lower()


def table_score(truth: Sequence[Table], found: Sequence[Table]) -> float:
    """Score tables by the similarity of their trees (:func:`table_similarity`)."""
    truth, found = truth[:_TABLES], found[:_TABLES]
    similarity = np.array([[table_similarity(one, other) for other in found] for one in truth], np.float64)
    return _share(similarity.reshape(len(truth), len(found)))


@cache
def table_similarity(table: Table, other: Table) -> float:
    """Give the tree edit distance similarity of two tables (TEDS; Zhong, ShafieiBavani, Jimeno Yepes 2020).

    A table is a tree of rows and cells. To add or remove a node costs 1; to change a cell costs the
    normalised edit distance of its texts.

    Returns
    -------
    float
        1 minus the distance over the number of nodes of the larger tree.
    """
    if table == other:
        return 1.0
    try:
        from apted import APTED
    except ModuleNotFoundError as error:
        raise MissingExtra("benchmarks.structure", "test") from error
    size = max(_size(table), _size(other))
    distance = APTED(_tree(table), _tree(other), _costs()).compute_edit_distance()
    return max(0.0, 1 - float(distance) / size)


class _Node:
    """A node of a table's tree: its kind, its text, and the nodes inside."""

    __slots__ = ("children", "kind", "text")

    def __init__(self, kind: str, text: str, children: Sequence[_Node] = ()) -> None:
        self.kind = kind
        self.text = text
        self.children = list(children)


def _tree(table: Table) -> _Node:
    rows = [_Node("row", "", [_Node("cell", text) for text in row]) for row in table]
    return _Node("table", "", rows)


def _size(table: Table) -> int:
    return 1 + len(table) + sum(map(len, table))


@cache
def _costs() -> object:
    from apted import Config

    class Costs(Config):  # type: ignore[misc, unused-ignore]  # apted has no types
        """Costs of TEDS."""

        valuecls = float

        def rename(self, node1: _Node, node2: _Node) -> float:
            """Give the cost of making one node the other."""
            if node1.kind != node2.kind:
                return 1.0
            return float(Levenshtein.normalized_distance(node1.text, node2.text))

    return Costs()


def match(similarity: npt.NDArray[np.float64]) -> list[tuple[int, int]]:
    """Match two sequences in order, so that the sum of the similarities is greatest.

    Parameters
    ----------
    similarity
        Of each element of one (row) with each of the other (column).

    Returns
    -------
    list of (int, int)
        Rows and columns, ascending; only pairs with a similarity above 0.
    """
    rows, columns = similarity.shape
    best = np.zeros((rows + 1, columns + 1))
    for row in range(rows):
        ways = np.maximum(best[row, 1:], best[row, :-1] + similarity[row])
        best[row + 1, 1:] = np.maximum.accumulate(ways)
    pairs = []
    row, column = rows, columns
    while row and column:
        if best[row, column] == best[row - 1, column]:
            row -= 1
        elif best[row, column] == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            pairs.append((row, column))
    return pairs[::-1]


def _share(similarity: npt.NDArray[np.float64]) -> float:
    """Give the score of two matched sequences."""
    total = sum(float(similarity[pair]) for pair in match(similarity))
    return 2 * total / sum(similarity.shape)
