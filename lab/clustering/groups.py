"""Pages to cluster, with their classes: departments, page types of single sites, and made pages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from lab.classification.problems import ClassPage
from lab.labelled.catalogue import SITES
from lab.labelled.datasets import load_sets

if TYPE_CHECKING:
    from pathlib import Path

LABELS: Final = "labels"
"""Folder with the classes of some sites' pages: one file a site, one page a line, page and class by a tab."""
LEAST: Final = 5
"""Least pages of a class; smaller classes are left out."""


def labelled_pages(folder: Path, site: str) -> list[ClassPage]:
    """Read the pages of a site that have one class, of classes with :data:`LEAST` pages or more.

    Parameters
    ----------
    folder
        The folder with the labelled sets.
    site
        Name of the site.

    Raises
    ------
    UserError
        The file of the classes is missing, or the site is unknown.
    """
    path = folder / LABELS / f"{site}.tsv"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise UserError(f"cannot read the classes {path}: {error}") from error
    labels = dict(line.split("\t", 1) for line in lines if "\t" in line and not line.startswith("#"))
    sizes = Counter(labels.values())
    [labelled] = load_sets([f"{SITES}/{site}"], folder)
    return [
        ClassPage(site, label, page.url, page.html)
        for page in labelled.pages()
        if (label := labels.get(page.id, "")) and sizes[label] >= LEAST and "," not in label
    ]


def labelled_names(folder: Path) -> list[str]:
    """Return the names of the sites whose pages have classes, in alphabetical order."""
    return sorted(path.stem for path in (folder / LABELS).glob("*.tsv"))
