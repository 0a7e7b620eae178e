"""Schemas of the three tables of a crawl; ``docs/tables.md`` describes the columns.

Bar-Yossef & Rajagopalan 2002, section 3.2: PAGES, PAGELETS, LINKS. Keys and shingles are signed 64-bit
integers, a type that all engines have.
"""

from __future__ import annotations

from typing import Final

from detemplate.files.arrow import pa


def _required(name: str, kind: pa.DataType) -> pa.Field:
    return pa.field(name, kind, nullable=False)


PAGES: Final = pa.schema(
    [
        _required("page_key", pa.int64()),
        _required("url", pa.string()),
        _required("site", pa.string()),
        _required("title", pa.string()),
        _required("page_shingle", pa.int64()),
        _required("text", pa.string()),
        _required("pagelets", pa.int32()),
        _required("links", pa.int32()),
    ]
)
"""One row per page."""

PAGELETS: Final = pa.schema(
    [
        _required("page_key", pa.int64()),
        _required("pagelet_serial", pa.int32()),
        pa.field("pagelet_shingle", pa.int64()),
        _required("links", pa.int32()),
        _required("start", pa.int32()),
        _required("stop", pa.int32()),
        _required("text", pa.string()),
    ]
)
"""One row per pagelet; an empty pagelet has no shingle (NULL)."""

LINKS: Final = pa.schema(
    [
        _required("src_page_key", pa.int64()),
        _required("src_pagelet_serial", pa.int32()),
        _required("link_serial", pa.int32()),
        _required("dest_page_key", pa.int64()),
        _required("dest_url", pa.string()),
        _required("anchor", pa.string()),
        _required("context", pa.string()),
    ]
)
"""One row per link to a page, in the crawl or not."""

TABLES: Final[dict[str, pa.Schema]] = {"pages": PAGES, "pagelets": PAGELETS, "links": LINKS}
"""Schemas by table name."""

INFO: Final = "crawl_info"
"""Name of the table with the settings of the build."""

INFO_SCHEMA: Final = pa.schema([_required("key", pa.string()), _required("value", pa.string())])
"""One row per setting: ``k``, ``width`` and ``sketch``."""
