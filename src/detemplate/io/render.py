"""What is left of a page: HTML with the template subtrees cut, its text, its Markdown.

Cleaning cuts byte ranges of whole nodes out of the canonical serialisation, so that cleaned HTML is
always well formed. Text and Markdown are the library's rendering of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import turbohtml

from detemplate.page import tags
from detemplate.page.columns import CODE

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

FORMATS: Final = ("text", "html", "markdown")
"""What a page can be rendered as."""

_SHELL: Final = tags.numbers("html head body frameset")
_HEAD: Final = tags.IDS["head"]
_DRAWING: Final = tags.IDS["svg"] | tags.IN_SVG


def removed_nodes(page: Page, template: npt.NDArray[np.bool_]) -> list[int]:
    """Give the rows of the nodes to cut: none inside another, in document order.

    An element whose every segment is template goes as a whole, with whatever else is in it (images,
    forms, embeds, rules); of other elements, only the template segments go. ``html``, ``head`` and
    ``body`` stay.

    Parameters
    ----------
    page
        The page.
    template
        Whether each of its segments is template.
    """
    segments = page.segments
    gone = segments[template]
    if not len(gone):
        return []
    kept = segments[~template]
    nodes = len(page.columns)
    # Between the kept segments around it, each template segment climbs as high as it can.
    place = kept.searchsorted(gone)
    bounds = np.concatenate([[-1], kept, [nodes]])
    parent, end = memoryview(page.columns.parent), memoryview(page.columns.end)
    tag = memoryview(page.columns.tag)
    removed = []
    after = 0
    for row, low, high in zip(gone.tolist(), bounds[place].tolist(), bounds[place + 1].tolist(), strict=True):
        if row < after:
            continue
        top = row
        while (above := parent[top]) > low and end[above] <= high and tag[above] not in _SHELL:
            top = above
        removed.append(top)
        after = end[top]
    return removed


def _cut(page: Page, rows: list[int]) -> str:
    """Give the canonical serialisation without the given nodes; a node inside another is no matter."""
    start, stop = memoryview(page.columns.start), memoryview(page.columns.stop)
    canonical = page.canonical
    pieces = []
    at = 0
    for row in rows:
        if start[row] >= at:
            pieces.append(canonical[at : start[row]])
            at = stop[row]
    pieces.append(canonical[at:])
    return b"".join(pieces).decode()


def to_html(page: Page, removed: list[int]) -> str:
    """Render a page without the given nodes as HTML; with none, its canonical serialisation."""
    return _cut(page, removed)


def _document(page: Page, removed: list[int]) -> turbohtml.Document:
    """Give the DOM of the cleaned page: the page's own if nothing was removed."""
    if not removed:
        return page.document or page.parse_source()
    # Head, scripts, style sheets and drawings are often half of the bytes and never text: parse without.
    columns = page.columns
    unseen = columns.kind == CODE
    unseen |= columns.tag == _HEAD
    unseen |= (columns.tag == _DRAWING) & (columns.chars == 0)
    cut = sorted(removed + unseen.nonzero()[0].tolist())
    return turbohtml.parse(_cut(page, cut), positions=False)


def to_text(page: Page, removed: list[int]) -> str:
    """Render a page without the given nodes as plain text, laid out by the library."""
    return _document(page, removed).to_text()


def to_markdown(page: Page, removed: list[int]) -> str:
    """Render a page without the given nodes as GitHub-flavoured Markdown."""
    return _document(page, removed).to_markdown()
