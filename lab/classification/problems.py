"""Pages with classes, and all two-class problems on them: training and test pages are of different sites."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.errors import UserError
from lab.labelled.pages import GOLD_FILE, PAGES_FILE, read_records
from lab.transplant.making import transplant

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from lab.transplant.parts import Parts

WEBKB: Final = "webkb"
"""Set of pages of computer-science departments."""
WEBKB_CLASSES: Final = ("course", "department", "faculty", "project", "staff", "student")
"""Classes of that set. Pages of its seventh class, ``other``, are of no kind."""
CLASSES: Final = 5
"""Classes of the made pages: the paper has 5."""
HOSTS: Final = 4
"""Sites of the made pages: the paper has 4."""


class ClassPage(NamedTuple):
    """A page with its class."""

    site: str
    """Its site."""
    label: str
    """Its class."""
    url: str
    """Its address."""
    html: str
    """Its markup."""


class Problem(NamedTuple):
    """A two-class problem. Pages are given by their numbers."""

    classes: tuple[str, str]
    """The classes."""
    train: tuple[tuple[int, ...], tuple[int, ...]]
    """Training pages of each class."""
    test: tuple[tuple[int, ...], tuple[int, ...]]
    """Test pages of each class."""


class Task(NamedTuple):
    """Pages, and the problems on them."""

    pages: list[ClassPage]
    """The pages."""
    problems: list[Problem]
    """The problems."""


def by_class_and_site(pages: Iterable[ClassPage]) -> dict[str, dict[str, list[int]]]:
    """Return the numbers of pages by class, then by site."""
    places: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, page in enumerate(pages):
        places[page.label][page.site].append(number)
    return {label: dict(of_class) for label, of_class in sorted(places.items())}


def one_site_each(pages: Sequence[ClassPage]) -> list[Problem]:
    """Make the paper's problems: each class is learnt from one site, and tested on all its other sites.

    The two training sites differ. A site on which one class is learnt may have test pages of the other.
    """
    places = by_class_and_site(pages)
    problems = []
    for classes in combinations(places, 2):
        one, two = (places[label] for label in classes)
        for first in one:
            for second in two:
                rest = tuple(
                    tuple(n for site, numbers in of_class.items() if site != learnt for n in numbers)
                    for of_class, learnt in ((one, first), (two, second))
                )
                if first != second and all(rest):
                    problems.append(
                        Problem(classes, (tuple(one[first]), tuple(two[second])), (rest[0], rest[1]))
                    )
    return problems


def one_site_out(pages: Sequence[ClassPage]) -> list[Problem]:
    """Make problems in which one site is tested, and both classes are learnt from all others."""
    places = by_class_and_site(pages)
    problems = []
    for classes in combinations(places, 2):
        one, two = (places[label] for label in classes)
        for site in sorted(set(one) & set(two)):
            train = tuple(
                tuple(n for other, numbers in of_class.items() if other != site for n in numbers)
                for of_class in (one, two)
            )
            if all(train):
                problems.append(Problem(classes, (train[0], train[1]), (tuple(one[site]), tuple(two[site]))))
    return problems


def set_pages(folder: Path, classes: Sequence[str], pages: int | None, seed: int) -> list[ClassPage]:
    """Read the pages of a set whose gold names a ``type``.

    Parameters
    ----------
    folder
        Folder of the set.
    classes
        Types to take; empty: all.
    pages
        Most pages of each class and site, drawn at random; None: all.
    seed
        Seed of the draw.

    Raises
    ------
    UserError
        A file is missing or damaged, or there is no such page.
    """
    labels = {record["id"]: record.get("type", "") for record in read_records(folder / GOLD_FILE)}
    found = [
        ClassPage(record["site"], labels[record["id"]], record["url"], record["html"])
        for record in read_records(folder / PAGES_FILE)
        if labels.get(record["id"]) and (not classes or labels[record["id"]] in classes)
    ]
    rng = np.random.default_rng(seed)
    chosen = sorted(
        number
        for of_class in by_class_and_site(found).values()
        for numbers in of_class.values()
        for number in rng.permutation(numbers)[:pages].tolist()
    )
    if not chosen:
        raise UserError(f"{folder} has no pages with a type")
    return [found[number] for number in chosen if found[number].html.strip()]


def made_pages(parts: Parts, pages: int, seed: int) -> list[ClassPage]:
    """Put contents of several sites, the classes, into templates of other sites.

    Every site has as many pages of each class. So the template says nothing of the class, except where one
    class is learnt from one site and the other from another.

    Parameters
    ----------
    parts
        Templates and contents.
    pages
        Pages of each class on each site.
    seed
        Seed of the draw.

    Raises
    ------
    UserError
        There are too few templates or contents for two classes on two sites.
    """
    rng = np.random.default_rng(seed)
    hosts = [site for site, own in parts.templates.items() if len(own) >= pages * CLASSES]
    labels = [site for site, own in parts.contents.items() if len(own) >= pages * HOSTS]
    hosts = [hosts[n] for n in sorted(rng.permutation(len(hosts))[:HOSTS].tolist())]
    labels = [labels[n] for n in sorted(rng.permutation(len(labels))[:CLASSES].tolist())]
    if len(hosts) < 2 or len(labels) < 2:
        raise UserError(
            f"{len(hosts)} sites have {pages * CLASSES} templates, {len(labels)} have {pages * HOSTS} "
            "contents: two of each are needed; ask for fewer pages"
        )
    drawn = {label: iter(rng.permutation(len(parts.contents[label])).tolist()) for label in labels}
    made = []
    for host in hosts:
        templates = iter(rng.permutation(len(parts.templates[host])).tolist())
        for label in labels:
            for _ in range(pages):
                content = parts.contents[label][next(drawn[label])]
                page = transplant(parts.templates[host][next(templates)], content)
                made.append(ClassPage(host, label, page.url, page.html))
    return made


def sites_of(pages: Sequence[ClassPage]) -> dict[str, list[int]]:
    """Return the numbers of the pages of each site."""
    sites: dict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        sites[page.site].append(number)
    return dict(sites)
