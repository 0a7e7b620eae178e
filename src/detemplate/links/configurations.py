"""The six configurations of Clever that the paper compares (Bar-Yossef & Rajagopalan 2002, section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from detemplate.errors import UserError


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is a hub, and what is cleaned away before the ranking.

    Attributes
    ----------
    by_pagelet
        Hubs are pagelets (section 4, case 1); otherwise pages.
    filter_templates
        FT: template pagelets are no hubs. Only for pagelets.
    filter_non_matching
        FNM: what does not match the query is dropped. By page: pages, as hubs and as authorities, which
        are the same vertices there. By pagelet: pagelets, that is, hubs; the pages they lead to stay
        (:class:`~detemplate.links.clever.Clever` has the choice).
    """

    by_pagelet: bool
    filter_templates: bool
    filter_non_matching: bool

    def __post_init__(self) -> None:
        if self.filter_templates and not self.by_pagelet:
            raise ValueError("only pagelets can be template pagelets")


CONFIGURATIONS: Final = {
    "page-vanilla": Configuration(False, False, False),
    "page-fnm": Configuration(False, False, True),
    "pagelet-vanilla": Configuration(True, False, False),
    "pagelet-fnm": Configuration(True, False, True),
    "pagelet-ft": Configuration(True, True, False),
    "pagelet-ft-fnm": Configuration(True, True, True),
}
"""By name, in the paper's order."""

BEST: Final = "pagelet-ft-fnm"
"""The most precise one in the paper."""


def configuration_of(name: str) -> Configuration:
    """Give the configuration of this name; raises :class:`~detemplate.errors.UserError` if there is none."""
    if name not in CONFIGURATIONS:
        raise UserError(f"there is no configuration {name!r}: take one of {', '.join(CONFIGURATIONS)}")
    return CONFIGURATIONS[name]
