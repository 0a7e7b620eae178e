"""Items that are worked on together in one process, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.io.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from detemplate.run.steps import Begun

BATCH: Final = 8
"""Items that are worked on together at most."""

BATCH_SIZE: Final = 1 << 20
"""Length of their markup from which no further item is taken."""


def batches(items: Iterable[Begun]) -> Iterator[list[Begun]]:
    """Give up to :data:`BATCH` items at a time, fewer where their markup has :data:`BATCH_SIZE` bytes.

    An item that is only handed over is the last of its batch: when its turn comes, all items before it are
    learnt and none behind it. An error of the items is raised after the items before it.
    """
    left = iter(items)
    error: Exception | None = None
    while error is None:
        some: list[Begun] = []
        size = 0
        try:
            for each in left:
                some.append(each)
                size += each.given.size if isinstance(each.given, Record) else 0  # a page is in memory anyway
                if len(some) == BATCH or size >= BATCH_SIZE or each.given is None:
                    break
        except Exception as raised:  # noqa: BLE001  # raised below
            error = raised
        if some:
            yield some
        elif error is None:
            return
    raise error
