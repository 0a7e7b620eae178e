"""Where the WARC file of a crawl is while it grows, and how a crawl that was killed finds it again."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from detemplate.errors import UserError
from detemplate.files.atomic import AtomicFile, Closing, writing
from detemplate.files.partial import hold, release

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_RUN, _LOCK, _CLOSING = "crawl.json", "lock", "closing"
"""Names of the files of a checkpoint, beside the WARC file."""

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
    was_done : bool
        Whether the crawl was killed after its end, when only the file had still to get its name.

    Raises
    ------
    UserError
        The directory belongs to another crawl, is in use, or cannot be written.
    """

    keeps_parts = False

    def __init__(self, directory: str, output: str, identity: Mapping[str, object]) -> None:
        self._directory = Path(directory)
        self._output = output
        self.path = self._directory / ("crawl.warc.gz" if output.endswith(".gz") else "crawl.warc")
        self._file: BinaryIO | None = None
        AtomicFile(output).discard()  # an output that cannot be written is told now
        with self._using():
            self._directory.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self._directory / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
            hold(self._lock)
        try:
            self._claim()
            with self._using():
                self._check(json.loads(json.dumps(identity, default=str)))
            self.was_done = (self._directory / _CLOSING).exists()
        except BaseException:
            release(self._lock)
            raise

    def _claim(self) -> None:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                f"another crawl uses the checkpoint {self._directory}; wait for its end, or name another"
            ) from None

    def _check(self, identity: dict[str, object]) -> None:
        """Write what the crawl is, or compare it with what is written."""
        place = self._directory / _RUN
        if place.exists():
            saved = json.loads(place.read_text("utf-8"))
            for name in sorted({*saved, *identity}):
                if saved.get(name) != identity.get(name):
                    was, now = (json.dumps(each.get(name))[:60] for each in (saved, identity))
                    raise UserError(
                        f"{self._directory} is the checkpoint of another crawl ({name} was {was}, now "
                        f"{now}): give the command of that crawl again, or name another directory"
                    )
            return
        others = [path.name for path in self._directory.iterdir() if path.name != _LOCK]
        if others:
            raise UserError(
                f"{self._directory} holds {others[0]}, which is no checkpoint: name another directory"
            )
        written = AtomicFile(str(place))
        written.file.write(json.dumps(identity, indent=1).encode() + b"\n")
        written.commit()

    def open(self) -> None:
        """Open the file, to append to it."""
        with self._using():
            self._file = self.path.open("ab")

    @property
    def file(self) -> BinaryIO:
        """The open file."""
        assert self._file is not None
        return self._file

    def close(self) -> None:
        """Give the file its name, and remove the checkpoint. All other outputs of the crawl are written."""
        if self._file is not None:
            with self._using():
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
                (self._directory / _CLOSING).touch()
        if self.path.exists():
            self._move()
        for name in (_RUN, _CLOSING, _LOCK):
            with suppress(OSError):
                (self._directory / name).unlink(missing_ok=True)
        release(self._lock)
        with suppress(OSError):  # it holds something else
            self._directory.rmdir()

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
        with self._using():
            self.path.unlink()

    def abort(self) -> None:
        """Leave the file where it is."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
        release(self._lock)

    @contextmanager
    def _using(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            raise UserError(
                f"the checkpoint {self._directory} cannot be used: {error}; check the space left and its "
                "permissions, or remove it to begin again"
            ) from error
