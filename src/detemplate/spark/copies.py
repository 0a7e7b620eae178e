"""Files of other machines, by fsspec, and copies of Parquet files, whose pages stand in no order."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra, UserError
from detemplate.files.hadoop import is_remote, local_path
from detemplate.io.sources.parquet import group_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

BLOCK: Final = 8 << 20
"""Bytes that are read of a remote file at once."""

_FOOTER: Final = 1 << 20
"""Bytes in which the footer of a Parquet file is looked for first."""


def filesystem(name: str) -> tuple[Any, str]:
    """Return the file system of a URL and the path in it (fsspec).

    Raises
    ------
    MissingExtra
        fsspec is not installed.
    UserError
        The scheme is unknown, or its package is not installed.
    """
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtra("reading files of another machine", "spark") from error
    try:
        return fsspec.core.url_to_fs(name)  # type: ignore[no-any-return]
    except (ValueError, ImportError) as error:
        raise UserError(f"cannot read {name}: {error}") from error


@contextmanager
def local_copy(file: str) -> Iterator[str]:
    """Give the path of a file, or of a copy of it that is removed at the end."""
    if not is_remote(file):
        yield local_path(file)
        return
    system, path = filesystem(file)
    with tempfile.TemporaryDirectory(prefix="detemplate-") as folder:
        copy = str(Path(folder) / "input.parquet")
        system.get_file(path, copy)
        yield copy


@contextmanager
def part_copy(file: str, groups: tuple[int, int] | None) -> Iterator[str]:
    """Give the path of a Parquet file, or of a copy that has only its footer and some of its row groups.

    The copy has holes for all else. It is removed at the end.

    Parameters
    ----------
    file
        The file.
    groups
        Numbers of the first row group, and of the one after the last. None: the footer alone.
    """
    if not is_remote(file):
        yield local_path(file)
        return
    system, path = filesystem(file)
    with tempfile.TemporaryDirectory(prefix="detemplate-") as folder:
        copy = Path(folder) / "input.parquet"
        size = int(system.size(path) or 0)
        with copy.open("wb") as target:
            target.truncate(size)

            def take(begin: int, end: int) -> None:
                target.seek(begin)
                for at in range(begin, end, BLOCK):
                    target.write(system.cat_file(path, at, min(at + BLOCK, end)))
                target.flush()

            tail = system.cat_file(path, max(size - 8, 0), size)
            take(max(size - 8 - max(int.from_bytes(tail[:4], "little"), _FOOTER), 0), size)
            if groups is not None:
                spans = list(group_spans(copy))[slice(*groups)]
                take(
                    min((begin for begin, _ in spans), default=size),
                    max((end for _, end in spans), default=size),
                )
        yield str(copy)
