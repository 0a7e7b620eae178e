"""Pages for tests, from the measuring data or made; and detectors that learned them."""

import functools
import io
import json
import os
from collections.abc import Iterable, Iterator
from itertools import compress, islice
from pathlib import Path
from typing import Any, Final, TypeVar

import zstandard
from hypothesis import settings

from detemplate.detectors.base import Detector
from detemplate.detectors.registry import factory
from detemplate.page.page import Page

Kind = TypeVar("Kind", bound=Detector)

STRIDE: Final = int(os.environ.get("DETEMPLATE_DATA_STRIDE", "0"))
"""Take every n-th page of each set, with 1 all of them; with 0, as many as each test says."""

slow_oracle: Final = settings(max_examples=max(settings.default.max_examples * 2 // 5, 1))
"""Settings of generated tests whose oracle takes long: two fifths of the examples."""

SETS: Final = (
    *("cleanportaleval", "dragnet-hosts", "swde-22", "swde-booksamillion", "chaos", "wcxb-dev", "webkb"),
)


def load_pages(path: Path, step: int = 1) -> Iterator[dict[str, Any]]:
    """Read every ``step``-th page of one ``pages.jsonl.zst``, the first included."""
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(file)
        for line in islice(io.BufferedReader(reader, 2**20), None, None, step):
            yield json.loads(line)


def data_pages(data_dir: Path, *, sets: int, sites: int) -> Iterator[dict[str, Any]]:
    """Give the first ``sets`` pages of each set, and the first ``sites`` pages of each site.

    To read on is slow, as sets are compressed.
    """
    folders = [data_dir / name for name in SETS]
    folders += [folder for folder in sorted((data_dir / "sites").iterdir()) if folder.is_dir()]
    for number, folder in enumerate(folders):
        pages = load_pages(folder / "pages.jsonl.zst", STRIDE or 1)
        yield from islice(pages, None if STRIDE else sets if number < len(SETS) else sites)


def texts(page: Page) -> list[str]:
    """Give the texts of a page's segments."""
    return [page.segment_text(index) for index in range(len(page.segments))]


@functools.lru_cache(maxsize=4096)
def made_page(number: int, *, site: str = "e.org", extra: str = "") -> Page:
    """Make a page with a header and a footer that recur, and an article that does not; parse it once."""
    return Page(
        f"http://{site}/d/{number}.html",
        f"<!DOCTYPE html>\n<html><head><title>Page {number}</title></head>\n<body>\n"
        f"<nav><ul><li><a href='/'>Home</a></li>\n<li><a href='/about'>About us</a></li>"
        f"<li><a href='/feed'><img src='feed.png'></a></li></ul></nav>\n"
        f"<article><h1>Title number {number}</h1>\n<p>Words of {number * 7919 % 1000} <b>bold {number}</b>"
        f" and more.</p>\n{extra}</article>\n<footer><p>Copyright, all rights reserved</p></footer>\n"
        f"</body></html>",
    )


def make(method: str, *, streaming: bool) -> Detector:
    """Make a detector with its default options."""
    return factory(method, streaming=streaming)()


def site(count: int) -> list[Page]:
    """Make the pages of a site; four of seven have a text that is not on the others."""
    return [
        made_page(number, extra="<p>Seasonal words</p>" if number % 7 < 4 else "") for number in range(count)
    ]


def learned(method: str, streaming: bool, pages: list[Page]) -> Detector:
    """Make a detector that has learned some pages."""
    return taught(make(method, streaming=streaming), pages)


def taught(detector: Kind, pages: Iterable[Page]) -> Kind:
    """Let a detector learn some pages."""
    for page in pages:
        detector.learn(page)
    return detector


def removed(detector: Detector, page: Page) -> list[str]:
    """Give the texts of a page that are template."""
    return list(compress(texts(page), detector.score(page).template))
