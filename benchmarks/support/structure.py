r"""The structural elements of a text, read out of its Markdown.

One parser reads the Markdown of every extractor: CommonMark with tables and strike-through of GFM, footnotes,
and formulas in ``$…$`` and ``$$…$$``. Text that says ``\(…\)`` or ``\[…\]`` holds a formula, too: scripts
such as MathJax find it. In Markdown it is written with two backslashes; one would only escape the bracket.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag, urljoin

import turbohtml

from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

Table = tuple[tuple[str, ...], ...]
"""Rows of cells. A cell over several columns is followed by empty cells."""

_ROWS: Final = 60
"""Rows of a table that are compared; the tree edit distance of large tables takes long."""


_NO_PATH: Final = re.compile(r"https?://[^/?#]+")
"""A URL of a host, which means the same with a slash behind it."""

_DELIMITED: Final = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
"""A formula in text."""


@dataclass(frozen=True, slots=True)
class Code:
    """A block of code."""

    lines: tuple[str, ...]
    """Its lines, without white space at their ends and without blank lines around them."""
    language: str = ""
    """Name of its language as written; empty where none is given."""

    @classmethod
    def of(cls, text: str, language: str = "") -> Code:
        """Split the text of a block."""
        lines = [line.rstrip() for line in text.strip("\n").split("\n")]
        return cls(tuple(lines), language)


@dataclass(slots=True)
class Structure:
    """The text of a page and its structural elements, each in document order. White space is collapsed."""

    text: str = ""
    """All text that is shown; of formulas, their LaTeX."""
    code: list[Code] = field(default_factory=list)
    """Blocks of code."""
    tables: list[Table] = field(default_factory=list)
    """Tables, header rows included."""
    formulas: list[str] = field(default_factory=list)
    """LaTeX of formulas, without white space."""
    links: list[tuple[str, str]] = field(default_factory=list)
    """Text and target of links to other pages; links without text are left out."""
    headings: list[tuple[int, str]] = field(default_factory=list)
    """Level (1 to 6) and text of headings."""
    items: list[tuple[int, str]] = field(default_factory=list)
    """Depth (from 1) of list items, and their own text without that of lists inside. Notes are items, too."""
    definitions: list[str] = field(default_factory=list)
    """Terms and definitions. Markdown has no such lists: items that hold them are neither right nor wrong."""


@dataclass(frozen=True, slots=True)
class StructurePage:
    """A page whose structure is known."""

    id: str
    """Identifier, unique within its set."""
    url: str
    """Address."""
    html: str = field(repr=False)
    """Markup."""
    truth: Structure = field(repr=False)
    """Its structure, the template aside."""


def squeeze(text: str) -> str:
    """Collapse white space."""
    return " ".join(text.split())


def squeeze_formula(latex: str) -> str:
    """Take the white space out of LaTeX, which means nothing in it, and braces or a style around it."""
    bare = "".join(latex.split())
    bare = bare.removeprefix(r"\displaystyle").removeprefix(r"\textstyle")
    while bare.startswith("{") and bare.endswith("}") and _closes_last(bare):
        bare = bare[1:-1].removeprefix(r"\displaystyle").removeprefix(r"\textstyle")
    return bare


def _closes_last(text: str) -> bool:
    """Tell whether the first brace is closed by the last one."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "{") - (letter == "}")
        if depth == 0:
            return place == len(text) - 1
    return False


@cache
def parser() -> MarkdownIt:
    """Give the parser of Markdown; raises MissingExtra where it is not installed."""
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
    """Read Markdown.

    Parameters
    ----------
    markdown
        The text.
    url
        The page's URL. Links to places in the page itself are left out.
    resolve
        Whether targets of links are resolved against the URL; else they stay as written.

    Returns
    -------
    Structure
        Its elements.

    Raises
    ------
    MissingExtra
        The parser is not installed.
    """
    reader = _Reader(url, resolve=resolve)
    reader.read(parser().parse(markdown))
    reader.found.text = squeeze(" ".join(reader.parts))
    reader.found.items = [(depth, squeeze(" ".join(parts))) for depth, parts in reader.items]
    return reader.found


class _Reader:
    """Collects the elements of one text from the tokens of the parser."""

    def __init__(self, url: str, *, resolve: bool) -> None:
        self.url = url
        self.resolve = resolve
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
                self._formula(token.content)
            elif kind == "html_block":
                self._html(token.content)
            elif kind == "heading_open":
                self._heading = int(token.tag[1])
            elif kind in ("list_item_open", "footnote_open"):
                text: list[str] = []
                self._open.append(text)
                self.items.append((len(self._open), text))
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
                parts.append(self._formula(token.content, shown=False))
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
            text = _DELIMITED.sub(lambda found: self._formula(found[1] or found[2], shown=False), text)
        return text

    def _formula(self, latex: str, *, shown: bool = True) -> str:
        formula = squeeze_formula(latex)
        self.found.formulas.append(formula)
        if shown:
            self.parts.append(formula)
        return formula

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
    """Give the cells of a row in markup, and empty cells for further columns of a cell."""
    cells: list[str] = []
    for cell in row.select("td, th"):
        span = str(cell.attrs.get("colspan") or "1")
        cells += [squeeze(cell.text), *[""] * (min(int(span), 100) - 1 if span.isdecimal() else 0)]
    return tuple(cells)
