"""The directory of a crawl's checkpoint: the WARC file while it grows, and what the crawl is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, Closing
from detemplate.run.claim import LOCK, Claim, identity_of
from detemplate.run.closing import CLOSING, ClosingNote

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_RUN: Final = "crawl.json"
"""Name of the file that says what a crawl is, beside the WARC file."""


class Checkpoint(Closing):
    """The directory of a crawl until it is done; closing removes it.

    Parameters
    ----------
    directory
        The directory. It is made if it does not exist.
    output
        Name of the WARC file in the end.
    identity
        What must be equal when the crawl goes on.

    Attributes
    ----------
    path : Path
        The growing WARC file; it need not exist.
    note : ClosingNote
        Says that all answers are taken.

    Raises
    ------
    UserError
        The directory belongs to another crawl, is in use, or cannot be written.
    """

    def __init__(self, directory: str, output: str, identity: Mapping[str, object]) -> None:
        self._claim = Claim(directory, "crawl")
        folder = self._claim.path
        self.path: Path = folder / ("crawl.warc.gz" if output.endswith(".gz") else "crawl.warc")
        self.note = ClosingNote(folder)
        try:
            with self._claim.using():
                self._check(folder / _RUN, identity_of(identity))
        except BaseException:
            self._claim.release()
            raise

    def _check(self, place: Path, identity: dict[str, Any]) -> None:
        """Write what the crawl is, or compare it with what is written."""
        if place.exists():
            self._claim.check(json.loads(place.read_text("utf-8")), identity)
            return
        others = [path.name for path in place.parent.iterdir() if path.name != LOCK and _RUN not in path.name]
        if others:
            raise UserError(
                f"{place.parent} holds {others[0]}, which is no checkpoint: name another directory"
            )
        written = AtomicFile(str(place))
        written.file.write(json.dumps(identity, indent=1).encode() + b"\n")
        written.commit()

    def close(self) -> None:
        """Remove it: all outputs of the crawl are written."""
        self._claim.remove((_RUN, CLOSING, self.path.name))

    def abort(self) -> None:
        """Leave it to the crawl that goes on."""
        self._claim.release()
