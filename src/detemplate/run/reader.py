"""From records to pages: which versions of a page are taken, and why others are no pages."""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.errors import UserError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.base import DEFAULT_VERSIONS, SelectedSource
from detemplate.page.page import Page
from detemplate.run.limits import Clock, Losses, attempted
from detemplate.sites.naming import site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy.typing as npt

    from detemplate.io.sources.base import Source
    from detemplate.run.progress import Meter

Made = TypeVar("Made")

SEEN_URLS: Final = 2**22
"""Records among which the first of a URL is known: 72 bytes each at most, 288 MiB in all."""

_SECRET: Final = os.urandom(16)  # key of the hashes of URLs: nobody can choose URLs whose hashes are equal

BLOCK: Final = 2**21
"""Records behind a record, at least, among which the last of its URL is found: 230 MiB in all."""


class Reader(Generic[Made]):
    """Parses the records of a source, in the source's order; gives skips for everything else.

    Of records with the same URL, those that the source says are taken (:class:`Versions`).

    ``source``, ``parse``: where the records come from, and what makes a page (or a document, or whatever a
        run works on) of one. It may raise :class:`~detemplate.errors.PageError`: the record becomes a skip.
    ``max_page_bytes``, ``max_page_seconds``: larger pages, and those that take longer, are lost.
    ``max_bad``: share of bad records above which a pass fails, in [0, 1]; None: as the source says.
    ``meter``: shows the pass over all URLs, where the source's last versions are taken.
    ``clock``, ``losses``: the time of the present page; the pages and the bad records of the present pass.
    Raises UserError: ``max_page_seconds`` is not above 0; the source's versions cannot be chosen. At the end
        of a pass: too many records were bad.
    """

    def __init__(
        self,
        source: Source,
        parse: Callable[[Record], Made],
        *,
        max_page_bytes: int,
        max_page_seconds: float,
        max_bad: float | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._source = source
        self._versions = Versions(source, meter)
        self._parse = parse
        self._limit = max_page_bytes
        self.clock = Clock(max_page_seconds)
        self._max_bad = max_bad
        self.losses = Losses.of(source, max_bad)

    def __iter__(self) -> Iterator[Made | Skip]:
        """Go through the source once; each pass makes the same choices."""
        yield from self.items()
        self.losses.check()

    def items(self) -> Iterator[Made | Skip]:
        """Go through the source once; whoever asks for the items checks :attr:`losses` after the last one."""
        self.losses = Losses.of(self._source, self._max_bad)
        for item in self._versions:
            made = item if isinstance(item, Skip) else self._attempt(item)
            if isinstance(made, Skip):
                self.losses.lose(made)
            else:
                self.losses.pages += 1
            yield made

    def through(
        self, each: Callable[[Iterator[Made | Skip]], Iterator[tuple[Any, Any]]]
    ) -> Iterator[tuple[Any, Skip | None, Any]]:
        """Have a pass go over the items; give each, why it is lost, if it is, and what became of it."""
        for item, outcome in each(self.items()):
            yield item, self.losses.skip_of(item, outcome), outcome
        self.losses.check()

    def _attempt(self, record: Record) -> Made | Skip:
        return attempted(record, lambda: self._parse(record), max_page_bytes=self._limit, clock=self.clock)


def page_parser(site_by: str) -> Callable[[Record], tuple[Record, Page]]:
    """Return a parse function for :class:`Reader`: it gives a record and its page, with its parsed document.

    Raises UserError if there is no such way to name sites (:func:`~detemplate.sites.naming.site_of`).
    """
    site_of("", site_by)

    def parse(record: Record) -> tuple[Record, Page]:
        return record, record_page(record, site_by, keep_document=True)

    return parse


def record_page(record: Record, site_by: str, *, keep_document: bool) -> Page:
    """Parse a record's page; its site is the one that the record names, else that which ``site_by`` tells."""
    site = record.site
    if site is None and site_by != "host":
        site = site_of(record.url, site_by)
    return Page(
        record.url,
        record.html,
        site=site,
        charset=record.charset,
        media_type=record.media_type,
        keep_document=keep_document,
    )


def record_in(item: object) -> Record | None:
    """Return an item that is a record; None for any other."""
    return item if isinstance(item, Record) else None


class Versions:
    """The items of a source; of records with the same URL, those versions of a page that a run takes.

    A selected source says which these are, of others it is the first. The others come as skips, ``duplicate
    url``. Records without a URL are all taken. The meter shows the pass over the URLs that the last versions
    need, before the first of the run's own passes. Raises UserError if they are wanted of a source that
    cannot be read twice.
    """

    def __init__(self, source: Source, meter: Meter | None = None) -> None:
        self._choice = source.versions if isinstance(source, SelectedSource) else DEFAULT_VERSIONS
        if self._choice == "last" and not source.rereadable:
            raise UserError(
                "--versions last reads the input twice, and standard input cannot be: write it to a file, or "
                "choose --versions first or keep"
            )
        self._source = source
        self._meter = meter
        self._replaced: bytes | None = None

    def __iter__(self) -> Iterator[Record | Skip]:
        """Go through the source once; each pass makes the same choices."""
        if self._choice == "last" and self._replaced is None:
            items = self._meter.aside("reading URLs", self._source) if self._meter else self._source
            self._replaced = bytes(replaced_records(items))
        if self._choice == "first":
            return first_of_each(self._source)
        return iter(self._source) if self._replaced is None else self._last_of_each(self._replaced)

    def _last_of_each(self, replaced: bytes) -> Iterator[Record | Skip]:
        number = 0
        for item in self._source:
            if isinstance(item, Record) and item.url:
                at, bit = divmod(number, 8)
                number += 1
                if at < len(replaced) and replaced[at] >> bit & 1:
                    yield Skip(item.url, "duplicate url", "a later version is taken", item.source)
                    continue
            yield item


def first_of_each(source: Iterable[Record | Skip]) -> Iterator[Record | Skip]:
    """Give a source's items; of records with the same URL, those after the first as skips.

    A URL is forgotten after :data:`SEEN_URLS` other records.
    """
    # The recurrence table serves as a bounded set of hashes of 128 bits, each as two keys.
    seen = recurrence_table([SEEN_URLS], 2 * SEEN_URLS)
    for item in source:
        if isinstance(item, Record) and item.url:
            digest = np.frombuffer(bytearray(_digest_of(item.url)), np.uint64)
            if (seen.observe(digest) > 1).all():
                yield Skip(item.url, "duplicate url", source=item.source)
                continue
        yield item


def replaced_records(items: Iterable[Record | Skip], block: int = BLOCK) -> bytearray:
    """Find the records whose URL comes again.

    A URL that comes again within ``block`` records is found for certain; up to twice as many are compared.

    Returns: one bit for each record with a URL, in the order of the source, the lowest of a byte first.
    """
    replaced = bytearray()
    before, new, start = np.zeros((0, 2), np.uint64), bytearray(), 0

    def compare() -> None:
        nonlocal before, start
        after = np.frombuffer(bytes(new), np.uint64).reshape(-1, 2)
        digests = np.concatenate([before, after])
        again = start + np.flatnonzero(_come_again(digests))
        start += len(before)
        replaced.extend(bytes((start + len(after) + 7) // 8 - len(replaced)))
        bits = np.frombuffer(replaced, np.uint8)
        np.bitwise_or.at(bits, again >> 3, np.left_shift(1, again & 7).astype(np.uint8))
        before = after
        new.clear()

    for item in items:
        if isinstance(item, Record) and item.url:
            new += _digest_of(item.url)
            if len(new) == 16 * block:
                compare()
    compare()
    return replaced


def _come_again(digests: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Tell which rows come again further down."""
    order = np.lexsort((digests[:, 1], digests[:, 0]))  # it is stable: equal rows keep their order
    equal = (digests[order[:-1]] == digests[order[1:]]).all(axis=1)
    again = np.zeros(len(digests), np.bool_)
    again[order[:-1][equal]] = True
    return again


def _digest_of(url: str) -> bytes:
    """Return the hash of a URL: 16 bytes."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=16, key=_SECRET).digest()
