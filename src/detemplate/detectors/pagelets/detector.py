"""Pagelets that recur (Bar-Yossef & Rajagopalan: WWW 2002).

Section 3.1 parts a page into pagelets, section 3.2 finds those that are templates: by their shingle
alone (local), or by their shingle among pages that are linked (global).
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from detemplate.algorithms.linkedgroups import linked_group_sizes
from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.base import Detector, Options
from detemplate.detectors.pagelets.templatefile import TemplateFile, read_template_file
from detemplate.detectors.state import DAMAGE, StateError, pack, unpack
from detemplate.detectors.verdict import Verdict
from detemplate.errors import UserError
from detemplate.page.fingerprints import SKETCH, WIDTH, page_shingle, page_words, pagelet_shingles
from detemplate.page.links import page_key, page_links
from detemplate.page.pagelets import LINKS, pagelet_of, pagelets

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from detemplate.page.page import Page

    Keys = npt.NDArray[np.uint64]

_VERSION: Final = 1
_ARRAYS: Final = {"pages": "<u8", "sizes": "<i4", "pagelets": "<u8", "link_sizes": "<i4", "links": "<u8"}
_SETTINGS: Final = ("k", "width", "sketch")
_NONE: Final = np.zeros(0, np.uint64)
_PAGE_BYTES: Final = 400
_COUNT_BYTES: Final = 120
"""What a remembered page, and a counted shingle, take beside the 8 bytes an entry."""


@dataclasses.dataclass(frozen=True, slots=True)
class PageletsOptions(Options):
    """Options of :class:`Pagelets`."""

    algorithm: str = dataclasses.field(
        default="local",
        metadata={"help": "local: shared by pages; global: shared by pages that links connect"},
    )
    k: int = dataclasses.field(
        default=LINKS, metadata={"help": "an element with a child of at least k links is no pagelet"}
    )
    min_pages: int = dataclasses.field(
        default=2, metadata={"help": "a pagelet that at least this many pages share is template"}
    )
    width: int = dataclasses.field(default=WIDTH, metadata={"help": "w: words a gram"})
    sketch: int = dataclasses.field(
        default=SKETCH,
        metadata={"help": "minima a shingle; pagelets of resemblance r share one with probability r^sketch"},
    )
    max_pagelets: int = dataclasses.field(
        default=1_000_000,
        metadata={"help": "pagelets and links to remember a site at most; the oldest pages go first"},
    )
    templates: str = dataclasses.field(
        default="",
        metadata={"help": "file of known templates ('detemplate templates --states'); sets k, width, sketch"},
    )

    def check(self) -> None:
        """Refuse values out of range."""
        self.require(self.algorithm in ("local", "global"), "algorithm", "'local' or 'global'")
        for name, least, most in (
            ("k", 1, 10_000), ("min_pages", 2, 10_000), ("width", 1, 100), ("sketch", 1, 100),
            ("max_pagelets", 1, MOST_ENTRIES),
        ):  # fmt: skip
            value: object = getattr(self, name)
            self.require(type(value) is int and least <= value <= most, name, f"from {least} to {most:,}")
        if self.templates:
            known = _known_templates(self.templates)
            for name in _SETTINGS:
                fits = getattr(self, name) == getattr(known, name)
                self.require(fits, name, f"{getattr(known, name)}, as in {self.templates}")


@lru_cache(maxsize=4)
def _known_templates(path: str) -> TemplateFile:
    """Read a template file, once for all sites of a run."""
    return read_template_file(Path(path))


class Pagelets(Detector):
    """Pagelets that pages share.

    Parameters
    ----------
    options
        See :class:`PageletsOptions`.

    Notes
    -----
    *Local* (figure 4): duplicates of a page, known by its page shingle, count as one page; a pagelet
    shingle on ``min_pages`` pages is a template. *Global* (figure 5): the pages that have the shingle
    must be connected by links among themselves; each such component is a template, and duplicates need
    no care, since copies do not link to each other. Links lead to pages by their canonical URLs.

    The score of a pagelet that n pages share is ``n / (n + min_pages)``; the threshold lies between
    the scores of ``min_pages - 1`` and ``min_pages`` pages. Text in no pagelet scores 0. A page that
    was not learnt is scored as if it were among the pages that share its pagelets (global: among the
    largest component), but does not count itself.

    What is learnt is a set of pages, each with its set of shingles (and of links): a page learnt again
    (local: one of the same page shingle; global: of the same URL) adds what is new in it and counts
    once. Order and grouping do not matter while no more than ``max_pagelets`` entries were seen; beyond,
    the pages learnt first are forgotten.

    With ``templates``, the pagelets whose shingles are in that file are template on every page, learnt
    or not, as if ``min_pages`` pages had been seen to share them.
    """

    name: ClassVar[str] = "pagelets"
    paper: ClassVar[str] = "Bar-Yossef, Rajagopalan: Template Detection via Data Mining (WWW 2002)"
    summary: ClassVar[str] = "regions of few links (pagelets) that several pages share, by min-wise shingle"
    options_class: ClassVar[type[Options]] = PageletsOptions

    def __init__(self, options: PageletsOptions | None = None) -> None:
        self._options = options or PageletsOptions()
        self._pages = 0
        self._entries = 0
        self._index: dict[int, tuple[Keys, Keys]] = {}
        self._df: Counter[int] = Counter()
        self._groups: _Groups | None = None
        path = self._options.templates
        self._known = _known_templates(path).shingles.view(np.uint64) if path else _NONE

    @classmethod
    def options(cls, given: Mapping[str, Any], *, streaming: bool) -> PageletsOptions:
        """Complete the options: a template file says how pagelets are cut and hashed.

        Raises
        ------
        UserError
            ``global`` in one pass: links lead to later pages; an unreadable template file, or one made
            with other settings than the given ones.
        """
        path = given.get("templates")
        known = _known_templates(path)._asdict() if isinstance(path, str) and path else {}
        options = PageletsOptions(**{**{name: known[name] for name in _SETTINGS if known}, **given})
        if streaming and options.algorithm == "global":
            raise UserError(
                "method pagelets with algorithm=global learns all pages of a site before it cleans one: it "
                "cannot clean a stream (standard input, --stream, an iterator)"
            )
        return options

    @property
    def pages(self) -> int:
        """Pages learnt so far."""
        return self._pages

    @property
    def nbytes(self) -> int:
        """Memory that the pages' shingles and links, and their counts, hold, in bytes, about."""
        groups = self._groups.nbytes if self._groups else 0
        return 8 * self._entries + _PAGE_BYTES * len(self._index) + _COUNT_BYTES * len(self._df) + groups

    def _fingerprints(self, page: Page) -> tuple[int, Keys, Keys, npt.NDArray[np.int32]]:
        """Give what a page is known by, its shingles, its links, and each segment's place in the shingles.

        The place is -1 for segments in no pagelet.
        """
        options = self._options
        words = page_words(page)
        rows = pagelets(page, options.k)
        links = page_links(page) if options.algorithm == "global" else None
        shingles, told = pagelet_shingles(
            page, rows, width=options.width, sketch=options.sketch, words=words, links=links
        )
        distinct, which = np.unique(shingles[told].view(np.uint64), return_inverse=True)
        place = np.full(len(rows) + 1, -1, np.int32)
        place[:-1][told] = which
        segment_place = place[pagelet_of(page, rows, page.segments)]
        if links is None:
            own = page_shingle(page, width=options.width, words=words)
            return own % 2**64, distinct, _NONE, segment_place
        return page_key(page.url) % 2**64, distinct, np.unique(links.keys.view(np.uint64)), segment_place

    def learn(self, page: Page) -> None:
        """Remember a page's shingles and, for the global algorithm, its links."""
        own, shingles, links, _ = self._fingerprints(page)
        self._pages += 1
        self._add(own, shingles, links)

    def _add(self, own: int, shingles: Keys, links: Keys) -> None:
        known, its_links = self._index.get(own, (_NONE, _NONE))
        new = np.setdiff1d(shingles, known)
        self._df.update(new.tolist())
        both = (np.union1d(known, new), np.union1d(its_links, links))
        self._index[own] = both
        self._entries += len(new) + len(both[1]) - len(its_links)
        self._groups = None
        while self._entries > self._options.max_pagelets and len(self._index) > 1:
            oldest = next(iter(self._index))
            gone, gone_links = self._index.pop(oldest)
            self._entries -= len(gone) + len(gone_links)
            for shingle in gone.tolist():
                self._df[shingle] -= 1
                if not self._df[shingle]:
                    del self._df[shingle]

    def score(self, page: Page) -> Verdict:
        """Give each segment the score of its pagelet."""
        own, shingles, _, place = self._fingerprints(page)
        shared = np.array([self._df[shingle] for shingle in shingles.tolist()], np.int64)
        if self._options.algorithm == "global":
            if self._groups is None:
                self._groups = _Groups(self._index, self._df)
            shared = np.where(shared > 1, self._groups.sizes(own, shingles), shared)
        least, pages = self._options.min_pages, self.pages
        known = np.append(np.isin(shingles, self._known), False)[place]
        counts = np.append(shared, 0)[place]
        shares = np.where(known, np.maximum(counts, least), counts)
        scores = (shares / (shares + least)).astype(np.float32)
        # Half way between the two scores: rounding to 32 bits cannot reach it.
        threshold = ((least - 1) / (2 * least - 1) + 0.5) / 2
        linked = " linked" if self._options.algorithm == "global" else ""

        def explain(segment: int) -> str:
            if place[segment] < 0:
                return "in no pagelet: its element holds several"
            if known[segment]:
                return f"in a pagelet of a known template ({self._options.templates})"
            return f"in a pagelet that {counts[segment]}{linked} of {pages} pages have"

        return Verdict(scores, threshold, explain)

    def merge(self, other: Self) -> Self:
        """Join the pages that both remember."""
        if self._options != other._options:
            raise ValueError("detectors with different options cannot be merged")
        joined = type(self)(self._options)
        for index in (self._index, other._index):
            for own, (shingles, links) in index.items():
                joined._add(own, shingles, links)
        joined._pages = self._pages + other._pages
        return joined

    def to_bytes(self) -> bytes:
        """Give the pages (12 bytes a page, 8 a pagelet and a link) and the options."""
        kept = list(self._index.values())
        arrays: dict[str, npt.NDArray[Any]] = {
            "pages": np.fromiter(self._index, np.uint64, len(kept)),
            "sizes": np.array([len(shingles) for shingles, _ in kept], np.int32),
            "pagelets": np.concatenate([_NONE, *(shingles for shingles, _ in kept)]),
            "link_sizes": np.array([len(links) for _, links in kept], np.int32),
            "links": np.concatenate([_NONE, *(links for _, links in kept)]),
        }
        header = {"options": dataclasses.asdict(self._options), "pages": self._pages}
        return pack(self.name, _VERSION, header, arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore what :meth:`to_bytes` gave."""
        header, arrays = unpack(data, cls.name, _VERSION, _ARRAYS)
        try:
            restored = cls(PageletsOptions(**header["options"]))
            own, pages = arrays["pages"].tolist(), header["pages"]
            if not isinstance(pages, int) or not len(own) <= pages < 2**31 or len(set(own)) != len(own):
                raise StateError("the state's pages are inconsistent")
            kept = [
                _parts(arrays[sizes], arrays[values], len(own))
                for sizes, values in (("sizes", "pagelets"), ("link_sizes", "links"))
            ]
            restored._pages = pages
            for page, shingles, links in zip(own, *kept, strict=True):
                restored._add(page, shingles, links)
        except DAMAGE as error:
            raise StateError(f"the state is damaged: {error}") from error
        return restored


def _parts(sizes: npt.NDArray[np.int32], values: Keys, count: int) -> list[Keys]:
    """Cut an array into parts of given sizes."""
    if (
        len(sizes) != count
        or (count and int(sizes.min()) < 0)
        or int(sizes.sum(dtype=np.int64)) != len(values)
    ):
        raise StateError("the state's pages are inconsistent")
    return np.split(values, np.cumsum(sizes, dtype=np.int64)[:-1]) if count else []


class _Groups:
    """How many connected pages share each shingle."""

    def __init__(self, index: Mapping[int, tuple[Keys, Keys]], df: Mapping[int, int]) -> None:
        self._own = {own: number for number, own in enumerate(index)}
        counts = [len(shingles) for shingles, _ in index.values()]
        owners = np.repeat(np.arange(len(counts)), counts)
        shingles = np.concatenate([_NONE, *(shingles for shingles, _ in index.values())])
        shared = np.array([df[shingle] > 1 for shingle in shingles.tolist()], np.bool_)
        owners = owners[shared]
        self._shingles, items = np.unique(shingles[shared], return_inverse=True)
        pairs = [
            (number, target)
            for number, (_, links) in enumerate(index.values())
            for target in map(self._own.get, links.tolist())
            if target is not None
        ]
        sources, targets = np.array(pairs, np.int64).reshape(-1, 2).T
        sizes = linked_group_sizes(items.astype(np.int64), owners, sources, targets)
        self._best = np.zeros(len(self._shingles), np.int64)
        np.maximum.at(self._best, items, sizes)
        keys = items * len(index) + owners
        order = np.argsort(keys)
        self._keys, self._sizes = keys[order], sizes[order]

    @property
    def nbytes(self) -> int:
        arrays = (self._shingles, self._best, self._keys, self._sizes)
        return sum(array.nbytes for array in arrays) + 100 * len(self._own)

    def sizes(self, own: int, shingles: Keys) -> npt.NDArray[np.int64]:
        """Give the size of a page's component for each of its shingles; 0 for shingles on one page."""
        found = np.zeros(len(shingles), np.int64)
        item = np.searchsorted(self._shingles, shingles)
        known = np.flatnonzero(item < len(self._shingles))
        known = known[self._shingles[item[known]] == shingles[known]]
        found[known] = self._best[item[known]]
        if own in self._own and len(known):
            keys = item[known] * len(self._own) + self._own[own]
            place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            found[known] = np.where(self._keys[place] == keys, self._sizes[place], found[known])
        return found
