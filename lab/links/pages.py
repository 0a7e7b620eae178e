"""The pages of a made web as HTML: real contents and templates, with the made links among them."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

from detemplate.links.tables import TableWriter, extract
from detemplate.page.page import Page
from lab.links.world import HUB, PORTAL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lab.links.corpus import Corpus
    from lab.links.world import Link, LinkBlock, World, WorldPage

_BASE: Final = re.compile(r"<base\b[^>]*>", re.IGNORECASE)  # changes what relative links mean; removed
_BODY: Final = re.compile(r"<body\b[^>]*>", re.IGNORECASE)
_BODY_END: Final = re.compile(r"</body\s*>", re.IGNORECASE)
_PARAGRAPH_END: Final = re.compile(r"</p\s*>", re.IGNORECASE)
_SENTENCE_GAP: Final = re.compile(r"(?<=[.!?。！？])\s+")
_PARAGRAPH_SENTENCES: Final = 3  # sentences in a paragraph of a plain page
_PLAIN_WORDS: Final = 2_000  # maximum number of words of a plain page
_DESCRIPTION_WORDS: Final = 12  # words of a link's description


class Pages:
    """The pages of a made web, one at a time."""

    def __init__(self, corpus: Corpus, world: World) -> None:
        self.corpus, self.world = corpus, world

    def __iter__(self) -> Iterator[Page]:
        for page in self.world.pages:
            yield Page(page.url, self.html(page))

    def html(self, page: WorldPage) -> str:
        """Write the markup of one page: bar first, citations in the middle, partners and adverts last."""
        if page.kind in (HUB, PORTAL):
            return self._list_page(page)
        return self._plain(page) if page.plain else self._whole(page)

    def title(self, page: WorldPage) -> str:
        """Return the title of a page: that of the real page, or a title for a list of links."""
        if page.real >= 0:
            return self.corpus.pages[page.real].title
        if page.kind == PORTAL:
            return f"{page.blocks[0].heading} home"
        return f"Links: {self.corpus.topics[page.topic].term}" if page.topic >= 0 else "My bookmarks"

    def _list_page(self, page: WorldPage) -> str:
        title = escape(self.title(page))
        # Lists have one of two styles of the web of 2001; the host's name decides.
        style = int(page.host[6]) % 2 if page.kind == HUB else 0
        parts = [self._block(block, style) for block in page.blocks]
        return (
            f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{''.join(parts)}</body></html>"
        )

    def _plain(self, page: WorldPage) -> str:
        """Write the real page's text only, without its template."""
        real = self.corpus.pages[page.real]
        sentences = _SENTENCE_GAP.split(" ".join(real.content.split()[:_PLAIN_WORDS]))
        texts = [
            escape(" ".join(sentences[at : at + _PARAGRAPH_SENTENCES]))
            for at in range(0, len(sentences), _PARAGRAPH_SENTENCES)
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
        """Insert the made links into the real page's markup."""
        html = _BASE.sub("", self.corpus.pages[page.real].html.decode())
        inserted = dict.fromkeys(("bar", "citation", "rest"), "")
        for block in page.blocks:
            inserted[block.kind if block.kind in inserted else "rest"] += self._block(block)
        body, ends = _BODY.search(html), [*_BODY_END.finditer(html)]
        start = body.end() if body else 0
        stop = ends[-1].start() if ends and ends[-1].start() >= start else len(html)
        paragraphs = [end.start() for end in _PARAGRAPH_END.finditer(html, start, stop)]
        middle = paragraphs[len(paragraphs) // 2] if paragraphs else stop
        return "".join((
            html[:start], inserted["bar"], html[start:middle], inserted["citation"], html[middle:stop],
            inserted["rest"], html[stop:],
        ))  # fmt: skip

    def _block(self, block: LinkBlock, style: int = 0) -> str:  # noqa: PLR0911  # one line a kind
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
        anchor = f'<a href="{escape(target.url)}">{escape(link.term or self.title(target))}</a>'
        if not link.described or target.real < 0:
            return anchor
        first = " ".join(self.corpus.pages[target.real].content.split()[:_DESCRIPTION_WORDS])
        return f"{anchor} – {escape(first)}"


def write_world(corpus: Corpus, world: World, path: Path) -> int:
    """Write the tables of the made web, as ``detemplate graph tables`` does for a crawl."""
    written = 0
    with TableWriter(f"{path}/") as writer:
        for tables in extract(Pages(corpus, world)):
            writer.write(tables)
            written += tables.pages.num_rows
    return written
