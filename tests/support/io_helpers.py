"""Reading a source whole and sorting what it gave."""

from collections.abc import Iterable
from pathlib import Path

from detemplate.io.record import Record, Skip
from detemplate.io.sources.open import open_sources


def read(path: Path, limit: int = 1 << 20, kind: str | None = None) -> list[Record | Skip]:
    return list(open_sources([str(path)], max_page_bytes=limit, kind=kind))


def records(items: Iterable[Record | Skip]) -> list[Record]:
    return [item for item in items if isinstance(item, Record)]


def skips(items: Iterable[Record | Skip]) -> list[Skip]:
    return [item for item in items if isinstance(item, Skip)]
