"""Files and folders of this machine and of others, by path or URL: read by fsspec, written by Spark."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final
from urllib.parse import unquote, urlsplit

from detemplate.errors import MissingExtra, UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from pyspark.sql import SparkSession


def is_remote(name: str) -> bool:
    """Return whether a name is a URL of another file system than this machine's."""
    scheme, mark, _ = name.partition("://")
    return bool(mark) and scheme.lower() != "file"


def local_path(name: str) -> str:
    """Return the path of a file of this machine, which may be named by a URL."""
    if name.startswith("file:"):
        return unquote(urlsplit(name).path)
    return name


def folder_url(name: str) -> str:
    """Return the URL of a folder; a path of this machine is made absolute."""
    return name.rstrip("/") if is_remote(name) else "file://" + os.path.abspath(local_path(name))  # noqa: PTH100


class Storage:
    """A folder, in the file system in which Spark writes it.

    ``url``: the folder.
    Raises UserError: the session's Spark has no such file system.
    """

    def __init__(self, spark: SparkSession, url: str) -> None:
        self.url = url
        jvm: Any = spark.sparkContext._jvm
        try:
            self._path = jvm.org.apache.hadoop.fs.Path
            self._system = self._path(url).getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
        except Exception as error:
            raise UserError(f"Spark cannot write {url}: {str(error).splitlines()[0]}") from error

    @classmethod
    def temporary(cls, spark: SparkSession, folder: str | None, prefix: str) -> Self:
        """Make a folder for what is needed while a job runs; whoever makes it removes it.

        ``folder``: where it is made, a path or a URL; None: the system's directory for temporary files.
        ``prefix``: how its name begins.
        Raises UserError: nothing can be written there.
        """
        if folder is not None and is_remote(folder):
            return cls(spark, f"{folder.rstrip('/')}/{prefix}{spark.sparkContext.applicationId}")
        try:
            return cls(spark, folder_url(tempfile.mkdtemp(prefix=prefix, dir=folder)))
        except OSError as error:
            raise UserError(
                f"cannot work in {error.filename}: {error.strerror}; name another directory with --temp"
            ) from error

    def exists(self, name: str = "") -> bool:
        """Return whether a file or folder below the folder exists."""
        return bool(self._system.exists(self._at(name)))

    def done(self, name: str) -> bool:
        """Return whether Spark has written a table below the folder as a whole."""
        return self.exists(f"{name}/_SUCCESS")

    def remove(self, name: str = "") -> None:
        """Remove a file or folder below the folder, or the folder itself."""
        self._system.delete(self._at(name), True)

    def write(self, name: str, value: object) -> None:
        """Write a small file of JSON."""
        stream = self._system.create(self._at(name), True)
        try:
            stream.write(bytearray(json.dumps(value).encode()))
        finally:
            stream.close()

    def read(self, name: str) -> Any:  # noqa: ANN401  # JSON
        """Read a small file of JSON; None if it does not exist."""
        if not self.exists(name):
            return None
        stream = self._system.open(self._at(name))
        try:
            return json.loads(bytes(stream.readAllBytes()))
        finally:
            stream.close()

    def _at(self, name: str) -> Any:  # noqa: ANN401
        return self._path(f"{self.url}/{name}" if name else self.url)


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
