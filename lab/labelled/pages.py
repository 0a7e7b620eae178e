"""The pages of labelled sets and their gold, read as streams."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import zstandard

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lab.labelled.catalogue import Kind

PAGES_FILE: Final = "pages.jsonl.zst"
"""File of a set's pages, one a line."""
GOLD_FILE: Final = "gold.jsonl.zst"
"""File of a set's gold, one labelled page a line."""

_MAX_WINDOW: Final = 128 * 1024 * 1024
"""Largest Zstandard window that is accepted, in bytes."""
_NOT_SHOWN: Final = frozenset({"InStock", "OutOfStock", "availability", "currency"})
"""Attributes whose values are codes, not words that a page shows."""


@dataclass(frozen=True, slots=True)
class Gold:
    """What people or the site's markup say about a page. Fields that a set does not give are empty."""

    text: str = ""
    """The main content."""
    outside: str = ""
    """The words outside the content (kind ``site``)."""
    comments: str = ""
    """Readers' comments and links to related pages: neither content nor template."""
    present: tuple[str, ...] = ()
    """Snippets that the output must have."""
    absent: tuple[str, ...] = ()
    """Snippets that the output must not have."""
    values: tuple[str, ...] = ()
    """Values of the page's attributes (kind ``values``)."""
    price: tuple[str, ...] = ()
    """Those of its price."""
    sku: tuple[str, ...] = ()
    """Those of its stock-keeping unit."""
    metadata: dict[str, str] = field(default_factory=dict)
    """Metadata of the page, by the names of the fields of :class:`~detemplate.Metadata`."""


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page of a labelled set."""

    id: str
    """Identifier, unique within the set."""
    url: str
    """Address."""
    site: str
    """Name of its site."""
    html: str = field(repr=False)
    """Markup."""
    type: str = ""
    """Page type, such as ``article``; empty where unknown."""
    lang: str = ""
    """Language code, such as ``zh``; empty where unknown."""
    gold: Gold | None = field(default=None, repr=False)
    """The gold; None for a page that methods only learn from."""


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A set of pages with gold, on disk.

    Parameters
    ----------
    name
        Folder of the set below the data folder, for example ``sites/django``.
    kind
        Kind of gold.
    folder
        Folder with :data:`PAGES_FILE` and :data:`GOLD_FILE`.
    part
        ``train`` where models may learn from it, else ``test``; empty where unknown.
    by
        Field of a page by which figures are split: ``type`` or ``lang``.
    """

    name: str
    kind: Kind
    folder: Path
    part: str = ""
    by: str = "type"

    def pages(self) -> Iterator[LabelledPage]:
        """Read the pages in the order of the file.

        Yields
        ------
        LabelledPage
            A page, with its gold where it has any.

        Raises
        ------
        UserError
            A file is missing or damaged.
        """
        gold = {record["id"]: record for record in read_records(self.folder / GOLD_FILE)}
        for record in read_records(self.folder / PAGES_FILE):
            label = gold.pop(record["id"], None)
            yield LabelledPage(
                id=record["id"],
                url=record["url"],
                site=record["site"],
                html=record["html"],
                type=label.get("type", "") if label else "",
                lang=label.get("lang", "") if label else "",
                gold=_gold(label) if label else None,
            )
        # A truncated file ends early without an error.
        if gold:
            message = f"cannot read the labelled set {self.folder}: {len(gold)} labelled pages are missing"
            raise UserError(message)

    def sites(self) -> Iterator[list[LabelledPage]]:
        """Read the file twice, and return the pages site by site.

        Only sites whose last page has not been read yet are in memory.

        Yields
        ------
        list of LabelledPage
            All pages of one site in the order of the file. Sites come in the order of their last page.

        Raises
        ------
        UserError
            A file is missing or damaged.
        """
        left = Counter(record["site"] for record in read_records(self.folder / PAGES_FILE))
        incomplete: dict[str, list[LabelledPage]] = {}
        for page in self.pages():
            incomplete.setdefault(page.site, []).append(page)
            left[page.site] -= 1
            if not left[page.site]:
                yield incomplete.pop(page.site)

    def count_gold(self) -> int:
        """Count the pages with gold; raises UserError where the file is missing or damaged."""
        return sum(1 for _ in read_records(self.folder / GOLD_FILE))


def _gold(record: dict[str, Any]) -> Gold:
    attributes = {
        name: values
        for name, values in record.get("attributes", {}).items()
        if isinstance(values, list) and name not in _NOT_SHOWN
    }
    stated = record.get("values", ())
    return Gold(
        text=record.get("text", ""),
        outside=record.get("outside", ""),
        comments="\n".join(filter(None, (record.get("comments"), record.get("related")))),
        present=tuple(record.get("with") or ()),
        absent=tuple(record.get("without") or ()),
        values=(*stated, *(value for of_attribute in attributes.values() for value in of_attribute)),
        price=tuple(attributes.get("price", ())),
        sku=tuple(attributes.get("sku", ())),
        metadata=_metadata(record),
    )


def _metadata(record: dict[str, Any]) -> dict[str, str]:
    """Collect the metadata of a record: its own title and language, and its ``meta``."""
    meta = record.get("meta", {})
    told = {
        "title": record.get("title") or meta.get("title"),
        "author": meta.get("author"),
        "published": (meta.get("published") or "")[:10],
        "site_name": meta.get("site"),
        "language": record.get("lang"),
    }
    return {name: value for name, value in told.items() if value}


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """Read a compressed file of JSON records, one a line; raises UserError where it is missing or damaged."""
    try:
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW).stream_reader(file)
            for line in io.TextIOWrapper(reader, encoding="utf-8"):
                yield json.loads(line)
    except (OSError, ValueError, zstandard.ZstdError) as error:
        message = f"cannot read the labelled set {path}: {error}"
        raise UserError(message) from error
