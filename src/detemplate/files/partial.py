"""Partial files and directories: what an output is written as, until it is whole.

A partial stands beside its target, under a hidden name that no other process uses. A lock on it tells a run
that is writing from one that was killed: what a killed run has left is removed by the next one.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import hashlib
import os
import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError

if TYPE_CHECKING:
    import ctypes
    from pathlib import Path


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
