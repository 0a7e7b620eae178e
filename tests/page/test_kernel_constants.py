"""Constants that kernels share with the Python side are equal."""

from __future__ import annotations

from detemplate.page import columns, scan, tags
from detemplate.page.columns import Columns
from tests.support.pxd import declared, enums


def test_node_kinds() -> None:
    [kinds] = enums("page/_markup.pxd")
    assert len(kinds) == 7
    assert kinds == {name: getattr(columns, name) for name in kinds}


def test_flags_of_tags() -> None:
    [flags] = enums("page/_tags.pxd")
    assert len(flags) == 19
    assert flags == {name: getattr(tags, name) for name in flags}
    assert {*tags._FLAGGED} <= {*flags.values()}


def test_columns_of_the_scan() -> None:
    """The three arrays have the columns in the order of their fields; what is no field is at an end."""
    arrays = enums("page/_columns.pxd")
    for rows in arrays:
        *fields, total = rows
        assert [rows[name] for name in fields] == list(range(len(fields)))
        assert rows[total] == len(fields)
    small, ints, hashes = ([name.lower() for name in rows][:-1] for rows in arrays)
    fields = [*small[:2], *ints[:-1], *hashes[:-1], ints[-1], hashes[-1]]
    assert fields == list(Columns.__slots__)
    assert small[2:] == ["context"]


def test_results_of_the_scan() -> None:
    assert declared("page/_scan.py")["NO_ROOM"] == scan.NO_ROOM
