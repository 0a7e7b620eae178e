"""One page in a file: as it looks, tinted by templateness, with the reason of each segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.detectors.causes import causes_of
from detemplate.page import tags
from detemplate.report.htmlfile import asset, html_file
from detemplate.report.inert import inert_html

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

_SHOWN: Final = 240  # characters of a segment's text that the list shows
_DEEP: Final = 6  # elements of a path that are shown, from the inside out


class Judged(NamedTuple):
    """What one method says about the page."""

    method: str
    """Name of the method."""
    verdict: Verdict
    """Its verdict."""
    pages: int
    """Pages of the site that it has learned."""


def explained_page(page: Page, judged: Sequence[Judged]) -> str:
    """Write the file of a page.

    ``judged``: the verdicts of one or more methods, the one to show first first.
    Returns: the HTML.
    Raises MissingExtra: jinja is not installed.
    """
    segments = range(len(page.segments))
    data = {
        "frame": inert_html(page, asset("frame.css")),
        "texts": [_cut(" ".join(page.segment_text(each).split()), _SHOWN) for each in segments],
        "chars": page.segment_chars.tolist(),
        "paths": [_path(page, int(row)) for row in page.segments],
        "methods": [
            {
                "name": each.method,
                "threshold": round(float(each.verdict.threshold), 6),
                "pages": each.pages,
                "scores": [round(float(score), 4) for score in each.verdict.scores],
                "template": each.verdict.template.tolist(),
                **_reasons(each.verdict),
            }
            for each in judged
        ],
    }
    return html_file(
        "explain.html",
        ("common.css", "explain.css"),
        "explain.js",
        data,
        title=page.title or page.url or "A page",
        url=page.url,
        site=page.site,
        segments=len(page.segments),
        methods=[each.method for each in judged],
        learnt=judged[0].pages,
        single=not any(each.pages for each in judged),
    )


def _reasons(verdict: Verdict) -> dict[str, object]:
    """Return the reasons and causes of all segments; equal ones once, by their numbers."""
    numbers: dict[str, int] = {}
    reasons: list[dict[str, object]] = []
    which = []
    for segment in range(len(verdict)):
        reason = verdict.explain(segment)
        if reason not in numbers:
            numbers[str(reason)] = len(reasons)
            causes = [[each.code, each.weight, dict(each.values)] for each in causes_of(reason)]
            reasons.append({"text": str(reason), "causes": causes})
        which.append(numbers[reason])
    return {"reasons": reasons, "reason": which}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _path(page: Page, row: int) -> str:
    """Tell where a segment is: the tags around it with their ids or first classes, the innermost last."""
    columns = page.columns
    parts: list[str] = []
    at = int(columns.parent[row])
    while at >= 0 and len(parts) <= _DEEP:
        parts.append(_named(page, at))
        at = int(columns.parent[at])
    if len(parts) > _DEEP:
        parts[-1] = "…"
    return " › ".join(reversed(parts))


def _named(page: Page, row: int) -> str:
    tag = int(page.columns.tag[row]) & tags.NUMBER
    start = page.canonical[page.columns.start[row] :][:400].decode("utf-8", "replace")
    name = tags.NAMES[tag] if 0 < tag < len(tags.NAMES) else start[1:].split(">")[0].split()[0]
    head = start.partition(">")[0]
    for attribute, sign in ((" id=", "#"), (" class=", ".")):
        value = head.partition(f'{attribute}"')[2].partition('"')[0].split()
        if value:
            return f"{name}{sign}{_cut(value[0], 30)}"
    return name
