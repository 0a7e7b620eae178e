"""The pages that a run lost, as a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from detemplate.files.atomic import AtomicFile, keeps, stopped, writing

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from detemplate.io.record import Skip


class Rejects:
    """Writes lost pages as JSON Lines: ``url``, ``reason``, ``detail``, ``source``, ``position``.

    A context manager: the file takes its name when the block ends without an error.

    Parameters
    ----------
    path
        The file; None: nothing is written.
    every
        Write every skip: also duplicates, redirects and records of other media types.
    """

    def __init__(self, path: str | None, *, every: bool = False) -> None:
        self._every = every
        self._out = AtomicFile(path) if path is not None else None

    def write(self, skip: Skip) -> None:
        """Write a skip if a page was lost, or if every one is written; all are counted elsewhere."""
        if self._out is None or not (skip.rejected or self._every):
            return
        place = skip.source
        row = {
            "url": skip.url,
            "reason": skip.reason,
            "detail": skip.detail,
            "source": place.path if place else None,
            "position": place.position if place else None,
        }
        with writing(self._out.output):
            self._out.file.write(json.dumps(row).encode() + b"\n")
            self._out.file.flush()  # what costs the run its life is named before

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._out is None:
            return
        if kind is None:
            self._out.commit()
        elif keeps(kind):
            with stopped():
                self._out.commit()
        else:
            self._out.discard()
