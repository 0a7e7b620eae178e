"""Real templates and clean documents for the experiment on template expressions, from labelled pages."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from detemplate.errors import PageError, UserError
from detemplate.experiments.expressions.injection import PLACES
from detemplate.experiments.expressions.slots import OWN, Slot
from detemplate.labelled.datasets import SITES, load_sets
from detemplate.labelled.words import contains_words, words
from detemplate.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from detemplate.experiments.expressions.slots import Line
    from detemplate.labelled.datasets import Gold, LabelledPage, LabelledSet

CLEAN: Final = "wcxb-dev"
MAIN_LANGUAGE: Final = "en"
LEAST_SHARE: Final = 0.8
LEAST_TOKENS: Final = 30
MOST_TOKENS: Final = 400
MOST_PAGES: Final = 40
LEAST_WORDS: Final = 50
_MOST_VALUES: Final = 200

_LANGUAGE: Final = re.compile(r"<html[^>]*?\blang\s*=\s*[\"']?([A-Za-z]{2})", re.IGNORECASE)
# Wider than the patterns under test, and not made from them: whatever has a digit, an address, a name
# of a month or a day. Only what varies on the site becomes a slot.
_MAY_VARY: Final = re.compile(
    r"\d|@|://|www\.|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Template:
    """A real site's template: its name and the lines that most of its pages have, in order."""

    site: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """What the experiment is made of.

    Attributes
    ----------
    templates
        Real templates, a site each.
    documents
        Clean documents by language: the site (empty for pages of single sites), and the text.
    languages
        The language of each site.
    """

    templates: tuple[Template, ...]
    documents: dict[str, list[tuple[str, str]]]
    languages: dict[str, str]


def site_template(pages: Iterable[tuple[Page, Gold]]) -> tuple[Line, ...]:
    """Find the lines outside the content that most pages of a site show.

    Parameters
    ----------
    pages
        Pages of one site with their gold.

    Returns
    -------
    tuple of lines
        Texts of segments in the order of the page that has most of them. A segment counts as outside
        the content where its words are in the gold's ``outside`` in a row, and not in its ``text``.
        Tokens that vary between pages are slots with the values seen. Of more than `MOST_TOKENS`
        tokens, the first and the last ones.
    """
    shown: list[list[tuple[str, ...]]] = []
    values: dict[tuple[str, ...], list[dict[str, None]]] = {}
    found: Counter[tuple[str, ...]] = Counter()
    for page, gold in pages:
        content, outside = words(gold.text), words(gold.outside)
        keys = []
        for number in range(len(page.segments)):
            text = page.segment_text(number)
            own = words(text)
            if not own or not contains_words(outside, own) or contains_words(content, own):
                continue
            tokens = text.split()
            key = tuple("\0" if _MAY_VARY.search(token) else token for token in tokens)
            if set(key) == {"\0"}:  # nothing in it stays the same
                continue
            seen = values.setdefault(key, [{} for _ in key])
            for known, token in zip(seen, tokens, strict=True):
                if len(known) < _MOST_VALUES:
                    known[token] = None
            keys.append(key)
        shown.append(list(dict.fromkeys(keys)))
        found.update(shown[-1])
    least = max(2, LEAST_SHARE * len(shown))
    kept = [[key for key in keys if found[key] >= least] for keys in shown]
    fullest = max(kept, key=len, default=[])
    lines = tuple(_line(values[key]) for key in fullest)
    size = sum(map(len, lines))
    while size > MOST_TOKENS:  # the middle goes: it is the longest of menus
        middle = len(lines) // 2
        size -= len(lines[middle])
        lines = lines[:middle] + lines[middle + 1 :]
    return lines


def _line(values: Sequence[dict[str, None]]) -> Line:
    return tuple(Slot(OWN, tuple(seen)) if len(seen) > 1 else next(iter(seen)) for seen in values)


def language_of(html: str) -> str:
    """Give the two letters that a page names as its language; empty if it does not."""
    found = _LANGUAGE.search(html[:20_000])
    return found[1].lower() if found else ""


def read_sources(sets: Sequence[LabelledSet], folder: Path, *, others: bool = True) -> Sources:
    """Read real templates and clean documents.

    Parameters
    ----------
    sets
        Labelled sites.
    folder
        The folder with the labelled sets; it must have `CLEAN`.
    others
        Whether documents in other languages than `MAIN_LANGUAGE` are wanted; they come from sites.

    Returns
    -------
    Sources
        Sites without enough template text are left out, and documents of less than `LEAST_WORDS` words.
    """
    languages = _site_languages(folder)
    documents: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for page in load_sets([CLEAN], folder)[0].pages():
        if page.gold is not None:
            _keep(documents[language_of(page.html)], "", page.gold.text)
    templates = []
    for labelled in sets:
        site = labelled.name.removeprefix(f"{SITES}/")
        sample = _sample(labelled)
        lines = site_template(_parsed(sample))
        if len(lines) >= len(PLACES) and sum(map(len, lines)) >= LEAST_TOKENS:
            templates.append(Template(site, lines))
        language = languages.get(site, MAIN_LANGUAGE)
        if others and language != MAIN_LANGUAGE:
            for page in sample:
                if page.gold is not None:
                    _keep(documents[language], site, page.gold.text)
    return Sources(tuple(templates), dict(documents), languages)


def _site_languages(folder: Path) -> dict[str, str]:
    path = folder / SITES / "sites.json"
    try:
        sites = json.loads(path.read_text(encoding="utf-8"))
        return {site["site"]: str(site.get("language", MAIN_LANGUAGE))[:2] for site in sites}
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"cannot read the list of sites {path}: {error}") from error


def _keep(documents: list[tuple[str, str]], site: str, text: str) -> None:
    if len(words(text)) >= LEAST_WORDS:
        documents.append((site, text))


def _sample(labelled: LabelledSet) -> list[LabelledPage]:
    """Take pages with gold, spread over the site."""
    pages = [page for page in labelled.pages() if page.gold is not None]
    return pages[:: max(1, -(-len(pages) // MOST_PAGES))]


def _parsed(pages: Iterable[LabelledPage]) -> Iterator[tuple[Page, Gold]]:
    for page in pages:
        if page.gold is None:
            continue
        try:
            parsed = Page(page.url, page.html)
        except PageError:
            continue
        yield parsed, page.gold
