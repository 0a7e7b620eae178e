"""A sink that writes a directory: one file per page, and an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.files.atomic import AtomicDirectory, Closing, writing
from detemplate.files.jsonvalues import to_json
from detemplate.io.sinks.base import FORMATS
from detemplate.io.sinks.frontmatter import page_file
from detemplate.io.sinks.names import Names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.io.record import Record

INDEX: Final = "index.jsonl"
"""Name of the index in the directory."""


class FilesSink(Closing):
    """One file per page with its text, and ``index.jsonl`` with the other fields of all rows.

    A page from a directory of HTML files keeps its path there, with the format's suffix. Any other page gets
    the path of its URL, below a directory named after its host. The index has one line per page: the row
    without the text, and ``path``, the page's file below the directory. A carried key ``path`` is written
    as ``carried_path``. A Markdown file begins with the page's metadata as YAML, if the row has metadata.

    Parameters
    ----------
    output
        The directory.
    format
        ``"text"``, ``"html"`` or ``"markdown"``: the key of a row that holds the page's text.
    overwrite
        Replace a directory that is not empty, when the new one is whole.

    Raises
    ------
    UserError
        The directory cannot be created, or it is not empty.
    """

    def __init__(self, output: str, *, format: str, overwrite: bool = False) -> None:  # noqa: A002
        self._format = format
        self._names = Names(FORMATS[format][1], reserved=INDEX)
        self._directory = AtomicDirectory(output, overwrite=overwrite)
        with writing(output):
            self._index = (self._directory.path / INDEX).open("wb")

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Write a page's file and its line of the index; raises UserError if that fails."""
        relative = record.source.relative if record.source is not None else None
        path = self._names.name(str(row["url"]), relative)
        fields = {key: value for key, value in row.items() if key != self._format}
        if "path" in fields:
            fields["carried_path"] = fields.pop("path")
        fields["path"] = path
        with writing(self._directory.output):
            file = self._directory.path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            # Exclusive creation: no page may ever replace another.
            with file.open("xb") as out:
                out.write(page_file(row, self._format))
            self._index.write(to_json(fields).encode("utf-8") + b"\n")

    def close(self) -> None:
        """Close the index and give the directory its name."""
        with writing(self._directory.output):
            self._index.close()
        self._directory.commit()

    def abort(self) -> None:
        """Remove what was written."""
        try:
            self._index.close()
        except OSError:  # a full disk
            pass
        finally:
            self._directory.discard()
