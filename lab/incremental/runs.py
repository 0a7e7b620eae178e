"""One run: a method at one setting over the pages of a site, with its scores, storage and delay."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.detectors.registry import factory
from detemplate.detectors.segments import Segments, SegmentsOptions
from detemplate.errors import PageError
from detemplate.page.page import Page
from lab.incremental.blocks import PageBlocks, block_scores
from lab.incremental.templatewords import PageWords, mean_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from lab.incremental.blocks import BlockScores
    from lab.incremental.templatewords import TemplateScores
    from lab.labelled.pages import LabelledSet

ALL: Final = 2**31
"""Batch size that puts all pages of a site into one batch."""

ENTRY_BYTES: Final = 16
"""Bytes of a segment in the state of the incremental method."""

_SEGMENT_BYTES: Final = 16
"""Bytes a segment in the table, beside its text: path (a hash), document frequency, last occurrence."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A method with the parameters that trade storage for recall."""

    method: str
    """Name of the method."""
    batch: int | None = None
    """Pages a batch; None for the incremental method, which processes pages as they arrive."""
    lifetime: float = math.inf
    """T_b of the incremental method, in pages."""
    growth: float = 1.0
    """N of the incremental method."""
    options: tuple[tuple[str, float], ...] = ()
    """Options of the method that differ from their defaults."""

    @property
    def label(self) -> str:
        """The parameters, as tables show them."""
        if self.batch is None:
            return "T_b=∞" if math.isinf(self.lifetime) else f"T_b={self.lifetime:g} N={self.growth:g}"
        return "all pages" if self.batch == ALL else f"{self.batch} pages"


@dataclass(slots=True)
class SitePages:
    """The pages of a site in their order of arrival, parsed once for all settings."""

    name: str
    """Name of the site."""
    part: str
    """``train`` or ``test``."""
    pages: list[Page]
    """The pages that can be parsed."""
    words: list[PageWords | None]
    """Words of each page; None for pages without gold, which are learnt and not scored."""
    blocks: list[PageBlocks | None]
    """Labelled blocks of each page; None for pages without gold."""
    skipped: int = 0
    """Number of pages that cannot be parsed."""


@dataclass(slots=True)
class Outcome:
    """Scores, storage and delay of a setting on a site."""

    setting: Setting
    """The setting."""
    recall: float
    """Recall of the template: mean over pages."""
    precision: float | None
    """Precision of the template: mean over pages; None where nothing was removed."""
    storage: float
    """Bytes stored, averaged over the arrivals of all pages (the paper's AverageSize)."""
    full: float
    """Bytes of a full batch of pages, averaged over batches; for the incremental method, `storage`."""
    delay: float
    """Number of pages that arrive between a page and its processing, averaged over pages."""
    series: npt.NDArray[np.int64] = field(repr=False)
    """Bytes stored after each page's arrival."""
    inserting: float = 0.0
    """Bytes stored when a page is inserted, averaged over pages: for the incremental method, before the table
    shrinks; else `storage`."""
    block_recall: float | None = None
    """Recall of the template blocks; None without any."""
    block_precision: float | None = None
    """Precision of the template blocks; None where none was removed."""


def read_site(labelled: LabelledSet, max_pages: int | None = None) -> SitePages:
    """Read and parse the pages of a site in the order of the data.

    Parameters
    ----------
    labelled
        A set of kind ``site``.
    max_pages
        Number of pages to read at most; by default all.

    Returns
    -------
    SitePages
        The pages that can be parsed.
    """
    site = SitePages(labelled.name.rpartition("/")[2], labelled.part, [], [], [])
    for number, labelled_page in enumerate(labelled.pages()):
        if max_pages is not None and number >= max_pages:
            break
        try:
            page = Page(labelled_page.url, labelled_page.html, site=site.name)
        except PageError:
            site.skipped += 1
            continue
        site.pages.append(page)
        gold = labelled_page.gold
        site.words.append(None if gold is None else PageWords(page, gold))
        site.blocks.append(None if gold is None else PageBlocks(page, gold))
    return site


def split_batches(pages: int, size: int) -> list[range]:
    """Split pages into batches in their order of arrival.

    Parameters
    ----------
    pages
        Number of pages.
    size
        Pages a batch.

    Returns
    -------
    list of range
        Numbers of the pages of each batch. The last batch may be smaller.

    Examples
    --------
    >>> split_batches(5, 2)
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    return [range(start, min(start + size, pages)) for start in range(0, pages, size)]


def run_setting(site: SitePages, setting: Setting) -> Outcome:
    """Run a method over a site.

    Storage is measured after each arrival. For the incremental method it is the whole serialised state,
    after the table has shrunk at the end of the page's processing. For a batch method it is the serialised
    pages of the batch so far, the new one included. A full batch is processed and its pages are dropped after
    this measurement. The structures that a batch method builds while it processes a batch do not count.

    Parameters
    ----------
    site
        The site.
    setting
        The method and its parameters.

    Returns
    -------
    Outcome
        Its scores, storage and delay.
    """
    return _run_incremental(site, setting) if setting.batch is None else _run_batches(site, setting)


def _run_incremental(site: SitePages, setting: Setting) -> Outcome:
    options = {**dict(setting.options), "lifetime": setting.lifetime, "growth": setting.growth}
    detector = factory(setting.method, options, streaming=True)()
    sizes = np.zeros(len(site.pages), np.int64)
    inserting = np.zeros(len(site.pages), np.int64)
    judged: list[npt.NDArray[np.bool_]] = []
    for number, page in enumerate(site.pages):
        keys = np.unique(page.segment_keys)
        known = len(detector.answer(keys)[0].nonzero()[0]) if isinstance(detector, Segments) else len(keys)
        before = detector.segments if isinstance(detector, Segments) else 0
        judged.append(detector.learn_and_score(page).template)
        sizes[number] = inserting[number] = len(detector.to_bytes())
        if isinstance(detector, Segments):
            # The table with the page's segments, before those that are due are dropped (section 2.4).
            dropped = before + len(keys) - known - detector.segments
            inserting[number] += dropped * ENTRY_BYTES
    average, blocks = _mean(sizes), _block_scores(site, judged)
    return Outcome(
        setting, *_word_scores(site, judged), storage=average, full=average, delay=0.0, series=sizes,
        inserting=_mean(inserting), block_recall=blocks.recall, block_precision=blocks.precision,
    )  # fmt: skip


def _word_scores(site: SitePages, judged: Sequence[npt.NDArray[np.bool_]]) -> TemplateScores:
    pairs = zip(site.words, judged, strict=True)
    return mean_scores(words.removal(template) for words, template in pairs if words is not None)


def _block_scores(site: SitePages, judged: Sequence[npt.NDArray[np.bool_]]) -> BlockScores:
    pairs = zip(site.blocks, judged, strict=True)
    return block_scores(blocks.counts(template) for blocks, template in pairs if blocks is not None)


def _run_batches(site: SitePages, setting: Setting) -> Outcome:
    new_detector = factory(setting.method, dict(setting.options), streaming=False)
    sizes = np.array([len(page.canonical) for page in site.pages], np.int64)
    batches = split_batches(len(sizes), setting.batch or ALL)
    judged: list[npt.NDArray[np.bool_]] = []
    delays: list[int] = []
    for batch in batches:
        detector = new_detector()
        for number in batch:
            detector.learn(site.pages[number])
        judged += [detector.score(site.pages[number]).template for number in batch]
        delays += [batch[-1] - number for number in batch]
    cached = [np.cumsum(sizes[batch.start : batch.stop]) for batch in batches]
    series = np.concatenate([*cached, np.zeros(0, np.int64)])
    full, storage = _mean([size[-1] for size in cached]), _mean(series)
    blocks = _block_scores(site, judged)
    return Outcome(
        setting, *_word_scores(site, judged), storage=storage, full=full, delay=_mean(delays), series=series,
        inserting=storage, block_recall=blocks.recall, block_precision=blocks.precision,
    )  # fmt: skip


def _mean(values: npt.NDArray[np.int64] | Sequence[int]) -> float:
    return float(np.mean(values)) if len(values) else 0.0


def text_storage(site: SitePages, setting: Setting) -> tuple[float, float]:
    """Compute the average size of the segment table if it held texts, as the paper's table does.

    A segment takes its text as UTF-8 with white space collapsed, and 16 bytes for its path (a hash), document
    frequency and last occurrence.

    Parameters
    ----------
    site
        The site.
    setting
        A setting of the incremental method.

    Returns
    -------
    tuple of float and float
        Bytes, averaged over the arrivals of all pages: after the table has shrunk, and when a page is
        inserted, before it shrinks.
    """
    texts: dict[int, int] = {}
    for page in site.pages:
        for index, key in enumerate(page.segment_keys.tolist()):
            if key not in texts:
                texts[key] = len(page.segment_text(index).encode()) + _SEGMENT_BYTES
    keys = np.fromiter(texts, np.uint64, len(texts))
    sizes = np.fromiter(texts.values(), np.int64, len(texts))
    options = SegmentsOptions(lifetime=setting.lifetime, growth=setting.growth)
    table = recurrence_table(options.lifetimes(), options.max_segments)
    after: list[int] = []
    inserting: list[int] = []
    for page in site.pages:
        known = table.counts(keys) > 0
        inserting.append(int(sizes[known | np.isin(keys, page.segment_keys)].sum()))
        table.observe(page.segment_keys)
        after.append(int(sizes[table.counts(keys) > 0].sum()))
    return _mean(after), _mean(inserting)
