"""Outputs that appear whole or not at all: written under a temporary name, renamed at the end."""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


@contextmanager
def writing(output: str) -> Iterator[None]:
    """Turn what the operating system says while writing into an error that the user can mend."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise UserError(
            f"cannot write {output}: {why}; check its directory, its permissions and the space left"
        ) from error


class Closing:
    """What every output does as a context manager: whole on leaving, or nothing after an error."""

    def close(self) -> None:
        """Make the output whole."""
        raise NotImplementedError

    def abort(self) -> None:
        """Leave nothing behind."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Return the output."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the output, or abort it after an exception or when closing fails."""
        if kind is not None:
            self.abort()
            return
        try:
            self.close()
        except BaseException:
            self.abort()
            raise


class AtomicFile:
    """A file that takes its name only when it is whole.

    It is written as ``.NAME.partial-PID`` beside the target. A file that exists is replaced and
    keeps its permissions; a symbolic link keeps pointing, what it points at is replaced.

    Parameters
    ----------
    output
        The target, as the user named it.

    Raises
    ------
    UserError
        The target's directory is missing or not writable, or the target is no regular file.
    """

    def __init__(self, output: str) -> None:
        self.output = output
        self._target = Path(os.path.realpath(output))
        self._mode: int | None = None
        if not self._target.parent.is_dir():
            raise UserError(f"cannot write {output}: there is no directory {self._target.parent}; create it")
        with writing(output):
            if self._target.exists():
                mode = self._target.stat().st_mode
                if not stat.S_ISREG(mode):
                    what = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
                    raise UserError(f"cannot write {output}: it is {what}; choose another name")
                self._mode = stat.S_IMODE(mode)
            self._partial = partial_name(self._target)
            self._partial.unlink(missing_ok=True)  # left by an earlier process with our number
            self.file: BinaryIO = self._partial.open("xb")

    def commit(self) -> None:
        """Close the file and give it its name; raises UserError when that fails."""
        with writing(self.output):
            self.file.close()
            if self._mode is not None:
                self._partial.chmod(self._mode)
            self._partial.replace(self._target)

    def discard(self) -> None:
        """Remove what was written."""
        with suppress(OSError):  # closing writes what is buffered, perhaps to a full disk
            self.file.close()
        self._partial.unlink(missing_ok=True)


class AtomicDirectory:
    """A directory that takes its name only when it is whole.

    It is filled as ``.NAME.partial-PID`` beside the target.

    Parameters
    ----------
    output
        The target, as the user named it.
    overwrite
        Replace a target that exists and is not empty. It stays as it is until the new one is whole.

    Raises
    ------
    UserError
        The target's parent is missing or not writable; the target exists and is not empty (without
        ``overwrite``), is no directory, or is one that no run should replace (the current one or
        one above it, the home directory).
    """

    def __init__(self, output: str, *, overwrite: bool = False) -> None:
        self.output = output
        self._overwrite = overwrite
        self._target = Path(os.path.realpath(output))
        if not self._target.parent.is_dir():
            raise UserError(f"cannot write {output}: there is no directory {self._target.parent}; create it")
        with writing(output):
            if self._target.exists() and not self._target.is_dir():
                raise UserError(f"cannot write {output}: it is not a directory; choose another name")
            if self._is_full():
                self._refuse_precious()
            self.path = partial_name(self._target)
            shutil.rmtree(self.path, ignore_errors=True)
            self.path.mkdir()

    def _is_full(self) -> bool:
        """Tell whether there is something to replace; raises when that was not asked for."""
        full = self._target.is_dir() and any(self._target.iterdir())
        if full and not self._overwrite:
            raise UserError(f"cannot write {self.output}: it is not empty; empty it or use --overwrite")
        return full

    def _refuse_precious(self) -> None:
        here = Path.cwd().resolve()
        if self._target in {here, *here.parents, Path.home().resolve()} or self._target.is_mount():
            raise UserError(
                f"will not replace {self._target} and everything in it; name a directory of its own"
            )

    def commit(self) -> None:
        """Give the directory its name; raises UserError when that fails."""
        with writing(self.output):
            old: Path | None = None
            if self._target.exists():
                self.path.chmod(stat.S_IMODE(self._target.stat().st_mode))
                if self._is_full():
                    old = self.path.with_name(self.path.name.replace(".partial-", ".old-"))
                    self._target.rename(old)
            try:
                self.path.rename(self._target)
            except OSError:
                if old is not None:
                    old.rename(self._target)
                raise
            if old is not None:
                shutil.rmtree(old)

    def discard(self) -> None:
        """Remove what was written."""
        shutil.rmtree(self.path, ignore_errors=True)


def partial_name(target: Path) -> Path:
    """Return the temporary name beside a target: hidden, and this process's own."""
    # A name may have 255 bytes; what is added takes at most 30 of them.
    name = os.fsdecode(os.fsencode(target.name)[:200])
    return target.with_name(f".{name}.partial-{os.getpid()}")
