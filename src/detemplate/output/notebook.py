"""How notebooks show a result: the page's text, tinted by templateness, with the reason of each segment."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from detemplate.detectors.scorechart import CONTENT, TEMPLATE, score_chart
from detemplate.errors import abridged, counted

if TYPE_CHECKING:
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

_SEGMENTS: Final = 300  # maximum number of segments that are shown
_LONGEST: Final = 400  # maximum length of a segment's text, in characters

# Style of template.
_GOES: Final = f"background:{TEMPLATE}33;border-bottom:2px solid {TEMPLATE};padding:0 2px"

_STAYS: Final = f"background:{CONTENT}33;padding:0 2px"  # style of content


def result_html(page: Page, verdict: Verdict, method: str, share: float) -> str:
    """Write a result as HTML for notebooks; nothing of the page's own markup is in it.

    ``page``, ``verdict``, ``method``: the page, its verdict, and the name of the method that gave it.
    ``share``: share of the text's characters that are template.
    Returns: blocks of text. Template is tinted orange and underlined, content blue; the tooltip of each
        segment is its score and its reason.
    """
    template, blocks = verdict.template.tolist(), page.blocks.tolist()
    shown = min(len(verdict), _SEGMENTS)
    parts: list[str] = []
    for segment in range(shown):
        if segment and blocks[segment] != blocks[segment - 1]:
            parts.append("</div><div>")
        text = abridged(page.segment_text(segment), _LONGEST)
        why = f"{'goes' if template[segment] else 'stays'}, score {verdict.scores[segment]:.2f}"
        why += f": {verdict.explain(segment)}" if verdict.explain(segment) else ""
        style = _GOES if template[segment] else _STAYS
        parts.append(f'<span title="{escape(why)}" style="{style}">{escape(text)}</span> ')
    more = f"<div>… and {counted(len(verdict) - shown, 'more text')}</div>" if len(verdict) > shown else ""
    title = escape(page.title or page.url or "a page")
    return "".join(
        (
            f'<div style="max-width:60em"><div><b>{title}</b> ',
            f'<span style="opacity:.75">{escape(page.url)}</span></div>',
            f"<div>{escape(method)}: {sum(template):,} of {len(verdict):,} texts are template, ",
            f"{share:.0%} of the characters. ",
            f'<span style="{_GOES}">orange, underlined</span> goes, ',
            f'<span style="{_STAYS}">blue</span> stays; ',
            "point at a text to see why.</div>",
            score_chart(verdict.scores, verdict.threshold),
            '<div style="max-height:24em;overflow:auto;border:1px solid #8888;padding:.5em"><div>',
            *parts,
            f"</div>{more}</div></div>",
        )
    )
