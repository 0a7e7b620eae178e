"""A step of datatrove's pipelines: documents of HTML become text without what their sites repeat."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from detemplate.errors import MissingExtra, PageError, UserError
from detemplate.io.record import Record
from detemplate.output.options import formats_of
from detemplate.run.cleaner import Engine
from detemplate.run.limits import DEFAULT_MAX_PAGE_MEMORY, DEFAULT_MAX_PAGE_SECONDS, PageLimits
from detemplate.run.pagework import RowOf

try:
    from datatrove.pipeline.filters.base_filter import BaseFilter
    from datatrove.utils.typeshelper import StatHints
except ImportError as error:
    raise MissingExtra("a step of datatrove", "datatrove") from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from datatrove.data import Document
    from datatrove.pipeline.writers.disk_base import DiskWriter

    from detemplate.output.options import Format


class DetemplateFilter(BaseFilter):  # type: ignore[misc]  # datatrove has no types
    """Clean documents by what a store knows of their sites; drop those that cannot be cleaned.

    The store is only read: any number of tasks share it, and a document's result does not depend on others.
    ``detemplate learn`` makes it. Each task works on its pages in a process beside it, with hard limits.

    Parameters
    ----------
    store
        The store, a file that each task can read. It says which method is used.
    format
        What a document's text becomes: ``"text"``, ``"html"`` or ``"markdown"``.
    url_key
        Key of the documents' metadata that holds the URL.
    max_page_seconds, max_page_memory
        What a page may take, in seconds and in bytes.
    exclusion_writer
        Gets the dropped documents; their ``filter_reason`` is the reason of the page's error, or ``no text``.

    Raises
    ------
    UserError
        There is no such store or format.

    Notes
    -----
    A document's metadata get ``template_share``, the share of the text's characters that was removed.
    """

    name = "🧩 Detemplate"

    def __init__(
        self,
        store: str | os.PathLike[str],
        *,
        format: Format = "text",  # noqa: A002  # the word of the command line
        url_key: str = "url",
        max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS,
        max_page_memory: int = DEFAULT_MAX_PAGE_MEMORY,
        exclusion_writer: DiskWriter | None = None,
    ) -> None:
        super().__init__(exclusion_writer)
        self.format, *others = formats_of(format)
        if others:
            raise UserError(f"a document's text has one format, not {format!r}: name one")
        self.store = os.fspath(store)
        self.url_key = url_key
        self.limits = PageLimits(max_page_seconds, max_page_memory)
        Engine.load(self.store, streaming=False).close()

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Clean one document in place; return whether it is kept, or False and why it is not."""
        [(_, reason)] = self._cleaned([doc])
        return True if reason is None else (False, reason)

    def run(self, data: Iterable[Document], rank: int = 0, world_size: int = 1) -> Iterator[Document]:  # noqa: ARG002
        """Clean the documents of a task, in their order."""
        with contextlib.ExitStack() as stack:
            writer: Any = None
            if self.exclusion_writer is not None:
                writer = stack.enter_context(self.exclusion_writer)
            for doc, reason in self._cleaned(data):
                self.stat_update(StatHints.total)
                if reason is None:
                    self.stat_update(StatHints.forwarded)
                    self.update_doc_stats(doc)
                    yield doc
                    continue
                self.stat_update(StatHints.dropped)
                self.stat_update(f"dropped_{reason}")
                if writer is not None:
                    doc.metadata["filter_reason"] = reason
                    writer.write(doc, rank)

    def _cleaned(self, docs: Iterable[Document]) -> Iterator[tuple[Document, str | None]]:
        """Clean documents in place; give each, with the reason if it is to be dropped."""
        made = {"format": self.format, "metadata": False}
        with Engine.load(self.store, streaming=False, workers=1, **made) as cleaner:
            passes = cleaner.passes(self._record, RowOf(), self.limits)
            for doc, done in passes.clean(docs):
                if isinstance(done, PageError):
                    yield doc, done.reason
                    continue
                text = done.row[self.format]
                if not text.strip():
                    yield doc, "no text"
                    continue
                doc.text = text
                doc.metadata["template_share"] = done.row["template_share"]
                yield doc, None

    def _record(self, doc: Document) -> Record:
        """Return a document's page."""
        return Record(str(doc.metadata.get(self.url_key) or ""), doc.text)
