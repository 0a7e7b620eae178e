import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.int32]
Reals = npt.NDArray[np.float64]
Table = npt.NDArray[np.float32]

def groups_around(
    rows: Rows, groups: Rows, end: Rows, first: Rows, last: Rows, number: Rows, held: Rows, above: Rows
) -> int: ...
def number(keys: npt.NDArray[np.uint64], order: npt.NDArray[np.intp], given: Rows) -> None: ...
def means(
    values: Reals, weight: Reals, first: Rows, last: Rows, block: Rows, slot: Rows, given: Table
) -> None: ...
def lead(content: Reals, weight: Reals, words: Rows, first: Rows, last: Rows, given: Table) -> None: ...
