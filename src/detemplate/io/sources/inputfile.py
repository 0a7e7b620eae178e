"""One input that is read as a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from detemplate.io.sources.compression import InputStream

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(slots=True)
class InputFile:
    """One input that can be opened as a stream: a file, or standard input (once only).

    Attributes
    ----------
    name
        The input as the user named it.
    opener
        Opens the stream; takes ``track_members`` of :class:`InputStream`.
    size
        Stored size in bytes; None if unknown.
    rereadable
        Whether it can be opened more than once.
    """

    name: str
    opener: Callable[[bool], InputStream]
    size: int | None = None
    rereadable: bool = True

    @classmethod
    def from_path(cls, path: Path) -> InputFile:
        """Describe a file on disk; raises OSError if it does not exist."""

        def opener(track_members: bool) -> InputStream:
            return InputStream(path.open("rb", buffering=0), track_members=track_members)

        return cls(str(path), opener, size=path.stat().st_size)

    def open(self, *, track_members: bool = False) -> InputStream:
        """Open the input at its beginning; raises OSError if that fails."""
        return self.opener(track_members)
