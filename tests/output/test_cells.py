"""A cell of a table of data goes only with its row, its column or its table."""

import numpy as np
import pytest

from detemplate.detectors.verdict import Verdict
from detemplate.output.result import Result
from detemplate.output.settled import settled
from detemplate.page.page import Page


def judged(table):
    """Clean a page of which all texts in capitals are template by the method."""
    page = Page("http://e.org/", f"<body><p>Some text.</p>{table}")
    texts = [page.segment_text(number) for number in range(len(page.segments))]
    scores = np.array([0.9 if text.isupper() else 0.1 for text in texts], np.float32)
    return Result(page, settled(page, Verdict(scores)), "test")


def rows(*lines, cell="td"):
    """Write rows; cells are separated by bars."""
    return "".join(
        f"<tr>{''.join(f'<{cell}>{each}</{cell}>' for each in line.split('|'))}</tr>" for line in lines
    )


HEAD = rows("Year|PRICE|Town", cell="th")


@pytest.mark.parametrize(
    ("table", "stay"),
    [
        (f"<table>{HEAD}{rows('1990|5|Bonn', '1991|6|Ulm')}</table>", ["PRICE"]),
        (f"<TABLE BORDER=1>{rows('a|B', 'c|d', 'e|f')}</TABLE>", ["B"]),
        (f"<table>{rows('a|b|C', 'd|e|f', 'g|h|i')}</table>", ["C"]),  # as many short cells a row
        ("<table><tr><th>RAM<td>four<tr><th>Port<td>two<tr><th>Size<td>3 cm</table>", ["RAM"]),
        ("<table><tr><th>A<td>x<tr><th>B<td>z<tr><th>Size<td>3 cm</table>", ["A", "B"]),
        ("<table border=1><tr><td rowspan=2>x<td>y<td>Z<tr><td>u<td>v<tr><td>r<td>s<td>t</table>", ["Z"]),
        # What stays for its column lets others stay for their rows.
        (f"<table border=1>{rows('a|b|C|D', 'e|f|g|H', 'i|j|k|l')}</table>", ["C", "D", "H"]),
    ],
)
def test_a_cell_stays_with_its_row_and_column(table, stay):
    result = judged(table)
    assert result.template_segments == 0
    texts = [result.page.segment_text(number) for number in range(result.segments)]
    for text in stay:
        told = result.explained(texts.index(text))
        assert told["causes"] == [{"cause": "cell", "weight": -1.0}]
        assert told["score"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    "table",
    [
        f"<table>{HEAD.replace('PRICE', 'Price')}{rows('1990|5|Bonn', 'NEXT|PAGE|MORE')}</table>",  # a row
        f"<table>{HEAD}{rows('1990|BUY|Bonn', '1991|BUY|Ulm')}</table>",  # a column
        f"<table>{rows('a|b|C', 'd|e|f', 'g|h|i').replace('<td>a', '<td><h2>x</h2>a')}</table>",  # lays out
        f"<table>{rows('a|B', 'c|d')}</table>",  # two rows
        f"<table role=presentation border=1>{rows('a|b|C', 'd|e|f', 'g|h|i')}</table>",
        f"<table border=1>{rows('PREV|UP|Chapter 7|HOME|NEXT')}</table>",  # most of the row
        "<table border=1><tr><td>a<table><tr><td>b</table><td>C<tr><td>d<td>e</table>",  # a table in it
    ],
)
def test_rows_columns_and_parts_of_layouts_go(table):
    result = judged(table)
    texts = [result.page.segment_text(number) for number in range(result.segments)]
    assert [text for text in texts if text.isupper()] == result.removed_texts()
    assert result.removed_texts()
