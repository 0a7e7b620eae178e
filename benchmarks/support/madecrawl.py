"""Made pages: crawls of any length made of real sites, and one endless site made of words."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from itertools import count, pairwise
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.io.record import Record
from detemplate.io.sources.open import open_sources
from lab.labelled.datasets import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_PARAGRAPH: Final = re.compile(r"<p\b[^>]*>([^<]+)")
"""A paragraph as far as its first tag; its text is the group."""
_END: Final = re.compile(r"</body>", re.IGNORECASE)
_WORDS: Final = 30  # words of the paragraph that a page of a made site has beside those of the real one
_BURST: Final = 8  # maximum number of pages of one site that follow each other: crawlers visit sites in turns
_SYLLABLES: Final = (
    "ba", "co", "di", "fu", "ga", "hel", "in", "jo", "ka", "lor", "mi", "nu", "os", "per", "qua", "ri",
)  # fmt: skip
_SECTIONS: Final = ("News", "Products", "Research", "People", "Events", "Archive", "Help", "Contact")
"""Entries of a navigation."""


def site_files(names: Sequence[str] | None = None) -> dict[str, str]:
    """Find the files of labelled sites by name; None: of all."""
    paths = sorted((data_folder() / "sites").glob("*/pages.jsonl.zst"))
    return {path.parent.name: str(path) for path in paths if names is None or path.parent.name in names}


def _markup(files: Sequence[str]) -> list[str]:
    records = (item for item in open_sources(files) if isinstance(item, Record))
    return [
        item.html if isinstance(item.html, str) else item.html.decode("utf-8", "replace") for item in records
    ]


class MadeCrawl:
    """Pages of made sites. Each made site has the pages of one real site, again and again.

    Each time, the paragraphs that one page alone has on the real site end with another word, and a paragraph
    of random words is added. Equal arguments give equal pages. ``real`` names the real sites; None: all.
    Sites are visited in turns, or ``once``: then each has one page before the first has another.
    """

    def __init__(self, sites: int, real: Sequence[str] | None = None, *, once: bool = False) -> None:
        self._sites = sites
        self._once = once
        self._real = [pieces for file in site_files(real).values() if (pieces := _site(file))]
        if not self._real:
            raise UserError(f"there are no sites in {data_folder() / 'sites'}")

    def lines(self) -> Iterator[bytes]:
        """Yield pages as JSON lines, without end."""
        chance = random.Random(0)
        visits = [0] * self._sites
        number = 0
        while True:
            site = number % self._sites if self._once else chance.randrange(self._sites)
            pages = self._real[site % len(self._real)]
            for _ in range(1 if self._once else chance.randint(1, _BURST)):
                pieces = pages[visits[site] % len(pages)]
                visits[site] += 1
                words = b" ".join(b"word%d" % chance.randrange(10**6) for _ in range(_WORDS))
                page = (b" made%d" % number).join(pieces[:-1]) + b"<p>" + words + b"</p>" + pieces[-1]
                yield b'{"url": "http://site%d.example/%d", "html": "%s"}\n' % (site, number, page)
                number += 1


def _site(path: str) -> list[list[bytes]]:
    """Read a real site: of each page the pieces, as parts of a JSON string, between which it is varied."""
    pages = _markup([path])
    common = Counter(text for page in pages for text in {match[1] for match in _PARAGRAPH.finditer(page)})
    made = []
    for page in pages:
        ends = [match.end() for match in _PARAGRAPH.finditer(page) if common[match[1]] == 1]
        last = [match.start() for match in _END.finditer(page)]
        body = last[-1] if last else len(page)
        cuts = [0, *(end for end in ends if end < body), body, len(page)]
        made.append([json.dumps(page[start:stop])[1:-1].encode("ascii") for start, stop in pairwise(cuts)])
    return made


def pages_made() -> Iterator[str]:
    """Yield pages of real sites without end, each with words of its own; every time the same."""
    kept = _markup(list(site_files().values())[::4])
    chance = random.Random(0)
    for number in count():
        words = " ".join(f"word{chance.randrange(10**6)}" for _ in range(40))
        yield kept[number % len(kept)].replace("</body>", f"<p>{words}</p></body>", 1)


def write_crawl(path: Path, pages: int, sites: int) -> None:
    """Write :func:`pages_made` as JSON Lines: so many pages on so many sites, their pages mixed."""
    import zstandard

    with zstandard.open(path, "wt", encoding="utf-8") as file:
        for number, html in zip(range(pages), pages_made(), strict=False):
            row = {"url": f"http://site{number % sites}.example/{number}", "html": html}
            file.write(json.dumps(row) + "\n")


def synthetic_site(pages: int, *, templates: int = 3, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Yield URL and HTML of the pages of a site with some templates, each on an equal share of the pages.

    Every page has a header, a navigation, links to its neighbours, a sidebar, a footer, and a unique content
    of 50 to 5,000 words: random paragraphs of at least eight words, drawn from 20,000, so that pages share
    none. Equal arguments give equal pages.
    """
    generator = random.Random(seed)
    vocabulary = ["".join(generator.choices(_SYLLABLES, k=generator.randint(1, 4))) for _ in range(20_000)]
    frames = [_frame(generator, vocabulary, number) for number in range(templates)]
    for number in range(pages):
        before, after = frames[number * templates // pages]
        content = _content(generator, vocabulary, number)
        yield f"https://example.org/{number // 100}/{number}.html", f"{before}{content}{after}"


def _frame(generator: random.Random, vocabulary: list[str], version: int) -> tuple[str, str]:
    def phrase(length: int) -> str:
        return " ".join(generator.choices(vocabulary, k=length)).capitalize()

    links = "".join(
        f'<li class="v{version}"><a href="/{section.lower()}/">{section} {phrase(1)}</a></li>'
        for section in generator.sample(_SECTIONS, k=6)
    )
    topics = "".join(f'<li><a href="/topic/{n}">{phrase(2)}</a></li>' for n in range(30))
    before = (
        f'<!doctype html><html lang="en"><head><title>{phrase(3)}</title></head><body>'
        f'<header class="top-{version}"><a href="/">{phrase(2)}</a><p>{phrase(8)}</p></header>'
        f"<nav><ul>{links}</ul></nav><main>"
    )
    after = (
        f"</main><aside><h2>{phrase(2)}</h2><ul>{topics}</ul><p>{phrase(25)}</p></aside>"
        f"<footer><p>{phrase(12)}</p><p>© {phrase(3)}</p></footer></body></html>"
    )
    return before, after


def _content(generator: random.Random, vocabulary: list[str], number: int) -> str:
    parts = [f"<h1>{' '.join(generator.choices(vocabulary, k=5))}</h1>"]
    left = min(5000, int(50 + generator.expovariate(1 / 400)))
    while left > 0:
        length = max(8, min(left, generator.randint(8, 120)))
        parts.append(f"<p>{' '.join(generator.choices(vocabulary, k=length))}.</p>")
        left -= length
    near = "".join(f'<li><a href="{n}.html">Page {n}</a></li>' for n in range(max(0, number - 2), number + 3))
    return "".join(parts) + f"<ul>{near}</ul>"
