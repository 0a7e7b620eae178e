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
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from detemplate.page.columns import Columns

_CAPTION: Final = tags.IDS["caption"]
_LISTS: Final = ("menu", "ol", "ul")
_ITEMS: Final = frozenset(("li", *_LISTS))


def _marked(numbers: Iterable[int]) -> npt.NDArray[np.bool_]:
    """Mark these numbers of tags among all."""
    marks = np.zeros(1 << 16, np.bool_)
    marks[list(numbers)] = True
    return marks


_IS_LIST: Final = _marked(tags.IDS[name] for name in _LISTS)
_IS_ITEM: Final = _marked(tags.IDS[name] for name in _ITEMS)
_IS_WRITTEN: Final = _marked(tags.numbers("datalist noembed noframes noscript rp"))
_IS_VERBATIM: Final = _marked(tags.numbers("code kbd pre samp"))
_IS_UNSEEN: Final = _marked(np.flatnonzero(tags.FLAGS & tags.UNSEEN).tolist())


def unseen_nodes(columns: Columns) -> list[int]:
    """Give the rows of the elements that the library would write although no reader sees what they say.

    Elements ``noscript`` and the like that say something (others hold images), and whatever says something
    unseen inside of what is written as it stands. Ascending; one may be inside another.
    """
    tag, kind = columns.tag, columns.kind
    verbatim = _IS_VERBATIM[tag].nonzero()[0]
    rows = (_IS_UNSEEN if len(verbatim) else _IS_WRITTEN)[tag].nonzero()[0]
    if not len(rows):
        return []
    texts = ((kind == RAW) | (kind == CODE)).nonzero()[0]  # none is blank
    rows = rows[texts.searchsorted(rows) < texts.searchsorted(columns.end[rows])]
    if len(verbatim):
        before = verbatim.searchsorted(rows)
        reach = np.maximum.accumulate(np.append(0, columns.end[verbatim]))
        rows = rows[_IS_WRITTEN[tag[rows]] | (rows < reach[before])]
    found: list[int] = rows.tolist()
    return found


def with_all_texts(document: turbohtml.Document, columns: Columns) -> None:
    """Make items of what stands in lists outside of items, and put captions before their tables.

    Parameters
    ----------
    document
        The DOM of a page, or what is left of it.
    columns
        The page's.
    """
    tag, shows = columns.tag, columns.chars > 0
    held = _IS_LIST[tag][columns.parent].nonzero()[0]
    if (shows[held] & ~_IS_ITEM[tag[held]]).any():
        for element in document.select(", ".join(_LISTS)):
            _make_items(element)
    if (shows & (tag == _CAPTION)).any():
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
        name = node.tag if isinstance(node, turbohtml.Element) else ""
        if name in _ITEMS:
            _wrap(run)
            run = []
        elif isinstance(node, turbohtml.Element) and any(_is_item(inner) for inner in node.children):
            # The items of the list, with something around them.
            todo += list(node.children)[::-1]
            node.unwrap()
        elif name and tags.FLAGS[tags.IDS.get(name, 0)] & tags.BLOCK:
            _wrap(run)
            _wrap([node])
            run = []
        else:
            run.append(node)
    _wrap(run)


def _is_item(node: turbohtml.Node) -> bool:
    return isinstance(node, turbohtml.Element) and node.tag == "li"


def _wrap(run: Sequence[turbohtml.Node]) -> None:
    """Make an item of a run of siblings that says something."""
    if any(_says(node) for node in run):
        run[0].wrap_siblings(turbohtml.Element("li"), until=run[-1])


def _says(node: turbohtml.Node) -> bool:
    if isinstance(node, turbohtml.Text):
        return bool(node.data.strip())
    return isinstance(node, turbohtml.Element) and next(iter(node.stripped_strings), None) is not None
