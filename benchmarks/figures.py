"""Copy figures from the results (benchmarks/results/) into the documents that quote them.

A document marks what is copied. A table between two marks has columns of a table of the results::

    <!-- table: index; sites: sizes; method; markup, bytes as markup; postings; rows: auto | sandwich -->
    <!-- /table -->

and a figure within a sentence is one cell, without its interval::

    it saves <!--= index; sites: sizes; sandwich; postings -->−10 %<!--/--> of the postings

First comes the file, ``NAME`` or ``NAME/table`` in benchmarks/results/ without its ending; then the
section; then columns with their new titles, or the row and the column of the cell. Sections, rows and
columns are named by their beginnings. ``A & B`` is the row whose first cells are A and B. ``means`` among
the columns leaves out intervals; ``SECTION >> COLUMN`` is a column of another section, and ``FILE >>
SECTION >> COLUMN`` of another file, found by the first cell of each row; ``COLUMN#2`` is the second one of
that name; ``COLUMN~.1%`` formats a column of a CSV file.
"""

from __future__ import annotations

import csv
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.errors import UserError
from lab.harness.command import RESULTS, Parser, run
from lab.harness.tables import cell as formatted
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT: Final = Path(__file__).parents[1]
_TABLE: Final = re.compile(r"(<!-- table: (.*?) -->\n)(?:\|[^\n]*\n)*(?=<!-- /table -->)", re.DOTALL)
_CELL: Final = re.compile(r"(<!--= (.*?) -->).*?(?=<!--/-->)", re.DOTALL)
_INTERVAL: Final = re.compile(r" \[[^\]]*\]")
_MARKUP: Final = re.compile(r"\*\*|`")


class Table(NamedTuple):
    """A table of the results: the section that it stands in, its columns and its cells."""

    section: str
    columns: list[str]
    rows: list[list[str]]


@lru_cache(maxsize=64)
def tables_of(name: str) -> list[Table]:
    """Read the tables of a results file; the section of a CSV file's is empty."""
    for path in (RESULTS / name / "table.md", RESULTS / f"{name}.md"):
        if path.is_file():
            return _markdown_tables(path.read_text(encoding="utf-8"))
    path = RESULTS / f"{name}.csv"
    if not path.is_file():
        raise UserError(f"there are no results {name} in {RESULTS}")
    columns, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    return [Table("", columns, rows)]


def _markdown_tables(text: str) -> list[Table]:
    found: list[Table] = []
    section, within = "", False
    for line in text.splitlines():
        if line.startswith("#"):
            section = line.lstrip("# ")
        cells = [_MARKUP.sub("", cell).strip() for cell in line.strip().removeprefix("|").split("|")[:-1]]
        if not line.startswith("|"):
            within = False
        elif not within:
            found.append(Table(section, cells, []))
            within = True
        elif not re.fullmatch(r"[-:|]+", line):
            found[-1].rows.append(cells)
    return found


def _place(names: Sequence[str], wanted: str) -> int | None:
    """Find a name, or the first that begins with what is wanted; ``NAME#2``: the second."""
    wanted, _, number = wanted.partition("#")
    equal = [n for n, name in enumerate(names) if name == wanted]
    able = equal or [n for n, name in enumerate(names) if name.startswith(wanted)]
    place = int(number or 1) - 1
    return able[place] if place < len(able) else None


def _find(
    name: str, section: str, columns: Sequence[str], row: str | None = None
) -> tuple[Table, list[int], int]:
    """Find the first table of a section with the columns, and with the row; return their places, too."""
    for table in tables_of(name):
        if not table.section.startswith(section):
            continue
        places = [_place(table.columns, column.partition("~")[0]) for column in columns]
        number = 0 if row is None else _row(table, row)
        if number is not None and None not in places:
            return table, [place for place in places if place is not None], number
    wanted = ", ".join([*columns, *([f"row {row}"] if row is not None else [])])
    raise UserError(f"the results {name} have no table with {wanted} in a section {section!r}")


def _row(table: Table, row: str) -> int | None:
    """Find a row by its first cells: equal ones, or those that begin so."""
    parts = row.split(" & ")
    for equal in (True, False):
        for number, cells in enumerate(table.rows):
            pairs = zip(cells, parts, strict=False)
            if all(cell == part if equal else cell.startswith(part) for cell, part in pairs):
                return number
    return None


def _shown(text: str, column: str, *, means: bool) -> str:
    """Write a cell as a document shows it."""
    form = column.partition("~")[2]
    if form:
        text = formatted(float(text) if text else None, form)
    return _INTERVAL.sub("", text) if means else text


def cell(reference: str) -> str:
    """Return the cell that a mark names."""
    name, section, row, column = _parts(reference, 4)
    table, [place], number = _find(name, section, [column], row)
    return _shown(table.rows[number][place], column, means=True)


def table(reference: str) -> str:
    """Return the table that a mark names."""
    name, section, *columns = _parts(reference)
    means, rows = "means" in columns, None
    titled = []
    for column in columns:
        source, _, title = (part.strip() for part in f" {column}".partition(" as "))
        if column.startswith("rows:"):
            rows = [row.strip() for row in column.removeprefix("rows:").split("|")]
        elif column != "means":
            titled.append((source, title or source.rpartition(">>")[2].strip().partition("~")[0]))
    own = [source for source, _ in titled if ">>" not in source]
    base, places, _ = _find(name, section, own)
    numbers = range(len(base.rows)) if rows is None else [_find(name, section, own, row)[2] for row in rows]
    written = []
    for number in numbers:
        cells = base.rows[number]
        shown = {
            source: _shown(cells[at], source, means=means) for source, at in zip(own, places, strict=True)
        }
        written.append([
            shown[source] if source in shown else _elsewhere(name, source, cells[0], means=means)
            for source, _ in titled
        ])  # fmt: skip
    return markdown_table([title for _, title in titled], written) + "\n"


def _elsewhere(name: str, source: str, row: str, *, means: bool) -> str:
    """Return a cell of another section; a dash where its table has no such row."""
    *places, column = (part.strip() for part in source.split(">>"))
    table, [place], _ = _find(places[0] if len(places) > 1 else name, places[-1], [column])
    number = next((n for n, cells in enumerate(table.rows) if cells[0] == row), None)
    return "–" if number is None else _shown(table.rows[number][place], column, means=means)


def _parts(reference: str, count: int | None = None) -> list[str]:
    parts = [part.strip() for part in reference.split(";")]
    if len(parts) < 3 or (count is not None and len(parts) != count):
        raise UserError(f"{reference!r} is no mark of a figure: see python -m benchmarks.figures --help")
    return parts


def updated(text: str) -> str:
    """Return a document with the figures that its marks name."""
    for pattern, copied in ((_TABLE, table), (_CELL, cell)):
        text = pattern.sub(lambda mark, copied=copied: mark[1] + copied(" ".join(mark[2].split())), text)  # type: ignore[misc]
    return text


def documents() -> list[Path]:
    """List the documents that may have marks."""
    return [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


def main(arguments: Sequence[str] | None = None) -> int:
    """Update the documents; with ``--check`` only tell which differ. Return the exit code."""
    parser = Parser("benchmarks.figures", __doc__)
    parser.add_flag("--check", "change nothing, exit 1 if a document differs from the results")
    options = parser.read(arguments)
    differ = []
    for path in documents():
        text = path.read_text(encoding="utf-8")
        if (new := updated(text)) != text:
            differ.append(str(path.relative_to(ROOT)))
            if not options.check:
                path.write_text(new, encoding="utf-8")
    print("\n".join(differ) or "all documents are as the results")
    return 1 if options.check and differ else 0


if __name__ == "__main__":
    run(main)
