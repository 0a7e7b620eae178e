"""Templates and contents of labelled sites, cut apart at their content containers, and put together anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np
import turbohtml

from detemplate.errors import UserError
from lab.harness.common import checked_folder, labelled_sites
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import is_own, listed_sites
from lab.labelled.metrics import visible_text
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from lab.labelled.pages import LabelledPage, LabelledSet

MAX_MARKUP: Final = 120_000  # maximum characters of a page's markup. Longer pages are left out to save time
MIN_WORDS: Final = 60
CONTAINERS: Final = frozenset({"article", "dd", "div", "main", "section", "td"})
"""Elements that can hold any content. Sites whose content container is another element lend no template."""
LANGUAGE: Final = "en"
_UNFIT: Final = "script, style, noscript, template, iframe, object, embed, form, base"
"""Elements that are not transplanted: they act on the page around them, or show nothing."""
_HEADINGS: Final = frozenset({"h1", "h2", "h3"})
"""Elements that stay elements when contents of several containers are joined."""
_Part = TypeVar("_Part")


class Selectors(NamedTuple):
    """Where a site has its content: CSS selectors of containers, and of template elements inside them."""

    content: str
    exclude: tuple[str, ...]
    part: str
    language: str


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a real page: its markup and visible words; the page's title, or the first words."""

    site: str
    id: str
    title: str
    html: str = field(repr=False)
    words: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Template:
    """A real page whose content can be replaced, and where its content is."""

    site: str
    url: str
    html: str = field(repr=False)
    selectors: Selectors = field(repr=False)


def read_selectors(folder: Path) -> dict[str, Selectors]:
    """Read where the labelled sites of a folder have their content, of the sites that name a container."""
    found = {}
    for site in listed_sites(folder if is_own(folder) else folder / SITES):
        if "content" in site:
            language = str(site.get("language", "")).partition(" ")[0]
            exclude = tuple(site.get("exclude", ()))
            found[site["site"]] = Selectors(site["content"], exclude, site["part"], language)
    return found


def containers(document: turbohtml.Document, selectors: Selectors) -> list[turbohtml.Element]:
    """Find the outermost content containers of a page, in document order."""
    found = document.select(selectors.content)
    return [element for element in found if not any(above in found for above in element.ancestors)]


def content_of(page: LabelledPage, selectors: Selectors, max_words: int | None = None) -> Content | None:
    """Cut the content, of about `max_words`, out of a page; None if page or content has the wrong length."""
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


def templates(labelled: LabelledSet, selectors: Selectors) -> Iterator[Template]:
    """Yield the labelled pages of a site whose content can be replaced."""
    for page in labelled.pages():
        if page.gold is None or len(page.html) > MAX_MARKUP:
            continue
        found = containers(turbohtml.parse(page.html), selectors)
        if any(element.tag in CONTAINERS for element in found):
            yield Template(page.site, page.url, page.html, selectors)


class Parts(NamedTuple):
    """Templates and contents, by the site that they are from."""

    templates: dict[str, list[Template]]
    contents: dict[str, list[Content]]


def read_parts(
    names: Sequence[str],
    data: Path | None,
    *,
    pages: int | None = None,
    max_words: int | None = None,
    least: int = 20,
    seed: int = 0,
) -> Parts:
    """Read templates of sites of part ``test`` (no model learned them), and contents of part ``train``."""
    selectors = read_selectors(checked_folder(data))
    least = min(least, pages or least)
    found = Parts({}, {})
    for labelled in labelled_sites(names, data):
        site = labelled.name.rpartition("/")[2]
        where = selectors.get(site)
        if where is None:
            continue
        if where.part == "test":
            try:
                lent = _sample(list(templates(labelled, where)), pages, seed)
            except ValueError as error:
                raise UserError(f"the selectors of {labelled.name} are wrong: {error}") from error
            if len(lent) >= least:
                found.templates[site] = lent
        elif where.language == LANGUAGE:
            cut = [content_of(page, where, max_words) for page in labelled.pages() if page.gold is not None]
            own = _sample([content for content in cut if content is not None], pages, seed)
            if len(own) >= least:
                found.contents[site] = own
    return found


def _sample(parts: list[_Part], count: int | None, seed: int) -> list[_Part]:
    order = np.random.default_rng(seed).permutation(len(parts)).tolist()
    return [parts[number] for number in sorted(islice(order, count))]


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page of a real site that has the content of another site; template words are those around it."""

    site: str
    url: str
    content: Content
    html: str = field(repr=False)
    template_words: tuple[str, ...] = field(repr=False)


def transplant(template: Template, content: Content, aside: str = "") -> MadePage:
    """Replace a page's content and title, in the largest container; `aside` is markup after it."""
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
