"""Times of renderings, in a process of their own: ``python -m benchmarks.support.renderings PAGES SRC``."""

from __future__ import annotations

import gc
import importlib
import json
import sys
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate import Page

    Cleaned = tuple[str, str, str, list[int]]
    """A page: URL, HTML, site, and the rows of the nodes to cut."""
    Render = Callable[[Page, list[int]], str]

CASES: Final = ("text", "Markdown", "HTML")  # the renderings, as tables name them
PARSE: Final = "parse"  # the unit: parsing alone


def times(pages: list[Cleaned]) -> dict[str, float]:
    """Time the parse and the renderings of pages, each right after its parse, garbage collector off."""
    import turbohtml

    from detemplate import Page
    from detemplate.output.cutting import to_html

    try:
        from detemplate.output.markdown import to_markdown
        from detemplate.output.plain import to_text
    except ImportError:  # versions before 2026-11-26
        old = importlib.import_module("detemplate.output.render")
        to_text, to_markdown = old.to_text, old.to_markdown

    renderings: dict[str, Render] = dict(zip(CASES, (to_text, to_markdown, to_html), strict=True))
    seconds = dict.fromkeys((PARSE, *CASES), 0.0)
    gc.collect()
    gc.disable()
    try:
        for url, html, site, removed in pages:
            begin = process_time()
            turbohtml.parse(html)
            seconds[PARSE] += process_time() - begin
            for case, render in renderings.items():
                page = Page(url, html, site=site, keep_document=case != "HTML")
                begin = process_time()
                render(page, removed)
                seconds[case] += process_time() - begin
    finally:
        gc.enable()
    return seconds


def main() -> None:
    """Time the package in a folder; print seconds by case as JSON."""
    path, source = sys.argv[1:]
    sys.path.insert(0, source)
    import detemplate

    if not Path(detemplate.__file__).is_relative_to(Path(source).resolve()):
        raise SystemExit(f"{source} has no package detemplate")
    pages: list[Cleaned] = [(u, h, s, r) for u, h, s, r in json.loads(Path(path).read_bytes())]
    times(pages[:3])  # imports modules and builds tables
    print(json.dumps(times(pages)))


if __name__ == "__main__":
    main()
