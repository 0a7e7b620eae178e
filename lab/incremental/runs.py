"""One run: a method at one setting over the pages of a site, with its scores, storage and delay."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.detectors.registry import factory
from detemplate.detectors.segments import Segments, SegmentsOptions
from detemplate.errors import PageError
from detemplate.page.page import Page
from lab.incremental.scores import PageBlocks, PageWords, block_scores, mean_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from lab.labelled.pages import Gold, LabelledSet

    Masks = Sequence[npt.NDArray[np.bool_]]

ALL: Final = 2**31  # batch size that puts all pages of a site into one batch
ENTRY_BYTES: Final = 16  # bytes of a segment in the state of the incremental method
_SEGMENT_BYTES: Final = 16  # path (a hash), document frequency, last occurrence


@dataclass(frozen=True, slots=True)
class Setting:
    """A method with the parameters that trade storage for recall."""

    method: str
    batch: int | None = None  # pages a batch; None for the incremental method
    lifetime: float = math.inf  # T_b of the incremental method, in pages
    growth: float = 1.0  # N of the incremental method
    options: tuple[tuple[str, float], ...] = ()  # options of the method that differ from their defaults

    @property
    def label(self) -> str:
        """The parameters, as tables show them."""
        if self.batch is None:
            return "T_b=∞" if math.isinf(self.lifetime) else f"T_b={self.lifetime:g} N={self.growth:g}"
        return "all pages" if self.batch == ALL else f"{self.batch} pages"


class SitePage(NamedTuple):
    """A parsed page; without gold, it is learned and not scored."""

    page: Page
    words: PageWords | None
    blocks: PageBlocks | None


@dataclass(slots=True)
class SitePages:
    """The pages of a site in their order of arrival, parsed once for all settings."""

    name: str
    part: str  # `train` or `test`
    pages: list[SitePage]
    skipped: int = 0


@dataclass(slots=True)
class Outcome:
    """Scores, storage (in bytes) and delay (in pages) of a setting on a site."""

    setting: Setting
    recall: float
    precision: float | None  # None where nothing was removed
    block_recall: float | None
    block_precision: float | None
    storage: float  # bytes stored, averaged over the arrivals of all pages (the paper's AverageSize)
    inserting: float  # bytes when a page is inserted, before the table shrinks
    full: float  # bytes of a full batch; for the incremental method, `storage`
    delay: float  # number of pages that arrive between a page and its processing, averaged over pages
    series: npt.NDArray[np.int64] = field(repr=False)


def site_page(page: Page, gold: Gold | None) -> SitePage:
    """Label a page by its gold, if it has any."""
    if gold is None:
        return SitePage(page, None, None)
    return SitePage(page, PageWords(page, gold), PageBlocks(page, gold))


def read_site(labelled: LabelledSet, max_pages: int | None = None) -> SitePages:
    """Read and parse the pages of a site in the order of the data, at most `max_pages`."""
    site = SitePages(labelled.name.rpartition("/")[2], labelled.part, [])
    for record in islice(labelled.pages(), max_pages):
        try:
            site.pages.append(site_page(Page(record.url, record.html, site=site.name), record.gold))
        except PageError:
            site.skipped += 1
    return site


def run_setting(site: SitePages, setting: Setting) -> Outcome:
    """Run a method over a site. Storage after each arrival: its state, or the batch's serialised pages."""
    return _run_incremental(site, setting) if setting.batch is None else _run_batches(site, setting)


def _run_incremental(site: SitePages, setting: Setting) -> Outcome:
    options = {**dict(setting.options), "lifetime": setting.lifetime, "growth": setting.growth}
    detector = factory(setting.method, options, streaming=True)()
    sizes = np.zeros(len(site.pages), np.int64)
    inserting = np.zeros(len(site.pages), np.int64)
    judged: list[npt.NDArray[np.bool_]] = []
    for number, (page, _, _) in enumerate(site.pages):
        keys = np.unique(page.segment_keys)
        known = len(detector.answer(keys)[0].nonzero()[0]) if isinstance(detector, Segments) else len(keys)
        before = detector.segments if isinstance(detector, Segments) else 0
        judged.append(detector.learn_and_score(page).template)
        sizes[number] = inserting[number] = len(detector.to_bytes())
        if isinstance(detector, Segments):
            # The table with the page's segments, before those that are due are dropped (section 2.4).
            dropped = before + len(keys) - known - detector.segments
            inserting[number] += dropped * ENTRY_BYTES
    average = _mean(sizes)
    return Outcome(setting, *_scores(site, judged), average, _mean(inserting), average, 0.0, sizes)


def _run_batches(site: SitePages, setting: Setting) -> Outcome:
    new_detector = factory(setting.method, dict(setting.options), streaming=False)
    sizes = np.array([len(page.canonical) for page, _, _ in site.pages], np.int64)
    count, size = len(sizes), setting.batch or ALL
    batches = [range(start, min(start + size, count)) for start in range(0, count, size)]
    judged: list[npt.NDArray[np.bool_]] = []
    delays: list[int] = []
    for batch in batches:
        detector = new_detector()
        for number in batch:
            detector.learn(site.pages[number].page)
        judged += [detector.score(site.pages[number].page).template for number in batch]
        delays += [batch[-1] - number for number in batch]
    cached = [np.cumsum(sizes[batch.start : batch.stop]) for batch in batches]
    series = np.concatenate([*cached, np.zeros(0, np.int64)])
    full, storage = _mean([size[-1] for size in cached]), _mean(series)
    return Outcome(setting, *_scores(site, judged), storage, storage, full, _mean(delays), series)


def _scores(site: SitePages, judged: Masks) -> tuple[float, float | None, float | None, float | None]:
    """Compute recall and precision in words, then in blocks."""
    pairs = list(zip(site.pages, judged, strict=True))
    in_words = mean_scores(page.words.removal(mask) for page, mask in pairs if page.words is not None)
    in_blocks = block_scores(page.blocks.counts(mask) for page, mask in pairs if page.blocks is not None)
    return *in_words, *in_blocks


def _mean(values: npt.NDArray[np.int64] | Sequence[int]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def text_storage(site: SitePages, setting: Setting) -> tuple[float, float]:
    """Compute the mean bytes of the segment table with texts for hashes: after it shrinks, and before."""
    texts: dict[int, int] = {}
    for page, _, _ in site.pages:
        for index, key in enumerate(page.segment_keys.tolist()):
            if key not in texts:
                texts[key] = len(page.segment_text(index).encode()) + _SEGMENT_BYTES
    keys = np.fromiter(texts, np.uint64, len(texts))
    sizes = np.fromiter(texts.values(), np.int64, len(texts))
    options = SegmentsOptions(lifetime=setting.lifetime, growth=setting.growth)
    table = recurrence_table(options.lifetimes(), options.max_segments)
    after: list[int] = []
    inserting: list[int] = []
    for page, _, _ in site.pages:
        known = table.counts(keys) > 0
        inserting.append(int(sizes[known | np.isin(keys, page.segment_keys)].sum()))
        table.observe(page.segment_keys)
        after.append(int(sizes[table.counts(keys) > 0].sum()))
    return _mean(after), _mean(inserting)
