"""Files of this machine and of others, by path or URL (fsspec)."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from detemplate.errors import MissingExtra, UserError
from detemplate.files.hadoop import is_remote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_BLOCK: Final = 8 << 20  # bytes that are read at once


def filesystem(name: str) -> tuple[Any, str]:
    """Return the file system of a path or URL, and the path in it.

    Raises MissingExtra: fsspec is not installed.
    Raises UserError: the scheme is unknown, or its package is not installed.
    """
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtra("reading files of another machine", "spark") from error
    try:
        return fsspec.core.url_to_fs(name)  # type: ignore[no-any-return]
    except (ValueError, ImportError) as error:
        raise UserError(f"cannot read {name}: {error}") from error


def stored_size(name: str) -> int:
    """Return the size of a file in bytes; raises OSError if it cannot be read."""
    system, path = filesystem(name)
    return int(system.size(path) or 0)


def opened(name: str) -> BinaryIO:
    """Open the stored bytes of a file; raises OSError if it cannot be read."""
    system, path = filesystem(name)
    found: BinaryIO = system.open(path, "rb", block_size=_BLOCK)
    return found


@contextmanager
def local_parquet(
    name: str, spans: Callable[[Path], Iterable[tuple[int, int]]] | None = None
) -> Iterator[Path]:
    """Yield the path of a Parquet file; a remote one is copied, and the copy removed at the end.

    ``name``: the file.
    ``spans``: gives the bytes that the copy has beside the footer, of a copy that has this alone; None: all.
    """
    if not is_remote(name):
        yield Path(name)
        return
    system, path = filesystem(name)
    size = stored_size(name)
    with tempfile.TemporaryDirectory(prefix="detemplate-") as folder:
        copy = Path(folder) / "input.parquet"
        with copy.open("wb") as target:

            def take(begin: int, end: int) -> None:
                target.seek(begin)
                for at in range(begin, end, _BLOCK):
                    target.write(system.cat_file(path, at, min(at + _BLOCK, end)))
                target.flush()

            footer = int.from_bytes(system.cat_file(path, max(size - 8, 0), size)[:4], "little")
            take(max(size - 8 - footer, 0) if spans else 0, size)
            for span in list(spans(copy)) if spans else ():
                take(*span)
        yield copy
