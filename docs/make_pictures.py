"""Draws docs/pictures/METHOD.svg: what each method says of one page of the example site, text by text.

Run it as ``python docs/make_pictures.py [METHOD …]``. Pictures hold the scores and reasons of the methods.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import detemplate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT: Final = Path(__file__).parents[1]
BASE: Final = "https://doc.rust-lang.org/book/"
SHOWN: Final = "ch03-04-comments.html"
BEGINNING: Final = 4
"""Texts that are shown of the page's beginning."""
END: Final = 26
"""Texts that are shown of the page's end: of the menu, and the chapter."""

ROW: Final = 18
"""Height of a row, in pixels."""
WIDTH: Final = 900
"""Width of a picture, in pixels."""
BAR: Final = (280, 100)
"""Left edge and width of the bars."""
REASON: Final = 394
"""Left edge of the reasons."""
LETTERS: Final = (38, 86)
"""Letters that fit into the columns of texts and reasons."""
TAIL: Final = 36
"""Letters that are shown of the end of a reason that does not fit."""

STYLE: Final = (
    ".verdicts text{font:12px var(--md-text-font-family,sans-serif);fill:var(--md-default-fg-color,#333)}"
    ".verdicts .quiet{fill:var(--md-default-fg-color--light,#777)}"
    ".verdicts .gone{fill:var(--picture-gone,#b3261e);text-decoration:line-through}"
    ".verdicts .track{fill:var(--md-default-fg-color--lightest,#e6e6e6)}"
    ".verdicts .kept-bar{fill:var(--picture-kept,#00796b)}"
    ".verdicts .gone-bar{fill:var(--picture-gone,#b3261e)}"
    ".verdicts .limit{stroke:var(--md-default-fg-color,#333);stroke-dasharray:3 2}"
)
"""Colours of the page that a picture stands in, and others where it stands alone."""


class Row(NamedTuple):
    """A text of the page: its score, whether it goes, and why."""

    text: str
    score: float
    gone: bool
    reason: str


def site() -> list[tuple[str, str]]:
    """Read the pages of the example site."""
    files = sorted((ROOT / "examples" / "rustbook").glob("*.html"))
    return [(BASE + file.name, file.read_text(encoding="utf-8")) for file in files]


def result_of(method: str, pages: Sequence[tuple[str, str]]) -> detemplate.Result:
    """Clean the site with a method; give the result of the page that is shown."""
    return next(result for result in detemplate.clean(pages, method) if result.url == BASE + SHOWN)


def rows(result: detemplate.Result) -> Iterator[Row | str]:
    """Give the rows of a picture; a text stands for the rows that are left out."""
    verdict = result.verdict
    count = len(verdict)
    gone = verdict.template
    for index in range(count):
        if BEGINNING <= index < count - END:
            if index == BEGINNING:
                left_out = gone[BEGINNING : count - END]
                yield f"… {len(left_out)} more texts of the table of contents: {int(left_out.sum())} go"
            continue
        yield Row(
            result.page.segment_text(index),
            float(verdict.scores[index]),
            bool(gone[index]),
            verdict.explain(index),
        )


def clipped(text: str, letters: int, tail: int = 0) -> str:
    """Cut a text to a number of letters, of which ``tail`` are of its end, and escape it."""
    flat = " ".join(text.split())
    if len(flat) > letters:
        flat = flat[: letters - 1 - tail] + "…" + flat[len(flat) - tail :]
    return escape(flat, quote=False)


def drawing(method: str, result: detemplate.Result) -> str:
    """Draw the page as a method judges it, as SVG."""
    left, width = BAR
    lines = [
        f'<text x="6" y="14" class="quiet">texts of the page {SHOWN}</text>'
        f'<text x="{left}" y="14" class="quiet">score, 0 to 1</text>'
        f'<text x="{REASON}" y="14" class="quiet">reason</text>'
    ]
    y = ROW + 4
    for row in rows(result):
        base = y + 13
        if isinstance(row, str):
            lines.append(f'<text x="6" y="{base}" class="quiet">{clipped(row, 100)}</text>')
        else:
            kind = "gone" if row.gone else "kept"
            reason = clipped(row.reason, LETTERS[1], TAIL)
            bar = f'x="{left}" y="{y + 4}" height="10"'
            lines.append(
                f'<text x="6" y="{base}" class="{kind}">{clipped(row.text, LETTERS[0])}</text>'
                f'<rect {bar} width="{width}" class="track"/>'
                f'<rect {bar} width="{round(width * row.score, 1):g}" class="{kind}-bar"/>'
                f'<text x="{REASON}" y="{base}" class="quiet">{reason}</text>'
            )
        y += ROW
    limit = round(left + width * result.verdict.threshold, 1)
    lines.append(f'<line x1="{limit:g}" x2="{limit:g}" y1="{ROW + 4}" y2="{y}" class="limit"/>')
    share = f"{result.template_share:.0%} of the page's text goes"
    said = f"{method}: the dashed line is the threshold, {result.verdict.threshold:.2g}; {share}"
    lines.append(f'<text x="6" y="{y + 18}" class="quiet">{said}</text>')
    head = f'<svg class="verdicts" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 26}">'
    return "\n".join((head, f"<style>{STYLE}</style>", *lines, "</svg>\n"))


def main(methods: Sequence[str]) -> None:
    """Draw the pictures of methods, or of all."""
    pages = site()
    folder = ROOT / "docs" / "pictures"
    for method in methods or detemplate.methods():
        (folder / f"{method}.svg").write_text(drawing(method, result_of(method, pages)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
