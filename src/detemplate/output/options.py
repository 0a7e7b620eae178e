"""Options of output records: what they have of a page, and how its text, Markdown and HTML are written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Format = Literal["text", "html", "markdown", "txt", "md"]
"""What a cleaned page is given as; ``txt`` and ``md`` are short for two of them."""

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


# Short names of formats, and the names that they are short for.
_LONG: Final = {"txt": "text", "md": "markdown"}

FORMATS: Final = tuple(name for name in get_args(Format) if name not in _LONG)
"""Names of formats."""


def formats_of(given: str | Sequence[str], known: Sequence[str] = FORMATS) -> tuple[Format, ...]:
    """Return the formats that are asked for, each once.

    ``given``: names of formats, or one string with their names, joined by commas; in any case of letters.
    ``known``: the names that a message lists.
    Raises UserError: there is no such format, or none is named.
    """
    listed: Any = [given] if isinstance(given, str) or not isinstance(given, Iterable) else [*given]
    if not all(isinstance(each, str) for each in listed):
        raise UserError(f"unknown format {given!r} (choose from {', '.join(known)})")
    names = [name.strip().lower() for each in listed for name in each.split(",")]
    formats = [_LONG.get(name, name) for name in names]
    for name in formats or [""]:
        if name not in FORMATS:
            raise UserError(f"unknown format {name!r} (choose from {', '.join(known)})")
    return cast("tuple[Format, ...]", tuple(dict.fromkeys(formats)))


@dataclass(frozen=True, slots=True)
class Rendering:
    """What an output record has of a page, and how text, Markdown and HTML are written.

    None is the default: in text ``none``, ``none`` and ``tsv``, in Markdown ``inline``, ``inline`` and
    ``markdown``.

    ``links``, ``images``, ``tables``: see :data:`Links`, :data:`Images` and :data:`Tables`.
    ``keep_scripts``: whether HTML keeps scripts, style sheets and event handlers.
    ``sanitize``: whether HTML is a fragment of harmless elements and attributes alone, to show inside of
        other pages.
    ``format``: the formats that a record has (:func:`formats_of`).
    ``explain``: whether a record lists what was removed, and why.
    ``metadata``: whether a record has what the page says of itself.
    Raises UserError: an option has no such value, or scripts are to be kept in sanitized HTML.
    """

    links: Links | None = None
    images: Images | None = None
    tables: Tables | None = None
    keep_scripts: bool = False
    sanitize: bool = False
    format: str | Sequence[str] = ("text",)
    explain: bool = False
    metadata: bool | str = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "format", formats_of(self.format))
        object.__setattr__(self, "metadata", with_metadata(self.metadata))
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in choices:
                raise UserError(f"{name} cannot be {value!r} (choose from {', '.join(choices)})")
        if self.keep_scripts and self.sanitize:
            raise UserError("sanitized HTML has no scripts: choose keep_scripts or sanitize")

    def check(self) -> None:
        """Raise UserError if an option is for HTML, and that is not among the formats."""
        for name, what in (("keep_scripts", "scripts to keep"), ("sanitize", "tags to sanitize")):
            if getattr(self, name) and "html" not in self.format:
                raise UserError(f"only HTML has {what}: ask for the format html, or leave {name} out")


def with_metadata(choice: bool | str) -> bool:
    """Tell whether records have the pages' metadata: ``basic`` or True, ``none`` or False.

    Raises UserError: the choice is unknown.
    """
    known = {"basic": True, "none": False, True: True, False: False}
    if choice not in known:
        raise UserError(f"unknown metadata {choice!r} (choose from basic, none)")
    return known[choice]


DEFAULT: Final = Rendering()
"""The defaults."""
