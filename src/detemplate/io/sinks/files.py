"""Results as a directory: a file for each page and an index of what is known about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.files.atomic import AtomicDirectory, Closing, writing
from detemplate.files.jsonvalues import to_json, without_surrogates
from detemplate.io.sinks.base import FORMATS
from detemplate.io.sinks.names import Names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.io.record import Record

INDEX = "index.jsonl"


class FilesSink(Closing):
    """One file a page, and ``index.jsonl`` with everything else of every row.

    A page that came from a directory of HTML files keeps its path there, with the format's suffix;
    any other gets the path of its URL below a directory named as its host. The index has a line for
    each page: the row without the text, and ``path``, the page's file below the directory. (A
    carried key ``path`` is renamed ``carried_path``.)

    Parameters
    ----------
    output
        The directory.
    format
        ``"text"``, ``"html"`` or ``"markdown"``.
    overwrite
        Replace a directory that is not empty, once the new one is whole.

    Raises
    ------
    UserError
        The directory cannot be created there, or is not empty.
    """

    def __init__(self, output: str, *, format: str, overwrite: bool = False) -> None:  # noqa: A002
        self._format = format
        self._names = Names(FORMATS[format][1], reserved=INDEX)
        self._directory = AtomicDirectory(output, overwrite=overwrite)
        with writing(output):
            self._index = (self._directory.path / INDEX).open("wb")

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Write a page's file and its line; raises UserError when the disk refuses them."""
        relative = record.source.relative if record.source is not None else None
        path = self._names.name(str(row["url"]), relative)
        fields = {key: value for key, value in row.items() if key != self._format}
        if "path" in fields:
            fields["carried_path"] = fields.pop("path")
        fields["path"] = path
        text = without_surrogates(str(row[self._format]))
        with writing(self._directory.output):
            file = self._directory.path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            # Exclusively: a name that is given twice must never replace a page.
            with file.open("xb") as out:
                out.write(text.encode("utf-8"))
            self._index.write(to_json(fields).encode("utf-8") + b"\n")

    def close(self) -> None:
        """Give the directory its name."""
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
