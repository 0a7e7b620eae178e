"""Real sites with known topics, served on this machine and crawled by ``detemplate crawl``."""

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

from benchmarks.support.siteserver import Answer, SiteServer
from detemplate.crawl.warcfile import stored
from detemplate.errors import UserError
from detemplate.page.address import directory
from detemplate.page.links import page_links
from detemplate.page.page import Page
from detemplate.page.urls import canonical_url
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.labelled.pages import LabelledSet

VARIANTS: Final = {
    "breadth-first": (),
    "breadth-first, template links later": ("--template-penalty", "1"),
    "focused, whole pages": ("--whole-pages",),
    "focused, own content": (),
}
"""Ways to crawl, and their options; the focused ones get the topic, too."""
MIN_PAGES: Final = 60
"""Minimum number of pages of a site that links lead to from its start."""
_MIN_ABOUT: Final = 6
"""Minimum number of pages of a topic."""
_MAX_SHARE: Final = 0.2
"""Maximum share of a site's pages that a topic has."""
_OCCURRENCES: Final = 2
"""Minimum number of occurrences of a term in the content of a page that is about it."""
_TERM: Final = re.compile(r"[^\W\d_]{4,24}")
"""A word that may be a topic."""
_INDEX: Final = "index.html"
"""Index file name; the server returns it for directory URLs."""
_PREFIX: Final = 5
"""Terms of two topics differ within so many letters."""


class Topic(NamedTuple):
    """A term, and the URLs of the pages whose content has it twice or more."""

    term: str
    urls: frozenset[str]


@dataclass(frozen=True)
class Site:
    """A site to crawl.

    Attributes
    ----------
    name, part
        Name of the set, and ``train`` or ``test``.
    pages
        Markup by canonical ``http`` URL.
    contents
        Words of the labelled content, by URL.
    start
        The page from which links lead to most pages.
    reached
        The pages that links lead to from it, itself included.
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
        """Choose terms that characterise some of the reached pages, those of most weight first.

        The weight of a term on a page is ``(1 + ln tf) · ln(pages / df)``; that of a topic is their sum.
        """
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
            sys.executable, "-m", "detemplate", "crawl", start, "--proxy", server.proxy, "--delay", "0",
            "--ignore-robots", "--depth", "1000", "--retries", "0", "--quiet", "-o", str(output),
            *(() if pages is None else ("--max-pages", str(pages))), *options,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise UserError(f"the crawl of {start} failed: {done.stderr.strip()}")
        return [one.url for one, _ in stored(output, {}) if one.is_page]


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
