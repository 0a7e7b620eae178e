"""A site of HTML files: its links, anchors and texts, and what its pages load."""

import posixpath
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urldefrag

LOADS: Final = {
    "audio": ("src",),
    "embed": ("src",),
    "form": ("action",),
    "iframe": ("src", "srcdoc"),
    "image": ("href",),
    "img": ("src", "srcset"),
    "input": ("src",),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "use": ("href",),
    "video": ("src", "poster"),
}
"""Attributes of elements by which a page asks for something, as it is read."""


class Parsed(HTMLParser):
    """A page of the site: the links of its article, what it loads, its anchors, the text of its article."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.words: list[str] = []
        self.depth = 0
        self.feed(html)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        self.loads += [values[name] for name in LOADS.get(tag, ()) if name in values]
        self.loads += re.findall(r"url\(['\"]?([^'\")]+)", values.get("style", ""))
        if tag == "article":
            self.depth += 1
        if self.depth and tag == "a" and "href" in values and "headerlink" not in values.get("class", ""):
            self.links.append(values["href"])

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "article"

    def handle_data(self, data: str) -> None:
        if self.depth:
            self.words.append(data)


class Site:
    """A built site, and its start page."""

    def __init__(self, folder: Path, start: str) -> None:
        self.start = start
        self.folder = folder
        self.pages = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.html"))
        self.page = cache(self._page)

    def _page(self, name: str) -> Parsed:
        return Parsed((self.folder / name).read_text(encoding="utf-8"))

    def leads_to(self, name: str) -> set[str]:
        """Give the places in the site that a page's article links to, with and without their anchors."""
        found = set()
        for link in self.page(name).links:
            if "://" in link or link.startswith("mailto:"):
                continue
            path, anchor = urldefrag(unquote(link))
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            found |= {target, f"{target}#{anchor}"} if anchor else {target}
        return found

    def within(self, clicks: int) -> set[str]:
        """Give the places that are that many clicks from the start page, or fewer."""
        found = {self.start}
        for _ in range(clicks):
            names = {place.partition("#")[0] for place in found}
            found |= {place for name in names if name.endswith(".html") for place in self.leads_to(name)}
        return found
