from __future__ import annotations

import re

import numpy as np
from hypothesis import given, settings

from detemplate.errors import PageError
from detemplate.page.columns import ELEMENT
from detemplate.page.page import Page
from lab.layouts.snapshot import STAMP, stamped
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
