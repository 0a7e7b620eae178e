"""What a cleaner is given: pages in several forms, and what is to be done about errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from detemplate.errors import PageError, UserError
from detemplate.io.record import Record
from detemplate.page.page import Page

PageLike = Page | Record | tuple[str, str | bytes | None]
"""A page, a record of one, or its URL and markup; None is the markup of a page that could not be had."""

Errors = Literal["raise", "skip"] | Callable[[str, PageError], object]
"""What is done about a page that cannot be cleaned: its error is raised, or the page is left out. A function
is called with the page's URL and its error, and the page is left out."""


def given_page(page: PageLike) -> Page | Record:
    """Return a page or record as it is, and the record of a pair of URL and markup.

    Raises
    ------
    UserError
        It is none of these.
    """
    if isinstance(page, Page | Record):
        return page
    try:
        if isinstance(page, str | bytes | Mapping):
            raise TypeError
        url, html = page
    except (TypeError, ValueError):
        raise UserError(
            f"a page is a detemplate.Page or a pair of URL and markup, not {type(page).__name__}"
        ) from None
    return Record(url, html)  # type: ignore[arg-type]  # checked when it is parsed


def tell(errors: Callable[[str, PageError], object], error: PageError) -> None:
    """Call the caller's function with a page's URL and error; what it raises says at which page."""
    try:
        errors(error.url, error)
    except Exception as raised:
        raised.add_note(f"raised by errors=… of detemplate, which was told of: {error}")
        raise


def no_stream(method: str) -> UserError:
    """Give the error of a stream and a method that cannot clean one."""
    return UserError(
        f"method {method} learns all pages of a site before it cleans one: it cannot clean a stream "
        "(standard input, --stream, an iterator)"
    )


def check_errors(errors: object) -> None:
    """Raise :class:`~detemplate.UserError` for what is no way to treat errors (:data:`Errors`)."""
    if errors not in ("raise", "skip") and not callable(errors):
        raise UserError(f"errors={errors!r} is unknown (choose 'raise', 'skip' or a function)")
