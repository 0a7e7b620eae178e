"""Loading labelled sets."""

import pytest
import zstandard

from detemplate.errors import UserError
from lab.labelled.datasets import load_sets


def test_values_are_stated_as_a_list_or_by_attribute(labelled_data):
    """Addresses and codes, such as InStock, are no values that a page shows."""
    golds = {
        name: next(load_sets([name], labelled_data)[0].pages()).gold
        for name in ("bananalyzer", "zyte-product")
    }
    assert {name: gold and gold.values for name, gold in golds.items()} == {
        "bananalyzer": ("one", "two"), "zyte-product": ("two",),
    }  # fmt: skip


def test_pages_of_a_site_come_together(labelled_data):
    [labelled] = load_sets(["wcxb-dev"], labelled_data)
    assert [[page.id for page in site] for site in labelled.sites()] == [["1"], ["0", "2"], ["3"]]
    assert [page.id for page in labelled.pages()] == ["0", "1", "2", "3"]
    assert labelled.count_gold() == 4


def test_gold(labelled_data):
    names = ["wcxb-dev", "dragnet-hosts", "swde-22", "sites/blog"]
    pages = {labelled.name: list(labelled.pages()) for labelled in load_sets(names, labelled_data)}
    news, blog = pages["wcxb-dev"][0], pages["sites/blog"]
    assert news.gold
    assert (news.type, news.gold.text, news.gold.present) == ("article", "one two", ("one two",))
    assert news.gold.absent == ("Home About",)
    assert pages["dragnet-hosts"][0].gold
    assert pages["dragnet-hosts"][0].gold.comments == "one two"
    assert pages["swde-22"][0].gold
    assert pages["swde-22"][0].gold.values == ("One Two", "$5")
    assert [page.gold is None for page in blog] == [True, False, True]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"no zstd", r"cannot read the labelled set .*pages\.jsonl\.zst"),
        (lambda data: data[:-20], "1 labelled pages are missing"),
        (lambda data: zstandard.compress(b'{"id": '), r"cannot read the labelled set .*pages\.jsonl\.zst"),
    ],
)
def test_damaged_set(labelled_data, damage, message):
    path = labelled_data / "chaos" / "pages.jsonl.zst"
    path.write_bytes(damage(path.read_bytes()))
    [labelled] = load_sets(["chaos"], labelled_data)
    with pytest.raises(UserError, match=message):
        list(labelled.pages())
