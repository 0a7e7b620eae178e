"""Putting a content into a template."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

import turbohtml

from lab.labelled.metrics import visible_text
from lab.labelled.words import words
from lab.transplant.parts import CONTAINERS, containers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lab.transplant.parts import Content, Template


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page of a real site that has the content of another site; template words are those around it."""

    site: str
    url: str
    content: Content
    html: str = field(repr=False)
    template_words: tuple[str, ...] = field(repr=False)


def transplant(template: Template, content: Content, aside: str = "") -> MadePage:
    """Replace the content of a page by another one, and its title.

    The largest content container takes the content; the others are removed. Elements inside the container
    that belong to the template stay, after the content, then `aside`: markup as more template.
    """
    document = turbohtml.parse(template.html)
    found = containers(document, template.selectors)
    able = [element for element in found if element.tag in CONTAINERS]
    if not able:
        raise ValueError(f"{template.url} has no content container")
    taker = max(able, key=lambda element: len(element.text))
    own = _own_parts(taker, template.selectors.exclude)
    for element in found:
        if element != taker:
            element.decompose()
    title = document.select_one("title")
    if title is not None:
        title.set_text(content.title)
    taker.set_inner_html(own)
    if aside:
        taker.insert_adjacent_html("afterend", aside)
    around = words(visible_text(document.html))
    taker.set_inner_html(f"<div>{content.html}</div>{own}")
    return MadePage(template.site, template.url, content, document.html, tuple(around))


def _own_parts(container: turbohtml.Element, exclude: Sequence[str]) -> str:
    """Return the markup of the parts of a container that belong to the template."""
    if not exclude:
        return ""
    parts = []
    for part in container.select(", ".join(exclude)):
        if part.closest("body") is None:  # inside a part that was taken before
            continue
        parts.append(part.html)
        part.decompose()
    return "".join(parts)


def list_of_titles(heading: str, titles: Sequence[str]) -> str:
    """Write a block that links to other pages by their titles, such as *Popular lyrics by this artist*."""
    links = "".join(
        f'<li><a href="{number}.html">{escape(title)}</a></li>' for number, title in enumerate(titles)
    )
    return f"<div><h3>{escape(heading)}</h3><ul>{links}</ul></div>"
