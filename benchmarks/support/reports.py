"""What the benchmarks' reports share: tables of records, and what they were measured on."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING, TypeVar

from lab.harness.command import machine
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Record = TypeVar("Record")


def table(records: Iterable[Record], columns: Mapping[str, Callable[[Record], str]]) -> str:
    """Write a Markdown table: one row a record; each column has its title and writes its cell."""
    return markdown_table(
        list(columns), ([write(record) for write in columns.values()] for record in records)
    )


def measured_on(*packages: str) -> str:
    """Name the versions of Python and of some packages, and the machine."""
    names = {"numpy": "NumPy"}
    versions = (f"{names.get(name, name)} {metadata.version(name)}" for name in packages)
    return ", ".join((f"Python {platform.python_version()}", *versions, machine()))


def goal(text: str, *, reached: bool) -> str:
    """Write a goal and whether it is reached."""
    return f"Goal: {text}: {'reached' if reached else 'missed'}."
