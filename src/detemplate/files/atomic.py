"""Files and directories that are written whole or not at all: they are renamed at the end.

Until then an output is a partial: it stands beside its target, under a hidden name that no other process
uses. A lock on it tells a run that is writing from one that was killed: what a killed run has left is removed
by the next one.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import hashlib
import os
import re
import stat
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Final, Self

from detemplate.errors import Stopped, UserError

if TYPE_CHECKING:
    import ctypes
    from collections.abc import Iterator
    from types import TracebackType


_LONGEST: Final = 180  # bytes of a target's name in the name of its partial; of 255 that file systems allow

_NO_LOCKS: Final = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
"""Errors of file systems that cannot lock."""

_TRIES: Final = 10
"""Partials that are made at most, each after another run has taken the last one for a leftover."""

_EXCHANGE: Final = 2  # Linux's flag RENAME_EXCHANGE
_HERE: Final = -100  # Linux's AT_FDCWD: paths are relative to the current directory
_HELD: Final[set[int]] = set()  # open files whose locks this process holds


def hold(opened: int) -> None:
    """Note that this process holds a lock on an open file."""
    _HELD.add(opened)


def release(opened: int) -> None:
    """Close an open file, which ends its lock."""
    _HELD.discard(opened)
    os.close(opened)


def leave_locks() -> None:
    """Close what is locked, in a process that was forked: locks are of the process that made them."""
    for opened in list(_HELD):
        with suppress(OSError):
            release(opened)


class Partial:
    """The partial of an output: an empty file or directory, locked.

    ``target``: the output's final path.
    ``output``: the output as the user named it.
    ``directory``: whether it is a directory.
    ``path``: where it is.
    Raises UserError: another run is writing this output.
    Raises OSError: it cannot be made.
    """

    def __init__(self, target: Path, output: str, *, directory: bool = False) -> None:
        self._target = target
        for _ in range(_TRIES):
            self.path = target.with_name(f"{_prefix(target)}partial-{os.urandom(8).hex()}")
            opened = _made(self.path, directory=directory)
            self._lock: int | None = opened
            hold(opened)
            locked = _locked(opened)
            # Before it was locked, another run may have removed it as a leftover.
            if locked is None or (locked and _is_open(self.path, opened)):
                break
            self._unlock()
        if locked is None or self._clear():
            return
        self.discard()
        raise UserError(
            f"cannot write {output}: another run is writing it; wait for its end, or name another"
        )

    def _clear(self) -> bool:
        """Remove what killed runs have left; return whether no other run is writing."""
        name = re.compile(re.escape(_prefix(self._target)) + "(partial|old)-[0-9a-f]{16}")
        others = [path for path in self._target.parent.iterdir() if name.fullmatch(path.name)]
        old = [path for path in others if path.name.startswith(f"{_prefix(self._target)}old-")]
        for path in others:
            if path not in old and path != self.path and not _is_leftover(path):
                return False
        # A run that was killed between two renames has left the old directory without its name.
        if old and not self._target.exists():
            old.pop().rename(self._target)
        for path in others:
            if path != self.path:
                _remove(path)
        return True

    def rename(self, *, kept: bool = False) -> None:
        """Give it its final name: it is on the disk before it has the name, and replaces what had it.

        If it is ``kept`` though it is not whole, the name gets the ending ``.partial``. Else what an earlier
        run, which was stopped, has left under that name is removed.
        """
        _write_through(self.path)
        part = self._target.with_name(f"{self._target.name}.partial")
        if kept:
            self._target = part
        if self.path.is_dir() and self._target.is_dir() and any(self._target.iterdir()):
            self._exchange()
        else:
            self.path.replace(self._target)
        with suppress(OSError):
            _write_through(self._target.parent, itself=True)
        if not kept:
            _remove(part, beside=False)
        self._unlock()

    def _exchange(self) -> None:
        """Swap the names of the directory and its target in one step, and remove the old one."""
        library, old = _library(), self.path
        names = os.fsencode(self.path), os.fsencode(self._target)
        if library is None or library.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE):
            old = self.path.with_name(self.path.name.replace("partial-", "old-"))
            self._target.rename(old)
            try:
                self.path.rename(self._target)
            except OSError:
                old.rename(self._target)
                raise
        _remove_tree(old)

    def discard(self) -> None:
        """Remove it, and what stands beside it under its name and an ending."""
        _remove(self.path)
        self._unlock()

    def _unlock(self) -> None:
        opened, self._lock = self._lock, None
        if opened is not None:
            release(opened)


def _prefix(target: Path) -> str:
    """Return the beginning of the names of a target's partials."""
    name = os.fsencode(target.name)
    if len(name) > _LONGEST:
        name = name[:_LONGEST] + b"~" + hashlib.sha256(name).hexdigest()[:12].encode()
    return f".{os.fsdecode(name)}."


def _made(path: Path, *, directory: bool) -> int:
    """Make a file or directory that does not exist, and open it."""
    if not directory:
        return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o666)
    path.mkdir()
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY)


def _locked(opened: int) -> bool | None:
    """Lock what is open; False if another has locked it, None if the file system cannot lock."""
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return None
        raise
    return True


def _is_open(path: Path, opened: int) -> bool:
    """Return whether a path still leads to the open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(opened))
    except FileNotFoundError:
        return False


def _is_leftover(path: Path) -> bool:
    """Return whether no run has locked a partial."""
    try:
        opened = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    except OSError:  # another user's
        return False
    try:
        return _locked(opened) is True
    finally:
        os.close(opened)


def _remove(path: Path, *, beside: bool = True) -> None:
    """Remove a file or directory, if it can be, and what is ``beside`` it under its name and an ending."""
    for found in [path, *(path.parent.glob(f"{glob.escape(path.name)}.*") if beside else ())]:
        with suppress(OSError):
            if found.is_dir() and not found.is_symlink():
                _remove_tree(found)
            else:
                found.unlink(missing_ok=True)


def _write_through(path: Path, *, itself: bool = False) -> None:
    """Wait until a file is on the disk; for a directory, until its file system is, or only ``itself``."""
    opened = os.open(path, os.O_RDONLY)
    try:
        if itself or not path.is_dir():
            os.fsync(opened)
        elif (library := _library()) is None or library.syncfs(opened):
            os.sync()
    finally:
        os.close(opened)


@cache
def _library() -> ctypes.CDLL | None:
    """Return the C library if it has the two functions that Python does not offer, else None."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    return library if hasattr(library, "renameat2") and hasattr(library, "syncfs") else None


def _remove_tree(path: Path) -> None:
    """Remove a directory; what does so is imported late, as most runs write none."""
    import shutil

    shutil.rmtree(path)


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
def stopped() -> Iterator[None]:
    """Name files that are finished in the block ``NAME.partial``."""
    token = _STOPPED.set(True)
    try:
        yield
    finally:
        _STOPPED.reset(token)


@contextmanager
def kept_if_stopped() -> Iterator[None]:
    """Keep outputs that a signal ends in the block: what is whole of them gets the name ``NAME.partial``."""
    token = _KEPT.set(True)
    try:
        yield
    finally:
        _KEPT.reset(token)


def keeps(kind: type[BaseException] | None) -> bool:
    """Return whether an output is kept if it ends with such an exception."""
    return kind is not None and issubclass(kind, Stopped) and _KEPT.get()


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
        if kind is not None and not (self.keeps_parts and keeps(kind)):
            self.abort()
            return
        if kind is not None:
            with stopped():
                self._close_or_abort()
        else:
            self._close_or_abort()

    def _close_or_abort(self) -> None:
        try:
            self.close()
        except BaseException:
            self.abort()
            raise


def _target_of(output: str) -> Path:
    """Return the path of an output, symbolic links followed, whose directory exists."""
    with writing(output):
        target = Path(os.path.realpath(output))
        if not target.parent.is_dir():
            raise UserError(f"cannot write {output}: there is no directory {target.parent}; create it")
        return target


class AtomicFile:
    """A file that takes its name when it is whole.

    It is written as ``.NAME.partial-…`` beside the target (:mod:`detemplate.files.atomic`). It is on the
    disk before it takes its name. An existing file is replaced; its permissions stay. If the target is a
    symbolic link, the file that it points to is replaced. A stream (:func:`is_stream`) is written as it
    comes.

    ``output``: the target as the user named it.
    ``file``: the file to write to.
    ``path``: its present name.
    Raises UserError: the target's directory is missing or not writable, the target is a directory, or another
        run is writing it.
    """

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

    def commit(self) -> None:
        """Close the file and give it its name; raises UserError if that fails."""
        with writing(self.output):
            self.file.close()
            if self._partial is None:
                return
            if self._mode is not None:
                self.path.chmod(self._mode)
            self._partial.rename(kept=_STOPPED.get())

    def discard(self) -> None:
        """Remove what was written."""
        with suppress(OSError):  # closing flushes the buffer, perhaps to a full disk
            self.file.close()
        if self._partial is not None:
            self._partial.discard()


class AtomicDirectory:
    """A directory that takes its name when it is whole.

    Its files are written to ``.NAME.partial-…`` beside the target (:mod:`detemplate.files.atomic`). They are
    on the disk before it takes its name.

    ``output``: the target as the user named it.
    ``overwrite``: replace a target that is not empty. It stays unchanged until the new directory is whole.
    ``path``: the directory to write to.
    Raises UserError: the target's parent is missing or not writable; the target is not a directory; it is not
        empty and ``overwrite`` is False; it must not be replaced, because it is the current directory, one
        above it, the home directory or a mount point; or another run is writing it.
    """

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
                self.discard()
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

    def commit(self) -> None:
        """Give the directory its name; raises UserError if that fails."""
        with writing(self.output):
            if self._target.exists():
                self.path.chmod(stat.S_IMODE(self._target.stat().st_mode))
                self._is_full()
            self._partial.rename(kept=_STOPPED.get())

    def discard(self) -> None:
        """Remove what was written."""
        self._partial.discard()


class BufferedParquet(Closing):
    """The base of outputs that collect rows and write them as row groups of one Parquet file.

    ``output``: the file.
    Raises UserError: the file cannot be created.
    """

    def __init__(self, output: str) -> None:
        self._file = AtomicFile(output)
        self._writer: Any = None

    def _taken(self) -> Any:  # noqa: ANN401  # pyarrow is not typed
        """Return the collected rows as an Arrow table, and collect anew; the first one has the schema."""
        raise NotImplementedError

    def _flush(self) -> None:
        """Write the collected rows, if there are any, as a zstd-compressed row group."""
        from detemplate.files.arrow import pq

        table = self._taken()
        with writing(self._file.output):
            if self._writer is None:
                self._writer = pq.ParquetWriter(self._file.file, table.schema, compression="zstd")
            if len(table):
                self._writer.write_table(table)

    def close(self) -> None:
        """Write the last row group and give the file its name; raises UserError if that fails."""
        self._flush()
        with writing(self._file.output):
            self._writer.close()
        self._file.commit()

    def abort(self) -> None:
        """Remove what was written."""
        if self._writer is not None:
            with suppress(Exception):  # the disk that failed before fails again
                self._writer.close()
        self._file.discard()
