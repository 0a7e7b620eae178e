"""Versions of a page: which of the records that have one URL a run takes."""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table
from detemplate.errors import UserError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.selection import DEFAULT_VERSIONS, SelectedSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from detemplate.io.sources.base import Source
    from detemplate.run.progress import Meter

SEEN_URLS: Final = 2**22
"""Records among which the first of a URL is known: 72 bytes each at most, 288 MiB in all."""

_SECRET: Final = os.urandom(16)  # key of the hashes of URLs: nobody can choose URLs whose hashes are equal

BLOCK: Final = 2**21
"""Records behind a record, at least, among which the last of its URL is found: 230 MiB in all."""


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
