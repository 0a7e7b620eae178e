"""A cleaned page as Markdown, with the default options: the kernel where it can, else the reference.

The kernel lays out most pages, without a DOM. It gives nothing where a page has what it does not do:
formulas, footnotes, line numbers in code, tag soup. The reference changes the DOM, and turbohtml renders
that.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.kernels import compiled
from detemplate.output import markdown_reference
from detemplate.output.addresses import Addresses
from detemplate.output.codeblocks import language_of
from detemplate.output.codeextras import may_hold_numbers
from detemplate.output.delimited import has_delimited
from detemplate.output.formulas import level_written
from detemplate.output.loosenotes import may_have_loose_notes
from detemplate.output.plain import ROLES
from detemplate.output.remains import remaining, remains, spaces
from detemplate.output.roles import (
    BASE,
    FORMULA,
    MATH,
)
from detemplate.output.textmarks import may_be_notes, may_have_raised_notes
from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from detemplate.page.page import Page

KERNEL: Final[Any] = compiled("detemplate.output._markdown")
"""The kernel; None where it was not compiled."""

_NOT_DONE: Final = FORMULA | MATH
"""Flags of pages that the kernel does not do."""

_KINDS: Final = {
    1: "html body header footer nav aside main figcaption address details section article figure p div",
    2: "datalist head noembed noframes rp script style template title",
    3: "br",
    4: "img",
    5: "ul menu",
    6: "ol",
    7: "li",
    8: "blockquote",
    9: "pre",
    10: "table",
    11: "dl",
    12: "dt",
    13: "dd",
    14: "a",
    15: "hr",
    16: "h1 h2 h3 h4 h5 h6",
    17: "td th",
    18: "tr",
    19: "tbody thead tfoot",
    20: "caption",
    21: "em i",
    22: "strong b",
    23: "del s strike",
    24: "code kbd samp",
    25: "input",
    26: "sub",
    27: "sup",
    28: "summary",
    29: "wbr col",
    31: "math plaintext q",
}
"""Tags by kind: how turbohtml lays an element out, and what the changes of the DOM make of it."""

_FRAMED, _NEUTRAL = 64, 128


def _kinds() -> npt.NDArray[np.uint16]:
    """Give kind and flags for every value of the column ``tag``."""
    table: npt.NDArray[np.uint16] = tags.marked(_KINDS, np.uint16)
    for kind in (1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 28):
        table[list(tags.numbers(_KINDS[kind]))] |= _FRAMED
    table[list(tags.numbers("a span font u small big"))] |= _NEUTRAL
    for name in ("script", "style"):
        table[[tags.IDS[name] | tags.IN_SVG, tags.IDS[name] | tags.IN_MATH]] = 2
    table[tags.IDS["a"] | tags.IN_SVG] = table[tags.IDS["a"] | tags.IN_MATH] = 31
    return table


KINDS: Final[npt.NDArray[np.uint16]] = _kinds()
"""Kind and flags by value of the column ``tag``."""

_CLASS: Final = re.compile(r"(?:^|[ \t\n\r\f])language-([^ \t\n\r\f]+)")
"""A class that turbohtml takes for the language of code (group 1)."""


class _Tools:
    """What the kernel asks for."""

    def __init__(self, page: Page, *, base: bool) -> None:
        self._page, self._base = page, base
        self._resolved: dict[str, str] = {}
        self.bracketed: list[str] = []
        """Texts that may have references in brackets, outside of links and code."""

    @cached_property
    def _addresses(self) -> Addresses:
        return Addresses(self._page.document if self._base else None, self._page, base=self._base)

    def folders(self) -> tuple[bytes, bytes, bytes]:
        """Give what simple addresses are put behind: those from the root, others, those of places."""
        return self._addresses.folders()

    def resolve(self, written: str) -> str:
        """Give the absolute form of an address; empty for one that leads nowhere."""
        found = self._resolved.get(written)
        if found is None:
            found = self._resolved[written] = self._addresses.resolve(written)
        return found

    def folder(self, way: str) -> bytes:
        """Give what addresses are put behind that begin with a way up; empty if they are not simple."""
        return self._addresses.folder(way).encode()

    def image(self, attributes: Mapping[str, str], sources: Sequence[Mapping[str, str]]) -> str:
        """Give the address of an image; ``sources`` are the attributes of those beside it."""
        return self._addresses.of_image(attributes, sources)

    @staticmethod
    def language(places: list[tuple[str, Mapping[str, str]]]) -> str:
        """Give the language that a block of code names; empty if none does."""
        return language_of(places)

    @staticmethod
    def class_language(classes: list[str]) -> str:
        """Give the language that turbohtml finds in classes."""
        return next((found[1] for each in classes if (found := _CLASS.search(each))), "")

    @staticmethod
    def numbers(attributes: Mapping[str, str]) -> bool:
        """Tell whether an element is marked as one that holds line numbers."""
        return may_hold_numbers(attributes.get("class", ""), attributes.get("style", ""))

    @staticmethod
    def has_formulas(text: str) -> bool:
        """Tell whether a text has formulas between delimiters."""
        return has_delimited(text)

    @staticmethod
    def is_punctuation(character: int) -> bool:
        """Tell whether a character is punctuation or a symbol."""
        return unicodedata.category(chr(character))[0] in "PS"


def markdown(page: Page, removed: list[int]) -> str:
    """Render a page without the removed nodes as GitHub-flavoured Markdown, with the default options.

    Parameters
    ----------
    page, removed
        The page, and the rows of the nodes to cut (:func:`~detemplate.output.cutting.removed_nodes`).

    Returns
    -------
    str
        As :func:`~detemplate.output.render.to_markdown` gives it.
    """
    rows, present = remaining(page, removed)
    if KERNEL is not None and not present & _NOT_DONE:
        columns, spaced = page.columns, spaces(page, rows)
        tools = _Tools(page, base=bool(present & BASE))
        found: tuple[str, bool] | None = KERNEL.markdown(
            *(page.canonical, columns.kind, columns.tag, columns.parent, columns.end, columns.start),
            *(columns.stop, columns.children, ROLES, KINDS, rows, spaced),
            *(level_written, tools),
        )
        if found is not None and not _may_have_notes(found, tools.bracketed, page, rows):
            page.document = None  # frees its memory, as the reference does
            return found[0]
    return markdown_reference.markdown(page, remains(page, removed, attributes=True))


def _may_have_notes(
    found: tuple[str, bool], bracketed: list[str], page: Page, rows: npt.NDArray[np.int32]
) -> bool:
    """Tell whether a page may have notes without links.

    Parameters
    ----------
    found
        Its Markdown, and whether it has a raised 1.
    bracketed
        Its texts that may have references in brackets.
    page, rows
        The page, and the nodes that are cut.
    """
    written, raised = found
    if bracketed and may_have_loose_notes(written) and may_be_notes(bracketed, page, rows):
        return True
    return raised and may_have_raised_notes(page, rows)
