"""What MkDocs calls: adds pages that are made of the code, and files of the repository that pages link to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from commands import commands_page
from links import ROOT, beyond, mended, place_of
from mkdocs.structure.files import File
from options import with_parameters
from python import modules_page, python_page

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

MADE: Final = {
    "reference/commands.md": commands_page,
    "reference/python.md": python_page,
    "reference/modules.md": modules_page,
}
"""Pages that are made of the code, and the functions that make them."""

ALWAYS: Final = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
"""Files outside ``docs/`` that are in the navigation."""

PICTURE: Final = re.compile(r"!\[([^\]]*)\]\((?:\.\./)*(pictures/[\w-]+\.svg)\)")
COPIED: Final = re.compile(r"<!-- /?table.*?-->\n?|<!--=.*?-->|<!--/-->", re.DOTALL)
"""Marks around what ``benchmarks/figures.py`` copies from the results."""
ROLE: Final = re.compile(r":(?:mod|class|func|meth|attr|data|exc):<code>~?(?:[\w.]+\.)?(\w+)</code>")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages to those of ``docs/``."""
    for address, make in MADE.items():
        files.append(File.generated(config, address, content=make()))
    places = [place_of(file.src_uri) for file in files]
    for place in sorted({*ALWAYS, *beyond([*places, *ALWAYS])}):
        files.append(File.generated(config, place, abs_src_path=str(ROOT / place)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Put tables of options and pictures into a page, and mend its links."""
    address = page.file.src_uri
    markdown = COPIED.sub("", markdown)
    if address.startswith("methods/"):
        markdown = PICTURE.sub(inlined, with_parameters(markdown))
    return mended(markdown, place_of(address))


def on_page_content(html: str, **_: object) -> str:
    """Show the names that docstrings refer to as code."""
    return ROLE.sub(r"<code>\1</code>", html)


def inlined(image: re.Match[str]) -> str:
    """Give a drawing in place of its link, so that it has the colours of the page."""
    described, path = image.groups()
    drawing = (ROOT / "docs" / path).read_text(encoding="utf-8").strip()
    return f'<div class="picture" role="img" aria-label="{described}">\n{drawing}\n</div>'
