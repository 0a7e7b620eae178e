"""The page that sandwich compares a page with, chosen by other rules than the directory and the name."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.detectors.sandwich.detector import Sandwich, SandwichOptions
from detemplate.detectors.sandwich.peers import Peer, Peers
from detemplate.page.address import directory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from detemplate.page.page import Page

    Paths = npt.NDArray[np.uint64]

NEAREST: Final = "nearest name in the directory"
"""Rule for a peer: the paper's, for a finished crawl."""
LAST: Final = "last crawled in the directory"
"""Rule for a peer: the paper's, for a running crawl."""
LAST_OF_SITE: Final = "last crawled of the site"
"""Rule for a peer: the page before, whatever its directory."""
SAME_TEMPLATE: Final = "most alike in tags"
"""Rule for a peer: the page of the site whose set of tag paths resembles the page's most."""
RULES: Final = (NEAREST, LAST, LAST_OF_SITE, SAME_TEMPLATE)
"""All rules."""

INDEX_NAMES: Final = ("", "index")
"""Names of a page that is alone in its directory by the design of its site, without ending."""


def peers_by_rule(rule: str, pages: Sequence[Page]) -> list[Peer | None]:
    """Choose the peer of each page of a site.

    Parameters
    ----------
    rule
        One of :data:`RULES`.
    pages
        The pages in the order of the crawl.
    """
    asked = [_as_peer(page) for page in pages]
    if rule == NEAREST:
        known = Peers(nearest=True, max_units=1 << 40, max_directories=1 << 40)
        for page, peer in zip(pages, asked, strict=True):
            known.add(directory(page.url), peer)
        return [known.choose(page.url) for page in pages]
    if rule == SAME_TEMPLATE:
        return _most_alike(pages, asked)
    last: dict[str, Peer] = {}
    chosen = []
    for page, peer in zip(pages, asked, strict=True):
        key = directory(page.url) if rule == LAST else ""
        chosen.append(last.get(key))
        last[key] = peer
    return chosen


def _as_peer(page: Page) -> Peer:
    peer: Peer = _SANDWICH.ask(page).query
    return peer


_SANDWICH: Final = Sandwich(SandwichOptions())
"""Cuts pages into lines, and judges them; it learns nothing."""


def template_segments(page: Page, peer: Peer | None) -> npt.NDArray[np.bool_]:
    """Tell which segments of a page are template by the lines in common with a peer; none without one."""
    return _SANDWICH.judge(page, _SANDWICH.ask(page), peer).template


def _most_alike(pages: Sequence[Page], asked: Sequence[Peer]) -> list[Peer | None]:
    """Choose the page with the greatest Jaccard similarity of tag paths; of several, the first."""
    paths = [np.unique(page.columns.path) for page in pages]
    numbers = {int(path): n for n, path in enumerate(np.unique(np.concatenate(paths)).tolist())}
    table = np.zeros((len(pages), len(numbers)), np.float32)
    for number, of_page in enumerate(paths):
        table[number, [numbers[path] for path in of_page.tolist()]] = 1
    common = table @ table.T
    sizes = table.sum(axis=1)
    alike = common / (sizes[:, None] + sizes[None, :] - common)
    np.fill_diagonal(alike, -1)
    return [asked[int(row.argmax())] if len(pages) > 1 else None for row in alike]


def peer_counts(urls: Iterable[str]) -> dict[str, int]:
    """Count pages by whether their directory has another page.

    Parameters
    ----------
    urls
        URLs of one site's pages.

    Returns
    -------
    dict
        ``pages``; ``with peer``; of those without, ``alone by design`` (the last part of the path is empty or
        an index page) and ``alone`` (all others).
    """
    directories: dict[str, list[str]] = defaultdict(list)
    for url in urls:
        directories[directory(url)].append(url)
    counts = dict.fromkeys(("pages", "with peer", "alone by design", "alone"), 0)
    for of_directory in directories.values():
        counts["pages"] += len(of_directory)
        if len(set(of_directory)) > 1:
            counts["with peer"] += len(of_directory)
            continue
        name = of_directory[0].partition("?")[0].rpartition("/")[2].partition(".")[0]
        counts["alone by design" if name in INDEX_NAMES else "alone"] += len(of_directory)
    return counts
