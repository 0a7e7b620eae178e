"""Templates and contents of labelled sites, cut apart at the selectors of their content containers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import turbohtml

from detemplate.errors import UserError
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import SITES_FILE
from lab.labelled.metrics import visible_text
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lab.labelled.pages import LabelledPage, LabelledSet

MAX_MARKUP: Final = 120_000
"""Most characters of markup of a page. Longer pages are left out to save time."""
MIN_WORDS: Final = 60
"""Least words of a content."""
CONTAINERS: Final = frozenset({"article", "dd", "div", "main", "section", "td"})
"""Elements that can hold any content. Sites whose content container is another element lend no template."""

_UNFIT: Final = "script, style, noscript, template, iframe, object, embed, form, base"
"""Elements that are not transplanted: they act on the page around them, or show nothing."""
_HEADINGS: Final = frozenset({"h1", "h2", "h3"})
"""Elements that stay elements when contents of several containers are joined."""


class Selectors(NamedTuple):
    """Where a site has its content."""

    content: str
    """CSS selector of the content containers."""
    exclude: tuple[str, ...]
    """CSS selectors of elements inside a container that belong to the template."""
    part: str
    """``train`` or ``test``."""
    language: str
    """Code of the site's language."""


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a real page.

    Attributes
    ----------
    site, id
        Site and identifier of the page.
    title
        Title of the page, or the first words of the content.
    html
        Markup of the content.
    words
        Its visible words, in order.
    """

    site: str
    id: str
    title: str
    html: str = field(repr=False)
    words: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Template:
    """A real page whose content can be replaced.

    Attributes
    ----------
    site, url
        Site and address of the page.
    html
        Its markup.
    selectors
        Where its content is.
    """

    site: str
    url: str
    html: str = field(repr=False)
    selectors: Selectors = field(repr=False)


def read_selectors(folder: Path) -> dict[str, Selectors]:
    """Read where each labelled site has its content.

    Parameters
    ----------
    folder
        The folder with the labelled sets.

    Returns
    -------
    dict
        Selectors by site, of the sites that name a content container.

    Raises
    ------
    UserError
        The list of sites is missing or damaged.
    """
    path = folder / SITES / SITES_FILE
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
        return {
            site["site"]: Selectors(
                site["content"],
                tuple(site.get("exclude", ())),
                site["part"],
                str(site.get("language", "")).partition(" ")[0],
            )
            for site in listed
            if "content" in site
        }
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"cannot read the list of sites {path}: {error}") from error


def containers(document: turbohtml.Document, selectors: Selectors) -> list[turbohtml.Element]:
    """Find the outermost content containers of a page, in document order."""
    found = document.select(selectors.content)
    return [element for element in found if not any(above in found for above in element.ancestors)]


def content_of(page: LabelledPage, selectors: Selectors, max_words: int | None = None) -> Content | None:
    """Cut the content out of a page.

    Parameters
    ----------
    page
        A labelled page.
    selectors
        Where its site has the content.
    max_words
        The content ends with the first element at which it has so many words; None: nothing is cut.

    Returns
    -------
    Content or None
        None if the page is too long, or its content too short.
    """
    if len(page.html) > MAX_MARKUP:
        return None
    document = turbohtml.parse(page.html)
    title = document.select_one("title")
    parts = []
    for container in containers(document, selectors):
        for unfit in container.select(", ".join((_UNFIT, *selectors.exclude))):
            unfit.decompose()
        parts.append(container.html if container.tag in _HEADINGS else container.inner_html)
    html = "\n".join(parts)
    if max_words is not None:
        html = _shortened(html, max_words)
    text = tuple(words(visible_text(html)))
    if len(text) < MIN_WORDS:
        return None
    name = " ".join(title.text.split()) if title is not None else ""
    return Content(page.site, page.id, name or " ".join(text[:8]), html, text)


def _shortened(html: str, max_words: int) -> str:
    """Cut markup after the first text with which it has so many words; elements stay closed."""
    document = turbohtml.parse(f"<body>{html}</body>")
    body = document.select_one("body")
    if body is None:
        return html
    count = 0
    for node in [*body.descendants]:
        if isinstance(node, turbohtml.Text):
            if count >= max_words:
                node.extract()
            count += len(words(node.data))
    return body.inner_html


def contents(labelled: LabelledSet, selectors: Selectors, max_words: int | None = None) -> Iterator[Content]:
    """Cut the contents out of a site's labelled pages; pages without content are left out."""
    for page in labelled.pages():
        if page.gold is not None and (content := content_of(page, selectors, max_words)) is not None:
            yield content


def templates(labelled: LabelledSet, selectors: Selectors) -> Iterator[Template]:
    """Give the labelled pages of a site whose content can be replaced."""
    for page in labelled.pages():
        if page.gold is None or len(page.html) > MAX_MARKUP:
            continue
        found = containers(turbohtml.parse(page.html), selectors)
        if any(element.tag in CONTAINERS for element in found):
            yield Template(page.site, page.url, page.html, selectors)
