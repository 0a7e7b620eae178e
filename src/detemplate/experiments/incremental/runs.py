"""One run of an experiment on incremental detection: a method at a setting over a site's pages."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.detectors.registry import factory
from detemplate.detectors.segments import SegmentsOptions
from detemplate.errors import PageError
from detemplate.experiments.incremental.templatewords import PageWords, mean_scores
from detemplate.page.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.experiments.incremental.templatewords import Removal
    from detemplate.labelled.datasets import LabelledSet

ALL: Final = 2**31
"""Size of a batch that every page of a site is in."""

_SEGMENT_FIXED: Final = 16  # a segment's path (a hash), document frequency and last occurrence


@dataclass(frozen=True, slots=True)
class Setting:
    """A method with the parameter that trades storage for recall."""

    method: str
    batch: int | None = None
    """Pages a batch; None: pages are processed as they arrive."""
    lifetime: float = math.inf
    """T_b of the incremental method."""
    growth: float = 1.0
    """N of the incremental method."""
    options: tuple[tuple[str, float], ...] = ()
    """Options of the method that differ from its defaults."""

    @property
    def label(self) -> str:
        """The parameter, for people."""
        if self.batch is None:
            return "T_b=∞" if math.isinf(self.lifetime) else f"T_b={self.lifetime:g} N={self.growth:g}"
        return "all pages" if self.batch == ALL else f"{self.batch} pages"


@dataclass(slots=True)
class SitePages:
    """The pages of a site in their order of arrival, parsed once for all settings."""

    name: str
    part: str
    pages: list[Page]
    words: list[PageWords | None]
    """None for pages without gold: they are learnt, and not scored."""
    skipped: int = 0
    """Pages that cannot be parsed."""


@dataclass(slots=True)
class Outcome:
    """What a setting gives on a site."""

    setting: Setting
    recall: float
    precision: float | None
    storage: float
    """Bytes stored, averaged over the arrivals of all pages (the paper's AverageSize)."""
    full: float
    """Bytes of a full batch of pages, averaged over batches; of the incremental method, `storage`."""
    delay: float
    """Pages that arrive between a page and its processing, averaged over pages."""
    series: npt.NDArray[np.int64] = field(repr=False)
    """Bytes stored after each page's arrival."""


def read_site(labelled: LabelledSet, most: int | None = None) -> SitePages:
    """Read and parse a site's pages in the order of the data.

    Parameters
    ----------
    labelled
        A set of the kind ``site``.
    most
        Only so many pages.

    Returns
    -------
    SitePages
        The pages that can be parsed.
    """
    site = SitePages(labelled.name.rpartition("/")[2], labelled.part, [], [])
    for number, labelled_page in enumerate(labelled.pages()):
        if most is not None and number >= most:
            break
        try:
            page = Page(labelled_page.url, labelled_page.html, site=site.name)
        except PageError:
            site.skipped += 1
            continue
        site.pages.append(page)
        site.words.append(None if labelled_page.gold is None else PageWords(page, labelled_page.gold))
    return site


def split_batches(pages: int, size: int) -> list[range]:
    """Split pages into batches as they arrive.

    Parameters
    ----------
    pages
        How many pages arrive.
    size
        Pages a batch.

    Returns
    -------
    list of range
        Their numbers; the last batch is processed as it is when no more pages come.

    Examples
    --------
    >>> split_batches(5, 2)
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    return [range(start, min(start + size, pages)) for start in range(0, pages, size)]


def run_setting(site: SitePages, setting: Setting) -> Outcome:
    """Run a method over a site.

    Storage is taken after each arrival. Of the incremental method it is the whole serialised state, after
    the shrinkage that ends a page's processing. Of a batch method it is the serialisation of the pages
    in the batch so far, the new one included; that the batch is then processed and its pages dropped is
    seen at the next arrival only. What a batch method builds while it processes a batch is not counted.

    Parameters
    ----------
    site
        The site.
    setting
        The method and its parameter.

    Returns
    -------
    Outcome
        Its scores, storage and delay.
    """
    return _run_incremental(site, setting) if setting.batch is None else _run_batches(site, setting)


def _run_incremental(site: SitePages, setting: Setting) -> Outcome:
    given = {**dict(setting.options), "lifetime": setting.lifetime, "growth": setting.growth}
    detector = factory(setting.method, given, streaming=True)()
    sizes = np.zeros(len(site.pages), np.int64)
    removals: list[Removal] = []
    for number, (page, gold) in enumerate(zip(site.pages, site.words, strict=True)):
        template = detector.learn_and_score(page).template
        sizes[number] = len(detector.to_bytes())
        if gold is not None:
            removals.append(gold.removal(template))
    scores = mean_scores(removals)
    average = _mean(sizes)
    return Outcome(setting, *scores, storage=average, full=average, delay=0.0, series=sizes)


def _run_batches(site: SitePages, setting: Setting) -> Outcome:
    make = factory(setting.method, dict(setting.options), streaming=False)
    sizes = np.array([len(page.canonical) for page in site.pages], np.int64)
    batches = split_batches(len(sizes), setting.batch or ALL)
    removals: list[Removal] = []
    waits: list[int] = []
    for batch in batches:
        detector = make()
        for number in batch:
            detector.learn(site.pages[number])
        for number in batch:
            gold = site.words[number]
            if gold is not None:
                removals.append(gold.removal(detector.score(site.pages[number]).template))
        waits += [batch[-1] - number for number in batch]
    cached = [np.cumsum(sizes[batch.start : batch.stop]) for batch in batches]
    scores = mean_scores(removals)
    series = np.concatenate([*cached, np.zeros(0, np.int64)])
    full = _mean([size[-1] for size in cached])
    return Outcome(setting, *scores, storage=_mean(series), full=full, delay=_mean(waits), series=series)


def _mean(values: npt.NDArray[np.int64] | Sequence[int]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def text_storage(site: SitePages, setting: Setting) -> float:
    """Average size of the segment table if it held the segments' texts, as the paper's does.

    A segment takes its text as UTF-8, white space collapsed, and 16 bytes for its path (a hash), document
    frequency and last occurrence.

    Parameters
    ----------
    site
        The site.
    setting
        A setting of the incremental method.

    Returns
    -------
    float
        Bytes, averaged over the arrivals of all pages.
    """
    texts: dict[int, int] = {}
    for page in site.pages:
        for index, key in enumerate(page.segment_keys.tolist()):
            if key not in texts:
                texts[key] = len(page.segment_text(index).encode()) + _SEGMENT_FIXED
    keys = np.fromiter(texts, np.uint64, len(texts))
    sizes = np.fromiter(texts.values(), np.int64, len(texts))
    options = SegmentsOptions(lifetime=setting.lifetime, growth=setting.growth)
    table = recurrence_table(options.lifetimes(), options.max_segments)
    after = []
    for page in site.pages:
        table.observe(page.segment_keys)
        after.append(int(sizes[table.counts(keys) > 0].sum()))
    return _mean(after)
