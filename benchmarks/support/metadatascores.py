"""Compares the metadata that readers of pages give with gold, field by field."""

from __future__ import annotations

import hashlib
import re
import time
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Final

import turbohtml

from detemplate.errors import UserError
from detemplate.page.metadata.read import page_metadata
from detemplate.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lab.labelled.pages import LabelledPage, LabelledSet


HALVES: Final = ("development", "held back")
"""The halves of each set: the first was looked at while the rules were written."""

_JOINING: Final = frozenset(("and", "by", "und", "et", "y", "von", "par"))
"""Words between the names of authors, and before them."""

_WORDS: Final = re.compile(r"\w+")
"""Words."""


@dataclass(slots=True)
class Scores:
    """What was found on the pages of one set whose gold has one field."""

    pages: int = 0
    """Number of pages."""
    given: Counter[str] = field(default_factory=Counter)
    """Pages on which a reader gives a value, by reader."""
    right: Counter[str] = field(default_factory=Counter)
    """Pages on which that is the gold, by reader."""


def half_of(page: LabelledPage) -> str:
    """Give the half of its set that a page is in, by its identifier."""
    return HALVES[hashlib.md5(page.id.encode(), usedforsecurity=False).digest()[0] % 2]


def normalised(name: str, value: str) -> str:
    """Give a value in the form in which it is compared.

    Titles and names of sites: their words in lower case. Authors: the set of their words. Days: the first ten
    characters. Languages: the code before ``-``.
    """
    text = unicodedata.normalize("NFKC", value).casefold()
    if name == "published":
        return text[:10]
    if name == "language":
        return re.split("[-_]", text)[0]
    words = _WORDS.findall(text)
    return " ".join(sorted(set(words) - _JOINING) if name == "author" else words)


def scores_of(
    labelled: LabelledSet,
    fields: Iterable[str],
    readers: Mapping[str, Callable[[LabelledPage], Mapping[str, str | None]]],
) -> dict[tuple[str, str], Scores]:
    """Compare readers with the gold of a set."""
    found: dict[tuple[str, str], Scores] = defaultdict(Scores)
    wanted = set(fields)
    for page in labelled.pages():
        gold = page.gold.metadata if page.gold else {}
        names = wanted & set(gold)
        if not names:
            continue
        told = {name: read(page) for name, read in readers.items()}
        for name in names:
            scores = found[name, half_of(page)]
            scores.pages += 1
            for reader, values in told.items():
                value = values.get(name) or ""
                scores.given[reader] += bool(value)
                scores.right[reader] += normalised(name, value) == normalised(name, gold[name])
    return dict(found)


def ours(page: LabelledPage) -> Mapping[str, str | None]:
    """Read a page's metadata by this package."""
    return page_metadata(Page(page.url, page.html)).as_dict()


def trafilatura() -> tuple[str, Callable[[LabelledPage], Mapping[str, str | None]]]:
    """Give the name and version of trafilatura, and its reader."""
    try:
        extract = import_module("trafilatura.metadata").extract_metadata
        version = import_module("trafilatura").__version__
    except ImportError as error:
        raise UserError(f"trafilatura cannot be imported: {error}; pip install -e '.[peers]'") from error

    def read(page: LabelledPage) -> Mapping[str, str | None]:
        try:
            told = extract(page.html, default_url=page.url)
        except Exception:  # noqa: BLE001  # a peer's failure on a page is its score there
            return {}
        return {
            "title": told.title,
            "author": told.author,
            "published": told.date,
            "site_name": told.sitename,
            "language": told.language,
        }

    return f"trafilatura {version}", read


def cost(pages: Iterable[LabelledPage], rounds: int) -> tuple[float, float]:
    """Measure the time of turbohtml's parse alone and that of reading metadata."""
    sources = [(page.url, page.html) for page in pages]
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        spent = [0.0, 0.0]
        for url, html in sources:
            start = time.process_time()
            turbohtml.parse(html, positions=False)
            spent[0] += time.process_time() - start
            page = Page(url, html)
            start = time.process_time()
            page_metadata(page)
            spent[1] += time.process_time() - start
        best = [min(pair) for pair in zip(best, spent, strict=True)]
    return 1000 * best[0] / len(sources), 1000 * best[1] / len(sources)
