"""Footnotes of what stays: a note stays where the text stays that refers to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from detemplate.page.footnotes import footnotes

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

    Bools = npt.NDArray[np.bool_]


def notes_referred_to(page: Page, kept: Bools) -> Bools:
    """Tell which segments go, and belong to notes to which a text refers that stays.

    A text refers to a note if it is the last one before the link to the note.

    Parameters
    ----------
    page
        The page.
    kept
        Which segments are kept.
    """
    raised = np.zeros(len(kept), np.bool_)
    found = footnotes(page)
    if not found:
        return raised
    for link, note in found:
        before = page.segments_in(link).start - 1
        if before >= 0 and kept[before]:
            inside = page.segments_in(note)
            raised[inside.start : inside.stop] = True
    return raised & ~kept
