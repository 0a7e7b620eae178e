"""Files and directories that are written whole or not at all: they are renamed at the end.

Until then an output is a partial (:mod:`detemplate.files.partial`).
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, ClassVar, Final, Self

from detemplate.errors import Stopped, UserError
from detemplate.files.partial import Partial

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


@contextmanager
def writing(output: str) -> Iterator[None]:
    """Turn errors of the operating system into a UserError that says what to check.

    ``output``: the output as the user named it.
    """
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError(
            f"cannot write {output}: {why}; check its directory, its permissions and the space left"
        ) from error


_STREAMS: Final = ("/dev/stdout", "/dev/stderr", "/dev/fd/")
"""Beginnings of names of streams, which may lead to files."""


def is_stream(output: str) -> bool:
    """Return whether an output is a device, a pipe or a socket, which is never replaced."""
    if output.startswith(_STREAMS):
        return True
    try:
        mode = os.stat(output).st_mode  # noqa: PTH116  # of any length
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


_KEPT: Final[ContextVar[bool]] = ContextVar("kept", default=False)
"""Whether outputs of a run that was stopped are kept under other names."""


_STOPPED: Final[ContextVar[bool]] = ContextVar("stopped", default=False)
"""Whether files are given the names of parts."""


@contextmanager
def kept_if_stopped() -> Iterator[None]:
    """Keep outputs that a signal ends in the block: what is whole of them gets the name ``NAME.partial``."""
    token = _KEPT.set(True)
    try:
        yield
    finally:
        _KEPT.reset(token)


def kept_name(output: str) -> str:
    """Return the name under which an output is kept."""
    return f"{output.rstrip('/')}.partial"


class Closing:
    """An output as a context manager: closed at the end of the block, aborted after an exception.

    After :class:`~detemplate.errors.Stopped` it is closed too, where outputs are kept
    (:func:`kept_if_stopped`).
    """

    keeps_parts: ClassVar[bool] = True
    """Whether a part of this output is worth to be kept."""

    def close(self) -> None:
        """Finish the output and give it its name."""
        raise NotImplementedError

    def abort(self) -> None:
        """Remove what was written."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Return the output."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the output, or abort it after an exception or when closing fails."""
        kept = kind is not None and issubclass(kind, Stopped) and self.keeps_parts and _KEPT.get()
        if kind is not None and not kept:
            self.abort()
            return
        token = _STOPPED.set(kept or _STOPPED.get())
        try:
            self.close()
        except BaseException:
            self.abort()
            raise
        finally:
            _STOPPED.reset(token)


def _target_of(output: str) -> Path:
    """Return the path of an output, symbolic links followed, whose directory exists."""
    with writing(output):
        target = Path(os.path.realpath(output))
        if not target.parent.is_dir():
            raise UserError(f"cannot write {output}: there is no directory {target.parent}; create it")
        return target


class AtomicFile(Closing):
    """A file that takes its name when it is whole.

    It is written as ``.NAME.partial-…`` beside the target (:mod:`detemplate.files.partial`). It is on the
    disk before it takes its name. An existing file is replaced; its permissions stay. If the target is a
    symbolic link, the file that it points to is replaced. A stream (:func:`is_stream`) is written as it
    comes.

    ``output``: the target as the user named it.
    ``file``: the file to write to.
    ``path``: its present name.
    Raises UserError: the target's directory is missing or not writable, the target is a directory, or another
        run is writing it.
    """

    keeps_parts = False

    def __init__(self, output: str) -> None:
        self.output = output
        self._partial: Partial | None = None
        if is_stream(output):
            self.path = Path(output)
            with writing(output):
                self.file: BinaryIO = self.path.open("ab")
            return
        self._target = _target_of(output)
        self._mode: int | None = None
        with writing(output):
            if self._target.exists():
                mode = self._target.stat().st_mode
                if stat.S_ISDIR(mode):
                    raise UserError(f"cannot write {output}: it is a directory; choose another name")
                self._mode = stat.S_IMODE(mode)
            self._partial = Partial(self._target, output)
            self.path = self._partial.path
            self.file = self.path.open("wb")

    def close(self) -> None:
        """Close the file and give it its name; raises UserError if that fails."""
        with writing(self.output):
            self.file.close()
            if self._partial is None:
                return
            if self._mode is not None:
                self.path.chmod(self._mode)
            self._partial.rename(kept=_STOPPED.get())

    def write(self, data: bytes) -> None:
        """Write bytes; raises UserError if that fails."""
        with writing(self.output):
            self.file.write(data)

    def abort(self) -> None:
        """Remove what was written."""
        with suppress(OSError):  # closing flushes the buffer, perhaps to a full disk
            self.file.close()
        if self._partial is not None:
            self._partial.discard()


class AtomicDirectory(Closing):
    """A directory that takes its name when it is whole.

    Its files are written to ``.NAME.partial-…`` beside the target (:mod:`detemplate.files.partial`). They are
    on the disk before it takes its name.

    ``output``: the target as the user named it.
    ``overwrite``: replace a target that is not empty. It stays unchanged until the new directory is whole.
    ``path``: the directory to write to.
    Raises UserError: the target's parent is missing or not writable; the target is not a directory; it is not
        empty and ``overwrite`` is False; it must not be replaced, because it is the current directory, one
        above it, the home directory or a mount point; or another run is writing it.
    """

    keeps_parts = False

    def __init__(self, output: str, *, overwrite: bool = False) -> None:
        self.output = output
        self._overwrite = overwrite
        self._target = _target_of(output)
        with writing(output):
            if self._target.exists() and not self._target.is_dir():
                raise UserError(f"cannot write {output}: it is not a directory; choose another name")
            self._partial = Partial(self._target, output, directory=True)
            self.path = self._partial.path
            try:
                if self._is_full():
                    self._refuse_precious()
            except BaseException:
                self.abort()
                raise

    def _is_full(self) -> bool:
        """Return whether the target is not empty; raises UserError if it must not be replaced then."""
        full = self._target.is_dir() and any(self._target.iterdir())
        if full and not self._overwrite:
            raise UserError(f"cannot write {self.output}: it is not empty; empty it or use --overwrite")
        return full

    def _refuse_precious(self) -> None:
        """Raise UserError if the target is a directory that no run should replace."""
        here = Path.cwd().resolve()
        if self._target in {here, *here.parents, Path.home().resolve()} or self._target.is_mount():
            raise UserError(f"will not replace {self._target} and everything in it; name another directory")

    def close(self) -> None:
        """Give the directory its name; raises UserError if that fails."""
        with writing(self.output):
            if self._target.exists():
                self.path.chmod(stat.S_IMODE(self._target.stat().st_mode))
                self._is_full()
            self._partial.rename(kept=_STOPPED.get())

    def abort(self) -> None:
        """Remove what was written."""
        self._partial.discard()
