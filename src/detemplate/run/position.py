"""How far a run has come, as a checkpoint keeps it."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from detemplate.errors import PageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.io.sources.base import Place

LEARNING: Final = "learning"
"""The first of two passes."""

CLEANING: Final = "cleaning"
"""The second of two passes, or the only one."""


class Position(NamedTuple):
    """How far a run has come.

    Attributes
    ----------
    stage
        :data:`LEARNING` or :data:`CLEANING`.
    items
        Number of the input's items that are done in this pass.
    place
        Where the intake's next item is, as JSON holds it.
    pages
        Number of pages among the items.
    lost
        Errors of pages that cost their worker in the first pass, by the number of the page.
    """

    stage: str
    items: int
    place: Place
    pages: int = 0
    lost: Mapping[int, PageError] = MappingProxyType({})

    def columns(self) -> tuple[str, int, int, str, str]:
        """Give its columns in the checkpoint's table."""
        lost = [(number, error.reason, error.detail, error.url) for number, error in self.lost.items()]
        return self.stage, self.items, self.pages, json.dumps(self.place), json.dumps(lost)

    @classmethod
    def of(cls, stage: str, items: int, pages: int, place: str, lost: str) -> Self:
        """Return the position that a table's columns hold."""
        errors = {number: PageError(*error) for number, *error in json.loads(lost)}
        return cls(stage, items, json.loads(place), pages, errors)
