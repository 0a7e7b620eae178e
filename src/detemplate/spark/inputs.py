"""The inputs of a run on Spark: files by name or URL, each read by one task."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from detemplate.errors import MissingExtra, UserError
from detemplate.files.hadoop import is_remote, local_path
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sources.base import ChainedSource, PlacedSource, UnreadableSource
from detemplate.io.sources.compression import InputFile, InputStream
from detemplate.io.sources.fields import RecordMaker
from detemplate.io.sources.htmlfiles import files_below
from detemplate.io.sources.inputnames import expanded, listed
from detemplate.io.sources.jsonl import JsonlSource
from detemplate.io.sources.kinds import KINDS, kind_of_name
from detemplate.io.sources.open import open_sources
from detemplate.io.sources.warc import WarcSource
from detemplate.spark.copies import BLOCK, filesystem, local_copy
from detemplate.spark.reads import Reads, field_names, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from detemplate.io.sources.base import Source
    from detemplate.io.sources.fields import FieldNames

READ: Final = ("warc", "jsonl", "parquet")
"""Kinds of input that are read."""


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


def moved(item: Record | Skip, path: str, position: int | None) -> Record | Skip:
    """Say of an item from which input it is; ``position`` replaces its place there, unless it is None."""
    source = item.source
    if source is not None:
        item.source = SourceRef(
            path,
            source.position if position is None else position,
            source.record_id,
            source.date,
            source.relative,
            source.types,
        )
    return item


def opened(file: str, job: Reads) -> Source:
    """Open a file; one that cannot be read gives a skip.

    Parameters
    ----------
    file
        From :func:`input_files`.
    job
        How records are read.
    """
    names = field_names(job)
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


def _remote(file: str, job: Reads, names: FieldNames) -> Source:
    """Open a file of another machine."""
    kind = kind_of(file, job)
    if kind == "parquet":
        return _RemoteParquet(file, job, names)
    system, path = filesystem(file)

    def opener(track_members: bool) -> InputStream:
        return InputStream(system.open(path, "rb", block_size=BLOCK), track_members=track_members)

    source = InputFile(file, opener, size=system.size(path))
    if kind == "warc":
        return WarcSource(source, max_page_bytes=job.max_page_bytes)
    return JsonlSource(source, RecordMaker(names, job.max_page_bytes, file))


class _RemoteParquet(PlacedSource):
    """A Parquet file of another machine: it is copied first, as its pages are not read in their order."""

    rereadable = True
    bytes_read = 0

    def __init__(self, file: str, job: Reads, names: FieldNames) -> None:
        self._file = file
        self._job = job
        self._names = names
        self.total_bytes: int | None = None

    def _items(self) -> Iterator[Record | Skip]:
        """Copy the file, and read it."""
        with local_copy(self._file) as path:
            source = open_sources(
                [path], kind="parquet", max_page_bytes=self._job.max_page_bytes, names=self._names
            )
            for item in source:
                yield moved(item, self._file, None)
