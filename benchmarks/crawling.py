"""Measure crawls of real sites, served on this machine: focused crawling, and peers of pages.

The harvest of a crawl is the number of relevant pages among those fetched (Bar-Yossef & Rajagopalan 2002,
section 2.2). A topic is a term of a site's labelled content; a page with the term twice or more is relevant.
The crawler sees the whole pages, with their templates.
"""

from __future__ import annotations

import math
import re
import subprocess
import sys
import tempfile
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from benchmarks.support.siteserver import Answer, SiteServer
from detemplate.crawl.warcfile import stored
from detemplate.errors import UserError
from detemplate.page.address import directory
from detemplate.page.links import page_links
from detemplate.page.page import Page
from detemplate.page.urls import canonical_url
from lab.harness.charts import COLOURS, panel_grid, require_matplotlib, save_charts
from lab.harness.command import RESULTS, Parser, positive, progress, run, split_names, write
from lab.harness.common import make_folder
from lab.labelled.bootstrap import bootstrap_mean
from lab.labelled.datasets import load_sets
from lab.labelled.tables import markdown_table
from lab.labelled.words import words

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from matplotlib.figure import Figure

    from lab.labelled.pages import LabelledSet

_SETS: Final = (
    "sites/entreprises-fr,sites/smartdsp,sites/heykuri,sites/aptitude-es,sites/sfml-doxygen,sites/exim4,"
    "sites/rustbook-mdbook,sites/debhandbook-ar,sites/marinebon"
)
"""Sites with enough pages that links lead to, of different generators and languages."""
_EXAMPLE = """\
examples:
  python -m benchmarks.crawling
  python -m benchmarks.crawling --sets sites/django,sites/sqlite --topics 1 --out crawling
"""
_INTRO = """\
# Crawls of real sites

Made with `{command}`.

## Focused crawling

Share of a topic's pages that were found when a share of the site's pages was fetched: means over topics.
Only pages that links lead to count. The harvest rate is the share of relevant pages among those fetched. The
area is that under the curve up to half of the pages, divided by its width. A topic is a term of the labelled
content. Difference: to the same crawl without knowledge of templates, with its bootstrap interval of 95 %
(sites are resampled).

"""
_PEERS = """\

## Peers of the sandwich algorithm

Breadth-first crawls. A page has a peer if its directory holds another page (paper: 92 % of WT10g, 98 % of a
media site). In one pass, that page must come before it. Right before: the page crawled last is of the same
directory.

"""
_SHARES: Final = (10, 25, 50)  # shares of a site's pages at which the table tells what was found, in per cent
_HALF: Final = 50  # share of a site's pages that is fetched
_AGAINST: Final = {1: 0, 3: 2}
"""Variants by number, and those without knowledge of templates that they are compared with."""


class Curve(NamedTuple):
    """What the crawls of a site found of a topic.

    ``relevant`` is the share of the site's pages that are relevant; ``found`` has shares found after each
    hundredth of the pages, one row a variant.
    """

    site: str
    part: str
    term: str
    relevant: float
    found: np.ndarray[tuple[int, int], np.dtype[np.float64]]


VARIANTS: Final = {
    "breadth-first": (),
    "breadth-first, template links later": ("--template-penalty", "1"),
    "focused, whole pages": ("--whole-pages",),
    "focused, own content": (),
}
"""Ways to crawl, and their options; the focused ones get the topic, too."""
MIN_PAGES: Final = 60  # minimum number of pages of a site that links lead to from its start
_MIN_ABOUT: Final = 6  # minimum number of pages of a topic
_MAX_SHARE: Final = 0.2  # maximum share of a site's pages that a topic has
_OCCURRENCES: Final = 2  # minimum number of occurrences of a term in the content of a page that is about it
_TERM: Final = re.compile(r"[^\W\d_]{4,24}")  # A word that may be a topic
_INDEX: Final = "index.html"  # index file name; the server returns it for directory URLs
_PREFIX: Final = 5  # terms of two topics differ within so many letters


class Topic(NamedTuple):
    """A term, and the URLs of the pages whose content has it twice or more."""

    term: str
    urls: frozenset[str]


@dataclass(frozen=True)
class Site:
    """A site to crawl: its name and part, markup by canonical ``http`` URL, words of its labelled content.

    ``start`` is the page from which links lead to most pages, ``reached`` these pages, itself included.
    """

    name: str
    part: str
    pages: dict[str, str] = field(repr=False)
    contents: dict[str, Counter[str]] = field(repr=False)
    start: str
    reached: frozenset[str] = field(repr=False)

    @classmethod
    def of(cls, labelled: LabelledSet) -> Site:
        """Read a labelled site. Its pages are served without TLS, so their absolute links lose the ``s``."""
        name = labelled.name.rpartition("/")[2]
        pages: dict[str, str] = {}
        contents: dict[str, Counter[str]] = {}
        for page in labelled.pages():
            address = page.url
            if "://" not in address:  # the set does not know the host
                address = f"http://{name}.example.org/{address.partition('/')[2]}"
            found = canonical_url(re.sub("^https:", "http:", address))
            if found is not None:
                url = _served(found)
                pages[url] = page.html
                contents[url] = Counter(words(page.gold.text if page.gold else ""))
        for host in {urlsplit(url).netloc for url in pages}:
            pages = {url: html.replace(f"https://{host}", f"http://{host}") for url, html in pages.items()}
        links = {
            url: [to for to in map(_served, page_links(Page(url, html)).urls) if to in pages]
            for url, html in pages.items()
        }
        return cls(name, labelled.part, pages, contents, *_best_start(links))

    def topics(self, number: int) -> list[Topic]:
        """Choose terms that characterise reached pages, by the sum of ``(1 + ln tf) · ln(pages / df)``."""
        reached = {url: self.contents[url] for url in sorted(self.reached)}
        having = Counter(word for content in reached.values() for word in content)
        weights: dict[str, float] = {}
        about: dict[str, set[str]] = {}
        for url, content in reached.items():
            for word, count in content.items():
                if count >= _OCCURRENCES and _TERM.fullmatch(word):
                    about.setdefault(word, set()).add(url)
                    rare = math.log(len(reached) / having[word])
                    weights[word] = weights.get(word, 0.0) + (1 + math.log(count)) * rare
        chosen: list[Topic] = []
        for word in sorted(weights, key=lambda word: (-weights[word], word)):
            if len(chosen) == number:
                break
            fits = _MIN_ABOUT <= len(about[word]) <= _MAX_SHARE * len(reached)
            if fits and all(word[:_PREFIX] != one.term[:_PREFIX] for one in chosen):
                chosen.append(Topic(word, frozenset(about[word])))
        return chosen

    def served(self) -> SiteServer:
        """Return a server of the site: a proxy for its host."""
        answers = {}
        for url, html in self.pages.items():
            parts = urlsplit(url)
            target = parts.netloc + parts.path + (f"?{parts.query}" if parts.query else "")
            answers[target] = Answer(html.encode("utf-8", "replace"))
            answers.setdefault(target + _INDEX, Answer(status=301, headers={"Location": url}, type=""))
        return SiteServer(answers)


def _served(url: str) -> str:
    """Return the URL under which a page is served: directories have no file name."""
    return url.removesuffix(_INDEX) if url.endswith(f"/{_INDEX}") else url


def _best_start(links: dict[str, list[str]]) -> tuple[str, frozenset[str]]:
    """Find the page that leads to most pages, of several the one with the shortest URL; and these pages."""
    best: tuple[str, frozenset[str]] = "", frozenset()
    for url in sorted(links, key=lambda one: (len(one), one)):
        if url in best[1]:
            continue  # it leads to no more
        seen, waiting = {url}, deque([url])
        while waiting:
            for to in links[waiting.popleft()]:
                if to not in seen:
                    seen.add(to)
                    waiting.append(to)
        if len(seen) > len(best[1]):
            best = url, frozenset(seen)
    return best


def crawled(server: SiteServer, start: str, options: Sequence[str], pages: int | None = None) -> list[str]:
    """Crawl a served site; return the URLs of its pages in the order in which they came."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "crawl.warc.gz"
        command = [
            sys.executable, "-P", "-m", "detemplate", "crawl", start, "--proxy", server.proxy, "--delay", "0",
            "--ignore-robots", "--depth", "1000", "--retries", "0", "--quiet", "-o", str(output),
            *(() if pages is None else ("--max-pages", str(pages))), *options,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise UserError(f"the crawl of {start} failed: {done.stderr.strip()}")
        return [one.url for one, _ in stored(output, {}) if 200 <= one.status < 300]


def found_at(order: Sequence[str], topic: Topic, reached: int) -> list[float]:
    """Compute the share of a topic's pages found after each hundredth of the reached pages."""
    at = sorted(place + 1 for place, url in enumerate(order) if url in topic.urls)
    return [sum(place <= share * reached / 100 for place in at) / len(topic.urls) for share in range(101)]


class Peers(NamedTuple):
    """Counts of the pages of a crawl that have a peer: another page in their directory.

    ``any``: before or after them; ``earlier``: before them, which is a peer in one pass; ``last``: crawled
    right before them.
    """

    pages: int
    any: int
    earlier: int
    last: int


def peers_of(order: Sequence[str]) -> Peers:
    """Count the pages of a crawl that have a peer (Rowlands, Thomas & Wan 2009)."""
    directories = [directory(url) for url in order]
    sizes = Counter(directories)
    seen: set[str] = set()
    earlier = last = 0
    for place, name in enumerate(directories):
        earlier += name in seen
        last += place > 0 and directories[place - 1] == name
        seen.add(name)
    return Peers(len(order), sum(sizes[name] > 1 for name in directories), earlier, last)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    require_matplotlib()
    make_folder(options.out)
    sets = [each for each in load_sets(split_names(options.sets)) if each.kind == "site"]
    if not sets:
        raise UserError("--sets names no site")
    curves: list[Curve] = []
    peers: list[tuple[str, Peers]] = []
    with progress(len(sets)) as show:
        for number, labelled in enumerate(sets):
            show(labelled.name, number)
            found, counts = _measured(labelled, options.topics)
            curves += found
            peers.append((labelled.name.rpartition("/")[2], counts))
    if not curves:
        raise UserError(
            f"no site has {MIN_PAGES} pages that links lead to, and a topic: name others with --sets"
        )
    report = _INTRO.format(command=options.command) + _focused(curves) + _PEERS + _peers(peers) + "\n"
    write(options.out / "table.md", report)
    save_charts([("harvest", _chart(curves))], options.out)
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.crawling", __doc__, _EXAMPLE)
    parser.add_argument("--sets", default=_SETS, help="labelled sites, separated by commas")
    parser.add_argument("--topics", type=positive, default=1, help="topics a site (default 1)")
    out = RESULTS / "crawling"
    parser.add_argument("--out", type=Path, default=out, metavar="FOLDER", help="folder of the results")
    return parser.read(arguments)


def _measured(labelled: LabelledSet, topics: int) -> tuple[list[Curve], Peers]:
    site = Site.of(labelled)
    curves = []
    with site.served() as server:
        plain = crawled(server, site.start, ())
        if len(site.reached) >= MIN_PAGES and (chosen := site.topics(topics)):
            half = len(site.reached) // 2
            later, *focusing = list(VARIANTS.values())[1:]
            unfocused = [plain[:half], crawled(server, site.start, later, half)]
            for topic in chosen:
                options = [("--focus", topic.term, *how) for how in focusing]
                focused = [crawled(server, site.start, each, half) for each in options]
                rows = [found_at(order, topic, len(site.reached)) for order in (*unfocused, *focused)]
                share = len(topic.urls) / len(site.reached)
                curves.append(Curve(site.name, site.part, topic.term, share, np.array(rows)))
    return curves, peers_of(plain)


def _focused(curves: Sequence[Curve]) -> str:
    found = [f"found at {share} %" for share in _SHARES]
    header = ["part", "topics", "crawl", *found, "harvest rate at 10 %", "area under the curve", "difference"]
    rows = []
    for part in dict.fromkeys(curve.part for curve in curves):
        ours = [curve for curve in curves if curve.part == part]
        sites = [curve.site for curve in ours]
        area = np.array([curve.found[:, : _HALF + 1].mean(axis=1) for curve in ours])
        for number, name in enumerate(VARIANTS):
            means = [np.mean([one.found[number, share] for one in ours]) for share in _SHARES]
            harvest = np.mean([one.found[number, 10] * one.relevant / 0.1 for one in ours])
            row = [part, str(len(ours)), name, *(f"{100 * mean:.1f} %" for mean in (*means, harvest))]
            row += [f"{area[:, number].mean():.3f}", "", ""]
            if number in _AGAINST:
                change = bootstrap_mean((area[:, number] - area[:, _AGAINST[number]]).tolist(), sites)
                row[-2:] = [f"{change.mean:+.3f}", f"{change.low:+.3f} to {change.high:+.3f}"]
            rows.append(row)
    listed = ", ".join(f"{curve.site}: *{curve.term}*" for curve in curves)
    table = markdown_table([*header, "95 %"], rows)
    return f"{table}\n\nTopics: {listed}.\n\n![harvest](harvest.png)\n"


def _peers(peers: Sequence[tuple[str, Peers]]) -> str:
    def row(name: str, pages: str, shares: Iterable[float]) -> list[str]:
        return [name, pages, *(f"{100 * share:.1f} %" for share in shares)]

    counts = np.array([one for _, one in peers], float)
    shares = counts[:, 1:] / counts[:, :1]
    total = counts.sum(axis=0)
    rows = [row(name, str(one.pages), of) for (name, one), of in zip(peers, shares, strict=True)]
    rows.append(row("**all pages**", f"{total[0]:,.0f}", total[1:] / total[0]))
    rows.append(row("**mean of sites**", "", shares.mean(axis=0)))
    return markdown_table(["site", "pages", "with a peer", "in one pass", "right before"], rows)


def _chart(curves: Sequence[Curve]) -> Figure:
    parts = list(dict.fromkeys(curve.part for curve in curves))
    figure, panels = panel_grid(len(parts), 2, (4.6 * len(parts), 3.6), sharey=True)
    for part, axes in zip(parts, panels, strict=True):
        ours = [curve for curve in curves if curve.part == part]
        sites = sorted({curve.site for curve in ours})
        of_sites = [np.mean([one.found for one in ours if one.site == site], axis=0) for site in sites]
        mean = np.mean(of_sites, axis=0)
        for number, (name, colour) in enumerate(zip(VARIANTS, COLOURS, strict=False)):
            axes.plot(range(_HALF + 1), 100 * mean[number, : _HALF + 1], color=colour, label=name)
        axes.set_title(f"{part}: {len(ours)} topics of {len(sites)} sites", fontsize=9)
        axes.set_xlabel("pages fetched, %")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("relevant pages found, %")
    panels[-1].legend(fontsize=7, loc="lower right")
    return figure


if __name__ == "__main__":
    run(main)
