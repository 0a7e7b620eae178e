"""Extractors that give Markdown, and what they are asked for.

Each is asked for all structure that it can give: links, tables, formatting. What gives HTML is made Markdown
by markdownify. A peer is a function ``(url, html) -> Markdown``, as in
:mod:`lab.peers.known`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

import turbohtml

import detemplate
from lab.peers.runner import Peer

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN: Final = frozenset(("detemplate-text",))
"""Names of extractors whose output is plain text."""


def _markdown() -> Callable[[str, str], str]:
    return lambda url, html: detemplate.extract(html, url, format="markdown")


def _text() -> Callable[[str, str], str]:
    return lambda url, html: detemplate.extract(html, url, format="text")


def _trafilatura() -> Callable[[str, str], str]:
    extract = import_module("trafilatura").extract

    def markdown(url: str, html: str) -> str:
        found = extract(
            html,
            url=url,
            output_format="markdown",
            include_links=True,
            include_tables=True,
            include_formatting=True,
            include_images=True,
        )
        return found or ""

    return markdown


def _resiliparse() -> Callable[[str, str], str]:
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    markdownify = import_module("markdownify").markdownify

    def markdown(_url: str, html: str) -> str:
        content = extract(html, main_content=True, preserve_formatting="minimal_html", links=True)
        return str(markdownify(content, heading_style="ATX"))

    return markdown


def _readability() -> Callable[[str, str], str]:
    document = import_module("readability").Document
    markdownify = import_module("markdownify").markdownify
    return lambda url, html: str(
        markdownify(document(html, url=url).summary(html_partial=True), heading_style="ATX")
    )


def _html2text() -> Callable[[str, str], str]:
    html2text = import_module("html2text")

    def markdown(url: str, html: str) -> str:
        converter = html2text.HTML2Text(baseurl=url, bodywidth=0)
        converter.mark_code = False
        return str(converter.handle(html))

    return markdown


def _turbohtml() -> Callable[[str, str], str]:
    def markdown(_url: str, html: str) -> str:
        content = turbohtml.parse(html).main_content()
        return "" if content is None else content.to_markdown()

    return markdown


OURS: Final = (
    Peer("detemplate", "detemplate", _markdown),
    Peer("detemplate-text", "detemplate", _text),
)
"""This package: Markdown, and plain text."""

PEERS: Final = (
    Peer("trafilatura", "trafilatura", _trafilatura),
    Peer("resiliparse", "resiliparse", _resiliparse),
    Peer("readability-lxml", "readability-lxml", _readability),
    Peer("turbohtml", "turbohtml", _turbohtml),
    Peer("html2text", "html2text", _html2text),
)
"""Others. html2text makes Markdown of whole pages; ``turbohtml`` is its ``main_content``."""
