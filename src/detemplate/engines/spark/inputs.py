"""The inputs of a run on Spark: files by name or URL, each read by one task."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra, UserError
from detemplate.files.hadoop import is_remote, local_path
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import ChainedSource, UnreadableSource
from detemplate.io.sources.compression import InputStream
from detemplate.io.sources.fieldnames import FieldNames
from detemplate.io.sources.fields import RecordMaker
from detemplate.io.sources.htmldirectory import files_below
from detemplate.io.sources.inputfile import InputFile
from detemplate.io.sources.inputnames import expanded, listed
from detemplate.io.sources.jsonl import JsonlSource
from detemplate.io.sources.kinds import KINDS, kind_of_name
from detemplate.io.sources.open import open_sources
from detemplate.io.sources.warc import WarcSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.engines.spark.job import SparkJob
    from detemplate.io.sources.base import Source

READ: Final = ("warc", "jsonl", "parquet")
"""Kinds of input that are read."""

_BLOCK: Final = 8 << 20
"""Bytes that are read of a remote file at once."""


def input_files(inputs: Sequence[str], kind: str | None) -> list[str]:
    """Return the files that inputs name, in the order in which one machine reads them.

    Parameters
    ----------
    inputs
        Files, directories, patterns, or ``@FILE``; with a scheme (``s3://``, ``gs://``, ``hdfs://``) where
        they are not on this machine.
    kind
        Kind of all inputs; None: by their names.

    Raises
    ------
    UserError
        Nothing is named, or there is no such file, or it is of a kind that is not read here.
    """
    if kind is not None and kind not in READ:
        raise UserError(f"input format {kind!r} is not read on Spark; known are {', '.join(READ)}")
    names = [name for given in inputs for name in listed(given)]
    files = dict.fromkeys(file for name in names for file in _files_of(name, kind))
    if not files:
        raise UserError("no input; name files, directories or patterns")
    for file in files:
        found = kind or kind_of_name(file, KINDS)
        if found not in READ:
            raise UserError(
                f"{file} is not read on Spark, which reads {', '.join(READ)}; if it is one of these, say "
                "which with --input-format"
            )
    return list(files)


def located(file: str) -> str:
    """Return the name of a file for processes in another directory: paths of this machine are absolute."""
    return file if is_remote(file) else os.path.abspath(local_path(file))  # noqa: PTH100  # no links resolved


def opened(file: str, job: SparkJob) -> Source:
    """Open a file; one that cannot be read gives a skip.

    Parameters
    ----------
    file
        From :func:`input_files`.
    job
        How records are read.
    """
    names = FieldNames(job.url, job.html, job.id)
    try:
        if not is_remote(file):
            name = local_path(file)
            source = open_sources([name], kind=job.kind, max_page_bytes=job.max_page_bytes, names=names)
        else:
            source = _remote(file, job, names)
    except MissingExtra:
        raise
    except (UserError, OSError) as error:
        source = UnreadableSource(file, str(error))
    return ChainedSource([source])


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


def _files_of(name: str, kind: str | None) -> list[str]:
    """Return the files of one name: of a directory those of the kinds that are read, sorted."""
    if not is_remote(name):
        paths = [local_path(name)] if name.startswith("file:") else expanded(name)
        return [file for path in paths for file in _below(path, kind)]
    system, path = filesystem(name)
    try:
        if any(mark in path for mark in "*?["):
            found = sorted(system.glob(path))
        elif system.isdir(path):
            found = sorted(each for each in system.find(path) if _is_input(each, path, kind))
        else:
            found = [path] if system.exists(path) else []
    except OSError as error:
        raise UserError(f"cannot read {name}: {error}") from error
    if not found:
        raise UserError(f"nothing is at {name}; check the path")
    return [system.unstrip_protocol(each) for each in found]


def _below(path: str, kind: str | None) -> list[str]:
    """Return a file itself; of a directory, the files in it, in the order in which one machine reads them."""
    if not Path(path).is_dir():
        return [path]
    found = [entry.path for _, entry in files_below(Path(path)) if isinstance(entry, os.DirEntry)]
    found = [each for each in found if _is_input(each, path, kind)]
    if not found:
        raise UserError(f"{path} holds no WARC, JSON Lines or Parquet files")
    return found


def _is_input(path: str, directory: str, kind: str | None) -> bool:
    """Tell whether a file in a directory is read: no marks of Spark's, no hidden files."""
    inner = path.rstrip("/")[len(directory.rstrip("/")) :].strip("/").split("/")
    if any(part.startswith(("_", ".")) for part in inner):
        return False
    found = kind_of_name(inner[-1], KINDS)
    return found == kind if kind is not None else found in READ


def _remote(file: str, job: SparkJob, names: FieldNames) -> Source:
    """Open a file of another machine."""
    kind = job.kind or kind_of_name(file, KINDS)
    if kind == "parquet":
        return _RemoteParquet(file, job, names)
    system, path = filesystem(file)

    def opener(track_members: bool) -> InputStream:
        return InputStream(system.open(path, "rb", block_size=_BLOCK), track_members=track_members)

    source = InputFile(file, opener, size=system.size(path))
    if kind == "warc":
        return WarcSource(source, max_page_bytes=job.max_page_bytes)
    return JsonlSource(source, RecordMaker(names, job.max_page_bytes, file))


class _RemoteParquet:
    """A Parquet file of another machine: it is copied first, as its pages are not read in their order."""

    rereadable = True
    bytes_read = 0

    def __init__(self, file: str, job: SparkJob, names: FieldNames) -> None:
        self._file = file
        self._job = job
        self._names = names
        self.total_bytes: int | None = None

    def __iter__(self) -> Iterator[Record | Skip]:
        """Copy the file, and read it."""
        with local_copy(self._file) as path:
            source = open_sources(
                [path], kind="parquet", max_page_bytes=self._job.max_page_bytes, names=self._names
            )
            for item in source:
                if item.source is not None:
                    item.source = SourceRef(self._file, item.source.position, types=item.source.types)
                yield item


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
