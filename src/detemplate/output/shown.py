"""What the library's rendering of a page lacks of what readers see, and what it has beyond that.

It writes what ``noscript`` says to browsers without scripts, and what no reader sees inside of ``pre``,
``code`` and a few more. Its plain text leaves out what stands in a list but in no item of it, and the
captions of tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import turbohtml

from detemplate.page import tags
from detemplate.page.columns import CODE, RAW

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from detemplate.page.columns import Columns

    Kinds = npt.NDArray[np.uint8]

_LISTS: Final = ("menu", "ol", "ul")
_ITEMS: Final = frozenset(("li", *_LISTS))

_LIST: Final = 1
_ITEM: Final = 2  # twice as much: see with_all_texts
_CAPTION: Final = 4
_WRITTEN: Final = 8
_UNSEEN: Final = 16
_VERBATIM: Final = 32

_KINDS: Final[Kinds] = tags.marked(
    {
        _LIST: " ".join(_LISTS),
        _ITEM: " ".join(_ITEMS),
        _CAPTION: "caption",
        _WRITTEN: "datalist noembed noframes noscript rp",
        _UNSEEN: " ".join(tags.NAMES[number] for number in np.flatnonzero(tags.FLAGS & tags.UNSEEN)),
        _VERBATIM: "code kbd pre samp",
    },
    np.uint8,
)
"""What a tag's number means here."""


def kinds_of(columns: Columns) -> Kinds:
    """Tell what each node of a page is to the functions below."""
    return _KINDS[columns.tag]


def unseen_nodes(columns: Columns, kinds: Kinds) -> list[int]:
    """Give the rows of the elements that the library would write although no reader sees what they say.

    Elements ``noscript`` and the like that say something (others hold images), and whatever says something
    unseen inside of what is written as it stands. Ascending; one may be inside another.

    Parameters
    ----------
    columns, kinds
        Of the page.
    """
    rows = (kinds & _WRITTEN).nonzero()[0]
    verbatim = (kinds & _VERBATIM).nonzero()[0]
    if len(verbatim):
        unseen = (kinds & _UNSEEN).nonzero()[0]
        unseen = unseen[unseen > verbatim[0]]
        reach = np.maximum.accumulate(columns.end[verbatim])
        inside = unseen[unseen < reach[verbatim.searchsorted(unseen) - 1]]
        if len(inside):
            rows = np.union1d(rows, inside)
    if not len(rows):
        return []
    texts = ((columns.kind == RAW) | (columns.kind == CODE)).nonzero()[0]  # none is blank
    found: list[int] = rows[texts.searchsorted(rows) < texts.searchsorted(columns.end[rows])].tolist()
    return found


def with_all_texts(document: turbohtml.Document, columns: Columns, kinds: Kinds) -> None:
    """Make items of what stands in lists outside of items, and put captions before their tables.

    Parameters
    ----------
    document
        The DOM of a page, or what is left of it.
    columns, kinds
        Of the page.
    """
    beside = (kinds[columns.parent] & ~(kinds >> 1) & _LIST).nonzero()[0]  # in a list, but no item
    if len(beside) and columns.chars[beside].any():
        for element in document.select(", ".join(_LISTS)):
            _make_items(element)
    captions = (kinds & _CAPTION).nonzero()[0]
    if len(captions) and columns.chars[captions].any():
        for element in document.select("table > caption"):
            table, block = element.parent, turbohtml.Element("div")
            if table is not None:
                table.insert_before(block)
                block.append(element)  # within one tree it is moved, else copied


def _make_items(listing: turbohtml.Element) -> None:
    """Wrap what stands beside a list's items: blocks one by one, runs of lines as one."""
    todo: list[turbohtml.Node] = list(listing.children)[::-1]
    run: list[turbohtml.Node] = []
    while todo:
        node = todo.pop()
        name = _name(node)
        if name in _ITEMS:
            _wrap(run)
            run = []
        elif any(_name(inner) == "li" for inner in node.children):
            # The items of the list, with something around them.
            todo += list(node.children)[::-1]
            node.unwrap()
        elif tags.FLAGS[tags.IDS.get(name, 0)] & tags.BLOCK:
            _wrap(run)
            _wrap([node])
            run = []
        else:
            run.append(node)
    _wrap(run)


def _name(node: turbohtml.Node) -> str:
    return node.tag if isinstance(node, turbohtml.Element) else ""


def _wrap(run: Sequence[turbohtml.Node]) -> None:
    """Make an item of a run of siblings that says something."""
    if any(_says(node) for node in run):
        run[0].wrap_siblings(turbohtml.Element("li"), until=run[-1])


def _says(node: turbohtml.Node) -> bool:
    if isinstance(node, turbohtml.Text):
        return bool(node.data.strip())
    return isinstance(node, turbohtml.Element) and next(iter(node.stripped_strings), None) is not None
