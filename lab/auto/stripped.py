"""Attribute-stripped copies of labelled pages: no classes, ids and roles, no sectioning elements.

Labelled pages are from one time and have much the same class words. A forest that has also seen them without
these learns more from how a page is built, and errs less on pages of other times.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Final

from detemplate.errors import PageError
from detemplate.page.page import Page

if TYPE_CHECKING:
    from lab.auto.examples import Example

_ATTRIBUTES: Final = re.compile(rb' (?:class|id|role)="[^"]*"')
"""The attributes that are removed, as canonical markup has them."""

_SECTIONS: Final = re.compile(rb"<(/?)(?:article|aside|footer|header|main|nav|section)(?=[ >])")
"""Tags that become ``div``."""


def stripped_example(example: Example, share: float) -> Example | None:
    """Copy a labelled page without classes, ids and roles, with its sectioning elements as ``div``.

    Parameters
    ----------
    example
        The page; it is not changed.
    share
        Weight of the copy beside the page.

    Returns
    -------
    Example or None
        A page of no site. None if the copy has another number of segments, so that the labels do not fit.
    """
    page = example.page
    markup = _SECTIONS.sub(rb"<\1div", _ATTRIBUTES.sub(b"", page.canonical))
    try:
        stripped = Page(page.url, markup, site=page.site, charset="utf-8")
    except PageError:
        return None
    stripped.source = ""  # not needed again
    if len(stripped.segments) != len(page.segments):
        return None
    return dataclasses.replace(
        example, page=stripped, weight=example.weight * share, site=False, stripped=True, page_content=None
    )
