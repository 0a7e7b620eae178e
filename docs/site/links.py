"""Links of the documentation to files of the repository outside ``docs/``: the site holds those files, too.

A page's *place* is its path in the repository. In the site, ``docs/X`` stands at ``X``, and any other file at
its place. The documents link as they do in the repository; here their links are made those of the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT: Final = Path(__file__).parents[2]
"""The repository."""

KINDS: Final = {".md", ".png", ".svg", ".json", ""}
"""Suffixes of files outside ``docs/`` that the site takes up; LICENSE has none."""

LINK: Final = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?![a-z]+:|#|/)([^)#\s]+)((?:#[^)\s]*)?\))")
"""A relative link of Markdown: what is before its path, the path, what is behind."""

README: Final = "README.md"
"""The page of the repository in whose place the site has its start page."""


def place_of(uri: str) -> str:
    """Give the place of a page of the site by its address in the site."""
    inside = f"docs/{uri}"
    return inside if (ROOT / inside).exists() or not (ROOT / uri).exists() else uri


def address_of(place: str) -> str:
    """Give the address in the site of a file by its place."""
    return "index.md" if place == README else place.removeprefix("docs/")


def target_of(place: str, link: str) -> str:
    """Give the place that a link on the page at ``place`` leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), link))


def mended(text: str, place: str) -> str:
    """Give a page's Markdown with its links as they must be in the site."""
    here = posixpath.dirname(address_of(place)) or "."

    def mend(link: re.Match[str]) -> str:
        before, path, after = link.groups()
        target = target_of(place, path)
        if not (ROOT / target).is_file():
            return link[0]
        return before + posixpath.relpath(address_of(target), here) + after

    return LINK.sub(mend, text)


def beyond(places: Iterable[str]) -> set[str]:
    """Give the files outside ``docs/`` that pages link to, that these link to, and so on."""
    found: set[str] = set()
    pending = [place for place in places if place.endswith(".md")]
    while pending:
        place = pending.pop()
        path = ROOT / place
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        for _, link, _ in LINK.findall(text):
            target = target_of(place, link)
            known = target in found or target.startswith(("docs/", "..")) or target == README
            if not known and PurePosixPath(target).suffix in KINDS and (ROOT / target).is_file():
                found.add(target)
                if target.endswith(".md"):
                    pending.append(target)
    return found
