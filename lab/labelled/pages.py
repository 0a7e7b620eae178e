"""The pages of labelled sets and their gold, read as streams."""

from __future__ import annotations

import io
import json
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import zstandard

from detemplate.algorithms.lcs import common
from detemplate.errors import UserError
from lab.labelled.metrics import visible_text
from lab.labelled.words import words

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lab.labelled.catalogue import Kind

PAGES_FILE: Final = "pages.jsonl.zst"
GOLD_FILE: Final = "gold.jsonl.zst"
_NEEDED: Final = {PAGES_FILE: ("id", "url", "site", "html"), GOLD_FILE: ("id",)}
"""Fields that each record of a file has."""
_MAX_WINDOW: Final = 128 * 1024 * 1024  # largest Zstandard window that is accepted, in bytes
_NOT_SHOWN: Final = frozenset({"InStock", "OutOfStock", "availability", "currency"})
"""Attributes whose values are codes, not words that a page shows."""


@dataclass(frozen=True, slots=True)
class Gold:
    """What people or the site's markup say about a page; fields that a set does not have are empty.

    `outside` has the words outside the main content (kind ``site``), `comments` readers' comments and links
    to related pages: neither content nor template. `present` and `absent` are snippets that the output must
    have and must not have. `metadata` is named as in :class:`~detemplate.Metadata`. `blocks` has texts of
    blocks with their labels: whether they are template.
    """

    text: str = ""
    outside: str = ""
    comments: str = ""
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    price: tuple[str, ...] = ()
    sku: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    blocks: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page of a labelled set; `gold` is None for a page that methods only learn from."""

    id: str
    url: str
    site: str
    html: str = field(repr=False)
    type: str = ""
    lang: str = ""
    gold: Gold | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A set of labelled pages on disk; models learn from part ``train``. Figures are split `by` a field.

    `own`: it is a user's: gold may be missing, and what a gold does not say is outside is all that it lacks.
    `only`: the site whose pages it has, of a file with several.
    """

    name: str
    kind: Kind
    folder: Path
    part: str = ""
    by: str = "type"
    own: bool = False
    only: str = ""

    def records(self, name: str) -> Iterator[dict[str, Any]]:
        """Read the records of a file, which may be compressed; none of a user's missing gold."""
        path = data_file(self.folder, name)
        if path is None and self.own and name == GOLD_FILE:
            return
        for number, record in enumerate(read_records(path or self.folder / name), 1):
            missing = [key for key in _NEEDED[name] if not isinstance(record, dict) or key not in record]
            if missing:
                raise UserError(f"cannot read the labelled set {path}: record {number} has no {missing[0]!r}")
            if not self.only or record.get("site", self.only) == self.only:
                yield record

    def pages(self) -> Iterator[LabelledPage]:
        """Read the pages in the order of the file; raises UserError where a file is missing or damaged."""
        gold = {record["id"]: record for record in self.records(GOLD_FILE)}
        for record in self.records(PAGES_FILE):
            label = gold.pop(record["id"], None)
            page = LabelledPage(record["id"], record["url"], record["site"], record["html"])
            if label:
                kind, lang = label.get("type", ""), label.get("lang", "")
                if self.own and "outside" not in label:
                    label["outside"] = beyond(record["html"], label.get("text", ""))
                page = replace(page, type=kind, lang=lang, gold=_gold(label))
            yield page
        if gold and not self.only:  # a truncated file ends early without an error
            missing = f"{len(gold)} labelled pages are missing"
            raise UserError(f"cannot read the labelled set {self.folder}: {missing}")

    def sites(self) -> Iterator[list[LabelledPage]]:
        """Yield the pages of each site once its last page is read; only incomplete sites are in memory."""
        left = Counter(record["site"] for record in self.records(PAGES_FILE))
        incomplete: dict[str, list[LabelledPage]] = {}
        for page in self.pages():
            incomplete.setdefault(page.site, []).append(page)
            left[page.site] -= 1
            if not left[page.site]:
                yield incomplete.pop(page.site)

    def count_gold(self) -> int:
        """Count the pages with gold."""
        return sum(1 for _ in self.records(GOLD_FILE))


def _gold(record: dict[str, Any]) -> Gold:
    stated = record.get("attributes", {}).items()
    attributes = {name: each for name, each in stated if isinstance(each, list) and name not in _NOT_SHOWN}
    meta = record.get("meta", {})
    metadata = {
        "title": record.get("title") or meta.get("title"),
        "author": meta.get("author"),
        "published": (meta.get("published") or "")[:10],
        "site_name": meta.get("site"),
        "language": record.get("lang"),
    }
    return Gold(
        text=record.get("text", ""),
        outside=record.get("outside", ""),
        comments="\n".join(filter(None, (record.get("comments"), record.get("related")))),
        present=tuple(record.get("with") or ()),
        absent=tuple(record.get("without") or ()),
        values=tuple(chain(record.get("values", ()), *attributes.values())),
        price=tuple(attributes.get("price", ())),
        sku=tuple(attributes.get("sku", ())),
        metadata={name: value for name, value in metadata.items() if value},
        blocks=tuple((str(text), bool(template)) for text, template in record.get("blocks", ())),
    )


def data_file(folder: Path, name: str) -> Path | None:
    """Find a file of a labelled set, compressed or not; None where there is neither."""
    paths = (folder / name, folder / name.removesuffix(".zst"))
    return next((path for path in paths if path.is_file()), None)


def beyond(html: str, text: str) -> str:
    """Return the words that a page shows beyond those of its content, in order: both are aligned."""
    shown = words(visible_text(html))
    numbers: dict[str, int] = {}
    first, second = (
        np.array([numbers.setdefault(word, len(numbers)) for word in side], np.uint64)
        for side in (shown, words(text))
    )
    aligned = common(first, second).tolist()
    return " ".join(word for word, in_content in zip(shown, aligned, strict=True) if not in_content)


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """Read a file of JSON records, one a line; raises UserError where it is missing or damaged."""
    try:
        with path.open("rb") as file:
            reader: Any = file
            if path.suffix == ".zst":
                reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW).stream_reader(file)
            for line in io.TextIOWrapper(reader, encoding="utf-8"):
                if line.strip():
                    yield json.loads(line)
    except (OSError, ValueError, zstandard.ZstdError) as error:
        raise UserError(f"cannot read the labelled set {path}: {error}") from error
