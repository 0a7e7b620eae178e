"""The labelled sets: which there are, their pages and their gold, read as streams."""

from __future__ import annotations

import io
import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import zstandard

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Kind = Literal["text", "site", "values"]
"""Kind of gold: a page's main text; the words inside and outside its content; or values of attributes."""

TEXT_SETS: Final = ("wcxb-dev", "cleanportaleval", "dragnet-hosts", "chaos")
"""Names of the sets of kind ``text``."""
VALUE_SETS: Final = ("swde-booksamillion", "swde-22")
"""Names of the sets of kind ``values``."""
SITES: Final = "sites"
"""Folder of the labelled sites; as a name of a set it stands for all of them."""
PAGES_FILE: Final = "pages.jsonl.zst"
"""File of a set's pages, one a line."""
GOLD_FILE: Final = "gold.jsonl.zst"
"""File of a set's gold, one labelled page a line."""
SITES_FILE: Final = "sites.json"
"""File that lists the sites of a folder."""

_MAX_WINDOW: Final = 128 * 1024 * 1024
"""Largest Zstandard window that is accepted, in bytes."""


@dataclass(frozen=True, slots=True)
class Gold:
    """What people or the site's markup say about a page. Fields that a set does not give are empty."""

    text: str = ""
    """The main content."""
    outside: str = ""
    """The words outside the content (kind ``site``)."""
    comments: str = ""
    """Readers' comments: neither content nor template."""
    present: tuple[str, ...] = ()
    """Snippets that the output must have."""
    absent: tuple[str, ...] = ()
    """Snippets that the output must not have."""
    values: tuple[str, ...] = ()
    """Values of the page's attributes (kind ``values``)."""


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
        ``train`` or ``test`` for a site, else empty.
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
            A page, with its gold where it has any.

        Raises
        ------
        UserError
            A file is missing or damaged.
        """
        gold = {record["id"]: record for record in _read(self.folder / GOLD_FILE)}
        for record in _read(self.folder / PAGES_FILE):
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
        left = Counter(record["site"] for record in _read(self.folder / PAGES_FILE))
        incomplete: dict[str, list[LabelledPage]] = {}
        for page in self.pages():
            incomplete.setdefault(page.site, []).append(page)
            left[page.site] -= 1
            if not left[page.site]:
                yield incomplete.pop(page.site)

    def count_gold(self) -> int:
        """Count the pages with gold; raises UserError where the file is missing or damaged."""
        return sum(1 for _ in _read(self.folder / GOLD_FILE))


def data_folder() -> Path:
    """Find the folder with the labelled sets.

    Returns
    -------
    pathlib.Path
        ``$DETEMPLATE_DATA``, else ``../shared/data`` beside the repository that the working directory is in.

    Raises
    ------
    UserError
        There is no such folder.
    """
    variable = os.environ.get("DETEMPLATE_DATA")
    here = Path.cwd()
    root = next((path for path in (here, *here.parents) if (path / "pyproject.toml").is_file()), here)
    folder = Path(variable) if variable else root.parent / "shared" / "data"
    if not folder.is_dir():
        message = f"no measuring data in {folder}: set DETEMPLATE_DATA to the folder that has it"
        raise UserError(message)
    return folder


def set_names(folder: Path) -> list[str]:
    """List the names of all sets in a folder: text sets, sets of values, ``sites/<name>`` for each site.

    Raises
    ------
    UserError
        The list of sites is missing or damaged.
    """
    return [*TEXT_SETS, *VALUE_SETS, *(f"{SITES}/{name}" for name in _parts(folder / SITES / SITES_FILE))]


def load_sets(names: Sequence[str] = (), folder: Path | None = None) -> list[LabelledSet]:
    """Find sets by name. Only the list of sites is read here; pages are read later.

    Parameters
    ----------
    names
        Names as from :func:`set_names`; ``sites`` means all sites. Empty: all sets.
    folder
        The folder with the labelled sets; by default that of :func:`data_folder`.

    Returns
    -------
    list of LabelledSet
        In the order of :func:`set_names`.

    Raises
    ------
    UserError
        A name is unknown, or the data is missing.
    """
    folder = folder or data_folder()
    parts = _parts(folder / SITES / SITES_FILE)
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
    """Find the sets in a folder that models may be trained on.

    Parameters
    ----------
    folder
        Either a set: a folder with :data:`PAGES_FILE` and :data:`GOLD_FILE`. Or a folder of sites:
        :data:`SITES_FILE` and a folder for each site; only sites whose ``part`` is ``train`` are returned.

    Returns
    -------
    list of LabelledSet
        At least one.

    Raises
    ------
    UserError
        The folder holds neither, or no site of part ``train``.
    """
    if (folder / SITES_FILE).is_file():
        parts = _parts(folder / SITES_FILE)
        sets = [
            LabelledSet(name, "site", folder / name, part) for name, part in parts.items() if part == "train"
        ]
        if sets:
            return sets
    elif (folder / PAGES_FILE).is_file():
        return [LabelledSet(folder.name, "text", folder)]
    message = (
        f"{folder} has no labelled pages: it needs {PAGES_FILE} and {GOLD_FILE}, or {SITES_FILE} and a "
        "folder for each site of part train"
    )
    raise UserError(message)


def _kind(name: str) -> Kind:
    if name.startswith(f"{SITES}/"):
        return "site"
    return "values" if name in VALUE_SETS else "text"


def _parts(path: Path) -> dict[str, str]:
    """Read the part (``train`` or ``test``) of each site."""
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
        values=tuple(value for of_attribute in values for value in of_attribute),
    )


def _read(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            reader = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW).stream_reader(file)
            for line in io.TextIOWrapper(reader, encoding="utf-8"):
                yield json.loads(line)
    except (OSError, ValueError, zstandard.ZstdError) as error:
        message = f"cannot read the labelled set {path}: {error}"
        raise UserError(message) from error
