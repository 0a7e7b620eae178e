"""Names of fields that the user says, and checks of a table's columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.io.columnnames import GENERAL_NAMES, HTML_NAMES, named

if TYPE_CHECKING:
    from collections.abc import Iterable

NESTED: Final = ("metadata", "meta", "headers", "warc_headers", "response", "request", "item")
"""Names of the objects in which the fields are looked for too, after the row itself."""

SHOWN_NAMES: Final = 12
"""Names of fields that a message lists."""


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The names of a row's fields, where the user says them; None: they are guessed.

    A name with dots that no field has leads into objects: ``metadata.url`` is ``url`` in ``metadata``.

    Attributes
    ----------
    url
        Field of the page's URL.
    html
        Field of the page.
    id
        Field that names a record without a URL, in place of its position.
    """

    url: str | None = None
    html: str | None = None
    id: str | None = None

    def columns(self, names: Iterable[str], what: str) -> str:
        """Check the columns of a table, before it is read.

        Parameters
        ----------
        names
            The columns.
        what
            The table, for messages.

        Returns
        -------
        str
            The column that holds the pages, or an object with them; the likeliest one, if several may.

        Raises
        ------
        UserError
            No column may hold a page, one that the user names is missing, or two have one name.
        """
        present = list(names)
        repeated, count = max(Counter(present).items(), key=lambda each: each[1], default=("", 0))
        if count > 1:
            raise UserError(f"{what} has several columns named {repeated!r}; rename all but one")
        for option, name in (("url", self.url), ("html", self.html), ("id", self.id)):
            if name is not None and name not in present and name.partition(".")[0] not in present:
                raise UserError(
                    f"{what} has no column {name!r} (--{option}-column); its columns are {listed(present)}"
                )
        if self.html is not None:
            return self.html if self.html in present else self.html.partition(".")[0]
        found = named(present, (*HTML_NAMES, *GENERAL_NAMES))
        nested = [name for name in present if named([name], NESTED)]
        if not found and not nested:
            raise UserError(
                f"{what} has no column whose name says that it holds HTML; its columns are "
                f"{listed(present)}; name the one that does with --html-column"
            )
        return found[0] if found else nested[0]


def listed(names: Iterable[str]) -> str:
    """List names for a message: the first :data:`SHOWN_NAMES`, each cut if it is long."""
    shown = [name if len(name) <= 40 else name[:39] + "…" for name in map(str, names)]
    more = f", … ({len(shown)} in all)" if len(shown) > SHOWN_NAMES else ""
    return (", ".join(map(repr, shown[:SHOWN_NAMES])) or "none") + more
