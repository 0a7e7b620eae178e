"""Make a store of many sites; measure its size, its opening, look-ups and runs that change a few sites.

Each site has the state and the history of one site that a method has learned. The figures for a billion keys
over a million sites are worked out from those measured; the report shows how.
"""

from __future__ import annotations

import json
import random
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.support.madecrawl import synthetic_site
from detemplate.detectors.registry import factory
from detemplate.page.page import Page
from detemplate.sites.history import PageSummary, SiteHistory
from detemplate.sites.learner import Settings, SiteLearner, learner_of
from detemplate.sites.storefile import StoreFile, StoreWriter
from detemplate.sites.storetables import BUCKETS, SiteRow, packed_state
from lab.harness.command import Parser, known_methods, log, positive, run, tell
from lab.harness.tables import table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from lab.harness.tables import Column

_EXAMPLE = """\
examples:
  python -m benchmarks.store
  python -m benchmarks.store --keys 100000 --sites 1000 --methods segments --out -
"""
_MOMENT: Final = "2026-01-01T00:00:00Z"  # date of all pages
_LOOKUPS: Final = 2000  # sites that are read in random order
_CHANGED: Final = 1000  # sites that a further run changes
_REPORT: Final = """\
# Store

A store of many sites, each with the state and the history of a made site that the method has learned. Bytes
a key are those of the whole file. Of each site it holds the state, the history, and other bytes: its rows,
SQLite's pages and what is free in them.

{sizes}

Times on one core, the file in the system's memory. A look-up reads a site's state, checks its hash and makes
its detector with all of its keys; {lookups:,} sites in random order. The first site of a bucket takes longer:
all rows of the bucket are checked. Opening reads no row of a site.

{times}

## A billion keys over a million sites, on paper

{paper}
"""


class Figures(NamedTuple):
    """Measures of one store: numbers of its keys and sites, bytes and seconds.

    ``state`` and ``history`` are bytes of a site as it is stored, ``size`` those of the file. ``first`` is
    the first look-up of a site in a bucket, ``site`` each after that; ``changed`` is a run that opens the
    store, writes some sites, and closes it.
    """

    method: str
    keys: int
    sites: int
    state: int
    history: int
    size: int
    write: float
    open: float
    first: float
    site: float
    listing: float
    changed: float

    @property
    def key_bytes(self) -> float:
        """Bytes of a state for each of its keys."""
        return self.state / (self.keys / self.sites)

    @property
    def other(self) -> float:
        """Bytes of a site beside its state and its history."""
        return self.size / self.sites - self.state - self.history


class _Timer:
    """Gives the seconds since it was last asked."""

    def __init__(self) -> None:
        self._last = perf_counter()

    def __call__(self) -> float:
        before, self._last = self._last, perf_counter()
        return self._last - before


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    found = []
    for method in options.methods:
        with TemporaryDirectory(dir=options.folder) as folder:
            found.append(measure(Path(folder) / "templates.db", method, options.keys, options.sites))
    sizes: list[Column] = [
        ("method", "method"),
        ("keys", "keys", ",d"),
        ("sites", "sites", ",d"),
        ("MB", lambda each: each.size / 1e6, ",.0f"),
        ("bytes a key", lambda each: each.size / each.keys, ".1f"),
        ("state, bytes a key", "key_bytes", ".1f"),
        ("history, a site", "history", ",d"),
        ("other, a site", "other", ",.0f"),
    ]
    times: list[Column] = [
        ("method", "method"),
        ("writing, s", "write", ".1f"),
        ("opening, ms", lambda each: each.open * 1e3, ".1f"),
        ("first site, ms", lambda each: each.first * 1e3, ".1f"),
        ("sites a second", lambda each: 1 / each.site, ",.0f"),
        ("keys a second", lambda each: each.keys / each.sites / each.site, ",.0f"),
        ("list of all, s", "listing", ".2f"),
        (f"run that changes {_CHANGED:,}, s", "changed", ".2f"),
    ]
    paper = "\n".join(map(_on_paper, found))
    shown = {"sizes": table(sizes, found), "times": table(times, found), "paper": paper}
    tell(_REPORT.format(lookups=_LOOKUPS, **shown), options.out)
    return 0


def measure(path: Path, method: str, keys: int, sites: int) -> Figures:
    """Make a store of ``keys`` keys over ``sites`` sites, and measure it."""
    detector, history = learned_site(method, max(keys // sites, 1))
    state = detector.to_bytes()
    log(f"{method}: {_keys_in(state)} keys and {len(state):,} bytes a site")
    settings = Settings.of(method, {}, site_by="host", streaming=False, threshold=None)
    names = [f"www.site-{number:07}.example" for number in range(sites)]
    row = SiteRow.of("", detector.pages, state, first=_MOMENT, last=_MOMENT)

    def written(sites: Sequence[str], pages: int) -> None:
        with StoreWriter(str(path)) as store:
            for name in sites:
                store.put(row._replace(name=name, pages=pages), state, history)
            store.finish(settings)

    rng = random.Random(0)
    chosen = [rng.choice(names) for _ in range(_LOOKUPS)]
    timer = _Timer()
    written(names, row.pages)
    write = timer()
    file = StoreFile(str(path))
    opened = timer()
    with closing(file):
        for _ in file.rows():
            pass
        listing = timer()
        for name in chosen:
            file.detector(name)
        each = timer() / _LOOKUPS
    with closing(StoreFile(str(path))) as file:
        timer()
        file.detector(chosen[0])
        first = timer()
    timer()
    written(chosen[:_CHANGED], row.pages + 1)
    changed = timer()
    sizes = len(packed_state(state)), len(history.to_json()), path.stat().st_size
    times = write, opened, first, each, listing, changed
    return Figures(method, _keys_in(state) * sites, sites, *sizes, *times)


def learned_site(method: str, keys: int) -> tuple[SiteLearner, SiteHistory]:
    """Learn pages of a made site until its state has so many keys."""
    detector, history = learner_of(factory(method, streaming=False)), SiteHistory()
    for url, html in synthetic_site(100_000):
        page = Page(url, html)
        detector.learn(page)
        history.add(PageSummary.of(page, detector.score(page)), _MOMENT, _MOMENT)
        if _keys_in(detector.to_bytes()) >= keys:
            break
    SiteLearner.from_bytes(detector.to_bytes())  # it is whole
    return detector, history


def _keys_in(state: bytes) -> int:
    """Return the number of keys of a state, which its header has."""
    head, _ = json.JSONDecoder().raw_decode(state[state.index(b"{") :].decode("latin-1"))
    return int(head["arrays"]["keys"][1])


def _on_paper(each: Figures) -> str:
    """Work out what a billion keys over a million sites take."""
    sites, keys = 10**6, 10**9
    total = keys * each.key_bytes + sites * (each.history + each.other)
    row, bucket = each.listing / each.sites, sites / BUCKETS
    return (
        f"- `{each.method}`: 10⁹ keys × {each.key_bytes:.1f} bytes + 10⁶ sites × ({each.history:,} + "
        f"{each.other:,.0f}) bytes = {total / 1e9:,.0f} GB, {total / keys:.1f} bytes a key. The first "
        f"look-up in a bucket checks 10⁶ / {BUCKETS} = {bucket:,.0f} rows × {row * 1e6:.1f} µs = "
        f"{bucket * row * 1e3:.0f} ms; a run that meets all buckets does so for {sites * row:.1f} s in all."
    )


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.store", __doc__, _EXAMPLE)
    parser.add_argument("--keys", type=positive, default=10**7, help="how many (default 10000000)")
    parser.add_argument("--sites", type=positive, default=10**5, help="over how many sites (default 100000)")
    default = ["segments", "auto"]
    parser.add_argument("--methods", type=known_methods, default=default, help="default segments,auto")
    parser.add_argument("--folder", metavar="DIR", help="where the stores are made (default: the system's)")
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
