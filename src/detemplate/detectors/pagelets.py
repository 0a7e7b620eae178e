"""Pagelets that recur (Bar-Yossef & Rajagopalan: WWW 2002).

Section 3.1 partitions a page into pagelets. Section 3.2 finds the pagelets that are template: those whose
shingle is on several pages (local), or on several pages that links connect (global).
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self

import numpy as np

from detemplate.algorithms.linkedgroups import LinkedGroups
from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.base import Asked, Detector, Options, no_stream, option
from detemplate.detectors.causes import because
from detemplate.detectors.state import StateError, pages_in, parts
from detemplate.detectors.templatefile import SETTINGS, known_templates
from detemplate.detectors.verdict import Verdict, counted_scores
from detemplate.page.links import page_links
from detemplate.page.pagelets import (
    LINKS,
    SKETCH,
    WIDTH,
    page_shingle,
    page_words,
    pagelet_of,
    pagelet_shingles,
    pagelets,
)
from detemplate.page.urls import page_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.page.page import Page

    Keys = npt.NDArray[np.uint64]

_NONE: Final = np.zeros(0, np.uint64)

_PAGE_BYTES: Final = 400  # memory of a remembered page, in bytes, beside 8 bytes an entry
_COUNT_BYTES: Final = 120  # memory of a shingle's count, in bytes


@dataclasses.dataclass(frozen=True, slots=True)
class PageletsOptions(Options):
    """Options of :class:`Pagelets`."""

    algorithm: str = option(
        "local",
        "local: shared by pages; global: shared by pages that links connect; known: learn "
        "nothing, only remove the known templates (the default with templates)",
    )
    k: int = option(LINKS, "an element with a child of at least k links is no pagelet")
    min_pages: int = option(2, "a pagelet that at least this many pages share is template")
    width: int = option(WIDTH, "w: words in a gram")
    sketch: int = option(
        SKETCH, "minima in a shingle; at resemblance r, pagelets share it with probability r^sketch"
    )
    max_pagelets: int = option(
        1_000_000, "most pagelets and links to remember per site; the oldest pages go first"
    )
    templates: str = option(
        "",
        "file of known templates ('detemplate graph templates --states'); sets k, width, sketch",
        file=True,
    )

    def check(self) -> None:
        """Raise UserError if a value is out of range, or does not fit the template file."""
        self.require(
            self.algorithm in ("local", "global", "known"), "algorithm", "'local', 'global' or 'known'"
        )
        self.require(
            bool(self.templates) or self.algorithm != "known",
            "algorithm",
            "'local' or 'global', unless option templates names a file",
        )
        for name, least, most in (
            ("k", 1, 10_000), ("min_pages", 2, 10_000), ("width", 1, 100), ("sketch", 1, 100),
            ("max_pagelets", 1, MOST_ENTRIES),
        ):  # fmt: skip
            value: object = getattr(self, name)
            self.require(type(value) is int and least <= value <= most, name, f"from {least} to {most:,}")
        if self.templates:
            known = known_templates(self.templates)
            for name in SETTINGS:
                fits = getattr(self, name) == getattr(known, name)
                self.require(fits, name, f"{getattr(known, name)}, as in {self.templates}")


class PageEntries(NamedTuple):
    """What is remembered of a page."""

    key: int
    """The page's shingle or, for the global algorithm, the hash of its URL."""
    shingles: Keys
    """Shingles of its pagelets, distinct and ascending."""
    links: Keys
    """Keys of the pages that it links to, for the global algorithm."""


class Pagelets(Detector):
    """Pagelets that several pages of a site share.

    Notes
    -----
    *Local* (figure 4): pages with the same page shingle are duplicates and count as one page. A pagelet
    shingle on ``min_pages`` pages is a template. *Global* (figure 5): the pages that have the shingle must
    also be connected by links among themselves; each connected component of ``min_pages`` pages is a
    template. Duplicates need no care there, because copies do not link to each other. Links are resolved
    by canonical URL.

    The score of a pagelet on n pages is ``n / (n + min_pages)``; the threshold lies between the scores of
    ``min_pages - 1`` and ``min_pages`` pages. Text in no pagelet scores 0. A page that was not learned is
    scored as one of the pages that share its pagelets (global: of the largest component), but does not
    count itself.

    The state is a set of pages, each with its set of shingles (and of links). A page that is learned again
    adds its new entries and counts once (local: the same page shingle; global: the same URL). The order
    and grouping of the pages do not matter while at most ``max_pagelets`` entries were seen. Beyond that
    the pages learned first are forgotten.

    With ``templates``, the pagelets that belong to a template of that file are template, as if ``min_pages``
    pages shared them: see :meth:`~detemplate.detectors.templatefile.TemplateFile.holds`. *Known*
    learns nothing, so that these are all.
    """

    name: ClassVar[str] = "pagelets"
    paper: ClassVar[str] = "Bar-Yossef, Rajagopalan: Template Detection via Data Mining (WWW 2002)"
    summary: ClassVar[str] = "regions of few links (pagelets) that several pages share, by min-wise shingle"
    options_class: ClassVar[type[Options]] = PageletsOptions

    arrays: ClassVar[Mapping[str, str]] = {
        **{"pages": "<u8", "sizes": "<i4", "pagelets": "<u8"},  # keys of pages; their shingles
        **{"link_sizes": "<i4", "links": "<u8"},  # their links
    }

    _options: PageletsOptions

    def __init__(self, options: PageletsOptions | None = None) -> None:
        super().__init__(options)
        self._entries = 0
        self._index: dict[int, tuple[Keys, Keys]] = {}
        self._df: Counter[int] = Counter()
        self._linked: LinkedGroups | None = None
        path = self._options.templates
        self._known = known_templates(path) if path else None

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> PageletsOptions:
        """Make options; a template file sets how pagelets are cut and hashed, and is all that is known.

        Raises UserError: ``global`` in one pass, because links lead to later pages; the template file cannot
            be read, or was made with other settings than the given ones.
        """
        path = given.get("templates")
        known: dict[str, Any] = {}
        if isinstance(path, str) and path:
            file = known_templates(path)
            known = {"algorithm": "known", **{name: getattr(file, name) for name in SETTINGS}}
        options = PageletsOptions(**{**known, **given})
        if streaming and options.algorithm == "global":
            raise no_stream("pagelets with algorithm=global")
        return options

    @property
    def nbytes(self) -> int:
        """Approximate memory of the shingles, the links and their counts, in bytes."""
        linked = self._linked.nbytes if self._linked else 0
        return 8 * self._entries + _PAGE_BYTES * len(self._index) + _COUNT_BYTES * len(self._df) + linked

    def ask(self, page: Page) -> Asked:
        """Ask for the page's shingles.

        Kept are, for each segment, the index of its shingle (-1 in no pagelet); for each shingle, whether it
        is known; and the rows of the pagelets without text, with the indices of their shingles.
        """
        options = self._options
        words = page_words(page)
        rows = pagelets(page, options.k)
        linked = options.algorithm == "global"
        links = page_links(page) if linked or self._known else None
        shingles, nonempty = pagelet_shingles(
            page, rows, width=options.width, sketch=options.sketch, words=words, links=links
        )
        distinct, which = np.unique(shingles[nonempty].view(np.uint64), return_inverse=True)
        place = np.full(len(rows) + 1, -1, np.int32)
        place[:-1][nonempty] = which
        serial = pagelet_of(page, rows, page.segments)
        places = place[serial]
        textless = nonempty & (np.bincount(serial[serial >= 0], minlength=len(rows)) == 0)
        regions = rows[textless].astype(np.int32), place[:-1][textless]
        known = np.zeros(len(distinct) + 1, np.bool_)
        if self._known and links is not None:
            known[:-1] = self._known.holds(distinct.view(np.int64), page_key(page.url), links.keys)
        if linked and links is not None:
            key, targets = page_key(page.url), np.unique(links.keys.view(np.uint64))
        else:
            key, targets = page_shingle(page, width=options.width, words=words), _NONE
        return Asked(PageEntries(key % 2**64, distinct, targets), (places, known, regions))

    def take(self, query: PageEntries) -> None:
        """Remember a page's shingles and, for the global algorithm, its links."""
        self._pages += 1
        if self._options.algorithm != "known":
            self._add(*query)

    def _add(self, key: int, shingles: Keys, links: Keys) -> None:
        """Add shingles and links to a page; forget the oldest pages beyond the bound."""
        old_shingles, old_links = self._index.get(key, (_NONE, _NONE))
        new = np.setdiff1d(shingles, old_shingles)
        self._df.update(new.tolist())
        all_links = np.union1d(old_links, links)
        self._index[key] = np.union1d(old_shingles, new), all_links
        self._entries += len(new) + len(all_links) - len(old_links)
        self._linked = None
        while self._entries > self._options.max_pagelets and len(self._index) > 1:
            oldest = next(iter(self._index))
            lost_shingles, lost_links = self._index.pop(oldest)
            self._entries -= len(lost_shingles) + len(lost_links)
            for shingle in lost_shingles.tolist():
                self._df[shingle] -= 1
                if not self._df[shingle]:
                    del self._df[shingle]

    def answer(self, query: PageEntries) -> tuple[npt.NDArray[np.int64], int]:
        """Return the number of pages that share each shingle, and the number of all pages."""
        key, shingles, _ = query
        shared = np.array([self._df[shingle] for shingle in shingles.tolist()], np.int64)
        if self._options.algorithm == "global":
            if self._linked is None:
                self._linked = LinkedGroups(self._index, self._df)
            shared = np.where(shared > 1, self._linked.of(key, shingles), shared)
        return shared, self.pages

    def judge(self, page: Page, asked: Asked, answer: tuple[npt.NDArray[np.int64], int]) -> Verdict:  # noqa: ARG002
        """Score each segment by the number of pages that share its pagelet."""
        (shared, pages), least = answer, self._options.min_pages
        place, known_shingles, (rows, of_rows) = asked.kept
        counts, known = np.append(shared, 0)[place], known_shingles[place]
        pages_of = np.where(known_shingles[:-1], np.maximum(shared, least), shared)
        scores, threshold = counted_scores(np.append(pages_of, 0)[place], least)
        linked = " linked" if self._options.algorithm == "global" else ""

        def explain(segment: int) -> str:
            if place[segment] < 0:
                return because("no_pagelet", -1.0, "in no pagelet: its element holds several")
            if known[segment]:
                told = f"in a pagelet of a known template ({self._options.templates})"
                return because("known_pagelet", 1.0, told, file=self._options.templates)
            told = f"in a pagelet that {counts[segment]}{linked} of {pages} pages have"
            side = 1.0 if counts[segment] >= least else -1.0
            return because("pagelet", side, told, pages=int(counts[segment]), of=pages)

        return Verdict(scores, threshold, explain, textless=rows[pages_of[of_rows] >= least])

    def join(self, first: Self, second: Self) -> None:
        """Join the pages of both."""
        for index in (first._index, second._index):
            for key, (shingles, links) in index.items():
                self._add(key, shingles, links)
        self._pages = first._pages + second._pages

    def dump(self) -> tuple[Mapping[str, object], Mapping[str, npt.NDArray[Any]]]:
        """Return the pages: 12 bytes a page, 8 a pagelet and a link."""
        kept = list(self._index.values())
        return {"pages": self._pages}, {
            "pages": np.fromiter(self._index, np.uint64, len(kept)),
            "sizes": np.array([len(shingles) for shingles, _ in kept], np.int32),
            "pagelets": np.concatenate([_NONE, *(shingles for shingles, _ in kept)]),
            "link_sizes": np.array([len(links) for _, links in kept], np.int32),
            "links": np.concatenate([_NONE, *(links for _, links in kept)]),
        }

    def load(self, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Remember the pages again."""
        keys = arrays["pages"].tolist()
        self._pages = pages_in(header, len(keys))
        kept = [parts(arrays["pagelets"], arrays["sizes"]), parts(arrays["links"], arrays["link_sizes"])]
        if not len(set(keys)) == len(keys) == len(kept[0]) == len(kept[1]):
            raise StateError("the state's pages are inconsistent")
        for key, shingles, links in zip(keys, *kept, strict=True):
            self._add(key, shingles, links)
