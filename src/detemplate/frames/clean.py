"""Cleaning whatever holds pages in one call: :func:`clean`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from detemplate.errors import PageError, UserError
from detemplate.files.jsonvalues import to_json
from detemplate.frames.tablerecords import Again, Columns, renamed, row_records, table_records
from detemplate.frames.tables import NUMBERS, BatchTable, is_dataset_stream, is_reader, table_of
from detemplate.io.sinks.out import METADATA
from detemplate.output.options import Format, formats_of, with_metadata
from detemplate.output.result import Result
from detemplate.run.cleaner import Engine, check_errors

if TYPE_CHECKING:
    from detemplate.frames.tables import Added, Table
    from detemplate.io.record import Record
    from detemplate.run.cleaner import Errors, PageLike


Formats = Format | Sequence[Format]
"""One format, or several."""


class ArrowStream(Protocol):
    """A table that other libraries can read: a frame, a relation, an Arrow table or batch reader."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


FrameT = TypeVar("FrameT", bound=ArrowStream)
Given = TypeVar("Given")
Row = TypeVar("Row", bound=Mapping[str, object])


@overload
def clean(
    pages: Iterable[PageLike],
    method: str | None = ...,
    *,
    url: None = ...,
    html: None = ...,
    format: Formats | None = ...,
    errors: Errors | None = ...,
    progress: bool = ...,
    **options: object,
) -> Iterator[Result]: ...
@overload
def clean(
    pages: FrameT,
    method: str | None = ...,
    *,
    url: str | None = ...,
    html: str | None = ...,
    format: Formats | None = ...,
    errors: Errors | None = ...,
    progress: bool = ...,
    **options: object,
) -> FrameT: ...
@overload
def clean(
    pages: Mapping[str, Sequence[object]],
    method: str | None = ...,
    *,
    url: str | None = ...,
    html: str | None = ...,
    format: Formats | None = ...,
    errors: Errors | None = ...,
    progress: bool = ...,
    **options: object,
) -> dict[str, Sequence[object]]: ...
@overload
def clean(
    pages: list[Row] | tuple[Row, ...],
    method: str | None = ...,
    *,
    url: str | None = ...,
    html: str | None = ...,
    format: Formats | None = ...,
    errors: Errors | None = ...,
    progress: bool = ...,
    **options: object,
) -> list[dict[str, object]]: ...
@overload
def clean(
    pages: Iterator[Row],
    method: str | None = ...,
    *,
    url: str | None = ...,
    html: str | None = ...,
    format: Formats | None = ...,
    errors: Errors | None = ...,
    progress: bool = ...,
    **options: object,
) -> Iterator[dict[str, object]]: ...
def clean(
    pages: Any,  # the overloads have the types
    method: str | None = None,
    *,
    url: str | None = None,
    html: str | None = None,
    format: Formats | None = None,  # noqa: A002  # the word of the command line
    errors: Errors | None = None,
    progress: bool = False,
    **options: Any,
) -> Any:
    """Clean pages: pairs of URL and markup into results, a table into a table of the same kind.

    A collection is cleaned in two passes: all pages are learned before the first is cleaned. An iterator or a
    record batch reader is cleaned in one: each page is learned and cleaned as it arrives.

    Parameters
    ----------
    pages
        Pages, or pairs of URL and markup. Or a table: a frame of pandas or polars, an Arrow table, record
        batch or record batch reader, a DuckDB relation, a dataset of Hugging Face's ``datasets``, a dict of
        columns, dicts that are rows, or anything else that gives an Arrow stream.
    method
        Name of a method; by default that of ``store``, else ``auto``.
    url, html
        Columns of a table that hold URLs and markup; by default the columns that have the usual names
        (:mod:`detemplate.io.sources.fields`). Pages without a URL are of one site, named by their rows:
        ``row:0``, ``row:1``, … A column ``site`` names the pages' sites.
    format
        ``"text"`` (default), ``"html"`` or ``"markdown"``, or several of them: columns that a table gets, and
        what :meth:`~detemplate.Result.as_dict` gives of a result.
    errors
        What is done about a page that cannot be cleaned: ``"raise"`` its error (the default for pairs),
        ``"skip"`` it, or call a function with its URL and its error. A table has a column for errors: by
        default, and after a function was called, the page's row stays.
    progress
        Show a progress bar on standard error, or below a notebook's cell; for tables and collections.
    **options
        As for :class:`~detemplate.Cleaner`, except ``streaming``. With a ``store``, what was learned is saved
        there when all pages are cleaned, unless ``frozen``.

    Returns
    -------
    iterator of Result, or a table
        Of pairs, a result a page, in the order of the pages. Of a table, one of the same kind with the same
        rows in their order. It has all columns of the given one, and these: each rendering by the name of its
        format, the fields of :class:`~detemplate.Metadata` (without ``metadata``, only ``title``),
        ``template_share``, ``method``, with ``explain`` also ``removed`` (JSON), and ``error``. Where a page
        cannot be cleaned, they are null, and ``error`` says why. A given column with one of these names is
        renamed to ``source_…``.
        A list of rows gives a list, other rows an iterator, and an Arrow stream of another library an Arrow
        table.

    Raises
    ------
    PageError
        A page cannot be cleaned, and ``errors`` is ``"raise"``.
    UserError
        For an unknown method, option, format or column, and for what is neither pages nor a table.
    """
    if errors is not None:
        check_errors(errors)
    if "streaming" in options:
        raise UserError("streaming: a collection is cleaned in two passes, an iterator (iter(pages)) in one")
    if format is not None:
        options["format"] = format
    run = _Run(method, options, url, html, errors, progress)
    if is_reader(pages):
        return run.reader(pages)
    if is_dataset_stream(pages):
        return run.dataset_stream(pages)
    table = table_of(pages)
    if table is not None:
        with _saved(run.cleaner(streaming=False)) as cleaner:
            return run.table(table, cleaner)
    try:
        if isinstance(pages, str | bytes):
            raise TypeError
        iterator = iter(pages)
    except TypeError:
        raise UserError(
            f"cannot clean {type(pages).__name__}: give pairs of URL and markup, or a table; "
            "one page goes to detemplate.extract"
        ) from None
    if iterator is pages:
        return run.stream(iterator, run.cleaner(streaming=True))
    cleaner = run.cleaner(streaming=False)
    if isinstance(next(iterator, None), Mapping):
        rows = run.rows(pages, cleaner)
        return list(rows) if isinstance(pages, Sequence) else rows
    return run.results(pages, cleaner)


@dataclass(frozen=True, slots=True)
class _Run:
    """One call of :func:`clean`."""

    method: str | None
    options: Mapping[str, Any]
    url: str | None
    html: str | None
    errors: Errors | None
    progress: bool

    def cleaner(self, *, streaming: bool) -> Engine:
        """Make a cleaner."""
        return Engine(self.method, streaming=streaming, **self.options)

    @property
    def _added(self) -> tuple[str, ...]:
        """Return the names of the added columns."""
        told = METADATA if with_metadata(self.options.get("metadata", True)) else METADATA[:1]
        more = ["removed"] if self.options.get("explain") else []
        formats = formats_of(self.options.get("format", "text"))
        return (*formats, *told, "template_share", "method", *more, "error")

    def _fields(self, outcome: Result | PageError) -> list[Any]:
        """Return a page's values of the added columns."""
        *names, _ = self._added
        if isinstance(outcome, PageError):
            return [None] * len(names) + [outcome.found]
        row = outcome.as_dict()
        return [_cell(row[name]) for name in names] + [None]

    def _shown(self, pages: Iterable[Given], whole: object) -> Iterator[Given]:
        """Return an iterator of the pages, with a progress bar if it is wanted and their number is known."""
        if self.progress and isinstance(whole, Sized):
            from rich.console import Console
            from rich.progress import track

            bar = Console(stderr=True)
            return iter(track(pages, "pages", total=len(whole), console=bar, transient=True))
        return iter(pages)

    def _keeps(self, outcome: Result | PageError) -> bool:
        return self.errors != "skip" or isinstance(outcome, Result)

    def table(self, table: Table, cleaner: Engine, first: int = 0, *, streaming: bool = False) -> Any:  # noqa: ANN401
        """Clean a table; ``first`` is the number of its first row."""
        columns = Columns(table.names, self.url, self.html)

        def records() -> Iterator[Record]:
            found = table_records(table, columns, first)
            return found if streaming else self._shown(found, table)

        added: Added = {name: [] for name in self._added}
        kept = []
        for _, outcome in cleaner.attempts(records() if streaming else Again(records), self.errors):
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
            with _saved(cleaner):
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

    def stream(self, pages: Iterator[Any], cleaner: Engine) -> Iterator[Any]:
        """Clean pages or rows as they arrive; the first one tells which they are."""
        for first in pages:
            whole = chain([first], pages)
            yield from (
                self.rows(whole, cleaner) if isinstance(first, Mapping) else self.results(whole, cleaner)
            )

    def results(self, pages: Iterable[PageLike], cleaner: Engine) -> Iterator[Result]:
        """Clean pages."""
        given = [name for name in ("url", "html") if getattr(self, name) is not None]
        if given:
            raise UserError(
                f"{' and '.join(given)}: columns of tables; these pages are pairs of URL and markup"
            )
        again = pages if iter(pages) is pages else Again(lambda: self._shown(pages, pages))
        return _closing(cleaner, cleaner.clean_many(again, errors=self.errors or "raise"))

    def rows(self, rows: Iterable[Mapping[Any, Any]], cleaner: Engine) -> Iterator[dict[str, object]]:
        """Clean dicts that are rows."""
        records = partial(row_records, rows, self.url, self.html)
        with _saved(cleaner):
            given = records() if iter(rows) is rows else Again(lambda: self._shown(records(), rows))
            for record, outcome in cleaner.attempts(given, self.errors):
                if self._keeps(outcome):
                    new_names = renamed(record.carried, self._added)
                    row = {new_names.get(name, name): value for name, value in record.carried.items()}
                    yield row | dict(zip(self._added, self._fields(outcome), strict=True))


def _closing(cleaner: Engine, results: Iterator[Result]) -> Iterator[Result]:
    with _saved(cleaner):
        yield from results


@contextmanager
def _saved(cleaner: Engine) -> Iterator[Engine]:
    """Yield a cleaner; at the end, save it in its store if it learns for one, and close it."""
    with cleaner:
        yield cleaner
        if cleaner.store is not None and not cleaner.frozen:
            cleaner.save()


def _cell(value: Any) -> Any:  # noqa: ANN401  # a field
    """Return a field as a cell: text, a number or None; lists as JSON."""
    return value if value is None or isinstance(value, str | float) else to_json(value)
