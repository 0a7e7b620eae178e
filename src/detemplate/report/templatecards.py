"""Templates as cards: the parts of pages that hold them, as they look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from detemplate.report.htmlfile import asset
from detemplate.report.inert import inert_html

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

_CHARS: Final = 8_000
"""Maximum characters of text of a card's part of a page."""

_LONGEST: Final = 24_000
"""Maximum length of a card's HTML, in characters."""

_TEXT: Final = 300
"""Characters of a card's text that are shown."""

_CARDS: Final = 24
"""Maximum number of cards of a site."""

Part = tuple[str, str]
"""Text and HTML of a part of a page."""


def template_parts(page: Page, verdict: Verdict, keys: Iterable[int]) -> dict[int, Part]:
    """Cut out the parts of a page that hold templates.

    Parameters
    ----------
    page, verdict
        The page and its verdict.
    keys
        Keys of template segments.

    Returns
    -------
    dict
        By key: the largest element around the segment that holds only template and little text.
    """
    own, columns = page.segment_keys.tolist(), page.columns
    template, chars = verdict.template, page.segment_chars
    wanted, parts, written = set(keys), {}, {}
    for segment, key in enumerate(own):
        if key not in wanted or key in parts:
            continue
        row = int(page.segments[segment])
        while (above := int(columns.parent[row])) > 0:
            inside = page.segments_in(above)
            if (
                not template[inside.start : inside.stop].all()
                or chars[inside.start : inside.stop].sum() > _CHARS
            ):
                break
            row = above
        if row not in written:
            written[row] = _part(page, row)
        parts[key] = written[row]
    return parts


def _part(page: Page, row: int) -> Part:
    inside = page.segments_in(row)
    text = " · ".join(page.segment_text(each) for each in inside)
    html = inert_html(page, asset("frame.css"), rows=range(row, int(page.columns.end[row])))
    return text[:_TEXT], html if len(html) <= _LONGEST else ""


def cards(templates: Mapping[int, Any], parts: Mapping[int, Part], room: int) -> list[dict[str, object]]:
    """Join the templates of a site that are in the same part of its pages.

    Parameters
    ----------
    templates
        By key: what a site's history tells (:class:`~detemplate.sites.sitehistory.Template`).
    parts
        By key: text and HTML of the part; not for all.
    room
        Characters that the HTML of all cards may take.

    Returns
    -------
    list of dict
        ``text``, ``html`` (may be empty), ``pages``, ``texts``, ``first`` and ``last`` (dates), those on most
        pages first.
    """
    joined: dict[str, dict[str, Any]] = {}
    for key, template in sorted(templates.items(), key=lambda item: -item[1].pages):
        text, html = parts.get(key, (template.text, ""))
        if not any(map(str.isalnum, text)):
            continue
        card = joined.setdefault(
            text, {"text": text, "html": html, "pages": 0, "texts": 0, "first": template.first, "last": ""}
        )
        card["pages"] = max(card["pages"], template.pages)
        card["texts"] += 1
        card["first"] = min(card["first"], template.first)
        card["last"] = max(card["last"], template.last)
    chosen = sorted(joined.values(), key=lambda card: (-card["pages"], card["text"]))[:_CARDS]
    for card in chosen:
        if len(card["html"]) > room:
            card["html"] = ""
        room -= len(card["html"])
    return chosen
