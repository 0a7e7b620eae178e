"""A crawl of any length, made of real sites: templates recur on a site, contents differ from page to page."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.io.record import Record
from detemplate.io.sources.open import open_sources
from lab.labelled.datasets import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PARAGRAPH: Final = re.compile(r"<p\b[^>]*>([^<]+)")
"""A paragraph as far as its first tag; its text is the group."""

_END: Final = re.compile(r"</body>", re.IGNORECASE)
"""Where a page's own paragraph goes."""

_WORDS: Final = 30
"""Words of the paragraph that a made page has beside those of the real one."""

_BURST: Final = 8
"""Pages of one site that follow each other, at most: crawlers visit sites in turns."""


class MadeCrawl:
    """Pages of made sites. Each made site has the pages of one real site, again and again.

    Each time, the paragraphs that one page alone has on the real site end with another word, and a paragraph
    of random words is added. Equal arguments give equal pages.

    Parameters
    ----------
    sites
        Number of made sites, at least 1.
    real
        Names of the real sites, below ``sites`` of the data folder; None: all.

    Raises
    ------
    UserError
        There are no real sites.
    """

    def __init__(self, sites: int, real: Sequence[str] | None = None) -> None:
        self._sites = sites
        folders = sorted(path.parent for path in (data_folder() / "sites").glob("*/pages.jsonl.zst"))
        chosen = [folder for folder in folders if real is None or folder.name in real]
        self._real = [pieces for folder in chosen if (pieces := _site(str(folder / "pages.jsonl.zst")))]
        if not self._real:
            raise UserError(f"there are no sites in {data_folder() / 'sites'}")

    def lines(self) -> Iterator[bytes]:
        """Give pages as JSON lines, for ever."""
        chance = random.Random(0)
        visits = [0] * self._sites
        number = 0
        while True:
            site = chance.randrange(self._sites)
            pages = self._real[site % len(self._real)]
            for _ in range(chance.randint(1, _BURST)):
                pieces = pages[visits[site] % len(pages)]
                visits[site] += 1
                words = b" ".join(b"word%d" % chance.randrange(10**6) for _ in range(_WORDS))
                page = (b" made%d" % number).join(pieces[:-1]) + b"<p>" + words + b"</p>" + pieces[-1]
                yield b'{"url": "http://site%d.example/%d", "html": "%s"}\n' % (site, number, page)
                number += 1


def _site(path: str) -> list[list[bytes]]:
    """Read a real site: of each page the pieces, as parts of a JSON string, between which it is varied.

    The last piece follows the added paragraph.
    """
    pages = [
        item.html if isinstance(item.html, str) else item.html.decode("utf-8", "replace")
        for item in open_sources([path])
        if isinstance(item, Record)
    ]
    common = Counter(text for page in pages for text in {match[1] for match in _PARAGRAPH.finditer(page)})
    made = []
    for page in pages:
        ends = [match.end() for match in _PARAGRAPH.finditer(page) if common[match[1]] == 1]
        last = [match.start() for match in _END.finditer(page)]
        body = last[-1] if last else len(page)
        cuts = [0, *(end for end in ends if end < body), body, len(page)]
        made.append([_escaped(page[start:stop]) for start, stop in pairwise(cuts)])
    return made


def _escaped(text: str) -> bytes:
    return json.dumps(text)[1:-1].encode("ascii")
