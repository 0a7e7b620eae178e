"""A uniform sample of the different keys of a stream, with exact counts of each, in bounded memory.

The keys with the smallest values are kept: a bottom-k sketch (Cohen and Kaplan, "Summarizing data using
bottom-k sketches", PODC 2007) whose ranks are the keys themselves, which are hashes. A key that is kept at
the end was never dropped before, so its count is right. Samples of two streams give that of both.
"""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, Final, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
    Numbers = npt.NDArray[np.uint32]

_BITS: Final = 40
"""High bits of a key that are kept: of a million different keys, two of a sample agree in one case of 10⁴."""

_LOW: Final = 64 - _BITS  # low bits of a key, which are dropped
_REST: Final = (1 << _LOW) - 1  # the low bits, all set
_RANGE: Final = 1 << _BITS  # number of different ranks
_MOST_PAGES: Final = 2**32 - 1  # largest number of a page; those beyond count as this one


class KeySample:
    """Keys of pages, with the number of pages of each and the first of these.

    ``most``: maximum number of keys.
    ``keys``: high bits of the keys that are kept, ascending. uint64.
    ``counts``, ``firsts``: of each: the number of pages that have it, and the number of the first of these.
        uint32.
    ``limit``: all keys below it are kept; the smallest one that was dropped, or 2⁴⁰.
    """

    __slots__ = ("counts", "firsts", "keys", "limit", "most")
    __hash__ = None  # type: ignore[assignment]  # it changes

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = _RANGE
        self.keys: Keys = np.zeros(0, np.uint64)
        self.counts: Numbers = np.zeros(0, np.uint32)
        self.firsts: Numbers = np.zeros(0, np.uint32)

    def __len__(self) -> int:
        return len(self.keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KeySample) and self.to_text() == other.to_text()

    @property
    def share(self) -> float:
        """Probability that a key is in the sample: divide by it to estimate the number of keys of a kind.

        Of n keys of a kind that are in the sample, the standard error is about √n.
        """
        return self.limit / _RANGE

    def counts_of(self, keys: Iterable[int]) -> list[int]:
        """Return the number of pages of each key; 0 of a key that is not in the sample."""
        ranks = np.array([key >> _LOW for key in keys], np.uint64)
        if not len(self.keys):
            return [0] * len(ranks)
        at = np.minimum(self.keys.searchsorted(ranks), len(self.keys) - 1)
        found: list[int] = np.where(self.keys[at] == ranks, self.counts[at], 0).tolist()
        return found

    def add(self, keys: Keys, pages: Numbers) -> None:
        """Count keys of pages; a page counts a key once.

        ``keys``: 64-bit hashes. Of a page it suffices to give the ``most + 1`` smallest different ones.
        ``pages``: numbers of their pages, ascending, less than 2²⁴ apart. They are not below those that were
            given before.
        """
        if self.limit < _RANGE:
            inside = keys < np.uint64(self.limit << _LOW)
            keys, pages = keys[inside], pages[inside]
        if not len(keys):
            return
        base = int(pages[0])
        codes = (keys & ~np.uint64(_REST)) | (pages - np.uint32(base))
        codes.sort()
        codes = codes[_starts(codes)]  # each key once a page
        ranks = codes >> np.uint64(_LOW)
        starts = _starts(ranks)
        counts = np.diff(starts, append=len(ranks))
        self._join(ranks[starts], counts, (codes[starts] & np.uint64(_REST)) + np.uint64(base))

    def _join(self, keys: Keys, counts: npt.NDArray[np.int64], firsts: Keys) -> None:
        """Add different keys, ascending, with their counts and their first pages, which are later ones."""
        at = self.keys.searchsorted(keys)
        new = self.keys.take(at, mode="clip") != keys if len(self.keys) else np.ones(len(keys), np.bool_)
        counts = np.minimum(counts, _MOST_PAGES)
        old = at[~new]
        self.counts[old] = np.minimum(self.counts[old] + counts[~new], _MOST_PAGES)
        if not new.any():
            return
        joined = np.concatenate([self.keys, keys[new]])
        order = joined.argsort(kind="stable")
        joined = joined[order]
        if len(joined) > self.most:
            self.limit = min(self.limit, int(joined[self.most]))
        kept = int(joined.searchsorted(np.uint64(self.limit)))
        self.keys, order = joined[:kept], order[:kept]
        self.counts = np.concatenate([self.counts, counts[new].astype(np.uint32)])[order]
        firsts = np.minimum(firsts[new], _MOST_PAGES)
        self.firsts = np.concatenate([self.firsts, firsts.astype(np.uint32)])[order]

    def merge(self, later: KeySample, pages: int) -> KeySample:
        """Return the sample of this one's pages and then the other's; neither changes.

        ``later``: a sample of the same size.
        ``pages``: number of this one's pages.
        """
        joined = KeySample(self.most)
        joined.limit = min(self.limit, later.limit)
        kept = int(self.keys.searchsorted(np.uint64(joined.limit)))
        joined.keys, joined.firsts = self.keys[:kept], self.firsts[:kept]
        joined.counts = self.counts[:kept].copy()
        joined._join(
            later.keys, later.counts.astype(np.int64), later.firsts.astype(np.uint64) + np.uint64(pages)
        )
        return joined

    def to_text(self) -> str:
        """Write the sample as ASCII text."""
        ranks = self.keys.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 8 - _BITS // 8 :]
        data = b"".join(
            [ranks.tobytes(), *(each.astype("<u4").tobytes() for each in (self.counts, self.firsts))]
        )
        return f"{self.limit:x} {base64.b64encode(zlib.compress(data)).decode()}"

    @classmethod
    def from_text(cls, text: str, most: int) -> Self:
        """Read what :meth:`to_text` wrote; raises ValueError for anything else."""
        limit, _, written = text.partition(" ")
        sample = cls(most)
        width = _BITS // 8 + 8
        unpacker = zlib.decompressobj()
        try:
            data = unpacker.decompress(base64.b64decode(written, validate=True), most * width + 1)
        except zlib.error as error:
            raise ValueError(f"a sample of keys is damaged: {error}") from error
        count, rest = divmod(len(data), width)
        sample.limit = int(limit, 16)
        if rest or count > most or not unpacker.eof or not 0 < sample.limit <= _RANGE:
            raise ValueError("a sample of keys is damaged")
        ranks = np.zeros((count, 8), np.uint8)
        cut = count * (_BITS // 8)
        ranks[:, 8 - _BITS // 8 :] = np.frombuffer(data[:cut], np.uint8).reshape(count, _BITS // 8)
        sample.keys = ranks.reshape(-1).view(">u8").astype(np.uint64)
        numbers = np.frombuffer(data[cut:], "<u4").astype(np.uint32)
        sample.counts, sample.firsts = numbers[:count].copy(), numbers[count:].copy()
        if (np.diff(sample.keys.astype(np.int64)) <= 0).any() or (count and sample.keys[-1] >= sample.limit):
            raise ValueError("a sample of keys is damaged")
        return sample


def _starts(values: Keys) -> npt.NDArray[np.intp]:
    """Return the places where a run of equal values begins."""
    first = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return first.nonzero()[0]


def first_pages(*samples: KeySample) -> tuple[Numbers, float]:
    """Join samples of the same pages: give the first page of each key that is in any, and the share.

    Returns: number of the first page of each key, ascending.
    Returns: probability that a key is among them.
    """
    limit = min(sample.limit for sample in samples)
    keys = np.concatenate([sample.keys for sample in samples])
    firsts = np.concatenate([sample.firsts for sample in samples])
    inside = keys < np.uint64(limit)
    keys, firsts = keys[inside], firsts[inside]
    order = np.lexsort((firsts, keys))
    _, at = np.unique(keys[order], return_index=True)
    return np.sort(firsts[order][at]), limit / _RANGE
