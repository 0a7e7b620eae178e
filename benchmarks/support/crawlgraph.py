"""Tables of a made crawl whose templates are known, to measure the algorithms that work on tables.

The sizes of the crawl's sites follow a power law. Some neighbouring sites are *sisters*: they share a header
that links to the sisters' home pages. Some sites are *mirrors*: each of their pages is a copy of a page of
another site, under another host, and no link leads from one to the other. A page has these pagelets:

- a header, shared by all pages of a site and its sisters, with links to home pages;
- a navigation bar, shared by all pages of a site, with links to sections;
- a bar shared by the (up to 20) pages of a section, with links within the section;
- a unique text, with links to other sites' home pages and out of the crawl;
- a second unique text, twice on some pages;
- on some pages a *look-alike*: a text that also stands on pages of other sites, between which there are no
  links.

The templates follow from the plan of the sites alone, not from links or tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from detemplate.algorithms.minwise import mixed
from detemplate.links.tables import LINKS, PAGELETS, PAGES

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

_SECTION: Final = 20  # most pages of a section
_CHUNK: Final = 100_000  # pages that are made and written at a time
_LARGEST: Final = 0.05  # share of all pages that the largest site has at most
_EXPONENT: Final = 1.6  # exponent of the power law of the sites' sizes
_SITES_A_LOOK_ALIKE: Final = 40  # sites with the same look-alike, counted among those that have one
_REPEATING: Final = 7  # one in this many pages has its second unique text twice
_PAGE, _HEADER, _BAR, _PART, _TEXT, _ALIKE, _OWN, _OUTSIDE = range(1, 9)
"""Kinds of keys. Equal numbers of different kinds get different keys."""


class Truth(NamedTuple):
    """Templates to find, their pages, templates on several hosts (-1: depends on which duplicate is kept)."""

    templates: int
    memberships: int
    across_hosts: int


class Crawl(NamedTuple):
    """Rows of the tables of a made crawl, hosts, and templates by algorithm: ``"local"``, ``"global"``."""

    pages: int
    pagelets: int
    links: int
    hosts: int
    truth: dict[str, Truth]


class _Plan(NamedTuple):
    """The sites, before any page is made: numbers of pages, of the home page, and of the network of each.

    Sites of one network are sisters, or mirrors of one of them. ``original`` is the site that a mirror
    copies; for others their own number.
    """

    sizes: Numbers
    first: Numbers
    network: Numbers
    original: Numbers

    @property
    def mirrors(self) -> npt.NDArray[np.bool_]:
        """Whether each site is a mirror."""
        return np.not_equal(self.original, np.arange(len(self.sizes)))


def write_crawl(directory: Path, pages: int, *, seed: int = 0) -> Crawl:
    """Write the tables ``pages``, ``pagelets`` and ``links`` of a crawl as folders of Parquet files."""
    rng = np.random.default_rng(seed)
    plan = _plan(pages, rng)
    for table in ("pages", "pagelets", "links"):
        (directory / table).mkdir(parents=True, exist_ok=True)
    total = int(plan.sizes.sum())
    alike_truth: list[Numbers] = []
    pagelets = links = 0
    for number, start in enumerate(range(0, total, _CHUNK)):
        chunk = _Chunk(plan, np.arange(start, min(start + _CHUNK, total)), seed, rng)
        tables = {"pages": chunk.pages(), "pagelets": chunk.pagelets(), "links": chunk.links()}
        for name, table in tables.items():
            pq.write_table(table, directory / name / f"part-{number:05}.parquet", row_group_size=_CHUNK)
        pagelets += tables["pagelets"].num_rows
        links += tables["links"].num_rows
        alike_truth.append(chunk.alike[(chunk.alike >= 0) & ~plan.mirrors[chunk.site]])
    truth = _truth(plan, np.concatenate(alike_truth))
    return Crawl(total, pagelets, links, len(plan.sizes), truth)


def _plan(pages: int, rng: np.random.Generator) -> _Plan:
    largest = max(2, int(pages * _LARGEST))
    # Sizes are drawn in bulk until they suffice. The smallest sites have one page.
    sizes = np.zeros(0, np.int64)
    while sizes.sum() < pages:
        drawn = np.minimum(rng.pareto(_EXPONENT - 1, 10_000) + 1, largest).astype(np.int64)
        sizes = np.concatenate([sizes, drawn])
    sites = np.arange(len(sizes))
    # A network is a run of neighbouring sites. A new one starts at seven sites of ten.
    network = np.cumsum(rng.random(len(sizes)) >= 0.3, dtype=np.int64)
    # A mirror copies the site before it, unless that is a mirror.
    mirror = (rng.random(len(sizes)) < 0.05) & (sites > 0)
    mirror[1:] &= ~mirror[:-1]
    original = np.where(mirror, sites - 1, sites)
    sizes = sizes[original]
    last = int(np.searchsorted(np.cumsum(sizes), pages))
    original[last] = last  # its size changes, so that it is no copy
    sizes, network, original = sizes[: last + 1], network[original[: last + 1]], original[: last + 1]
    sizes[last] = pages - sizes[:last].sum()
    return _Plan(sizes, np.cumsum(sizes) - sizes, network, original)


def _truth(plan: _Plan, alike: Numbers) -> dict[str, Truth]:
    """Count the templates: groups of at least two pages that share a pagelet."""
    real = ~plan.mirrors
    full, rest = np.divmod(plan.sizes, _SECTION)
    headers = np.bincount(plan.network[real], plan.sizes[real])
    hosts = np.bincount(plan.network[real])
    sections, copied = (
        np.concatenate([np.repeat(_SECTION, full[some].sum()), rest[some]]) for some in (real, ~real)
    )
    groups = [headers, plan.sizes[real], sections]
    copies = [plan.sizes[~real], plan.sizes[~real], copied]
    # Of a page and its mirrored copy one is kept. No site has a look-alike twice.
    look_alikes = np.bincount(alike) if len(alike) else np.zeros(0, np.int64)
    sizes_of_groups = {"global": [*groups, *copies], "local": [*groups, look_alikes]}
    networks = int(np.sum((headers >= 2) & (hosts >= 2)))
    return {
        name: Truth(
            int(sum(np.sum(sizes >= 2) for sizes in groups_of_kind)),
            int(sum(np.sum(sizes[sizes >= 2]) for sizes in groups_of_kind)),
            networks if name == "global" else -1,
        )
        for name, groups_of_kind in sizes_of_groups.items()
    }


class _Chunk:
    """The rows of the tables for a run of pages; their sites, and their look-alikes or -1."""

    def __init__(self, plan: _Plan, numbers: Numbers, seed: int, rng: np.random.Generator) -> None:
        self._plan, self._numbers, self._seed, self._rng = plan, numbers, seed, rng
        self.site = np.searchsorted(plan.first, numbers, side="right") - 1
        self._inside = numbers - plan.first[self.site]  # number of the page within its site
        self._hub = numbers - self._inside % _SECTION
        # The page that a mirror's page copies, and whose shingles it has; for others the page itself.
        self._model = plan.first[plan.original[self.site]] + self._inside
        self._twice = self._model % _REPEATING == 0
        self.alike = self._alike()

    def _key(self, kind: int, number: Numbers) -> Numbers:
        """Hash numbers of one kind to keys."""
        salt = mixed(np.array([self._seed * 16 + kind], np.uint64))
        return mixed(number.astype(np.uint64) ^ salt).view(np.int64)

    def _alike(self) -> Numbers:
        """Give the number of each page's look-alike, or -1. The second pages of some sites have one."""
        original = self._plan.original[self.site]
        has = (self._inside == 1) & (original % 3 == 0)
        return np.where(has, original // 3 // _SITES_A_LOOK_ALIKE, -1)

    def pages(self) -> pa.Table:
        key = self._key(_PAGE, self._numbers)
        host = _text("www.site", self.site, ".example")
        return pa.table(
            {
                "page_key": key,
                "url": _joined(pc.binary_join_element_wise("http://", host, "/page-", ""), self._inside),
                "site": host,
                "title": _text("Page ", self._model, ""),
                "page_shingle": self._key(_PAGE, self._model + (1 << 60)),
                "text": _text("Here is the text of page ", self._model, "."),
                "pagelets": (5 + (self.alike >= 0) + self._twice).astype(np.int32),
                "links": np.full(len(key), 10, np.int32),
            },
            schema=PAGES,
        )

    def pagelets(self) -> pa.Table:
        plan, page = self._plan, self._numbers
        original = plan.original[self.site]
        everywhere = np.ones(len(page), bool)
        model_hub = plan.first[original] + self._inside // _SECTION * _SECTION
        last = 5 + self._twice
        kinds = (
            (_HEADER, 0, everywhere, plan.network[self.site], 3, "Network "),
            (_BAR, 1, everywhere, original, 3, "Navigation of site "),
            (_PART, 2, everywhere, model_hub, 2, "Section "),
            (_TEXT, 3, everywhere, self._model, 2, "A text of its own, number "),
            (_OWN, 4, everywhere, self._model, 0, "Said again on page "),
            (_OWN, 5, self._twice, self._model, 0, "Said again on page "),
            (_ALIKE, last, self.alike >= 0, self.alike, 0, "Powered by product "),
        )
        columns: dict[str, list[Any]] = {name: [] for name in PAGELETS.names}
        for kind, place, has, number, links, text in kinds:
            here, count = number[has], int(has.sum())
            serial = np.broadcast_to(place, has.shape)[has].astype(np.int32)
            columns["page_key"].append(self._key(_PAGE, page[has]))
            columns["pagelet_serial"].append(serial)
            columns["pagelet_shingle"].append(self._key(kind, here))
            columns["links"].append(np.full(count, links, np.int32))
            columns["start"].append(serial * 1000)
            columns["stop"].append(serial * 1000 + 900)
            columns["text"].append(_text(text, here, ""))
        return _table(columns, PAGELETS)

    def links(self) -> pa.Table:
        plan, page = self._plan, self._numbers
        count = len(page)
        mirror = plan.mirrors[self.site]
        size, home = plan.sizes[self.site], plan.first[self.site]
        # Links of the header: twice the home page, and the home page of the next sister, if any.
        sister = self._sister()
        last_hub = home + (size - 1) // _SECTION * _SECTION
        other_hub = home + self._rng.integers(0, (size - 1) // _SECTION + 1) * _SECTION
        following = np.minimum(page + 1, np.minimum(self._hub + _SECTION, home + size) - 1)
        # Links of the text: a home page of another network, and a page outside of the crawl.
        somewhere = self._rng.integers(0, len(plan.sizes), count)
        barred = mirror | plan.mirrors[somewhere] | (plan.network[somewhere] == plan.network[self.site])
        anywhere = self._rng.integers(0, 1 << 62, (2, count))
        header, bar, section = (home, home, sister), (home, other_hub, last_hub), (self._hub, following)
        inside = [(place, to) for place, targets in enumerate((header, bar, section)) for to in targets]
        columns: dict[str, list[Any]] = {name: [] for name in LINKS.names}
        for serial, (pagelet, target) in enumerate(inside):
            self._add(columns, serial, pagelet, self._key(_PAGE, target))
        text = np.where(barred, self._key(_OUTSIDE, anywhere[0]), self._key(_PAGE, plan.first[somewhere]))
        self._add(columns, 8, 3, text)
        self._add(columns, 9, 3, self._key(_OUTSIDE, anywhere[1]))
        return _table(columns, LINKS)

    def _sister(self) -> Numbers:
        """Give the home page of the network's next site that is no mirror, else the site's own."""
        plan = self._plan
        after = np.minimum(self.site + 1, len(plan.sizes) - 1)
        # The sites of a network are neighbours, except for mirrors between them.
        after = np.where(plan.mirrors[after], np.minimum(after + 1, len(plan.sizes) - 1), after)
        sisters = (
            (plan.network[after] == plan.network[self.site]) & ~plan.mirrors[after] & ~plan.mirrors[self.site]
        )
        return np.where(sisters, plan.first[after], plan.first[self.site])

    def _add(self, columns: dict[str, list[Any]], serial: int, pagelet: int, target: Numbers) -> None:
        count = len(target)
        columns["src_page_key"].append(self._key(_PAGE, self._numbers))
        columns["src_pagelet_serial"].append(np.full(count, pagelet, np.int32))
        columns["link_serial"].append(np.full(count, serial, np.int32))
        columns["dest_page_key"].append(target)
        columns["dest_url"].append(_text("http://link.example/", target, ""))
        columns["anchor"].append(pa.array(["a link"]).take(pa.array(np.zeros(count, np.int64))))
        columns["context"].append(pa.array([""]).take(pa.array(np.zeros(count, np.int64))))


def write_chain(directory: Path, nodes: int, *, shuffled: bool, seed: int = 0) -> None:
    """Write the edges (pagelet_shingle, one, other) of a chain, the worst graph for label propagation."""
    directory.mkdir(parents=True, exist_ok=True)
    order = np.random.default_rng(seed).permutation(nodes) if shuffled else np.arange(nodes)
    edges = {"pagelet_shingle": np.zeros(nodes - 1, np.int64), "one": order[:-1], "other": order[1:]}
    pq.write_table(pa.table(edges), directory / "part-00000.parquet", row_group_size=_CHUNK)


def _table(columns: dict[str, list[Any]], schema: pa.Schema) -> pa.Table:
    chunked = {
        name: pa.chunked_array([pa.array(part, schema.field(name).type) for part in parts])
        for name, parts in columns.items()
    }
    return pa.table(chunked, schema=schema)


def _text(before: str, number: Numbers, after: str) -> pa.Array:
    return pc.binary_join_element_wise(before, pa.array(number).cast(pa.string()), after, "")


def _joined(before: pa.Array, number: Numbers) -> pa.Array:
    return pc.binary_join_element_wise(before, pa.array(number).cast(pa.string()), "")
