"""The labelled sets in a folder, found by name."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from lab.labelled.catalogue import CATALOGUE, PRODUCTS, SITES
from lab.labelled.pages import GOLD_FILE, PAGES_FILE, LabelledSet, data_file
from lab.labelled.products import ProductSet

if TYPE_CHECKING:
    from collections.abc import Sequence

SITES_FILE: Final = "sites.json"


def data_folder() -> Path:
    """Return ``$DETEMPLATE_DATA``, else ``../shared/data`` beside the repository of the working directory."""
    variable = os.environ.get("DETEMPLATE_DATA")
    here = Path.cwd()
    root = next((path for path in (here, *here.parents) if (path / "pyproject.toml").is_file()), here)
    folder = Path(variable) if variable else root.parent / "shared" / "data"
    if not folder.is_dir():
        raise UserError(f"no measuring data in {folder}: set DETEMPLATE_DATA to the folder that has it")
    return folder


def is_own(folder: Path) -> bool:
    """Tell whether a folder has a user's labelled pages, and none of the sets of the catalogue."""
    ours = (folder / SITES / SITES_FILE, *(folder / each.name for each in CATALOGUE))
    return not any(path.exists() for path in ours)


def own_sets(folder: Path) -> list[LabelledSet]:
    """Find a user's sets: the folder, or the folders in it that have pages. UserError if there is none."""
    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    able = [path for path in (folder, *inside) if data_file(path, PAGES_FILE) is not None]
    if not able:
        raise UserError(
            f"{folder} has no labelled pages: it needs pages.jsonl and gold.jsonl (docs/experiments/data.md)"
        )
    return [LabelledSet(path.name, "text", path, "test", own=True) for path in able]


def own_sites(folder: Path) -> list[LabelledSet]:
    """Find a user's sites: those that sites.json lists, or those of the pages of each set."""
    if (folder / SITES_FILE).is_file():
        return [replace(each, own=True) for each in labelled_folder(folder, every=True)]
    found = []
    for each in own_sets(folder):
        names = dict.fromkeys(str(record["site"]) for record in each.records(PAGES_FILE))
        found += [replace(each, name=name, kind="site", only=name) for name in names]
    return found


def set_names(folder: Path) -> list[str]:
    """List all sets in a folder: those of the catalogue, ``sites/<name>`` for each site."""
    return [each.name for each in load_sets(folder=folder)]


def load_sets(names: Sequence[str] = (), folder: Path | None = None) -> list[LabelledSet]:
    """Find sets by name, ``sites`` for all sites; by default all sets. Pages are read later."""
    folder = folder or data_folder()
    sets: list[LabelledSet] = []
    for each in CATALOGUE:
        make = ProductSet if each.name == PRODUCTS else LabelledSet
        sets.append(make(each.name, each.kind, folder / each.name, each.part, each.by))
    for name, part in _parts(folder / SITES).items():
        sets.append(LabelledSet(f"{SITES}/{name}", "site", folder / SITES / name, part))
    unknown = sorted(set(names) - {*(each.name for each in sets), SITES})
    if unknown:
        choices = ", ".join((*(each.name for each in CATALOGUE), SITES, f"{SITES}/NAME"))
        raise UserError(f"unknown set {unknown[0]!r}; known are {choices}")
    chosen = [each for each in sets if each.name in names or (each.kind == "site" and SITES in names)]
    return chosen if names else sets


def labelled_folder(folder: Path, *, every: bool = False) -> list[LabelledSet]:
    """Find the sets to train on: a set, or a folder that lists sites: of part ``train``, or `every` one."""
    if (folder / SITES_FILE).is_file():
        parts = _parts(folder)
        names = [name for name, part in parts.items() if every or part == "train"]
        if names:
            return [LabelledSet(name, "site", folder / name, parts[name]) for name in names]
    elif (folder / PAGES_FILE).is_file():
        return [LabelledSet(folder.name, "text", folder)]
    raise UserError(
        f"{folder} has no labelled pages: it needs {PAGES_FILE} and {GOLD_FILE}, or {SITES_FILE} and a "
        "folder for each site of part train"
    )


def listed_sites(folder: Path) -> list[dict[str, Any]]:
    """Read what the list of sites in a folder says of each; UserError where it is missing or damaged."""
    path = folder / SITES_FILE
    try:
        sites: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
        return [{**site, "site": site["site"], "part": site["part"]} for site in sites]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"cannot read the list of sites {path}: {error}") from error


def _parts(folder: Path) -> dict[str, str]:
    """Read the part (``train`` or ``test``) of each site."""
    return {site["site"]: site["part"] for site in listed_sites(folder)}
