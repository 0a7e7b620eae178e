"""Tables, before turbohtml renders them.

turbohtml pads the cells of plain text to the width of the widest, and writes tables whose rows differ in
length, or with merged cells, as HTML in Markdown. Here a table that lays a page out becomes blocks. Of a
table of data, text gets lines, and Markdown a table whose rows are equally long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import turbohtml
from turbohtml import Element, Text

from detemplate.output.remains import LISTS

if TYPE_CHECKING:
    from turbohtml import PlainText

    from detemplate.output.options import Tables

    Row = list[Element]

_SECTIONS: Final = ("tbody", "thead", "tfoot")  # elements between a table and its rows
_PARTS: Final = ("caption", "colgroup", *_SECTIONS, "tr")  # elements right below a table

LAYOUT: Final = (
    "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "article", "section", "ul", "ol", "dl",
)  # fmt: skip
"""Elements that cells of a table without header cells do not have, unless it lays the page out."""

_FEW: Final = 3  # a table of so few rows with one text each, such as a numbered formula, lays the page out
_PARAGRAPHS: Final = 2  # a cell with so many paragraphs lays the page out, in a table without header cells
_WIDEST: Final = 1000  # most columns of a cell, as in HTML

# A cell that takes so many columns more than a row has cells does not say how wide the table is.
_WIDER: Final = 20

_SPARSE: Final = 4  # a table is made rectangular unless that gives it more than so many times its cells
_SMALL: Final = 4000  # a table of so many cells is always made rectangular


def write_tables(
    document: turbohtml.Document, style: Tables, options: PlainText | None, *, markdown: bool
) -> None:
    """Change the tables of a DOM so that turbohtml writes them as wanted.

    ``style``: how tables of data are written.
    ``options``: how the texts of cells are rendered.
    ``markdown``: whether the DOM becomes Markdown.
    """
    for foot in document.select("tfoot"):
        above = foot.parent
        if isinstance(above, Element) and above.tag == "table":
            above.append(foot)  # browsers show it last, wherever it stands
    tables = list(document.iter_elements("table"))
    outer = [next(table.iter_elements("table"), None) is not None for table in tables]
    for table, nested in zip(reversed(tables), reversed(outer), strict=True):  # inner ones first
        rows = _rows(table)
        if nested or _is_layout(table, rows):
            _as_blocks(table, rows)
        elif style == "none":
            table.decompose()
        elif markdown and style == "markdown":
            _level(table, rows)
        else:
            _write(table, rows, style, options, markdown=markdown)


def _rows(table: Element) -> list[Row]:
    """Give the cells of each row of a table, without those of tables inside."""
    rows = []
    for node in table.children:
        if isinstance(node, Element) and node.tag in _SECTIONS:
            rows += [row for row in node.children if isinstance(row, Element) and row.tag == "tr"]
        elif isinstance(node, Element) and node.tag == "tr":
            rows.append(node)
    return [_cells(row) for row in rows]


def _cells(row: Element) -> Row:
    return [cell for cell in row.children if isinstance(cell, Element) and cell.tag in ("td", "th")]


def _as_blocks(table: Element, rows: list[Row]) -> None:
    """Make blocks of a table, its caption and its cells."""
    table.tag = "div"
    for part in table.children:
        if isinstance(part, Element) and part.tag in _PARTS:
            if part.tag in _SECTIONS:
                for inner in part.children:
                    if isinstance(inner, Element) and inner.tag == "tr":
                        inner.tag = "div"
            part.tag = "div"
    for row in rows:
        for cell in row:
            cell.tag = "div"


def _is_layout(table: Element, rows: list[Row]) -> bool:
    """Tell whether a table lays the page out."""
    if table.attr("role") in ("presentation", "none"):
        return True
    if any(cell.tag == "th" for row in rows for cell in row):
        return False
    if max(map(len, rows), default=0) <= 1:
        return True
    if any(each.tag != "pre" or "\n" in each.text.strip() for each in table.iter_elements(LAYOUT)):
        return True
    if len(rows) <= _FEW and all(sum(bool(cell.text.strip()) for cell in row) <= 1 for row in rows):
        return True
    paragraphs = [each.parent for each in table.iter_elements("p")]
    return any(one == other for one, other in zip(paragraphs, paragraphs[_PARAGRAPHS - 1 :], strict=False))


def _span(cell: Element, name: str) -> int:
    """Give the columns or rows of a cell."""
    written = cell.attr(name)
    if not written or not (written.isascii() and written.strip().isdigit()) or len(written) > 9:
        return 1 if not written or len(written) <= 9 else _WIDEST
    return min(max(int(written), 1), _WIDEST)


def _grid(rows: list[Row]) -> list[list[Element | None]]:
    """Give the cells of each row by column, with None where a cell of the row or above goes on."""
    if not any(cell.attr("colspan") or cell.attr("rowspan") for row in rows for cell in row):
        plain: list[list[Element | None]] = [list(row) for row in rows if row]
        return plain
    spans = [[_span(cell, "colspan") for cell in row] for row in rows]
    most = max(map(len, rows)) + _WIDER
    widest = max((sum(row) for row in spans if max(row, default=0) <= most), default=1)
    count = sum(map(len, rows))
    bounded = widest * len(rows) <= max(_SPARSE * count, _SMALL)
    grid: list[list[Element | None]] = []
    below: dict[int, int] = {}  # of each column, the rows that a cell above still takes
    for row, wide in zip(rows, spans, strict=True):
        line: list[Element | None] = []
        for cell, columns in zip(row, wide, strict=True):
            while below.get(len(line), 0):
                below[len(line)] -= 1
                line.append(None)
            depth = _span(cell, "rowspan") if bounded else 1
            for number in range(
                max(min(columns, widest - len(line) - (columns > most)), 1) if bounded else 1
            ):
                if depth > 1:
                    below[len(line)] = depth - 1
                line.append(None if number else cell)
        for column, depth in below.items():
            if column >= len(line) and depth:
                below[column] -= 1
        if row:
            grid.append(line)
    return grid


def _level(table: Element, rows: list[Row]) -> None:
    """Make the rows of a table equally long: merged cells are followed by empty ones."""
    grid = _grid(rows)
    width = max(map(len, grid), default=0)
    if width * len(grid) > max(_SPARSE * sum(map(len, rows)), _SMALL):
        _as_blocks(table, rows)
        return
    for line in grid:
        last: Element | None = None
        early = 0  # empty cells before the first one
        for cell in [*line, *[None] * (width - len(line))]:
            if cell is not None:
                for name in ("colspan", "rowspan"):
                    if cell.attr(name) is not None:
                        del cell.attrs[name]
                for _ in range(early):
                    cell.insert_before(Element("td"))
                early, last = 0, cell
            elif last is None:
                early += 1
            else:
                empty = Element("td")
                last.insert_after(empty)
                last = empty
    for row in [row for row in table.iter_elements("tr") if not _cells(row)]:
        row.decompose()
    for listing in list(table.iter_elements(LISTS)):
        listing.insert_after(Text(" "))  # turbohtml joins the last item and the text behind the list


def _write(
    table: Element, rows: list[Row], style: Tables, options: PlainText | None, *, markdown: bool
) -> None:
    """Replace a table by its lines, and its caption by a block before them."""
    grid = [
        ["" if cell is None else " ".join(cell.to_text(options).split()) for cell in line]
        for line in _grid(rows)
    ]
    grid = [line for line in grid if any(line)]
    for caption in [node for node in table.children if isinstance(node, Element) and node.tag == "caption"]:
        caption.tag = "div"
        table.insert_before(caption)
    if not grid:
        table.decompose()
        return
    if style == "tsv":
        text = "\n".join("\t".join(line).rstrip("\t") for line in grid)
    else:
        width = max(map(len, grid))
        lines = [[cell.replace("|", "\\|") for cell in line] + [""] * (width - len(line)) for line in grid]
        text = "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], ["---"] * width, *lines[1:]])
    block = Element("pre")
    block.append(Element("code", {"class": "language-tsv"}, [Text(text)]) if markdown else Text(text))
    table.replace_with(block)
