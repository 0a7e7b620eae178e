"""Real templates and clean documents for the experiment on template expressions, from labelled pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lab.expressions.injection import PLACES
from lab.expressions.slots import OWN, Slot
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import is_own, listed_sites, load_sets
from lab.labelled.measure import page_or_none
from lab.labelled.words import contains_words, words
from lab.peers.known import declared_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from detemplate.page.page import Page
    from lab.expressions.slots import Line
    from lab.labelled.pages import Gold, LabelledPage, LabelledSet

CLEAN: Final = "wcxb-dev"  # labelled set whose gold texts are the clean documents in the main language
MAIN_LANGUAGE: Final = "en"
MIN_SHARE: Final = 0.8  # minimum share of a site's pages that show a line of its template
MIN_TOKENS: Final = 30
MAX_TOKENS: Final = 400
MAX_PAGES: Final = 40  # maximum number of pages of a site that its template is found in
MIN_WORDS: Final = 50
_MAX_VALUES: Final = 200  # maximum number of values of a site's own slot
_VARIES: Final = "\0"  # stands for a token that may vary, in the key of a line
# A digit, an address, or a name of a month or day. Wider than the patterns under test, and independent of
# them. A token becomes a slot only if it varies.
_MAY_VARY: Final = re.compile(
    r"\d|@|://|www\.|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Template:
    """Template of a real site: lines outside the content that most of its pages show, in order."""

    site: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Sources:
    """Templates and documents of the experiment."""

    templates: tuple[Template, ...]
    documents: dict[str, list[tuple[str, str]]]  # site (empty in `CLEAN`) and text, by language
    languages: dict[str, str]


def site_template(pages: Iterable[tuple[Page, Gold]]) -> tuple[Line, ...]:
    """Find the lines outside the content on most pages, in the order of the fullest; slots vary."""
    shown: list[list[tuple[str, ...]]] = []
    values: dict[tuple[str, ...], list[dict[str, None]]] = {}
    frequency: Counter[tuple[str, ...]] = Counter()
    for page, gold in pages:
        content, outside = words(gold.text), words(gold.outside)
        keys = []
        for number in range(len(page.segments)):
            text = page.segment_text(number)
            in_segment = words(text)
            if (
                not in_segment
                or not contains_words(outside, in_segment)
                or contains_words(content, in_segment)
            ):
                continue
            tokens = text.split()
            key = tuple(_VARIES if _MAY_VARY.search(token) else token for token in tokens)
            if set(key) == {_VARIES}:
                continue
            for of_token, token in zip(values.setdefault(key, [{} for _ in key]), tokens, strict=True):
                if len(of_token) < _MAX_VALUES:
                    of_token[token] = None
            keys.append(key)
        shown.append(list(dict.fromkeys(keys)))
        frequency.update(shown[-1])
    min_pages = max(2, MIN_SHARE * len(shown))
    kept = [[key for key in keys if frequency[key] >= min_pages] for keys in shown]
    fullest = max(kept, key=len, default=[])
    lines = tuple(_line(values[key]) for key in fullest)
    size = sum(map(len, lines))
    while size > MAX_TOKENS:  # the middle is mostly a long menu
        middle = len(lines) // 2
        size -= len(lines[middle])
        lines = lines[:middle] + lines[middle + 1 :]
    return lines


def _line(values: Sequence[dict[str, None]]) -> Line:
    return tuple(Slot(OWN, tuple(each)) if len(each) > 1 else next(iter(each)) for each in values)


def read_sources(sets: Sequence[LabelledSet], folder: Path, *, others: bool = True) -> Sources:
    """Read real templates and clean documents; with `others`, also in the sites' other languages."""
    documents: dict[str, list[tuple[str, str]]] = defaultdict(list)
    own = is_own(folder)
    languages = _languages(sets, folder)
    clean = (
        [each for each in sets if languages[each.name] == MAIN_LANGUAGE]
        if own
        else load_sets([CLEAN], folder)
    )
    for each in clean:
        for page in each.pages():
            if page.gold is not None:
                language = MAIN_LANGUAGE if own else declared_language(page.html)[:2]
                _keep(documents[language], each.name if own else "", page.gold.text)
    templates = []
    for labelled in sets:
        site = labelled.name.removeprefix(f"{SITES}/")
        sample = _sample(labelled)
        lines = site_template(_parsed(sample))
        if len(lines) >= len(PLACES) and sum(map(len, lines)) >= MIN_TOKENS:
            templates.append(Template(site, lines))
        language = languages.get(site, MAIN_LANGUAGE)
        if others and language != MAIN_LANGUAGE:
            for page in sample:
                if page.gold is not None:
                    _keep(documents[language], site, page.gold.text)
    return Sources(tuple(templates), dict(documents), languages)


def _languages(sets: Sequence[LabelledSet], folder: Path) -> dict[str, str]:
    """Return the language of each site: as listed, or in a user's folder that of its first label."""
    if is_own(folder):
        labels = {each.name: (page.lang for page in each.pages() if page.lang) for each in sets}
        return {name: next(found, MAIN_LANGUAGE)[:2] for name, found in labels.items()}
    listed = listed_sites(folder / SITES)
    return {site["site"]: str(site.get("language", MAIN_LANGUAGE))[:2] for site in listed}


def _keep(documents: list[tuple[str, str]], site: str, text: str) -> None:
    if len(words(text)) >= MIN_WORDS:
        documents.append((site, text))


def _sample(labelled: LabelledSet) -> list[LabelledPage]:
    """Read at most `MAX_PAGES` pages with gold, evenly spaced."""
    pages = [page for page in labelled.pages() if page.gold is not None]
    return pages[:: max(1, -(-len(pages) // MAX_PAGES))]


def _parsed(pages: Iterable[LabelledPage]) -> Iterator[tuple[Page, Gold]]:
    for page in pages:
        if page.gold is not None and (parsed := page_or_none(page.url, page.html)) is not None:
            yield parsed, page.gold
