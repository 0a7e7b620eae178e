"""The parts of made pages: templates of test sites, contents of training sites."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from detemplate.errors import UserError
from lab.harness.common import checked_folder, labelled_sites
from lab.transplant.parts import contents, read_selectors, templates

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lab.labelled.pages import LabelledSet
    from lab.transplant.parts import Content, Selectors, Template

_Part = TypeVar("_Part")
"""A template or a content."""

LANGUAGE: Final = "en"
"""Language of the contents."""


class Parts(NamedTuple):
    """What made pages are made of."""

    templates: dict[str, list[Template]]
    """Pages that lend their templates, by site."""
    contents: dict[str, list[Content]]
    """Contents, by the site that they are from."""


def read_parts(
    names: Sequence[str],
    data: Path | None,
    *,
    pages: int | None = None,
    max_words: int | None = None,
    least: int = 20,
    seed: int = 0,
) -> Parts:
    """Read templates and contents.

    No model of this package has learnt from the templates: they are of sites of part ``test``. The contents
    are of English sites of part ``train``.

    Parameters
    ----------
    names
        Names of the sites; by default all.
    data
        The folder with the labelled sets, by default that of `lab.labelled.datasets.data_folder`.
    pages
        Most templates and most contents of each site, drawn at random; None: all.
    max_words
        Words at which a content ends; None: it is whole.
    least
        Sites with fewer templates, or contents, are left out; at most `pages`.
    seed
        Seed of the draw.

    Raises
    ------
    UserError
        The folder does not exist, or a site is unknown.
    """
    selectors = read_selectors(checked_folder(data))
    least = min(least, pages or least)
    found = Parts({}, {})
    for labelled in labelled_sites(names, data):
        site = labelled.name.rpartition("/")[2]
        where = selectors.get(site)
        if where is None:
            continue
        if where.part == "test":
            lent = _sample(list(_checked(labelled, where)), pages, seed)
            if len(lent) >= least:
                found.templates[site] = lent
        elif where.language == LANGUAGE:
            own = _sample(list(contents(labelled, where, max_words)), pages, seed)
            if len(own) >= least:
                found.contents[site] = own
    return found


def _checked(labelled: LabelledSet, where: Selectors) -> list[Template]:
    try:
        return list(templates(labelled, where))
    except ValueError as error:
        raise UserError(f"the selectors of {labelled.name} are wrong: {error}") from error


def _sample(parts: list[_Part], count: int | None, seed: int) -> list[_Part]:
    order = np.random.default_rng(seed).permutation(len(parts)).tolist()
    return [parts[number] for number in sorted(islice(order, count))]
