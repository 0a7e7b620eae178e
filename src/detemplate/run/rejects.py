"""The pages that a run lost, as a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from detemplate.files.atomic import AtomicFile, Closing, writing

if TYPE_CHECKING:
    from detemplate.io.record import Skip


class Rejects(Closing):
    """Writes lost pages as JSON Lines: ``url``, ``reason``, ``detail``, ``source``, ``position``.

    Without a path, nothing is written. With ``every``, all skips are: also duplicates, redirects and records
    of other media types. The file takes its name when the block ends without an error.
    """

    def __init__(self, path: str | None, *, every: bool = False) -> None:
        self._every = every
        self._out = AtomicFile(path) if path is not None else None

    def write(self, skip: Skip) -> None:
        """Write a skip if a page was lost, or if every one is written; all are counted elsewhere."""
        if self._out is None or not (skip.rejected or self._every):
            return
        with writing(self._out.output):
            self._out.file.write(json.dumps(skip.as_row()).encode() + b"\n")
            self._out.file.flush()  # what costs the run its life is named before

    def close(self) -> None:
        """Give the file its name."""
        if self._out is not None:
            self._out.commit()

    def abort(self) -> None:
        """Remove the file."""
        if self._out is not None:
            self._out.discard()
