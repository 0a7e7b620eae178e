"""Labelled pages in plain dress: without class words and sectioning elements, as older sites write them.

Labelled pages are of one time and mostly of one fashion. A forest that has also seen them without the names
that go with it learns more from how a page is built, and errs less on pages of other times.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Final

from detemplate.errors import PageError
from detemplate.page.page import Page

if TYPE_CHECKING:
    from detemplate.training.auto.examples import Example

_NAMES: Final = re.compile(rb' (?:class|id|role)="[^"]*"')
_SECTIONS: Final = re.compile(rb"<(/?)(?:article|aside|footer|header|main|nav|section)(?=[ >])")


def plain_example(example: Example, share: float) -> Example | None:
    """Give a labelled page without classes, ids and roles, its sectioning elements as ``div``.

    Parameters
    ----------
    example
        The page. It is left as it is.
    share
        What the other one weighs beside it.

    Returns
    -------
    Example or None
        A page of no site. None where its texts are not the same any more, so that the labels do not fit.
    """
    page = example.page
    written = _SECTIONS.sub(rb"<\1div", _NAMES.sub(b"", page.canonical))
    try:
        plain = Page(page.url, written, site=page.site, charset="utf-8")
    except PageError:
        return None
    plain.source = ""
    if len(plain.segments) != len(page.segments):
        return None
    weight = example.weight * share
    return dataclasses.replace(example, page=plain, weight=weight, site=False, plain=True, look=None)
