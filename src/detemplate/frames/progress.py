"""A progress bar for pages that are gone through."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Page = TypeVar("Page")


def shown(pages: Iterable[Page], total: int) -> Iterator[Page]:
    """Give pages, and show on standard error, or in a notebook, how many have been asked for."""
    from rich.console import Console
    from rich.progress import track

    return iter(track(pages, "pages", total=total, console=Console(stderr=True), transient=True))
