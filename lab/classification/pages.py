"""Pages with classes, read from sets or made of templates and contents, and the texts that methods leave."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.errors import UserError
from lab.labelled.datasets import own_sets
from lab.labelled.pages import GOLD_FILE, PAGES_FILE, LabelledSet
from lab.transplant.pages import read_parts, transplant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from lab.labelled.measure import Extractor

WEBKB: Final = "webkb"  # set of pages of computer-science departments
WEBKB_CLASSES: Final = ("course", "department", "faculty", "project", "staff", "student")
"""Its classes. Pages of its seventh class, ``other``, are of no kind."""
CLASSES: Final = 5  # classes of the made pages, as in the paper
HOSTS: Final = 4  # sites of the made pages, as in the paper


class ClassPage(NamedTuple):
    """A page with its site and its class."""

    site: str
    label: str
    url: str
    html: str


def by_class_and_site(pages: Iterable[ClassPage]) -> dict[str, dict[str, list[int]]]:
    """Return the numbers of pages by class, then by site."""
    places: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, page in enumerate(pages):
        places[page.label][page.site].append(number)
    return {label: dict(of_class) for label, of_class in sorted(places.items())}


def own_pages(folder: Path, pages: int | None, seed: int) -> list[ClassPage]:
    """Read a user's pages whose gold names a ``type``, as :func:`set_pages` does."""
    return [page for each in own_sets(folder) for page in set_pages(each, (), pages, seed)]


def set_pages(labelled: LabelledSet, classes: Sequence[str], pages: int | None, seed: int) -> list[ClassPage]:
    """Read pages of a set whose gold names a ``type``; at most `pages` of a class and site are drawn."""
    labels = {record["id"]: record.get("type", "") for record in labelled.records(GOLD_FILE)}
    found = [
        ClassPage(record["site"], labels[record["id"]], record["url"], record["html"])
        for record in labelled.records(PAGES_FILE)
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
        raise UserError(f"{labelled.folder} has no pages with a type")
    return [found[number] for number in chosen if found[number].html.strip()]


def made_pages(
    names: Sequence[str], data: Path | None, pages: int, seed: int, max_words: int | None = None
) -> list[ClassPage]:
    """Put contents of several sites, the classes, into templates of others, `pages` of each class on each."""
    parts = read_parts(
        names, data, pages=pages * max(HOSTS, CLASSES), max_words=max_words, least=1, seed=seed
    )
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


def page_texts(
    extractors: Mapping[str, Extractor], pages: Sequence[ClassPage], show: Callable[[str], object]
) -> dict[str, list[str]]:
    """Return the texts of all pages, by method; a method sees the pages of a site together."""
    sites: dict[str, list[int]] = defaultdict(list)
    for number, page in enumerate(pages):
        sites[page.site].append(number)
    found = {}
    for name, extractor in extractors.items():
        texts = [""] * len(pages)
        for numbers in sites.values():
            source = [(pages[number].url, pages[number].html) for number in numbers]
            for number, text in zip(numbers, extractor.run(source).texts, strict=True):
                texts[number] = text
        found[name] = texts
        show(name)
    return found
