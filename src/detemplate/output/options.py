"""Options of the renderings as text, Markdown and HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

Links = Literal["none", "inline", "reference"]
"""How links are written: their text alone, with the address behind it, or with all addresses at the end."""

Images = Literal["none", "alt", "inline"]
"""How images are written: not at all, by their description, or as ``![description](address)``."""

Tables = Literal["none", "tsv", "markdown"]
"""How tables are written: not at all, as cells between tabs, or as cells between vertical bars."""

CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "links": get_args(Links),
    "images": get_args(Images),
    "tables": get_args(Tables),
}
"""Values of each option."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """How text, Markdown and HTML are written.

    None is the default: in text ``none``, ``none`` and ``tsv``, in Markdown ``inline``, ``inline`` and
    ``markdown``.

    Attributes
    ----------
    links, images, tables
        See :data:`Links`, :data:`Images` and :data:`Tables`.
    keep_scripts
        Whether HTML keeps scripts, style sheets and event handlers.
    sanitize
        Whether HTML is a fragment of harmless elements and attributes alone, to show inside of other pages.

    Raises
    ------
    UserError
        An option has no such value, or scripts are to be kept in sanitized HTML.
    """

    links: Links | None = None
    images: Images | None = None
    tables: Tables | None = None
    keep_scripts: bool = False
    sanitize: bool = False

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in choices:
                raise UserError(f"{name} cannot be {value!r} (choose from {', '.join(choices)})")
        if self.keep_scripts and self.sanitize:
            raise UserError("sanitized HTML has no scripts: choose keep_scripts or sanitize")

    def check_formats(self, formats: Collection[str]) -> None:
        """Raise UserError if an option is for HTML, and that is not among the formats."""
        for name, what in (("keep_scripts", "scripts to keep"), ("sanitize", "tags to sanitize")):
            if getattr(self, name) and "html" not in formats:
                raise UserError(f"only HTML has {what}: ask for the format html, or leave {name} out")


DEFAULT: Final = Rendering()
"""The defaults."""
