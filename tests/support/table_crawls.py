"""Small crawls as tables, and both algorithms in plain Python."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from detemplate.links.engine import DuckEngine
from detemplate.links.tables import TABLES

Template = tuple[int, int, int, int, int]
Members = dict[int, set[tuple[int, int]]]


class SmallCrawl(NamedTuple):
    """``pages``: key to (host, page shingle); ``pagelets``: (page, shingle); ``links``: (from, to)."""

    pages: dict[int, tuple[str, int]]
    pagelets: list[tuple[int, int | None]]
    links: list[tuple[int, int]]

    def serials(self) -> list[tuple[int, int, int | None]]:
        """Give (page, serial, shingle) of all pagelets."""
        counts: dict[int, int] = defaultdict(int)
        rows = []
        for page, shingle in self.pagelets:
            rows.append((page, counts[page], shingle))
            counts[page] += 1
        return rows

    def tables(self) -> dict[str, pa.Table]:
        pages = [
            {
                "page_key": key,
                "url": f"http://{host}/{key}",
                "site": host,
                "title": "",
                "page_shingle": shingle,
                "text": "",
                "pagelets": 0,
                "links": 0,
            }
            for key, (host, shingle) in self.pages.items()
        ]
        pagelets = [
            {
                "page_key": page,
                "pagelet_serial": serial,
                "pagelet_shingle": shingle,
                "links": 0,
                "start": 0,
                "stop": 0,
                "text": f"text of {shingle}, page {page}, {serial}",
            }
            for page, serial, shingle in self.serials()
        ]
        links = [
            {
                "src_page_key": source,
                "src_pagelet_serial": 0,
                "link_serial": serial,
                "dest_page_key": target,
                "dest_url": "",
                "anchor": "",
                "context": "",
            }
            for serial, (source, target) in enumerate(self.links)
        ]
        rows = {"pages": pages, "pagelets": pagelets, "links": links}
        return {name: pa.Table.from_pylist(rows[name], schema) for name, schema in TABLES.items()}

    def write(self, directory: Path) -> Path:
        for name, table in self.tables().items():
            (directory / name).mkdir(parents=True, exist_ok=True)
            pq.write_table(table, directory / name / "part.parquet")
        return directory


def components(edges: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Give the least node of each node's component; nodes without another neighbour are left out."""
    parent: dict[int, int] = {}

    def root(node: int) -> int:
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    for one, other in edges:
        if one != other:
            low, high = sorted((root(one), root(other)))
            parent[high] = low
    return {node: root(node) for node in parent}


def plain_templates(crawl: SmallCrawl, algorithm: str, min_pages: int = 2) -> tuple[list[Template], Members]:
    """Figures 4 and 5 word by word: rows of ``templates``, and of ``template_pagelets`` by template."""
    kept = set(crawl.pages)
    if algorithm == "local":
        first: dict[int, int] = {}
        for key in sorted(crawl.pages):
            first.setdefault(crawl.pages[key][1], key)
        kept = set(first.values())
    groups: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for page, serial, shingle in crawl.serials():
        if shingle is not None and page in kept:
            groups[shingle].append((page, serial))
    found = []
    for shingle, occurrences in groups.items():
        if len(occurrences) < 2:
            continue
        pages = {page for page, _ in occurrences}
        if algorithm == "local":
            labels = dict.fromkeys(pages, min(pages)) if len(pages) > 1 else {}
        else:
            labels = components((a, b) for a, b in crawl.links if a in pages and b in pages)
        for label in set(labels.values()):
            members = {(page, serial) for page, serial in occurrences if labels.get(page) == label}
            count = len({page for page, _ in members})
            hosts = len({crawl.pages[page][0] for page, _ in members})
            if count >= min_pages:
                found.append((-count, shingle, label, len(members), hosts, members))
    found.sort(key=lambda one: one[:3])
    templates = [
        (number, shingle, -negative, pagelets, hosts)
        for number, (negative, shingle, _, pagelets, hosts, _) in enumerate(found, 1)
    ]
    return templates, {number: one[5] for number, one in enumerate(found, 1)}


@st.composite
def small_crawls(draw: st.DrawFn) -> SmallCrawl:
    """Draw a crawl, from empty to dense: sizes are drawn, what is in it follows from a seed."""
    random = draw(st.randoms(use_true_random=False))
    keys = random.sample([*range(-12, 12), -(2**63), 2**63 - 1], draw(st.integers(0, 14)))
    if not keys:
        return SmallCrawl({}, [], [])
    copies = draw(st.integers(1, 12))
    pages = {key: (f"{random.choice('abc')}.example", random.randint(-copies, copies)) for key in keys}
    shingles = [None, 0, -(2**63), 2**63 - 1, -1, 1][: draw(st.integers(1, 6))]
    pagelets = [(random.choice(keys), random.choice(shingles)) for _ in range(draw(st.integers(0, 45)))]
    # Also links from a page to itself, twice, in both directions, and to pages outside.
    targets = [*keys, 1_000]
    links = [(random.choice(keys), random.choice(targets)) for _ in range(draw(st.integers(0, 30)))]
    return SmallCrawl(pages, pagelets, links)


def sister_sites(*links: tuple[int, int]) -> SmallCrawl:
    """Three hosts of two pages, all with the navigation bar 77; pages of a host link to each other."""
    hosts = {key: f"{host}.example" for key, host in enumerate("aabbcc", 1)}
    return SmallCrawl(
        {key: (host, key) for key, host in hosts.items()},
        [(key, 77) for key in hosts] + [(key, 1000 + key) for key in hosts],
        [(1, 2), (4, 3), (5, 6), *links],
    )


def stored(path: Path, query: str) -> list[tuple[object, ...]]:
    """Ask the tables that were put into a crawl."""
    with DuckEngine(memory="1GB", threads=1) as engine:
        for name in ("templates", "template_pagelets"):
            engine.source(name, path / name)
        return sorted(engine.rows(query))
