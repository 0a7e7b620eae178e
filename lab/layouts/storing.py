"""Laying out the pages of a source in a browser, into a file of layouts."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.engines.intake import Intake, page_parser
from detemplate.engines.limits import rejection
from detemplate.engines.loop import run_pass
from detemplate.engines.progress import Meter
from detemplate.engines.rejects import Rejects
from detemplate.engines.summary import Summary
from detemplate.errors import PageError
from detemplate.files.arrow import pa
from detemplate.files.atomicparquet import BufferedParquet
from detemplate.files.jsonvalues import without_surrogates
from detemplate.layout.store import FORMAT, LISTS, SCHEMA, layout_key
from lab.layouts.browser import LayoutBrowser

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.engines.progress import Progress
    from detemplate.io.record import Record, Skip
    from detemplate.io.sources.base import Source
    from detemplate.layout.layout import Layout
    from detemplate.page.page import Page
    from lab.layouts.browser import BrowserSettings

_GROUP_PAGES: Final = 256
"""Pages in a row group at most."""
_GROUP_ROWS: Final = 1 << 20
"""Nodes in a row group, about, at most: 16 MiB of boxes."""


class LayoutWriter(BufferedParquet):
    """Writes layouts one by one; a context manager. The file gets its name when all is written.

    Parameters
    ----------
    output
        Path of the file.
    settings
        Settings of the browser, for the file's metadata.

    Raises
    ------
    UserError
        The file cannot be written there.
    """

    def __init__(self, output: str, settings: Mapping[str, object]) -> None:
        super().__init__(output)
        texts = {name: str(value) for name, value in settings.items()}
        self._schema = SCHEMA.with_metadata({"format": FORMAT, **texts})
        self._pages: list[tuple[str, int, Layout]] = []
        self._nodes = 0

    def write(self, page: Page, layout: Layout) -> None:
        """Add a page's layout.

        Raises
        ------
        UserError
            The file cannot be written.
        """
        self._pages.append((without_surrogates(page.url), layout_key(page), layout))
        self._nodes += len(layout)
        if len(self._pages) >= _GROUP_PAGES or self._nodes >= _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        pages, self._pages, self._nodes = self._pages, [], 0
        offsets = np.cumsum([0, *(len(layout) for _, _, layout in pages)], dtype=np.int32)
        arrays = [
            pa.array([url for url, _, _ in pages], pa.string()),
            pa.array([key for _, key, _ in pages], pa.uint64()),
            pa.array([layout.page_width for _, _, layout in pages], pa.float64()),
            pa.array([layout.page_height for _, _, layout in pages], pa.float64()),
        ]
        for name in LISTS:
            values = [np.zeros(0, np.float32), *(getattr(layout, name) for _, _, layout in pages)]
            arrays.append(pa.ListArray.from_arrays(pa.array(offsets), pa.array(np.concatenate(values))))
        self._file.write(pa.table(arrays, schema=self._schema))


def store_layouts(
    source: Source,
    output: str,
    settings: BrowserSettings,
    *,
    max_page_bytes: int,
    rejects: str | None = None,
    progress: Progress | None = None,
) -> Summary:
    """Lay out every page of a source in the browser, and write the layouts to a file.

    Parameters
    ----------
    source, output
        The input; the file, ``.parquet``.
    settings
        Window, limits and network of the browser. Its time limit holds for parsing, too.
    max_page_bytes
        Larger pages are lost.
    rejects, progress
        As for :func:`detemplate.engines.run.run`.

    Returns
    -------
    Summary
        Its pages are those laid out; it has no counts of text.
    """
    start = time.perf_counter()
    summary = Summary("render", 1)
    sites: set[str] = set()
    with ExitStack() as stack:
        browser = stack.enter_context(LayoutBrowser(settings))
        log = stack.enter_context(Rejects(rejects))
        writer = stack.enter_context(LayoutWriter(output, asdict(settings)))
        meter = stack.enter_context(Meter(progress, source, pages_a_step=1))
        intake = Intake(
            source,
            page_parser("host"),
            max_page_bytes=max_page_bytes,
            max_page_seconds=settings.seconds,
            meter=meter,
        )
        meter.begin("rendering")

        def work(item: tuple[Record, Page]) -> Skip | None:
            record, page = item
            try:
                layout = browser.layout(page)
            except PageError as error:
                return rejection(record, error)
            writer.write(page, layout)
            sites.add(page.site)
            summary.pages += 1
            summary.sites = len(sites)
            return None

        run_pass(intake, work, summary=summary, rejects=log, meter=meter)
    summary.seconds = time.perf_counter() - start
    return summary
