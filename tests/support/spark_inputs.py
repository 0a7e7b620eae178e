"""Inputs for runs on Spark: a site of many small pages, copies, duplicates, records that are no pages."""

import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.warc_fixtures import http, pack, record, warcinfo

LARGE = 430
"""Pages of the larger site."""

_NAMES = [
    "river", "stone", "cloud", "lamp", "paper", "music", "ship", "garden", "winter", "market", "bread",
    "letter", "window", "corner", "bridge",
]  # fmt: skip


def spark_pages() -> list[tuple[str, str]]:
    """Make the pages of two sites, mixed; some are copies, some have no text, some URLs come twice."""
    chance = random.Random(4)
    pages: list[tuple[str, str]] = []
    for number in range(LARGE):
        kind = number % 10
        body = "".join(f"<p>{' '.join(chance.choices(_NAMES, k=9))} {number}.</p>" for _ in range(2))
        if kind == 7 and number > 20:  # a copy of a page shortly before, or long before
            body = pages[-3][1].partition("<main>")[2].partition("</main>")[0]
        sometimes = f"<aside class=box>Offer {number // 45}</aside>" if kind < 4 else ""
        rare = "<div>Anniversary of the house</div>" if number % 75 == 0 else ""
        html = (
            f"<title>Page {number} - The House of Letters</title><nav><a href=/>Home</a> <a href=/a>About us</a> <a href=/b>All</a></nav>{sometimes}{rare}"
            f"<main>{body}</main><footer>Edition {number // 60}. All rights reserved.</footer>"
        )
        pages.append(
            (f"http://large.example/{number}", html if kind != 9 else f"<title>{number}</title><img src=a>")
        )
    small = [
        (
            f"http://small.example/{number}",
            f"<ul><li>Menu<li>Contact</ul><h1>Note {number}</h1><p>Text of {number}.",
        )
        for number in range(12)
    ]
    for place, page in enumerate(small):
        pages.insert(20 * place, page)
    pages.insert(40, pages[3])
    pages.append(pages[7])
    return pages


def write_lines(path: Path, pages: list[tuple[str, str]], *, broken: bool = False) -> str:
    """Write pages as JSON Lines, with other keys; ``broken``: with lines that are no pages."""
    with path.open("w") as file:
        for number, (url, html) in enumerate(pages):
            file.write(
                json.dumps({"url": url, "html": html, "title": f"t{number}", "tags": [number, "x"]}) + "\n"
            )
            if broken and number % 50 == 5:
                file.write('{"url": "http://bad.example/", "html": 3}\nnot JSON\n')
    return str(path)


def write_warc(path: Path, pages: list[tuple[str, str]]) -> str:
    """Write pages as a compressed WARC file, with a picture among them."""
    records = [
        warcinfo(),
        *(record(http(html.encode()), url=url) for url, html in pages),
        record(http(b"GIF89a", content_type="image/gif"), url="http://large.example/picture"),
    ]
    path.write_bytes(pack(records, ".gz"))
    return str(path)


def write_parquet(path: Path, pages: list[tuple[str, str]]) -> str:
    """Write pages as Parquet, with typed columns."""
    rows: list[dict[str, Any]] = [
        {
            "url": url,
            "html": html.encode(),
            "fetched": datetime(2024, 5, 1 + number % 28, 12, tzinfo=UTC),
            "depth": number,
            "method": "GET",
            "outlinks": [f"{url}/a", f"{url}/b"],
        }
        for number, (url, html) in enumerate(pages)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=50)
    return str(path)
