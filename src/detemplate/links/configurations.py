"""The six configurations of Clever of Bar-Yossef & Rajagopalan 2002, section 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from detemplate.errors import UserError


@dataclass(frozen=True, slots=True)
class Configuration:
    """The hubs of a graph, and what is dropped before the ranking.

    Attributes
    ----------
    by_pagelet
        Whether hubs are pagelets (section 4, case 1) or pages.
    filter_templates
        FT: whether template pagelets are dropped; only with ``by_pagelet``.
    filter_non_matching
        FNM: whether vertices that do not match the query are dropped. By page, these are pages, which are
        both hubs and authorities. By pagelet, these are pagelets, which are hubs; pages stay, unless
        ``match_authorities`` of :class:`~detemplate.links.clever.Clever` is set.
    """

    by_pagelet: bool
    filter_templates: bool
    filter_non_matching: bool

    def __post_init__(self) -> None:
        if self.filter_templates and not self.by_pagelet:
            raise ValueError("filter_templates needs by_pagelet: only pagelets can be template pagelets")


CONFIGURATIONS: Final = {
    "page-vanilla": Configuration(False, False, False),
    "page-fnm": Configuration(False, False, True),
    "pagelet-vanilla": Configuration(True, False, False),
    "pagelet-fnm": Configuration(True, False, True),
    "pagelet-ft": Configuration(True, True, False),
    "pagelet-ft-fnm": Configuration(True, True, True),
}
"""The configurations by name, in the paper's order."""

BEST: Final = "pagelet-ft-fnm"
"""Name of the most precise configuration in the paper."""


def configuration_of(name: str) -> Configuration:
    """Return the configuration of a name; raises :class:`~detemplate.errors.UserError` if there is none."""
    if name not in CONFIGURATIONS:
        raise UserError(f"there is no configuration {name!r}: take one of {', '.join(CONFIGURATIONS)}")
    return CONFIGURATIONS[name]
