"""Cleaning one page in one call: :func:`extract`."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, Literal

from detemplate.errors import UserError
from detemplate.files.jsonvalues import to_json
from detemplate.io.record import Record
from detemplate.io.sinks.files import front_matter
from detemplate.output.choice import unused
from detemplate.output.options import FORMATS, Rendering, formats_of, with_metadata
from detemplate.run.cleaner import Engine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.output.options import Format, Images, Links, Tables

_JSON: Final = "json"

_ADDRESS: Final = re.compile(
    r"(?:[a-z][a-z0-9+.-]*:)?//\S+|www\.\S+|[^\s<]*[/\\]\S*|\S+\.(?:[sx]?html?|php|aspx?|mhtml)", re.I
)
"""A URL, or the path of a file."""

_LONGEST: Final = 2_000  # characters of an address


def extract(
    html: str | bytes | None,
    *,
    url: str | None = None,
    format: Format | Literal["json"] | Sequence[Format | Literal["json"]] = "text",  # noqa: A002
    method: str | None = None,
    store: str | os.PathLike[str] | None = None,
    threshold: float | None = None,
    keep: str | Iterable[str] = (),
    drop: str | Iterable[str] = (),
    explain: bool = False,
    metadata: bool | Literal["basic", "none"] | None = None,
    keep_scripts: bool = False,
    sanitize: bool = False,
    links: Links | None = None,
    images: Images | None = None,
    tables: Tables | None = None,
    **options: Any,  # noqa: ANN401
) -> str:
    r"""Clean one page by itself, or by what a store says of its site.

    Parameters
    ----------
    html
        The markup, text or bytes.
    url
        Where the page is from; it names the site, and method ``auto`` reads signs of content in it.
    format
        ``"text"``, ``"html"`` or ``"markdown"``; or ``"json"``, an object as ``detemplate clean`` writes it,
        with text or with the formats that are named beside it (``"json,markdown,html"``).
    store
        A store, which is only read. A warning says if it does not know the page's site.
    metadata
        Whether the page's metadata are written: in JSON (there by default), or before text and Markdown as
        YAML.
    explain
        Whether JSON says what was removed, and why.
    method, threshold, keep, drop
        As for :class:`~detemplate.Cleaner`.
    keep_scripts, sanitize
        Whether HTML keeps scripts, style sheets and event handlers; whether it is sanitized.
    links, images, tables
        How text and Markdown are written: see :meth:`~detemplate.Result.render`.
    **options
        More arguments of :class:`~detemplate.Cleaner`, and options of the method: ``comments="drop"``.

    Returns
    -------
    str
        The page without its template.

    Raises
    ------
    PageError
        It is no page: empty or None, or no markup.
    UserError
        For an unknown method, format or option, a value out of range, an option of one format with another;
        and for an address in place of a page.

    Examples
    --------
    >>> extract("<title>Rain</title><nav><a href=/>Home</a></nav><h1>Rain</h1><p>It rained all day.</p>")
    'Rain\n\nIt rained all day.'
    """
    refuse_address(html)
    own: dict[str, Any] = {
        "method": method, "store": store, "threshold": threshold, "keep": keep, "drop": drop,
        "explain": explain, "metadata": metadata, "keep_scripts": keep_scripts, "sanitize": sanitize,
        "links": links, "images": images, "tables": tables,
    }  # fmt: skip
    written, unknown, _ = extracted(Record(url or "", html), format, **own, **options)  # type: ignore[arg-type]
    if unknown is not None:
        warnings.warn(unknown, stacklevel=2)
    return written


def extracted(
    record: Record,
    format: str | Sequence[str],  # noqa: A002
    *,
    metadata: bool | str | None = None,
    store: str | os.PathLike[str] | None = None,
    **given: Any,  # noqa: ANN401
) -> tuple[str, str | None, list[str]]:
    """Clean the page of a record.

    Parameters
    ----------
    record
        The page.
    format, metadata, store, **given
        As for :func:`extract`.

    Returns
    -------
    tuple
        The page as text; if the store does not know its site, a sentence that says so; and what
        :func:`~detemplate.output.choice.unused` says.

    Raises
    ------
    PageError, UserError
        As of :func:`extract`.
    """
    listed = (
        format.split(",") if isinstance(format, str) else format if isinstance(format, Iterable) else [format]
    )
    names = [each.strip() if isinstance(each, str) else each for each in listed]
    as_json = _JSON in names
    formats = formats_of(
        [name for name in names if name != _JSON] or ("text" if as_json else names), [*FORMATS, _JSON]
    )
    if len(formats) > 1 and not as_json:
        raise UserError(
            f"{' and '.join(formats)} are several texts: name one, or make them an object with json"
        )
    told = as_json if metadata is None else with_metadata(metadata)
    if given.get("explain") and not as_json:
        raise UserError("only JSON says what was removed: ask for the format json, or leave explain out")
    if told and formats == ("html",) and not as_json:
        raise UserError(
            "HTML has its metadata in its head: ask for json, markdown or text, or leave metadata out"
        )
    for_html = {name: given.get(name, False) for name in ("keep_scripts", "sanitize")}
    Rendering(format=formats, **for_html).check()
    if wrong := given.keys() & {"streaming", "workers", "frozen"}:
        raise UserError(f"{min(wrong)} is for many pages: leave it out, or use detemplate.clean")
    with Engine(
        store=store, frozen=store is not None, streaming=False, format=formats, metadata=told, **given
    ) as cleaner:
        result = cleaner.clean(record)
        known = store is None or cleaner.knows(result.site)
        unknown = None if known else cleaner.unknown(result.site)
        row = result.as_dict()
    idle = unused(cleaner.work.choice, result.rules)
    written = to_json(row) if as_json else (front_matter(row) if told else "") + str(row[formats[0]])
    return written, unknown, idle


def refuse_address(html: object) -> None:
    """Raise UserError for a URL, or the path of a file, in place of a page."""
    if isinstance(html, os.PathLike):
        raise UserError(
            f"{os.fspath(html)!r} is the path of a file, and no HTML: give what it holds (.read_bytes())"
        )
    if not isinstance(html, str | bytes) or len(html) > _LONGEST:
        return
    text = (html if isinstance(html, str) else html.decode("utf-8", "replace")).strip()
    if not _ADDRESS.fullmatch(text):
        return
    if "://" in text or text.startswith(("www.", "//")):
        raise UserError(
            f"{text!r} is an address, and no HTML: fetch the page, and give what the server sends"
        )
    raise UserError(f"{text!r} is the path of a file, and no HTML: give what it holds (open(…, 'rb').read())")
