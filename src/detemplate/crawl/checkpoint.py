"""Where the WARC file of a crawl is while it grows, and how a crawl that was killed finds it again."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, Closing, writing
from detemplate.run.claim import CLOSING, LOCK, Claim, ClosingNote, identity_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_RUN: Final = "crawl.json"
"""Name of the file that says what a crawl is, beside the WARC file."""

_COPY: Final = 1 << 20
"""Bytes that are copied at a time."""


class GrowingFile(Closing):
    """A WARC file that takes its name when it is whole.

    Attributes
    ----------
    file : BinaryIO
        The open file.
    path : Path
        Its present place.
    """

    def __init__(self, output: str) -> None:
        self._atomic = AtomicFile(output)
        self.file: BinaryIO = self._atomic.file
        self.path = self._atomic.path

    def close(self) -> None:
        """Give the file its name."""
        self._atomic.commit()

    def abort(self) -> None:
        """Remove what was written."""
        self._atomic.discard()


class KeptFile(Closing):
    """A WARC file in the directory of a checkpoint. It stays there until the crawl is done.

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
    file : BinaryIO
        The open file; None before :meth:`open`.
    path : Path
        Its present place.

    Raises
    ------
    UserError
        The directory belongs to another crawl, is in use, or cannot be written.
    """

    keeps_parts = False

    def __init__(self, directory: str, output: str, identity: Mapping[str, object]) -> None:
        self._output = output
        self._file: BinaryIO | None = None
        AtomicFile(output).discard()  # an output that cannot be written is told now
        self._claim = Claim(directory, "crawl")
        self._directory = self._claim.path
        self._note = ClosingNote(self._directory)
        self._summary: Mapping[str, object] = {}
        self.path = self._directory / ("crawl.warc.gz" if output.endswith(".gz") else "crawl.warc")
        try:
            with self._claim.using():
                self._check(identity_of(identity))
        except BaseException:
            self._claim.release()
            raise

    def _check(self, identity: dict[str, object]) -> None:
        """Write what the crawl is, or compare it with what is written."""
        place = self._directory / _RUN
        if place.exists():
            self._claim.check(json.loads(place.read_text("utf-8")), identity)
            return
        others = [path.name for path in self._directory.iterdir() if path.name != LOCK]
        if others:
            raise UserError(
                f"{self._directory} holds {others[0]}, which is no checkpoint: name another directory"
            )
        written = AtomicFile(str(place))
        written.file.write(json.dumps(identity, indent=1).encode() + b"\n")
        written.commit()

    def open(self) -> None:
        """Open the file, to append to it."""
        with self._claim.using():
            self._file = self.path.open("ab")

    def closing(self, summary: Mapping[str, object], generation: tuple[int, str] | None) -> None:
        """Note that all answers are taken, before the other outputs of the crawl are written.

        Parameters
        ----------
        summary, generation
            As of :meth:`~detemplate.run.claim.ClosingNote.write`.
        """
        with self._claim.using():
            self._note.write(summary, generation)
        self._summary = summary

    def done(self, store: str | None) -> dict[str, Any] | None:
        """Return the summary of a crawl that was killed when only this file had still to get its name.

        Returns
        -------
        dict or None
            As of :meth:`~detemplate.run.claim.ClosingNote.done`; None for a crawl that goes on.

        Raises
        ------
        UserError
            Another run has written the store since.
        """
        try:
            with self._claim.using():
                return self._note.done(store)
        except BaseException:
            self._claim.release()
            raise

    @property
    def file(self) -> BinaryIO:
        """The open file."""
        assert self._file is not None
        return self._file

    def close(self) -> None:
        """Give the file its name, and remove the checkpoint. All other outputs of the crawl are written."""
        if self._file is not None:
            with self._claim.using():
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
                self._note.write(self._summary, whole=True)
        if self.path.exists():
            self._move()
        self._claim.remove((_RUN, CLOSING))

    def _move(self) -> None:
        target = AtomicFile(self._output)
        try:
            with writing(self._output):
                try:
                    target.path.unlink()
                    os.link(self.path, target.path)
                except OSError:  # on another file system
                    with self.path.open("rb") as source, target.path.open("wb") as copy:
                        shutil.copyfileobj(source, copy, _COPY)
            target.commit()
        except BaseException:
            target.discard()
            raise
        with self._claim.using():
            self.path.unlink()

    def abort(self) -> None:
        """Leave the file where it is."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
        self._claim.release()
