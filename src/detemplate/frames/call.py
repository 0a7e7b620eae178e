"""One call of ``clean``: pages into results, rows and tables into rows and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

from detemplate.errors import PageError, UserError
from detemplate.frames.tablerecords import Columns, RowRecords, TableRecords, renamed
from detemplate.frames.tables import NUMBERS, BatchTable
from detemplate.output.result import Result
from detemplate.run.cleaner import Cleaner

if TYPE_CHECKING:
    from detemplate.frames.tables import Added, Table
    from detemplate.io.record import Record
    from detemplate.run.cleaner import Errors, PageLike

Format = Literal["text", "html", "markdown"]
"""What a cleaned page is given as."""

_FIELDS: Final = ("title", "template_share", "method")
"""Properties of a result that a table gets as columns, beside its rendering."""


@dataclass(frozen=True, slots=True)
class CleaningRun:
    """One call of :func:`~detemplate.clean`.

    Attributes
    ----------
    method, options
        The method, and options of :class:`~detemplate.Cleaner`.
    url, html
        Columns of a table; None: guessed.
    text_format
        Rendering that a table gets; None: text.
    errors
        What is done about errors; None: tables hold them, and of pages they are raised.
    """

    method: str
    options: Mapping[str, Any]
    url: str | None
    html: str | None
    text_format: Format | None
    errors: Errors | None

    def cleaner(self, *, streaming: bool) -> Cleaner:
        """Make a cleaner."""
        return Cleaner(self.method, streaming=streaming, **self.options)

    @property
    def _added(self) -> tuple[str, ...]:
        return (self.text_format or "text", *_FIELDS, "error")

    def _fields(self, outcome: Result | PageError) -> list[Any]:
        """Give a page's values of the added columns."""
        if isinstance(outcome, PageError):
            return [None, *[None] * len(_FIELDS), outcome.found]
        share = round(outcome.template_share, 6)
        return [getattr(outcome, self._added[0]), outcome.title, share, outcome.method, None]

    def _keeps(self, outcome: Result | PageError) -> bool:
        return self.errors != "skip" or isinstance(outcome, Result)

    def table(self, table: Table, cleaner: Cleaner, first: int = 0, *, streaming: bool = False) -> Any:  # noqa: ANN401
        """Clean a table; ``first`` is the number of its first row."""
        records = TableRecords(table, Columns(table.names, self.url, self.html), first)
        added: Added = {name: [] for name in self._added}
        kept = []
        for _, outcome in cleaner.attempts(iter(records) if streaming else records, self.errors):
            for values, value in zip(added.values(), self._fields(outcome), strict=True):
                values.append(value)
            kept.append(self._keeps(outcome))
        return table.extended(renamed(table.names, self._added), added, kept)

    def reader(self, reader: Any) -> Any:  # noqa: ANN401  # pyarrow has no types
        """Clean an Arrow record batch reader, batch by batch as it is read."""
        from detemplate.files.arrow import pa

        cleaner = self.cleaner(streaming=True)

        def batches() -> Iterator[Any]:
            row = 0
            with cleaner:
                for batch in reader:
                    yield self.table(BatchTable(batch), cleaner, row, streaming=True)
                    row += batch.num_rows

        empty = BatchTable(pa.RecordBatch.from_pylist([], schema=reader.schema))
        return pa.RecordBatchReader.from_batches(self.table(empty, cleaner).schema, batches())

    def dataset_stream(self, stream: Any) -> Any:  # noqa: ANN401  # the library is optional
        """Clean an iterable dataset: each time it is iterated, in two passes."""
        from datasets import Features, IterableDataset, Value

        self.cleaner(streaming=False).close()  # a wrong method or option is told at once
        features = stream.features
        if features is not None:
            Columns(features, self.url, self.html)  # as is a wrong column
            new_names = renamed(features, self._added)
            features = Features(
                {new_names.get(name, name): feature for name, feature in features.items()}
                | {name: Value("float64" if name in NUMBERS else "string") for name in self._added}
            )

        def rows() -> Iterator[dict[str, object]]:
            return self.rows(stream, self.cleaner(streaming=False))

        return IterableDataset.from_generator(rows, features=features)

    def stream(self, pages: Iterator[Any], cleaner: Cleaner) -> Iterator[Any]:
        """Clean pages or rows as they arrive; the first one tells which they are."""
        for first in pages:
            whole = chain([first], pages)
            yield from (
                self.rows(whole, cleaner) if isinstance(first, Mapping) else self.results(whole, cleaner)
            )

    def results(self, pages: Iterable[PageLike], cleaner: Cleaner) -> Iterator[Result]:
        """Clean pages."""
        for_tables = {"url": self.url, "html": self.html, "format": self.text_format}
        given = [name for name, value in for_tables.items() if value is not None]
        if given:
            raise UserError(f"{' and '.join(given)}: only for tables; a result has text, html and markdown")
        return _closing(cleaner, cleaner.clean_many(pages, errors=self.errors or "raise"))

    def rows(self, rows: Iterable[Mapping[Any, Any]], cleaner: Cleaner) -> Iterator[dict[str, object]]:
        """Clean dicts that are rows."""
        records: Iterable[Record] = RowRecords(rows, self.url, self.html)
        if iter(rows) is rows:
            records = iter(records)
        with cleaner:
            for record, outcome in cleaner.attempts(records, self.errors):
                if self._keeps(outcome):
                    new_names = renamed(record.carried, self._added)
                    row = {new_names.get(name, name): value for name, value in record.carried.items()}
                    yield row | dict(zip(self._added, self._fields(outcome), strict=True))


def _closing(cleaner: Cleaner, results: Iterator[Result]) -> Iterator[Result]:
    """Close a cleaner after its last result."""
    with cleaner:
        yield from results
