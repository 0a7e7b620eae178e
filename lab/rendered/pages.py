"""The pages of the experiment, laid out by the installed browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.errors import PageError
from detemplate.io.sources.base import PlacedSource
from detemplate.page.page import Page
from lab.layouts.browser import BrowserSettings, LayoutBrowser
from lab.layouts.storing import LayoutWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np

    from detemplate.io.record import Record
    from lab.labelled.pages import LabelledPage, LabelledSet

SETTINGS: Final = BrowserSettings(seconds=20.0)  # fetches nothing, runs no scripts


class RecordList(PlacedSource):
    """Records in memory, as a source."""

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
    """Lay pages out into a Parquet file; return the names of those that the browser could not lay out."""
    failed = set()
    with LayoutBrowser(SETTINGS) as browser, LayoutWriter(str(path), {"width": SETTINGS.width}) as writer:
        for record in pages:
            try:
                page = Page(record.url, record.html, site=record.site)
                writer.write(page, browser.layout(page))
            except PageError:
                failed.add(page_name(record))
            show(record.site)
    return failed


def page_name(record: LabelledPage) -> str:
    """Name a page by its site and identifier."""
    return f"{record.site} {record.id}"
