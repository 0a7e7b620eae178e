"""The interface of all sinks: one row per page; the output is written whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, Self

from detemplate.errors import DetemplateError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from detemplate.io.record import Record

STDOUT: Final = "-"
"""The name of standard output."""

FORMATS: Final[dict[str, tuple[str, str]]] = {
    "text": ("text/plain", ".txt"),
    "html": ("text/html", ".html"),
    "markdown": ("text/markdown", ".md"),
}
"""Media type and file suffix by format of a page's text; a row holds the text under the format's name."""

METADATA: Final = (
    "title", "author", "published", "modified", "language", "site_name", "canonical_url", "description",
    "image", "page_type",
)  # fmt: skip
"""Keys of a row that hold the page's metadata, in the order in which they are written; texts or None."""

SHORT_FORMATS: Final = {"md": "markdown", "txt": "text"}
"""Other names of formats."""


def own_keys(formats: Sequence[str]) -> list[str]:
    """Return the keys that every row has, in order, where it has the texts of these formats."""
    return ["url", "site", "title", *formats, "template_share", "segments", "template_segments", "method"]


class OutputClosed(DetemplateError):  # noqa: N818  # a normal end, not an error
    """The reader of the output has stopped reading (``| head``): a normal end of a run."""


class Sink(Protocol):
    """An output for results.

    A sink is a context manager: it is closed at the end of the block, or aborted after an exception.
    """

    def write(self, row: Mapping[str, object], record: Record) -> None:
        """Write one page's result.

        Parameters
        ----------
        row
            The result as an output record (:meth:`detemplate.output.result.Result.row`): ``url``, ``site``,
            ``title``, the other keys of :data:`METADATA` unless they are turned off, the text under the name
            of each format, ``template_share``, ``segments``,
            ``template_segments``, ``method``, with ``--explain`` also ``removed``, then the carried keys.
        record
            The input record of the page.

        Raises
        ------
        UserError
            The output cannot be written.
        OutputClosed
            The reader has stopped reading.
        """

    def close(self) -> None:
        """Finish the output and give it its name."""

    def abort(self) -> None:
        """Remove what was written."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
