"""The directory of a crawl's checkpoint: the WARC file while it grows, and what the crawl is.

The answers in the file tell what is still to be fetched. Scrapy's own ``JOBDIR`` cannot: its queues are whole
only after a clean stop, and its dupefilter would drop what they lost.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

from detemplate.crawl.warcfile import cut_last, stored
from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, Closing
from detemplate.run.claim import CLOSING, LOCK, Claim, ClosingNote, identity_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from scrapy.http import Response

    from detemplate.crawl.warcfile import Original, Written

_RUN: Final = "crawl.json"  # name of the file that says what a crawl is, beside the WARC file


class Checkpoint(Closing):
    """The directory of a crawl until it is done; closing removes it.

    ``directory``: the directory. It is made if it does not exist.
    ``output``: name of the WARC file in the end.
    ``identity``: what must be equal when the crawl goes on.
    ``path``: the growing WARC file; it need not exist.
    ``whole``: whether it has all answers: a crawl was killed when only its outputs had still to get their
        names.
    Raises UserError: the directory belongs to another crawl, is in use, or cannot be written.
    """

    def __init__(self, directory: str, output: str, identity: Mapping[str, object]) -> None:
        self._claim = Claim(directory, "crawl")
        folder = self._claim.path
        self.path: Path = folder / ("crawl.warc.gz" if output.endswith(".gz") else "crawl.warc")
        self._note = ClosingNote(folder)
        try:
            with self._claim.using():
                self._check(folder / _RUN, identity_of(identity))
                self.whole = self._note.exists
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

    def answers(self, payloads: dict[str, Original]) -> Iterator[tuple[Response, Written]]:
        """Return the answers in the WARC file: :func:`~detemplate.crawl.warcfile.stored`."""
        if not self.path.exists():
            return iter(())
        with self._claim.using():
            if not self.whole:
                cut_last(self.path)
        return stored(self.path, payloads)

    def closing(self, summary: Mapping[str, object], generation: tuple[int, str] | None) -> None:
        """Note that all answers are taken: :meth:`~detemplate.run.claim.ClosingNote.write`."""
        with self._claim.using():
            with self.path.open("rb") as grown:
                os.fsync(grown.fileno())
            self._note.write(summary, generation)

    def done(self, store: str | None) -> dict[str, Any] | None:
        """Return the summary of a crawl that has written all, also its store, if it has one; else None.

        Raises UserError: another run has written the store since.
        """
        with self._claim.using():
            return self._note.done(store)

    def close(self) -> None:
        """Remove it: all outputs of the crawl are written."""
        self._claim.remove((_RUN, CLOSING, self.path.name))

    def abort(self) -> None:
        """Leave it to the crawl that goes on."""
        self._claim.release()
