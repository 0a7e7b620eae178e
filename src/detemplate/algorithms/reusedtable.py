"""Memory for a table that is needed only for a moment, used for one page after the other."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

MOST: Final = 1 << 20
"""Numbers in the largest table whose memory is used again."""


class ReusedTable(threading.local):
    """Memory for one table at a time in each thread.

    New memory is slow: the processor has none of it at hand, and the system gives it page by page. What one
    table has just left is quick.

    Examples
    --------
    >>> memory = ReusedTable()
    >>> memory.table(2, 3).shape
    (2, 3)
    """

    def __init__(self) -> None:
        self._floats = np.empty(0, np.float32)

    def table(self, rows: int, columns: int) -> npt.NDArray[np.float32]:
        """Return a C-contiguous table of any content. The one that was given before is overwritten with it.

        ``rows``, ``columns``: its size. Larger tables than :data:`MOST` have memory of their own.
        """
        size = rows * columns
        if size > MOST:
            return np.empty((rows, columns), np.float32)
        if size > len(self._floats):
            self._floats = np.empty(min(2 * size, MOST), np.float32)
        return self._floats[:size].reshape(rows, columns)
