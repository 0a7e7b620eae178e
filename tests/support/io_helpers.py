"""Reading a source whole and sorting what it gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate.io.record import Record, Skip
from detemplate.io.sources.open import open_sources

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def read(path: Path, limit: int = 1 << 20, kind: str | None = None) -> list[Record | Skip]:
    return list(open_sources([str(path)], max_page_bytes=limit, kind=kind))


def records(items: Iterable[Record | Skip]) -> list[Record]:
    return [item for item in items if isinstance(item, Record)]


def skips(items: Iterable[Record | Skip]) -> list[Skip]:
    return [item for item in items if isinstance(item, Skip)]
