"""Labelled pages rewritten in a script without letters, capitals and spaces.

Each word of Latin letters becomes one to four ideographs, equal words equal ones. Spaces between ideographs
are removed and punctuation behind them becomes full-width, as in Chinese. The pages lose their meaning, but
keep their structure, their lengths and their gold. So the score that a method loses on them is what it owes
to the script. Far fewer pages are labelled in Chinese than in English.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import turbohtml

from lab.labelled.pages import LabelledSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.labelled.pages import LabelledPage

LETTERS_A_CHARACTER: Final = 3.4
"""Letters for each ideograph: a thousand English words are some 1,700 characters of Chinese."""

_MOST: Final = 4
"""Most ideographs of a word."""
_FIRST: Final = 0x4E00
"""Code point of the first ideograph used."""
_COUNT: Final = 0x5000
"""Number of ideographs used."""
_WORD: Final = re.compile("[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+")
"""A word of Latin letters."""
_MARK: Final = re.compile("(?<=[\u4e00-\u9dff])([,.!?;:])(?=\\s|$)")
"""A punctuation mark between an ideograph and white space or the end."""
_FULL: Final = str.maketrans(",.!?;:", "，。！？；：")
"""Full-width punctuation marks."""
_SPACE: Final = re.compile("(?<=[\u4e00-\u9dff，。！？；：])[ \t\r\n]+(?=[\u4e00-\u9dff])")
"""White space between ideographs."""
_UNSHOWN: Final = frozenset({"script", "style", "template", "noscript", "textarea", "iframe"})
"""Elements whose text stays as it is."""


@cache
def _ideographs(word: str) -> str:
    state = blake2b(word.lower().encode(), digest_size=2 * _MOST).digest()
    count = min(max(round(len(word) / LETTERS_A_CHARACTER), 1), _MOST)
    return "".join(
        chr(_FIRST + int.from_bytes(state[2 * place : 2 * place + 2], "little") % _COUNT)
        for place in range(count)
    )


def in_ideographs(text: str) -> str:
    """Rewrite a text with ideographs."""
    written = _WORD.sub(lambda word: _ideographs(word[0]), text)
    return _SPACE.sub("", _MARK.sub(lambda mark: mark[1].translate(_FULL), written))


def html_in_ideographs(html: str) -> str:
    """Rewrite the texts of a page with ideographs; keep its elements, attributes and scripts."""
    document = turbohtml.parse(html, positions=False)
    for node in list(document.descendants):
        if isinstance(node, turbohtml.Text):
            parent = node.parent
            if not (isinstance(parent, turbohtml.Element) and parent.tag in _UNSHOWN):
                node.data = in_ideographs(node.data)
    return document.serialize()


def _rewritten(page: LabelledPage) -> LabelledPage:
    gold = page.gold
    if gold is not None:
        gold = replace(
            gold,
            text=in_ideographs(gold.text),
            outside=in_ideographs(gold.outside),
            comments=in_ideographs(gold.comments),
            present=tuple(map(in_ideographs, gold.present)),
            absent=tuple(map(in_ideographs, gold.absent)),
            values=tuple(map(in_ideographs, gold.values)),
            price=tuple(map(in_ideographs, gold.price)),
            sku=tuple(map(in_ideographs, gold.sku)),
        )
    return replace(page, html=html_in_ideographs(page.html), gold=gold)


@dataclass(frozen=True)
class IdeographSet(LabelledSet):
    """A labelled set whose pages and gold are rewritten with ideographs as they are read.

    Parameters are those of :class:`~lab.labelled.datasets.LabelledSet`.
    """

    @classmethod
    def of(cls, labelled: LabelledSet) -> IdeographSet:
        """Make the rewritten set of a labelled set."""
        return cls(labelled.name, labelled.kind, labelled.folder, labelled.part, labelled.by)

    def pages(self) -> Iterator[LabelledPage]:
        """Read the pages, rewritten; see :meth:`LabelledSet.pages`."""
        yield from map(_rewritten, super().pages())
