"""The pages of the experiment, laid out by the installed browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from detemplate.errors import PageError
from detemplate.io.record import Record
from detemplate.io.sources.base import PlacedSource
from detemplate.page.page import Page
from lab.layouts.browser import BrowserSettings, LayoutBrowser
from lab.layouts.storing import LayoutWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np

    from lab.labelled.catalogue import Kind
    from lab.labelled.pages import LabelledPage, LabelledSet

SETTINGS = BrowserSettings(seconds=20.0)
"""The browser's window and limits: it fetches nothing, and runs no scripts."""


class GoldPage(NamedTuple):
    """A page with gold."""

    group: str
    """Name of its set."""
    kind: Kind
    """Kind of its gold."""
    record: LabelledPage
    """The page."""


class RecordList(PlacedSource):
    """Records in memory, as a source.

    Parameters
    ----------
    records
        The records.
    """

    rereadable = True
    total_bytes: int | None = None
    bytes_read = 0

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records

    def _items(self) -> Sequence[Record]:
        return self._records


def sampled(labelled: LabelledSet, count: int, *, gold: bool, rng: np.random.Generator) -> list[LabelledPage]:
    """Draw pages of a set at random; with `gold`, of those with gold only."""
    pages = [page for page in labelled.pages() if page.gold is not None or not gold]
    return [pages[place] for place in sorted(rng.permutation(len(pages))[:count].tolist())]


def lay_out(
    pages: Sequence[LabelledPage], path: Path, show: Callable[[str], object] = lambda _: None
) -> set[str]:
    """Lay pages out in the browser, into a file of layouts.

    Parameters
    ----------
    pages
        The pages.
    path
        The file: ``.parquet``.
    show
        Called with each page's site.

    Returns
    -------
    set of str
        ``SITE ID`` of the pages that the browser could not lay out.

    Raises
    ------
    UserError
        No browser is installed, or the file cannot be written.
    MissingExtra
        Playwright or PyArrow is not installed.
    """
    failed = set()
    with LayoutBrowser(SETTINGS) as browser, LayoutWriter(str(path), {"width": SETTINGS.width}) as writer:
        for record in pages:
            try:
                page = parsed(record)
                writer.write(page, browser.layout(page))
            except PageError:
                failed.add(page_name(record))
            show(record.site)
    return failed


def parsed(record: LabelledPage) -> Page:
    """Parse a page; raises PageError as :class:`~detemplate.Page` does."""
    return Page(record.url, record.html, site=record.site)


def page_name(record: LabelledPage) -> str:
    """Name a page by its site and identifier."""
    return f"{record.site} {record.id}"


def as_records(pages: Sequence[LabelledPage]) -> list[Record]:
    """Convert labelled pages to records of their sites."""
    return [Record(page.url, page.html, None, None, page.site) for page in pages]
