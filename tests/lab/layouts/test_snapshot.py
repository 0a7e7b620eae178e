from __future__ import annotations

import re

import numpy as np
from hypothesis import given, settings

from detemplate.errors import PageError
from detemplate.page.columns import ELEMENT
from detemplate.page.page import Page
from lab.layouts.snapshot import STAMP, layout_of, stamped
from tests.support.soup import soups

STAMPS = re.compile(rf' {STAMP}="\d+"'.encode())


def page(html: str) -> Page:
    return Page("http://e.org/", html)


@given(soups)
@settings(max_examples=100)
def test_stamps_name_the_rows_and_change_nothing_else(html: str) -> None:
    try:
        made = page(html)
    except PageError:
        return
    written = stamped(made, frames=True)
    plain = STAMPS.sub(b"", written).replace(b"<style>noscript{display:none!important}</style>", b"", 1)
    assert plain.replace(b' http-equiv="none"', b"") == made.canonical
    columns = made.columns
    for found in STAMPS.finditer(written):
        row = int(found[0].split(b'"')[1])
        assert columns.kind[row] == ELEMENT
        name = re.compile(rb"<[^ >]+").match(made.canonical, int(columns.start[row]))
        assert name is not None
        assert written[: found.start()].endswith(name[0])
    assert len(STAMPS.findall(written)) == np.count_nonzero(columns.kind == ELEMENT)


def test_a_page_cannot_lead_away_nor_load_frames() -> None:
    html = "<meta http-equiv=Refresh content='0;url=http://a/'><head class='a>b'><meta charset=utf-8><iframe src=http://a/>"
    made = page(html)
    written = stamped(made)
    assert written.count(b'http-equiv="none" http-equiv="Refresh"') == 1
    assert b'src="about:blank" src="http://a/"' in written
    assert b'src="about:blank"' not in stamped(made, frames=True)


def snapshot(nodes: list[tuple[int, int, str | None, int | None]], boxes: dict[int, list[float]]) -> dict:
    """A snapshot of (parent, type, text, stamped row) nodes."""
    strings = [STAMP, *(text or "" for _, _, text, _ in nodes), *(str(row) for *_, row in nodes)]
    count = len(nodes)
    by_name = {
        "parentIndex": [above for above, *_ in nodes],
        "nodeType": [kind for _, kind, *_ in nodes],
        "nodeValue": [-1 if node[2] is None else 1 + i for i, node in enumerate(nodes)],
        "attributes": [[] if node[3] is None else [0, 1 + count + i] for i, node in enumerate(nodes)],
    }
    layout = {"nodeIndex": list(boxes), "bounds": list(boxes.values())}
    document = {"nodes": by_name, "layout": layout, "contentWidth": 1024, "contentHeight": 900}
    return {"strings": strings, "documents": [document]}


def test_an_element_that_the_browser_made_twice_has_both_boxes() -> None:
    made = page("<body><b>x</b>")
    rows = dict(zip(["html", "head", "body", "b", "x"], range(5), strict=True))
    element = (0, 1, None, rows["b"])
    nodes = [(-1, 9, None, None), element, element, (2, 3, "x", None), (2, 3, " ", None)]
    boxes = {1: [10, 20, 5, 5], 2: [0, 40, 8, 10], 3: [1, 41, 6, 8], 4: [9, 9, 9, 9]}
    layout = layout_of(made, snapshot(nodes, boxes))
    sides = np.stack([layout.left, layout.top, layout.width, layout.height], axis=1)
    assert sides[rows["b"]].tolist() == [0, 20, 15, 30]
    assert sides[rows["x"]].tolist() == [1, 41, 6, 8]
    assert layout.area[0] == 0
    assert (layout.page_width, layout.page_height) == (1024, 900)


def test_texts_are_paired_by_what_they_say_where_some_are_missing() -> None:
    made = page("<p>one<br>two<br>three</p>")
    p = 3
    texts = made.segments.tolist()
    texts_shown = [(1, 3, text, None) for text in (" two ", "three", "four", "five")]
    nodes = [(-1, 9, None, None), (0, 1, None, p), *texts_shown]
    layout = layout_of(made, snapshot(nodes, {2: [1, 2, 3, 4], 3: [5, 6, 7, 8], 4: [9, 9, 9, 9]}))
    assert layout.area[texts].tolist() == [0, 12, 56]
    made = page("<p>" + "a<br>b<br>" * 30_000 + "c</p>")  # none of the browser's texts is there
    texts_shown = [(1, 3, "b" if number == 1 else "d", None) for number in range(40_000)]
    layout = layout_of(made, snapshot([*nodes[:2], *texts_shown], {3: [1, 2, 3, 4]}))
    assert layout.area[made.segments].tolist() == [0, 12, *[0] * 59_999]
