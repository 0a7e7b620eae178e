"""Writing the layouts of pages to a Parquet file; `detemplate.layout.store` has its form."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.files.arrow import pa, pq
from detemplate.files.atomic import AtomicFile, Closing, writing
from detemplate.files.jsonvalues import without_surrogates
from detemplate.layout.store import FORMAT, LISTS, SCHEMA, layout_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.layout.layout import Layout
    from detemplate.page.page import Page

_GROUP_PAGES: Final = 256
_GROUP_ROWS: Final = 1 << 20  # maximum nodes of a row group, about: 16 MiB of boxes


class LayoutWriter(Closing):
    """Writes layouts one by one; a context manager. The file gets its name when all is written."""

    def __init__(self, output: str, settings: Mapping[str, object]) -> None:
        self._file = AtomicFile(output)
        self._writer: Any = None
        texts = {name: str(value) for name, value in settings.items()}
        self._schema = SCHEMA.with_metadata({"format": FORMAT, **texts})
        self._pages: list[tuple[str, int, Layout]] = []
        self._nodes = 0

    def write(self, page: Page, layout: Layout) -> None:
        """Add a page's layout."""
        self._pages.append((without_surrogates(page.url), layout_key(page), layout))
        self._nodes += len(layout)
        if len(self._pages) >= _GROUP_PAGES or self._nodes >= _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        """Write the collected layouts, if there are any, as a zstd-compressed row group."""
        table = self._taken()
        with writing(self._file.output):
            if self._writer is None:
                self._writer = pq.ParquetWriter(self._file.file, table.schema, compression="zstd")
            if len(table):
                self._writer.write_table(table)

    def close(self) -> None:
        """Write the last row group and give the file its name; raises UserError if that fails."""
        self._flush()
        with writing(self._file.output):
            self._writer.close()
        self._file.close()

    def abort(self) -> None:
        """Remove what was written."""
        if self._writer is not None:
            with suppress(Exception):  # the disk that failed before fails again
                self._writer.close()
        self._file.abort()

    def _taken(self) -> pa.Table:
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
        return pa.table(arrays, schema=self._schema)
