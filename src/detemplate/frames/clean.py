"""Cleaning whatever holds pages in one call: :func:`clean`; and one page: :func:`extract`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from detemplate.detectors.registry import DEFAULT_METHOD
from detemplate.errors import UserError
from detemplate.frames.call import CleaningRun
from detemplate.frames.tables import is_dataset_stream, is_reader, table_of
from detemplate.io.sinks.out import FORMATS
from detemplate.run.cleaner import Cleaner, check_errors

if TYPE_CHECKING:
    from detemplate.frames.call import Format
    from detemplate.output.options import Images, Links, Tables
    from detemplate.output.result import Result
    from detemplate.run.cleaner import Errors, PageLike


class ArrowStream(Protocol):
    """A table that other libraries can read: a frame, a relation, an Arrow table or batch reader."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


FrameT = TypeVar("FrameT", bound=ArrowStream)
Row = TypeVar("Row", bound=Mapping[str, object])


@overload
def clean(
    pages: Iterable[PageLike],
    method: str = ...,
    *,
    url: None = ...,
    html: None = ...,
    format: None = ...,
    errors: Errors | None = ...,
    **options: object,
) -> Iterator[Result]: ...
@overload
def clean(
    pages: FrameT,
    method: str = ...,
    *,
    url: str | None = ...,
    html: str | None = ...,
    format: Format | None = ...,
    errors: Errors | None = ...,
    **options: object,
) -> FrameT: ...
@overload
def clean(
    pages: Mapping[str, Sequence[object]],
    method: str = ...,
    *,
    url: str | None = ...,
    html: str | None = ...,
    format: Format | None = ...,
    errors: Errors | None = ...,
    **options: object,
) -> dict[str, Sequence[object]]: ...
@overload
def clean(
    pages: list[Row] | tuple[Row, ...],
    method: str = ...,
    *,
    url: str | None = ...,
    html: str | None = ...,
    format: Format | None = ...,
    errors: Errors | None = ...,
    **options: object,
) -> list[dict[str, object]]: ...
@overload
def clean(
    pages: Iterator[Row],
    method: str = ...,
    *,
    url: str | None = ...,
    html: str | None = ...,
    format: Format | None = ...,
    errors: Errors | None = ...,
    **options: object,
) -> Iterator[dict[str, object]]: ...
def clean(
    pages: Any,  # the overloads have the types
    method: str = DEFAULT_METHOD,
    *,
    url: str | None = None,
    html: str | None = None,
    format: Format | None = None,  # noqa: A002  # the word of the command line
    errors: Errors | None = None,
    **options: Any,
) -> Any:
    """Clean pages: pairs of URL and markup into results, a table into a table of the same kind.

    A collection is cleaned in two passes: all pages are learnt before the first is cleaned. An iterator or a
    record batch reader is cleaned in one: each page is learnt and cleaned as it arrives.

    Parameters
    ----------
    pages
        Pages, or pairs of URL and markup. Or a table: a frame of pandas or polars, an Arrow table, record
        batch or record batch reader, a DuckDB relation, a dataset of Hugging Face's ``datasets``, a dict of
        columns, dicts that are rows, or anything else that gives an Arrow stream.
    method
        Name of a method.
    url, html
        Columns of a table that hold URLs and markup; by default the columns that have the usual names
        (:mod:`detemplate.io.columnnames`). Pages without a URL are of one site, and are named by their rows:
        ``row:0``, ``row:1``, … A column ``site`` names the pages' sites.
    format
        Column that a table gets: ``"text"`` (default), ``"html"`` or ``"markdown"``.
    errors
        What is done about a page that cannot be cleaned: ``"raise"`` its error (the default for pairs),
        ``"skip"`` it, or call a function with its URL and its error. A table has a column for errors: by
        default, and after a function was called, the page's row stays.
    **options
        As for :class:`Cleaner`, except ``streaming``.

    Returns
    -------
    iterator of Result, or a table
        Of pairs, a result a page, in the order of the pages. Of a table, one of the same kind with the same
        rows in their order. It has all columns of the given one, and these: the rendering by the name of its
        format, ``title``, ``template_share``, ``method`` and ``error``. Where a page cannot be cleaned, they
        are null, and ``error`` says why. A given column with one of these names is renamed to ``source_…``.
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
    if format is not None and format not in FORMATS:
        raise UserError(f"unknown format {format!r} (choose from {', '.join(FORMATS)})")
    run = CleaningRun(method, options, url, html, format, errors)
    if is_reader(pages):
        return run.reader(pages)
    if is_dataset_stream(pages):
        return run.dataset_stream(pages)
    table = table_of(pages)
    if table is not None:
        with run.cleaner(streaming=False) as cleaner:
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


def extract(
    html: str | bytes | None,
    url: str | None = None,
    format: Format = "text",  # noqa: A002
    *,
    keep_scripts: bool = False,
    links: Links | None = None,
    images: Images | None = None,
    tables: Tables | None = None,
) -> str:
    r"""Clean one page by itself.

    Parameters
    ----------
    html
        The markup, text or bytes.
    url
        Where the page is from; method ``auto`` reads signs of content in it.
    format
        ``"text"``, ``"html"`` or ``"markdown"``.
    keep_scripts
        Whether HTML keeps scripts, style sheets and event handlers.
    links, images, tables
        How text and Markdown are written: see :meth:`~detemplate.Result.render`.

    Returns
    -------
    str
        The page without its template.

    Raises
    ------
    PageError
        It is no page: empty or None, or no markup.
    UserError
        For an unknown format, an unknown value of an option, or scripts to keep in another format than HTML.

    Examples
    --------
    >>> extract("<title>Rain</title><nav><a href=/>Home</a></nav><h1>Rain</h1><p>It rained all day.</p>")
    'Rain\n\nIt rained all day.'
    """
    if format not in FORMATS:
        raise UserError(f"unknown format {format!r} (choose from {', '.join(FORMATS)})")
    if keep_scripts and format != "html":
        raise UserError(f"only HTML has scripts to keep: give format='html', not {format!r}")
    cleaner = Cleaner(links=links, images=images, tables=tables, keep_scripts=keep_scripts)
    rendered: str = getattr(cleaner.clean((url or "", html)), format)
    return rendered
