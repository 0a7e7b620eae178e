"""Labelled pages as if they were written in a script without letters, capitals and spaces.

Every word of Latin letters becomes one to four ideographs, always the same ones; spaces between such words
go, and marks behind them become full-width, as in Chinese. What it says is lost, but its structure, its
lengths and its gold stay. So a method that judges pages in any script alike keeps its quality, and what it
loses is what it had from the script. There are far more labelled pages in English than in Chinese.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import turbohtml

from detemplate.labelled.datasets import LabelledSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from detemplate.labelled.datasets import LabelledPage

LETTERS_A_CHARACTER: Final = 3.4
"""Letters that one ideograph stands for: a thousand English words are some 1,700 characters of Chinese."""

_MOST: Final = 4
_FIRST: Final = 0x4E00
_COUNT: Final = 0x5000
_WORD: Final = re.compile("[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]+")
_MARK: Final = re.compile("(?<=[\u4e00-\u9dff])([,.!?;:])(?=\\s|$)")
_FULL: Final = str.maketrans(",.!?;:", "，。！？；：")
_SPACE: Final = re.compile("(?<=[\u4e00-\u9dff，。！？；：])[ \t\r\n]+(?=[\u4e00-\u9dff])")
_UNSHOWN: Final = frozenset({"script", "style", "template", "noscript", "textarea", "iframe"})


@cache
def _ideographs(word: str) -> str:
    state = blake2b(word.lower().encode(), digest_size=2 * _MOST).digest()
    count = min(max(round(len(word) / LETTERS_A_CHARACTER), 1), _MOST)
    return "".join(
        chr(_FIRST + int.from_bytes(state[2 * place : 2 * place + 2], "little") % _COUNT)
        for place in range(count)
    )


def in_ideographs(text: str) -> str:
    """Rewrite a text.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        With ideographs for its words of Latin letters; other scripts and digits stay.
    """
    written = _WORD.sub(lambda word: _ideographs(word[0]), text)
    return _SPACE.sub("", _MARK.sub(lambda mark: mark[1].translate(_FULL), written))


def html_in_ideographs(html: str) -> str:
    """Rewrite the texts of a page; its elements, attributes and scripts stay.

    Parameters
    ----------
    html
        The page.

    Returns
    -------
    str
        The page, serialised anew.
    """
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
        )
    return replace(page, html=html_in_ideographs(page.html), gold=gold)


@dataclass(frozen=True)
class IdeographSet(LabelledSet):
    """A labelled set, its pages and their gold rewritten as they are read.

    Parameters are those of :class:`~detemplate.labelled.datasets.LabelledSet`.
    """

    @classmethod
    def of(cls, labelled: LabelledSet) -> IdeographSet:
        """Rewrite a set."""
        return cls(labelled.name, labelled.kind, labelled.folder, labelled.part)

    def pages(self) -> Iterator[LabelledPage]:
        """Read the pages, rewritten; see :meth:`LabelledSet.pages`."""
        yield from map(_rewritten, super().pages())
