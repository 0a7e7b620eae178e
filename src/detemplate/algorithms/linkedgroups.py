"""Owners of an item, grouped by the links between them: components of many small graphs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]
    Numbers = npt.NDArray[np.int64]

_CHUNK: Final = 1 << 20  # pairs of a link and an item of its source that are looked up at a time


def linked_group_sizes(items: Numbers, owners: Numbers, sources: Numbers, targets: Numbers) -> Numbers:
    """Count, for each pair of an item and an owner, the item's owners that are connected with this one.

    The graph of an item has its owners as nodes, and the links between them, in either direction, as edges.
    The count is the size of the owner's connected component, itself included (Bar-Yossef & Rajagopalan 2002,
    figure 5, steps 3 to 5, for all items together).

    ``items``, ``owners``: one pair a row, no pair twice: numbers from 0.
    ``sources``, ``targets``: owners that each link leads from and to.
    Returns: one count a pair.

    Notes
    -----
    O(d M) look-ups for M links from owners of d items each, in chunks of bounded size.
    """
    rows = len(items)
    if not rows:
        return np.zeros(0, np.int64)
    count = int(owners.max()) + 1
    order = np.argsort(owners, kind="stable")
    first = np.searchsorted(owners[order], np.arange(count + 1))
    keys = items * count + owners
    by_key = np.argsort(keys, kind="stable")
    keys = keys[by_key]
    labels = np.arange(rows)
    real = (sources < count) & (targets < count) & (sources != targets)
    sources, targets = sources[real], targets[real]
    held = first[sources + 1] - first[sources]
    before = np.append(0, np.cumsum(held))
    at = 0
    while at < len(sources):
        stop = max(at + 1, int(np.searchsorted(before, before[at] + _CHUNK, side="right")) - 1)
        many = held[at:stop]
        offset = np.arange(before[at], before[stop]) - np.repeat(before[at:stop], many)
        ones = order[np.repeat(first[sources[at:stop]], many) + offset]
        wanted = items[ones] * count + np.repeat(targets[at:stop], many)
        place = np.minimum(np.searchsorted(keys, wanted), rows - 1)
        there = keys[place] == wanted
        labels = _joined(labels, ones[there], by_key[place[there]])
        at = stop
    return np.bincount(labels, minlength=rows)[labels].astype(np.int64)


def _joined(labels: Numbers, ones: Numbers, others: Numbers) -> Numbers:
    """Join components along edges: each row's label becomes the lowest of its component.

    In each round, a root with a neighbour of a lower root is put below that, then every row below its root.
    """
    while True:
        one, other = labels[ones], labels[others]
        apart = one != other
        if not apart.any():
            return labels
        ones, others, one, other = ones[apart], others[apart], one[apart], other[apart]
        np.minimum.at(labels, np.maximum(one, other), np.minimum(one, other))
        above = labels[labels]
        while (above != labels).any():
            labels, above = above, above[above]


class LinkedGroups:
    """The connected groups of owners that share each item.

    ``index``: owner → the keys of its items and of the owners that it is linked to. uint64, ascending.
    ``df``: item → number of owners that have it.
    """

    def __init__(self, index: Mapping[int, tuple[Keys, Keys]], df: Mapping[int, int]) -> None:
        self._numbers = {key: number for number, key in enumerate(index)}
        counts = [len(items) for items, _ in index.values()]
        owners = np.repeat(np.arange(len(counts)), counts)
        held = np.concatenate([np.zeros(0, np.uint64), *(items for items, _ in index.values())])
        shared = np.array([df[item] > 1 for item in held.tolist()], np.bool_)
        owners = owners[shared]
        self._items, numbers = np.unique(held[shared], return_inverse=True)
        pairs = [
            (number, target)
            for number, (_, links) in enumerate(index.values())
            for target in map(self._numbers.get, links.tolist())
            if target is not None
        ]
        sources, targets = np.array(pairs, np.int64).reshape(-1, 2).T
        sizes = linked_group_sizes(numbers.astype(np.int64), owners, sources, targets)
        self._largest = np.zeros(len(self._items), np.int64)
        np.maximum.at(self._largest, numbers, sizes)
        keys = numbers * len(index) + owners
        order = np.argsort(keys)
        self._keys, self._sizes = keys[order], sizes[order]

    @property
    def nbytes(self) -> int:
        """Approximate memory, in bytes."""
        arrays = (self._items, self._largest, self._keys, self._sizes)
        return sum(array.nbytes for array in arrays) + 100 * len(self._numbers)

    def of(self, owner: int, items: Keys) -> npt.NDArray[np.int64]:
        """Return the size of an owner's group for each item; 0 for items of fewer than two owners.

        An owner that is not in the index is taken for one of the largest group.
        """
        sizes = np.zeros(len(items), np.int64)
        item = np.searchsorted(self._items, items)
        known = np.flatnonzero(item < len(self._items))
        known = known[self._items[item[known]] == items[known]]
        sizes[known] = self._largest[item[known]]
        if owner in self._numbers and len(known):
            keys = item[known] * len(self._numbers) + self._numbers[owner]
            place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            sizes[known] = np.where(self._keys[place] == keys, self._sizes[place], sizes[known])
        return sizes
