"""Make a store of many sites; measure its size, its opening, look-ups and runs that change a few sites.

Each site has the state and the history of one site that a method has learnt. The figures for a billion keys
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

from benchmarks.support.synthetic import synthetic_site
from detemplate.detectors.registry import detector_class, factory
from detemplate.page.page import Page
from detemplate.sites.history import Glance, SiteHistory
from detemplate.sites.settings import Settings
from detemplate.sites.storefile import StoreFile, StoreWriter
from detemplate.sites.storetables import BUCKETS, SiteRow, packed_state
from lab.harness.command import Parser, known_methods, log, positive, run, tell
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from detemplate.detectors.base import Detector

_EXAMPLE = """\
examples:
  python -m benchmarks.store
  python -m benchmarks.store --keys 100000 --sites 1000 --methods segments --out -
"""
_MOMENT: Final = "2026-01-01T00:00:00Z"
"""Date of all pages."""
_LOOKUPS: Final = 2000
"""Sites that are read in random order."""
_CHANGED: Final = 1000
"""Sites that a further run changes."""


_REPORT: Final = """\
# Store

A store of many sites, each with the state and the history of a made site that the method has learnt. Bytes
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


class Site(NamedTuple):
    """A site that a method has learnt.

    Attributes
    ----------
    detector
        Its detector.
    keys
        Number of keys in its state.
    state
        The state's bytes.
    history
        What glances at its pages have told.
    """

    detector: Detector
    keys: int
    state: bytes
    history: SiteHistory


class Figures(NamedTuple):
    """What is measured of one store. Times in seconds.

    Attributes
    ----------
    method
        The method.
    keys, sites
        Numbers in the store.
    state, history, size
        Bytes of a site's state as it is stored, of its history, and of the file.
    write
        Time to write the store.
    open
        Time to open it.
    first, site
        Time of the first look-up of a site in a bucket, and of each site after that.
    listing
        Time to go through the list of all sites.
    changed
        Time of a run that opens the store, writes some sites, and closes it.
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


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    found = []
    for method in options.methods:
        with TemporaryDirectory(dir=options.folder) as folder:
            found.append(measure(Path(folder) / "templates.db", method, options.keys, options.sites))
    tell(report(found), options.out)
    return 0


def measure(path: Path, method: str, keys: int, sites: int) -> Figures:
    """Make a store of ``keys`` keys over ``sites`` sites, and measure it."""
    site = learnt_site(method, max(keys // sites, 1))
    log(f"{method}: {site.keys} keys and {len(site.state):,} bytes a site")
    settings = Settings.of(method, {}, site_by="host", streaming=False, threshold=None)
    names = [f"www.site-{number:07}.example" for number in range(sites)]
    row = SiteRow.of("", site.detector.pages, site.state, first=_MOMENT, last=_MOMENT)

    begun = perf_counter()
    with StoreWriter(str(path)) as store:
        for name in names:
            store.put(row._replace(name=name), site.state, site.history)
        store.finish(settings)
    write = perf_counter() - begun
    log(f"written in {write:.1f} s, {path.stat().st_size / 1e6:,.0f} MB")

    rng = random.Random(0)
    chosen = [rng.choice(names) for _ in range(_LOOKUPS)]
    begun = perf_counter()
    file = StoreFile(str(path))
    opened = perf_counter() - begun
    with closing(file):
        begun = perf_counter()
        for _ in file.rows():
            pass
        listing = perf_counter() - begun
        begun = perf_counter()
        for name in chosen:
            file.detector(name)
        each = (perf_counter() - begun) / _LOOKUPS
    with closing(StoreFile(str(path))) as file:
        begun = perf_counter()
        file.detector(chosen[0])
        first = perf_counter() - begun

    begun = perf_counter()
    with StoreWriter(str(path)) as store:
        for name in chosen[:_CHANGED]:
            store.put(row._replace(name=name, pages=row.pages + 1), site.state, site.history)
        store.finish(settings)
    changed = perf_counter() - begun
    history = len(site.history.to_json())
    return Figures(
        method, site.keys * sites, sites, len(packed_state(site.state)), history, path.stat().st_size,
        write, opened, first, each, listing, changed,
    )  # fmt: skip


def learnt_site(method: str, keys: int) -> Site:
    """Learn pages of a made site until its state has so many keys."""
    detector, history = factory(method, streaming=False)(), SiteHistory()
    for url, html in synthetic_site(100_000):
        page = Page(url, html)
        detector.learn(page)
        history.add(Glance.of(page, detector.score(page)), _MOMENT, _MOMENT)
        found = _keys_in(detector.to_bytes())
        if found >= keys:
            break
    state = detector.to_bytes()
    detector_class(method).from_bytes(state)  # it is whole
    return Site(detector, found, state, history)


def _keys_in(state: bytes) -> int:
    """Return the number of keys of a state, which its header has."""
    head, _ = json.JSONDecoder().raw_decode(state[state.index(b"{") :].decode("latin-1"))
    return int(head["arrays"]["keys"][1])


def report(found: Sequence[Figures]) -> str:
    """Write the report."""
    sizes = markdown_table(
        [
            "method",
            "keys",
            "sites",
            "MB",
            "bytes a key",
            "state, bytes a key",
            "history, a site",
            "other, a site",
        ],
        [
            [
                each.method,
                f"{each.keys:,}",
                f"{each.sites:,}",
                f"{each.size / 1e6:,.0f}",
                f"{each.size / each.keys:.1f}",
                f"{each.key_bytes:.1f}",
                f"{each.history:,}",
                f"{each.other:,.0f}",
            ]
            for each in found
        ],
    )
    times = markdown_table(
        [
            "method",
            "writing, s",
            "opening, ms",
            "first site, ms",
            "sites a second",
            "keys a second",
            "list of all, s",
            f"run that changes {_CHANGED:,}, s",
        ],
        [
            [
                each.method,
                f"{each.write:.1f}",
                f"{each.open * 1e3:.1f}",
                f"{each.first * 1e3:.1f}",
                f"{1 / each.site:,.0f}",
                f"{each.keys / each.sites / each.site:,.0f}",
                f"{each.listing:.2f}",
                f"{each.changed:.2f}",
            ]
            for each in found
        ],
    )
    return _REPORT.format(sizes=sizes, times=times, paper="\n".join(map(_on_paper, found)), lookups=_LOOKUPS)


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
    parser.add_argument(
        "--methods", type=known_methods, default=["segments", "auto"], help="default segments,auto"
    )
    parser.add_argument("--folder", metavar="DIR", help="where the stores are made (default: the system's)")
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
