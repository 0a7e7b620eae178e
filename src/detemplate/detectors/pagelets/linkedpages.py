"""Connected pages that share a pagelet: the global algorithm (Bar-Yossef & Rajagopalan 2002, figure 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from detemplate.algorithms.linkedgroups import linked_group_sizes

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]


class LinkedPages:
    """Number of connected pages that share each shingle.

    Parameters
    ----------
    index
        Page key → the page's shingles and the keys of the pages that it links to. uint64, ascending.
    df
        Shingle → number of pages that have it.
    """

    def __init__(self, index: Mapping[int, tuple[Keys, Keys]], df: Mapping[int, int]) -> None:
        self._numbers = {key: number for number, key in enumerate(index)}
        counts = [len(shingles) for shingles, _ in index.values()]
        owners = np.repeat(np.arange(len(counts)), counts)
        shingles = np.concatenate([np.zeros(0, np.uint64), *(shingles for shingles, _ in index.values())])
        shared = np.array([df[shingle] > 1 for shingle in shingles.tolist()], np.bool_)
        owners = owners[shared]
        self._shingles, items = np.unique(shingles[shared], return_inverse=True)
        pairs = [
            (number, target)
            for number, (_, links) in enumerate(index.values())
            for target in map(self._numbers.get, links.tolist())
            if target is not None
        ]
        sources, targets = np.array(pairs, np.int64).reshape(-1, 2).T
        sizes = linked_group_sizes(items.astype(np.int64), owners, sources, targets)
        self._largest = np.zeros(len(self._shingles), np.int64)
        np.maximum.at(self._largest, items, sizes)
        keys = items * len(index) + owners
        order = np.argsort(keys)
        self._keys, self._sizes = keys[order], sizes[order]

    @property
    def nbytes(self) -> int:
        """Approximate memory, in bytes."""
        arrays = (self._shingles, self._largest, self._keys, self._sizes)
        return sum(array.nbytes for array in arrays) + 100 * len(self._numbers)

    def sizes(self, page: int, shingles: Keys) -> npt.NDArray[np.int64]:
        """Return the number of pages in a page's connected component, for each of its shingles.

        Parameters
        ----------
        page
            The page's key. A page that is not in the index gets the size of the largest component.
        shingles
            The page's shingles.

        Returns
        -------
        array of int64
            One number a shingle; 0 for shingles on fewer than two pages.
        """
        sizes = np.zeros(len(shingles), np.int64)
        item = np.searchsorted(self._shingles, shingles)
        known = np.flatnonzero(item < len(self._shingles))
        known = known[self._shingles[item[known]] == shingles[known]]
        sizes[known] = self._largest[item[known]]
        if page in self._numbers and len(known):
            keys = item[known] * len(self._numbers) + self._numbers[page]
            place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
            sizes[known] = np.where(self._keys[place] == keys, self._sizes[place], sizes[known])
        return sizes
