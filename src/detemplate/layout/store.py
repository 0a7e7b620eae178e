"""Reads browser layouts from a Parquet file, one row a page; the laboratory writes such files.

Columns: ``url``; ``key``, a hash of the page's canonical serialisation, so that the layout of a page that has
changed since is not used; ``page_width`` and ``page_height``; and the lists ``left``, ``top``, ``width`` and
``height`` (float32), one number a row of the page's columns. The file's metadata has the settings of the
browser.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

from detemplate.errors import UserError
from detemplate.files.arrow import pa, pq
from detemplate.layout.layout import Layout

if TYPE_CHECKING:
    from detemplate.page.page import Page

LISTS: Final = ("left", "top", "width", "height")
"""Columns with the boxes of a page: lists of one number a node, in CSS pixels."""

SCHEMA: Final = pa.schema(
    [
        ("url", pa.string()),
        ("key", pa.uint64()),
        ("page_width", pa.float64()),
        ("page_height", pa.float64()),
        *((name, pa.list_(pa.float32())) for name in LISTS),
    ]
)
"""Columns of the file; ``key`` is a hash of the page."""

FORMAT: Final = b"detemplate layouts 1"
"""Name and version of the format, in the file's metadata."""


def layout_key(page: Page) -> int:
    """Return the key of a page's layout: XXH64 of the page's canonical serialisation."""
    return xxhash.xxh64_intdigest(page.canonical)


class LayoutStore:
    """Reads stored layouts; see :meth:`open`.

    ``settings``: settings of the browser.
    """

    def __init__(self, path: str, file: Any, keys: np.ndarray[Any, np.dtype[np.uint64]]) -> None:  # noqa: ANN401
        self._path = path
        self._file = file
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        sizes = [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]
        self._begins = np.cumsum([0, *sizes])
        self._group: tuple[int, Any] = (-1, None)
        stored = file.schema_arrow.metadata or {}
        self.settings = {
            name.decode(): value.decode("utf-8", "replace")
            for name, value in stored.items()
            if name not in (b"format", b"ARROW:schema")
        }

    def __len__(self) -> int:
        return len(self._keys)

    @classmethod
    def open(cls, path: str) -> LayoutStore:
        """Open a file that ``python -m lab.layouts`` wrote.

        ``path``: path of the file. Only its keys are read at once; layouts are read a row group at a time.
        Raises UserError: the file is missing, or has no layouts.
        """
        if not Path(path).is_file():
            raise UserError(f"there is no file {path}; make it with python -m lab.layouts")
        try:
            file = pq.ParquetFile(path)
            schema = file.schema_arrow
            if (schema.metadata or {}).get(b"format") != FORMAT or not schema.equals(SCHEMA):
                raise UserError(f"{path} holds no layouts; make such a file with python -m lab.layouts")
            keys = file.read(columns=["key"]).column("key").to_numpy()
        except (pa.ArrowException, OSError) as error:
            why = " ".join(str(error).split())
            raise UserError(f"{path} cannot be read as Parquet: {why}; make it anew") from error
        return cls(path, file, keys)

    def layout(self, page: Page) -> Layout | None:
        """Return the layout of a page.

        Returns: None if there is none for this canonical serialisation. Of several pages with the same
            serialisation, the one with the same URL counts, otherwise the first.
        Raises UserError: the file is damaged.
        """
        key = np.uint64(layout_key(page))
        places = self._order[np.searchsorted(self._keys, key) : np.searchsorted(self._keys, key, "right")]
        stored = None
        for place in places.tolist():
            row = self._row(place)
            if len(row["left"]) != len(page.columns):  # written by a version with other rows
                continue
            if stored is None or row["url"].as_py() == page.url:
                stored = row
            if row["url"].as_py() == page.url:
                break
        if stored is None:
            return None
        boxes: dict[str, Any] = {name: np.asarray(stored[name].values, np.float32) for name in LISTS}
        size: dict[str, Any] = {name: stored[name].as_py() for name in ("page_width", "page_height")}
        return Layout(**boxes, **size)

    def _row(self, place: int) -> dict[str, Any]:
        group = int(np.searchsorted(self._begins, place, "right")) - 1
        if self._group[0] != group:
            try:
                self._group = (group, self._file.read_row_group(group))
            except (pa.ArrowException, OSError) as error:
                why = " ".join(str(error).split())
                raise UserError(f"{self._path} cannot be read: {why}; make it anew") from error
        table = self._group[1]
        at = place - int(self._begins[group])
        return {name: table.column(name)[at] for name in table.column_names}
