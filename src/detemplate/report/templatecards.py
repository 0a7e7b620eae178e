"""Templates as cards: the parts of pages that hold them, as they look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.report.htmlfile import asset, sanitised_html

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page


_CHARS: Final = 8_000  # maximum characters of text of a card's part of a page


_LONGEST: Final = 24_000  # maximum length of a card's HTML, in characters


_TEXT: Final = 300  # characters of a card's text that are shown


_CARDS: Final = 24  # maximum number of cards of a site


class Part(NamedTuple):
    """A part of a page."""

    text: str
    """The beginning of its text."""
    html: str
    """Its HTML; empty if it is too long."""
    keys: tuple[int, ...]
    """Keys of its segments."""


class Shown(NamedTuple):
    """What is known of a removed text at its place."""

    text: str
    """Its first characters; the part's text is shown where there is a part."""
    pages: int
    """Number of pages from which it was removed."""
    first: str
    """Date of the first of them; may be empty."""
    last: str
    """Date of the last."""


def template_parts(page: Page, verdict: Verdict) -> dict[int, Part]:
    """Cut out the parts of a page that hold templates.

    ``page``, ``verdict``: the page and its verdict.
    Returns: by key of each template segment: the largest element around it that holds only template and
        little text.
    """
    own, columns = page.segment_keys.tolist(), page.columns
    template, chars = verdict.template, page.segment_chars
    parts: dict[int, Part] = {}
    written: dict[int, Part] = {}
    for segment in template.nonzero()[0].tolist():
        if own[segment] in parts:
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
        parts[own[segment]] = written[row]
    return parts


def _part(page: Page, row: int) -> Part:
    inside = page.segments_in(row)
    text = " · ".join(" ".join(page.segment_text(each).split()) for each in inside)
    html = sanitised_html(page, asset("frame.css"), top=row)
    keys = page.segment_keys[inside.start : inside.stop]
    return Part(text[:_TEXT], html if len(html) <= _LONGEST else "", tuple(dict.fromkeys(keys.tolist())))


def cards(
    templates: Mapping[int, Shown], parts: Mapping[int, Part], room: int
) -> tuple[list[dict[str, object]], int]:
    """Join the templates of a site that are in the same part of its pages.

    ``templates``: by key: what is known of it.
    ``parts``: by key: the part; not for all. The part of the text on most pages comes first. It stands for
        all texts in it, and for all other parts that share one with it: those are the same place on other
        pages.
    ``room``: characters that the HTML of all cards may take.
    Returns: ``text``, ``html`` (may be empty), ``pages``, ``texts``, ``first`` and ``last`` (dates), those on
        most pages first: at most 24.
    Returns: number of cards that there would be without that bound.
    """
    found: list[dict[str, object]] = []
    shown: set[str] = set()
    covered: set[int] = set()
    for key, template in sorted(templates.items(), key=lambda item: (-item[1].pages, item[0])):
        part = parts.get(key, Part(template.text, "", (key,)))
        new = covered.isdisjoint(part.keys) and part.text not in shown and any(map(str.isalnum, part.text))
        covered.update(part.keys)
        if not new:
            continue
        shown.add(part.text)
        inside = [templates[each] for each in part.keys if each in templates] or [template]
        card: dict[str, object] = {"text": part.text, "html": part.html, "pages": template.pages}
        card |= {
            "texts": len(part.keys),
            "first": min((each.first for each in inside if each.first), default=""),
            "last": max(each.last for each in inside),
        }
        found.append(card)
    chosen = found[:_CARDS]
    for card in chosen:
        if len(str(card["html"])) > room:
            card["html"] = ""
        room -= len(str(card["html"]))
    return chosen, len(found)
