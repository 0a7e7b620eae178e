"""How inputs are read on Spark: what cleaning, mining and training share."""

from __future__ import annotations

from dataclasses import dataclass

from detemplate.errors import UserError
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.io.sources.fields import FieldNames
from detemplate.io.sources.kinds import KINDS, kind_of_name
from detemplate.io.sources.selection import DEFAULT_MAX_BAD, DEFAULT_VERSIONS, VERSIONS


@dataclass(frozen=True, kw_only=True)
class Reads:
    """How inputs are read on Spark.

    Attributes
    ----------
    max_page_bytes
        Larger pages are rejected.
    url, html, id
        Names of the fields of a record; None: guessed.
    kind
        Kind of all inputs; None: by their names.
    max_bad
        Share of bad records above which the run fails.
    versions
        Which of the records with one URL are taken: ``"first"``, ``"last"`` or, to take all, ``"keep"``.
    table
        Columns of URLs and of markup (None: guessed) of a table, all of whose rows are written again; None:
        the inputs are files of pages.

    Raises
    ------
    UserError
        There is no such choice of versions.
    """

    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    url: str | None = None
    html: str | None = None
    id: str | None = None
    kind: str | None = None
    max_bad: float = DEFAULT_MAX_BAD
    versions: str = DEFAULT_VERSIONS
    table: tuple[str | None, str | None] | None = None

    def __post_init__(self) -> None:
        if self.versions not in VERSIONS:
            raise UserError(f"--versions {self.versions!r} is unknown: choose {', '.join(VERSIONS)}")
        if self.max_page_bytes < 1:
            raise UserError(f"the page limit is {self.max_page_bytes} bytes; it must be at least 1 byte")


def kind_of(file: str, reads: Reads) -> str | None:
    """Return the kind of an input."""
    return reads.kind or kind_of_name(file, KINDS)


def field_names(reads: Reads) -> FieldNames:
    """Return the names of the fields of records."""
    return FieldNames(reads.url, reads.html, reads.id)
