"""The sets of pages on which structure is measured, and measuring an extractor on one."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from benchmarks.support import structure, structure_scores
from benchmarks.support.structure import StructurePage, read_markdown, read_plain
from benchmarks.support.structure_pages import made_pages
from benchmarks.support.structure_peers import PLAIN
from benchmarks.support.structure_scores import SCORES, scores_of
from detemplate.errors import UserError
from lab.labelled.datasets import data_folder
from lab.labelled.measure import SetScores
from lab.labelled.pages import GOLD_FILE, PAGES_FILE, read_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lab.peers.runner import Peer

SETS: Final = ("made", "defuddle")
"""Names of the sets: :mod:`benchmarks.support.structure_pages`, and ``structure/defuddle``."""

_STATED_URL: Final = re.compile(r'\s*<!--\s*\{[^}]*"url":\s*"([^"]+)"')
"""The URL that a page of defuddle's tests states in its first comment."""


def load_set(name: str, pages: int | None = None) -> list[StructurePage]:
    """Make or read a set.

    Parameters
    ----------
    name
        One of `SETS`.
    pages
        Number of pages, the first ones; all by default.

    Returns
    -------
    list of StructurePage
        The pages.

    Raises
    ------
    UserError
        The name is unknown, or the data is missing or damaged.
    """
    if name not in SETS:
        raise UserError(f"unknown set {name!r}; known are {', '.join(SETS)}")
    return list(islice(made_pages() if name == "made" else _defuddle(), pages))


def _defuddle() -> Iterator[StructurePage]:
    folder = data_folder() / "structure" / "defuddle"
    expected = {record["id"]: record["markdown"] for record in read_records(folder / GOLD_FILE)}
    for record in read_records(folder / PAGES_FILE):
        markdown = expected[record["id"]]
        url = _url(record, markdown)
        truth = read_markdown(markdown, url, resolve=True)
        yield StructurePage(record["id"], url, record["html"], truth)


def _url(record: Mapping[str, str], markdown: str) -> str:
    """Give the URL that the expected Markdown was made with: the stated one, else one of the test's name."""
    stated = _STATED_URL.match(record["html"])
    if stated:
        return stated[1]
    name = record["id"].removeprefix("defuddle-")
    host = urlsplit(record["url"]).netloc.removesuffix(".example")
    return f"https://{name if f'https://{name}/' in markdown else host}/"


def measure_structure(peer: Peer, pages: Sequence[StructurePage]) -> SetScores:
    """Run an extractor on all pages and score what it gives.

    Parameters
    ----------
    peer
        The extractor. A page on which it fails counts as empty.
    pages
        The pages.

    Returns
    -------
    SetScores
        ``types`` has a digest of the scores' definitions and ``sites`` one of each page: kept scores are of
        use while both are the same.

    Raises
    ------
    MissingExtra
        The extractor is not installed.
    """
    plain = peer.name in PLAIN
    run = peer.run([(page.url, page.html) for page in pages])
    scores = SetScores(crashed=run.crashed, timed_out=run.timed_out)
    for page, digest, text in zip(pages, page_digests(pages), run.texts, strict=True):
        found = read_plain(text) if plain else read_markdown(text, page.url)
        scores.add(scores_digest(), digest, scores_of(page.truth, found, plain=plain))
    return scores


def page_digests(pages: Sequence[StructurePage]) -> list[str]:
    """Give a digest of each page and its truth."""
    return [sha256(repr((page.url, page.html, page.truth)).encode()).hexdigest()[:8] for page in pages]


@cache
def scores_digest() -> str:
    """Give a digest of the modules that define the scores."""
    files = [Path(module.__file__ or "") for module in (structure, structure_scores)]
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:8]


def means(scores: SetScores) -> dict[str, tuple[float, int]]:
    """Give the mean of each score over the pages that have it, and the number of these pages."""
    found = {}
    for name in SCORES:
        values = [value for value in scores.columns.get(name, []) if value is not None]
        if values:
            found[name] = (sum(values) / len(values), len(values))
    return found
