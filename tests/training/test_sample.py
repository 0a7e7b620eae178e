"""Sampling of nodes: it does not depend on the order of the records."""

import random

import numpy as np

from detemplate.features.node import node_features
from detemplate.layout.layout import estimated_layout
from detemplate.layout.store import LayoutStore
from detemplate.layout.visible import visible_tree
from detemplate.page.page import Page
from detemplate.training.labels import Labelling, SiteLabels
from detemplate.training.sample import collect
from detemplate.training.sampling import Sampling
from lab.layouts.storing import LayoutWriter
from tests.support.training_sites import site_records, source_of, write_jsonl

SMALL = Sampling(min_pages=5)


def taken(path, records, sampling=SMALL):
    return collect(source_of(write_jsonl(path / "pages.jsonl", records)), sampling)


def test_all_nodes_of_a_site_with_their_features_and_labels(tmp_path):
    records = site_records("a.org", 8)
    sample = taken(tmp_path, records, Sampling(min_pages=5, nodes_per_page=10_000))
    pages = [Page(record["url"], record["html"], site="a.org") for record in records]
    labels = SiteLabels(Labelling())
    for page in pages:
        labels.learn(page)
    rows = []
    for page in pages:
        layout = estimated_layout(page)
        tree = visible_tree(page, layout)
        table, template = node_features(page, layout), labels.template(page)
        assert (tree.area >= 2000).all()
        rows += [(*table[row], area, template[row]) for row, area in zip(tree.rows, tree.area, strict=True)]
    got = [
        (*values, area, label)
        for values, area, label in zip(sample.table, sample.area, sample.template, strict=True)
    ]
    assert sorted(got) == sorted(rows)
    assert sample.layout == "estimated"
    assert 0 < sample.template.mean() < 1


def test_rendered_layouts_are_used_if_given(tmp_path):
    records = site_records("a.org", 8)
    with LayoutWriter(str(tmp_path / "layout.parquet"), {}) as writer:
        for record in records[:6]:
            page = Page(record["url"], record["html"])
            writer.write(page, estimated_layout(page, width=500))
    source = source_of(write_jsonl(tmp_path / "pages.jsonl", records))
    sample = collect(source, SMALL, LayoutStore.open(str(tmp_path / "layout.parquet")))
    assert sample.layout == "rendered"
    assert sample.sites[0].pages == 6
    assert sample.skipped["no layout"] == 2
    page = Page(records[0]["url"], records[0]["html"])
    assert set(sample.area.tolist()) & set(
        visible_tree(page, estimated_layout(page, width=500)).area.tolist()
    )


def test_sites_of_few_pages_are_left_out_and_reported(tmp_path):
    records = site_records("a.org", 6) + site_records("b.org", 4) + site_records("c.org", 5)
    records[-1]["html"] = "  \n"  # c.org has only 4 valid pages
    records += [dict(records[0]), dict(records[6])]  # a repeated URL is no new page
    sample = taken(tmp_path, records)
    assert [(site.name, site.pages) for site in sample.sites] == [("a.org", 6)]
    assert sample.skipped["site of few pages"] >= 1
    assert sample.skipped["duplicate url"] == 2


def same(one, other):
    return one.sites == other.sites and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("table", "area", "template", "site")
    )


def test_the_order_of_the_records_does_not_matter(tmp_path):
    records = [record for site in ("b.org", "a.org", "c.org") for record in site_records(site, 12)]
    sampling = Sampling(min_pages=5, pages_per_site=7, nodes_per_page=6)
    first = taken(tmp_path, records, sampling)
    mixed = random.Random(1).sample(records, len(records))
    assert same(first, taken(tmp_path, mixed, sampling))
    assert [site.name for site in first.sites] == ["a.org", "b.org", "c.org"]
    assert [site.pages for site in first.sites] == [7, 7, 7]
    assert [site.nodes for site in first.sites] == np.bincount(first.site).tolist() == [42, 42, 42]
