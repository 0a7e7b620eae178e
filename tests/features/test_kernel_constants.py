"""Constants that the kernels share with the Python side are equal."""

from __future__ import annotations

from detemplate.features import linkflags, node, wordtables
from tests.support.pxd import enums


def test_flags_of_links() -> None:
    [flags] = enums("features/_linkflags.pxd")
    assert flags.pop("HIDDEN") == 16
    assert flags == {name: getattr(linkflags, name) for name in flags}


def test_tables_of_words() -> None:
    constants = {name: value for enum in enums("features/_wordtables.pxd") for name, value in enum.items()}
    assert len(constants) == 8
    assert constants == {name: getattr(wordtables, name) for name in constants}


def test_features_of_nodes() -> None:
    features, work = enums("features/_nodefeatures.pxd")
    *names, total = features
    assert [name.lower() for name in names] == list(node.NAMES)
    assert [*features.values()] == list(range(features[total] + 1))
    assert [*work.values()] == list(range(node._WORK_ROWS + 1))
