"""The made web's pages as HTML: real contents, real templates, and the made links among them."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from detemplate.experiments.links.world import HUB, PORTAL
from detemplate.page.page import Page
from detemplate.relations.extract import extract
from detemplate.relations.write import open_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.experiments.links.corpus import Corpus
    from detemplate.experiments.links.world import Block, Link, World, WorldPage

_BASE: Final = re.compile(r"<base\b[^>]*>", re.IGNORECASE)
_BODY: Final = re.compile(r"<body\b[^>]*>", re.IGNORECASE)
_END: Final = re.compile(r"</body\s*>", re.IGNORECASE)
_PARAGRAPH: Final = re.compile(r"</p\s*>", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<=[.!?。！？])\s+")
_SENTENCES: Final = 3
"""Sentences of a plain page's paragraph."""
_LONGEST: Final = 2_000
"""Words of a plain page."""
_DESCRIPTION: Final = 12
"""Words of a description."""


class Pages:
    """The pages of a made web, one at a time.

    Parameters
    ----------
    corpus, world
        The real pages, and the plan.
    """

    def __init__(self, corpus: Corpus, world: World) -> None:
        self.corpus, self.world = corpus, world

    def __iter__(self) -> Iterator[Page]:
        for page in self.world.pages:
            yield Page(page.url, self.html(page))

    def html(self, page: WorldPage) -> str:
        """Write one page.

        Parameters
        ----------
        page
            What is planned.

        Returns
        -------
        str
            Its markup. The bar stands first in the body, the links to partners and advertisements last; a
            citation in the middle of a text, on plain pages by the topic's term if it is there.
        """
        if page.kind in (HUB, PORTAL):
            return self._list_page(page)
        return self._plain(page) if page.plain else self._whole(page)

    def title(self, page: WorldPage) -> str:
        """Give the title of a page: the real one's, or what a list of links is called."""
        if page.real >= 0:
            return self.corpus.pages[page.real].title
        if page.kind == PORTAL:
            return f"{page.blocks[0].heading} home"
        return f"Links: {self.corpus.topics[page.topic].term}" if page.topic >= 0 else "My bookmarks"

    def _list_page(self, page: WorldPage) -> str:
        title = escape(self.title(page))
        # Of the styles of lists on the web of 2001 two are here: a hub's author has one.
        style = int(page.host[6]) % 2 if page.kind == HUB else 0
        parts = [self._block(block, style) for block in page.blocks]
        return (
            f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{''.join(parts)}</body></html>"
        )

    def _plain(self, page: WorldPage) -> str:
        real = self.corpus.pages[page.real]
        sentences = _SENTENCE.split(" ".join(real.content.split()[:_LONGEST]))
        texts = [
            escape(" ".join(sentences[at : at + _SENTENCES])) for at in range(0, len(sentences), _SENTENCES)
        ]
        term = self.corpus.topics[page.topic].term if page.topic >= 0 else ""
        near = [number for number, text in enumerate(texts) if term and term in text.lower()] or [
            *range(len(texts))
        ]
        citations = [block for block in page.blocks if block.kind == "citation"]
        for number, block in enumerate(citations):
            texts[near[(number + 1) * len(near) // (len(citations) + 1)]] += self._block(block)
        title = escape(real.title)
        body = "".join(f"<p>{text}</p>" for text in texts)
        rest = "".join(self._block(block) for block in page.blocks if block.kind != "citation")
        return f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}{rest}</body></html>"

    def _whole(self, page: WorldPage) -> str:
        html = _BASE.sub("", self.corpus.pages[page.real].html.decode())
        made = dict.fromkeys(("bar", "citation", "rest"), "")
        for block in page.blocks:
            made[block.kind if block.kind in made else "rest"] += self._block(block)
        body, ends = _BODY.search(html), [*_END.finditer(html)]
        start = body.end() if body else 0
        stop = ends[-1].start() if ends and ends[-1].start() >= start else len(html)
        paragraphs = [found.start() for found in _PARAGRAPH.finditer(html, start, stop)]
        middle = paragraphs[len(paragraphs) // 2] if paragraphs else stop
        return "".join((
            html[:start], made["bar"], html[start:middle], made["citation"], html[middle:stop],
            made["rest"], html[stop:],
        ))  # fmt: skip

    def _block(self, block: Block, style: int = 0) -> str:  # noqa: PLR0911  # a kind, a line
        links = [self._link(link) for link in block.links]
        heading = escape(block.heading)
        match block.kind:
            case "bar":
                cells = " | ".join(links)
                return f"<table><tr><td><b>{heading}</b>: {cells}</td></tr></table>"
            case "partners":
                return f"<div><p>Partners: {' '.join(links)}</p></div>"
            case "adverts":
                return f"<center>{' '.join(links)}</center>"
            case "badge":
                return f"<p>Best viewed with {links[0]}</p>"
            case "list" if style:
                entries = "<br>".join(links)
                return f"<table><tr><td><b>{heading}</b><br>{entries}</td></tr></table>"
            case "list":
                entries = "".join(f"<li>{link}</li>" for link in links)
                return (f"<h2>{heading}</h2>" if heading else "<hr>") + f"<ul>{entries}</ul>"
            case _:
                return f" ({', '.join(links)})"

    def _link(self, link: Link) -> str:
        target = self.world.pages[link.target]
        named = f'<a href="{escape(target.url)}">{escape(link.term or self.title(target))}</a>'
        if not link.described or target.real < 0:
            return named
        first = " ".join(self.corpus.pages[target.real].content.split()[:_DESCRIPTION])
        return f"{named} – {escape(first)}"


def write_world(corpus: Corpus, world: World, path: Path) -> int:
    """Make the tables of the made web, as ``detemplate tables`` makes those of a crawl.

    Parameters
    ----------
    corpus, world
        The real pages, and the plan.
    path
        A file that ends in ``.duckdb``.

    Returns
    -------
    int
        Pages written.

    Raises
    ------
    UserError
        The file cannot be written.
    MissingExtra
        DuckDB is not installed.
    """
    written = 0
    with open_tables(str(path)) as writer:
        for tables in extract(Pages(corpus, world)):
            writer.write(tables)
            written += tables.pages.num_rows
    return written
