"""The labelled sets: read as streams, one site's pages together."""

from __future__ import annotations

import io
import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import zstandard

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Kind = Literal["text", "site", "values"]
"""What a set's gold is: main content, words in and out of the content, or attribute values."""

TEXT_SETS = ("wcxb-dev", "cleanportaleval", "dragnet-hosts", "chaos")
VALUE_SETS = ("swde-booksamillion", "swde-22")
SITES = "sites"

_WINDOW = 128 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Gold:
    """What is known to be right about a page; empty where a set does not say it."""

    text: str = ""
    """The wanted text."""
    outside: str = ""
    """The words outside the content (kind ``site``)."""
    comments: str = ""
    """Text that is neither wanted nor unwanted."""
    present: tuple[str, ...] = ()
    """Snippets that the output must have."""
    absent: tuple[str, ...] = ()
    """Snippets that it must not have."""
    values: tuple[str, ...] = ()
    """Values of the page's attributes (kind ``values``)."""


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page of a labelled set."""

    id: str
    url: str
    site: str
    html: str = field(repr=False)
    type: str = ""
    gold: Gold | None = field(default=None, repr=False)
    """None for pages that are there to learn from only."""


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """A set of pages with gold, on disk.

    Parameters
    ----------
    name
        Its folder below the data, for example ``sites/django``.
    kind
        What its gold is.
    folder
        Where its two files are.
    part
        ``train`` or ``test`` for sites, else empty.
    """

    name: str
    kind: Kind
    folder: Path
    part: str = ""

    def pages(self) -> Iterator[LabelledPage]:
        """Read the pages in the order of the file.

        Yields
        ------
        LabelledPage
            One page, with its gold where it has any.

        Raises
        ------
        UserError
            When a file is missing or damaged.
        """
        gold = {record["id"]: record for record in _read(self.folder / "gold.jsonl.zst")}
        for record in _read(self.folder / "pages.jsonl.zst"):
            label = gold.pop(record["id"], None)
            yield LabelledPage(
                id=record["id"],
                url=record["url"],
                site=record["site"],
                html=record["html"],
                type=label.get("type", "") if label else "",
                gold=_gold(label) if label else None,
            )
        # A truncated file ends early without an error.
        if gold:
            message = f"cannot read the labelled set {self.folder}: {len(gold)} labelled pages are missing"
            raise UserError(message)

    def sites(self) -> Iterator[list[LabelledPage]]:
        """Read the pages site by site, as methods that learn from a whole site need them.

        Reads the file twice. Only pages of sites whose last page has not come yet are held.

        Yields
        ------
        list of LabelledPage
            All pages of one site, in the order of the file; sites in the order of their last page.

        Raises
        ------
        UserError
            When a file is missing or damaged.
        """
        ahead = Counter(record["site"] for record in _read(self.folder / "pages.jsonl.zst"))
        waiting: dict[str, list[LabelledPage]] = {}
        for page in self.pages():
            waiting.setdefault(page.site, []).append(page)
            ahead[page.site] -= 1
            if not ahead[page.site]:
                yield waiting.pop(page.site)


def data_folder() -> Path:
    """Find the folder with the labelled sets.

    Returns
    -------
    pathlib.Path
        ``$DETEMPLATE_DATA``, else ``../shared/data`` beside the repository around the working
        directory.

    Raises
    ------
    UserError
        When there is no such folder.
    """
    named = os.environ.get("DETEMPLATE_DATA")
    here = Path.cwd()
    root = next((path for path in (here, *here.parents) if (path / "pyproject.toml").is_file()), here)
    folder = Path(named) if named else root.parent / "shared" / "data"
    if not folder.is_dir():
        message = f"no measuring data in {folder}: set DETEMPLATE_DATA to the folder that has it"
        raise UserError(message)
    return folder


def set_names(folder: Path) -> list[str]:
    """List the sets that can be measured.

    Parameters
    ----------
    folder
        The folder with the labelled sets.

    Returns
    -------
    list of str
        Text sets, sets of values, then ``sites/<name>`` for each site.
    """
    return [*TEXT_SETS, *VALUE_SETS, *(f"{SITES}/{name}" for name in _site_parts(folder))]


def load_sets(names: Sequence[str] = (), folder: Path | None = None) -> list[LabelledSet]:
    """Find sets by name; nothing is read yet but the list of sites.

    Parameters
    ----------
    names
        Names as from `set_names`; ``sites`` means all sites. Empty: all sets.
    folder
        The folder with the labelled sets; by default that of `data_folder`.

    Returns
    -------
    list of LabelledSet
        In the order of `set_names`.

    Raises
    ------
    UserError
        When a name is unknown or the data is missing.
    """
    folder = folder or data_folder()
    parts = _site_parts(folder)
    known = set_names(folder)
    wanted = set(names or known)
    unknown = sorted(wanted - {*known, SITES})
    if unknown:
        choices = ", ".join((*TEXT_SETS, *VALUE_SETS, SITES, f"{SITES}/NAME"))
        message = f"unknown set {unknown[0]!r}; known are {choices}"
        raise UserError(message)
    if SITES in wanted:
        wanted.update(name for name in known if name.startswith(f"{SITES}/"))
    return [
        LabelledSet(name, _kind(name), folder / name, parts.get(name.removeprefix(f"{SITES}/"), ""))
        for name in known
        if name in wanted
    ]


def labelled_folder(folder: Path) -> list[LabelledSet]:
    """Find the sets in a folder that may be learnt from.

    Parameters
    ----------
    folder
        One with ``pages.jsonl.zst`` and ``gold.jsonl.zst``, or one with a folder for each site and
        ``sites.json``, in which case the sites whose ``part`` is ``train`` are given.

    Returns
    -------
    list of LabelledSet
        At least one.

    Raises
    ------
    UserError
        When there is nothing of the kind.
    """
    if (folder / "sites.json").is_file():
        parts = _parts(folder / "sites.json")
        sets = [
            LabelledSet(name, "site", folder / name, part) for name, part in parts.items() if part == "train"
        ]
        if sets:
            return sets
    elif (folder / "pages.jsonl.zst").is_file():
        return [LabelledSet(folder.name, "text", folder)]
    message = (
        f"{folder} has no labelled pages: it needs pages.jsonl.zst and gold.jsonl.zst, or sites.json and a "
        "folder for each site of part train"
    )
    raise UserError(message)


def _kind(name: str) -> Kind:
    if name.startswith(f"{SITES}/"):
        return "site"
    return "values" if name in VALUE_SETS else "text"


def _site_parts(folder: Path) -> dict[str, str]:
    return _parts(folder / SITES / "sites.json")


def _parts(path: Path) -> dict[str, str]:
    try:
        sites = json.loads(path.read_text(encoding="utf-8"))
        return {site["site"]: site["part"] for site in sites}
    except (OSError, ValueError, KeyError) as error:
        message = f"cannot read the list of sites {path}: {error}"
        raise UserError(message) from error


def _gold(record: dict[str, Any]) -> Gold:
    values = record.get("attributes", {}).values()
    return Gold(
        text=record.get("text", ""),
        outside=record.get("outside", ""),
        comments=record.get("comments", ""),
        present=tuple(record.get("with") or ()),
        absent=tuple(record.get("without") or ()),
        values=tuple(value for several in values for value in several),
    )


def _read(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(file)
            for line in io.TextIOWrapper(reader, encoding="utf-8"):
                yield json.loads(line)
    except (OSError, ValueError, zstandard.ZstdError) as error:
        message = f"cannot read the labelled set {path}: {error}"
        raise UserError(message) from error
