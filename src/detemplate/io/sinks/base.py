"""What every sink is: it takes one row a page and appears whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

from detemplate.errors import DetemplateError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from detemplate.io.record import Record


STDOUT = "-"


# The formats of a page's text: the row's key that holds it, its media type and its file suffix.
FORMATS: dict[str, tuple[str, str]] = {
    "text": ("text/plain", ".txt"),
    "html": ("text/html", ".html"),
    "markdown": ("text/markdown", ".md"),
}


class OutputClosed(DetemplateError):  # noqa: N818  # no error: the reader has seen enough
    """Whoever reads the output has stopped reading (``| head``); a normal end of a run."""


class Sink(Protocol):
    """Where results go.

    As a context manager, a sink is closed at the end of the block, or aborted when an exception
    leaves it.
    """

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Write one page's result.

        Parameters
        ----------
        row
            ``url``, ``site``, ``title``, the text under the name of the format,
            ``template_share``, ``segments``, ``template_segments``, ``method``, perhaps
            ``removed``, then whatever the record carried.
        record
            The page that the result is of.

        Raises
        ------
        UserError
            The output cannot be written.
        OutputClosed
            Nobody reads it any more.
        """

    def close(self) -> None:
        """Make the output whole; it takes its name only now."""

    def abort(self) -> None:
        """Leave nothing behind."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
