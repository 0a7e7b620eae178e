r"""The structural elements of a text, read out of its Markdown, and scores of how well they survive.

One parser reads the Markdown of every extractor: CommonMark with tables and strike-through of GFM, footnotes,
and formulas in ``$…$`` and ``$$…$$``. Text that says ``\(…\)`` or ``\[…\]`` holds a formula, too: scripts
such as MathJax find it. In Markdown it is written with two backslashes; one would only escape the bracket.

Scores are in [0, 1]. Elements of the truth are matched with found ones in order, so that the sum of the
similarities is greatest (:func:`match`). A score is twice that sum over the numbers of true and of found
elements: what is lost, what is repeated and what is added lower it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag, urljoin

import numpy as np
import turbohtml
from rapidfuzz.distance import Indel, LCSseq, Levenshtein
from rapidfuzz.process import cdist

from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy.typing as npt
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Table = tuple[tuple[str, ...], ...]  # rows of cells. A cell over several columns is followed by empty cells
SCORES: Final = ("text", "code", "language", "tables", "formulas", "links", "headings", "lists")
"""Names of the scores, in the order of the report."""
_ROWS: Final = 60  # rows of a table that are compared; the tree edit distance of large tables takes long
_TABLES: Final = 40  # tables of a text that are compared. Layout tables can be many
_ALIKE: Final = 0.8  # minimum similarity of two texts that may be the same heading or item
_OTHER_LEVEL: Final = 0.5
"""Factor for a heading of the right text at another level, and an item at another depth."""
_NO_PATH: Final = re.compile(r"https?://[^/?#]+")
"""A URL of a host, which means the same with a slash behind it."""
_DELIMITED: Final = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)  # A formula in text


@dataclass(frozen=True, slots=True)
class Code:
    """A block of code: its lines, without white space at their ends, and its language if it names one."""

    lines: tuple[str, ...]
    language: str = ""

    @classmethod
    def of(cls, text: str, language: str = "") -> Code:
        """Split the text of a block; drop blank lines around it."""
        return cls(tuple(line.rstrip() for line in text.strip("\n").split("\n")), language)


@dataclass(slots=True)
class Structure:
    """The text of a page and its structural elements, each in document order. White space is collapsed."""

    text: str = ""  # all text that is shown; of formulas, their LaTeX
    code: list[Code] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    formulas: list[str] = field(default_factory=list)  # laTeX of formulas, without white space
    links: list[tuple[str, str]] = field(default_factory=list)
    """Text and target of links to other pages; links without text are left out."""
    headings: list[tuple[int, str]] = field(default_factory=list)  # level (1 to 6) and text of headings
    items: list[tuple[int, str]] = field(default_factory=list)
    """Depth (from 1) of list items, and their own text without that of lists inside. Notes are items, too."""
    definitions: list[str] = field(default_factory=list)
    """Terms and definitions. Markdown has no such lists: items that hold them are neither right nor wrong."""


@dataclass(frozen=True, slots=True)
class StructurePage:
    """A page whose structure is known, the template aside; the identifier is unique within its set."""

    id: str
    url: str
    html: str = field(repr=False)
    truth: Structure = field(repr=False)


def squeeze(text: str) -> str:
    """Collapse white space."""
    return " ".join(text.split())


def squeeze_formula(latex: str) -> str:
    """Remove white space, which means nothing in LaTeX, and braces or a style around all of it."""

    def unstyled(text: str) -> str:
        return text.removeprefix(r"\displaystyle").removeprefix(r"\textstyle")

    bare = unstyled("".join(latex.split()))
    while bare.startswith("{") and bare.endswith("}") and _closes_last(bare):
        bare = unstyled(bare[1:-1])
    return bare


def _closes_last(text: str) -> bool:
    """Tell whether the first brace is closed by the last one."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return place == len(text) - 1
    return False


# Reading.


@cache
def parser() -> MarkdownIt:
    """Return the parser of Markdown; raise MissingExtra where it is not installed."""
    try:
        from markdown_it import MarkdownIt
        from mdit_py_plugins.dollarmath import dollarmath_plugin
        from mdit_py_plugins.footnote import footnote_plugin
    except ModuleNotFoundError as error:
        raise MissingExtra("benchmarks.structure", "test") from error
    made = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    made.use(dollarmath_plugin, allow_space=False, double_inline=True)
    return made.use(footnote_plugin)


def read_plain(text: str) -> Structure:
    """Read plain text, which has no elements."""
    return Structure(text=squeeze(text))


def read_markdown(markdown: str, url: str, *, resolve: bool = False) -> Structure:
    """Read Markdown without links within the page; ``resolve`` resolves the others against the page's URL."""
    reader = _Reader(url, resolve=resolve)
    reader.read(parser().parse(markdown))
    reader.found.text = squeeze(" ".join(reader.parts))
    reader.found.items = [(depth, squeeze(" ".join(parts))) for depth, parts in reader.items]
    return reader.found


class _Reader:
    """Collects the elements of one text from the tokens of the parser."""

    def __init__(self, url: str, *, resolve: bool) -> None:
        self.url, self.resolve = url, resolve
        self.found = Structure()
        self.parts: list[str] = []
        self.items: list[tuple[int, list[str]]] = []
        self._open: list[list[str]] = []  # of each list item around, its text
        self._rows: list[list[str]] = []
        self._heading = 0
        self._in_cell = False

    def read(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            kind = token.type
            if kind == "inline":
                self._inline(token)
            elif kind in ("fence", "code_block"):
                language = token.info.split()[0] if token.info.split() else ""
                self.found.code.append(Code.of(token.content, language))
                self.parts.append(token.content)
            elif kind.startswith("math_block"):
                self.parts.append(self._formula(token.content))
            elif kind == "html_block":
                self._html(token.content)
            elif kind == "heading_open":
                self._heading = int(token.tag[1])
            elif kind in ("list_item_open", "footnote_open"):
                self._open.append([])
                self.items.append((len(self._open), self._open[-1]))
            elif kind in ("list_item_close", "footnote_close"):
                self._open.pop()
            elif kind == "table_open":
                self._rows = []
            elif kind == "tr_open":
                self._rows.append([])
            elif kind in ("th_open", "td_open"):
                self._in_cell = True
            elif kind == "table_close":
                self.found.tables.append(tuple(map(tuple, self._rows[:_ROWS])))

    def _inline(self, token: Token) -> None:
        text = self._text_of(token.children or [])
        self.parts.append(text)
        text = squeeze(text)
        if self._heading:
            self.found.headings.append((self._heading, text))
            self._heading = 0
        elif self._in_cell:
            self._rows[-1].append(text)
            self._in_cell = False
        elif self._open:
            self._open[-1].append(text)

    def _text_of(self, tokens: Sequence[Token]) -> str:
        parts: list[str] = []
        links: list[tuple[str, int]] = []  # targets of open links, and where their texts begin
        for token in tokens:
            if token.type in ("text", "code_inline"):
                parts.append(token.content)
            elif token.type.startswith("math_"):
                parts.append(self._formula(token.content))
            elif token.type in ("softbreak", "hardbreak"):
                parts.append(" ")
            elif token.type == "html_inline":
                parts.append(" " if token.content.lower().startswith("<br") else "")
            elif token.type == "link_open":
                links.append((str(token.attrs.get("href", "")), len(parts)))
            elif token.type == "link_close" and links:
                target, start = links.pop()
                self._link("".join(parts[start:]), target)
        text = "".join(parts)
        if not any(token.type == "code_inline" for token in tokens):
            text = _DELIMITED.sub(lambda found: self._formula(found[1] or found[2]), text)
        return text

    def _formula(self, latex: str) -> str:
        self.found.formulas.append(squeeze_formula(latex))
        return self.found.formulas[-1]

    def _link(self, text: str, target: str) -> None:
        target = urljoin(self.url, target) if self.resolve else target
        if _NO_PATH.fullmatch(target):
            target += "/"
        page, fragment = urldefrag(target)
        in_page = bool(fragment) and page in ("", urldefrag(self.url).url)
        if squeeze(text) and not in_page:
            self.found.links.append((squeeze(text), target))

    def _html(self, markup: str) -> None:
        document = turbohtml.parse(markup)
        self.parts.append(document.to_text())
        for table in document.select("table"):
            rows = [_cells(row) for row in table.select("tr")]
            self.found.tables.append(tuple(rows[:_ROWS]))


def _cells(row: turbohtml.Element) -> tuple[str, ...]:
    """Return the cells of a row in markup, and empty cells for further columns of a cell."""
    cells: list[str] = []
    for cell in row.select("td, th"):
        span = str(cell.attrs.get("colspan") or "1")
        cells += [squeeze(cell.text), *[""] * (min(int(span), 100) - 1 if span.isdecimal() else 0)]
    return tuple(cells)


# Scoring.


def scores_of(truth: Structure, found: Structure, *, plain: bool = False) -> dict[str, float | None]:
    """Score what was found by the names of `SCORES`; None: not on the page. Plain text: ``text`` only."""
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
    """Compute the F1 of two multisets: elements are the same or not, in any order."""
    return 2 * (Counter(truth) & Counter(found)).total() / (len(truth) + len(found))


def level_score(truth: Sequence[tuple[int, str]], found: Sequence[tuple[int, str]]) -> float:
    """Score headings or list items: text, level or depth, and order."""
    if not found:
        return 0.0
    names = [[text for _, text in items] for items in (truth, found)]
    texts: npt.NDArray[np.float64] = cdist(
        *names, scorer=Indel.normalized_similarity, score_cutoff=_ALIKE, dtype=np.float64
    )
    levels = np.equal.outer([level for level, _ in truth], [level for level, _ in found])
    return _share(texts * np.where(levels, 1.0, _OTHER_LEVEL))


def code_scores(truth: Sequence[Code], found: Sequence[Code]) -> tuple[float, float | None]:
    """Score code by its lines in order, and by the share of blocks whose language is right (or None)."""
    rows = [[_same_lines(block, other) for other in found] for block in truth]
    similarity = np.array(rows, np.float64).reshape(len(truth), len(found))
    partner = dict(match(similarity))
    right = [
        number in partner and language(found[partner[number]].language) == language(block.language)
        for number, block in enumerate(truth)
        if block.language
    ]
    return _share(similarity), sum(right) / len(right) if right else None


def _same_lines(block: Code, other: Code) -> float:
    return 2 * LCSseq.similarity(block.lines, other.lines) / (len(block.lines) + len(other.lines))


@cache
def language(name: str) -> str:
    """Return the usual name of a programming language: ``py`` and ``python3`` are ``Python``."""
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
    """Compute the tree edit distance similarity of tables (TEDS; Zhong, ShafieiBavani, Jimeno Yepes 2020).

    A table is a tree of rows and cells. To add or remove a node costs 1; to change a cell costs the
    normalised edit distance of its texts. The similarity is 1 minus the distance over the number of nodes of
    the larger tree.
    """
    if table == other:
        return 1.0
    try:
        from apted import APTED
    except ModuleNotFoundError as error:
        raise MissingExtra("benchmarks.structure", "test") from error
    size = max(1 + len(each) + sum(map(len, each)) for each in (table, other))
    distance = APTED(_tree(table), _tree(other), _costs()).compute_edit_distance()
    return max(0.0, 1 - float(distance) / size)


@dataclass(slots=True, eq=False)
class _Node:
    """A node of a table's tree."""

    kind: str
    text: str
    children: list[_Node] = field(default_factory=list)


def _tree(table: Table) -> _Node:
    return _Node("table", "", [_Node("row", "", [_Node("cell", text) for text in row]) for row in table])


@cache
def _costs() -> object:
    from apted import Config

    class Costs(Config):  # type: ignore[misc, unused-ignore]  # apted has no types
        """Costs of TEDS."""

        valuecls = float

        def rename(self, node1: _Node, node2: _Node) -> float:
            """Compute the cost of making one node the other."""
            if node1.kind != node2.kind:
                return 1.0
            return float(Levenshtein.normalized_distance(node1.text, node2.text))

    return Costs()


def match(similarity: npt.NDArray[np.float64]) -> list[tuple[int, int]]:
    """Match two sequences in order with the greatest sum of similarities; return matched rows and columns."""
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
    """Compute the score of two matched sequences."""
    total = sum(float(similarity[pair]) for pair in match(similarity))
    return 2 * total / sum(similarity.shape)
