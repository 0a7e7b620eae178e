"""DuckDB files, opened read-only, and read in a process of their own (`duckdbreader.py`)."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra, UserError
from detemplate.files import duckdbprobe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from detemplate.io.sources.database import Database, Rows

DUCKDB_MAGIC: Final = b"DUCK"
"""Bytes of a DuckDB file from byte 8 on."""

_READER: Final = "detemplate.io.sources.duckdbreader"
"""The module that reads."""


class _ReadElsewhere:
    """A DuckDB file that another process has open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = subprocess.Popen(
            [sys.executable, "-m", _READER, str(path), str(duckdbprobe.SECONDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )

    def tables(self) -> dict[str, list[str]]:
        self._ask("tables")
        tables: dict[str, list[str]] = self._answer()[1]
        return tables

    def rows(self, table: str, _limit: int, first: int) -> Iterator[tuple[int, Rows]]:
        self._ask("rows", table, first)
        while True:
            kind, rows = self._answer()
            if kind == "end":
                return
            yield rows

    def _ask(self, *request: object) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump(request, self._process.stdin)
            self._process.stdin.flush()
        except BrokenPipeError:
            return  # the answer tells why

    def _answer(self) -> tuple[str, Any]:
        """Return the next answer; raises UserError with what is wrong with the file."""
        assert self._process.stdout is not None
        try:
            kind, value = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):  # it has ended before an answer, or in the middle of one
            raise duckdbprobe.damaged(self._path, -self._process.wait()) from None
        if kind == "error":
            raise UserError(f"{self._path} cannot be read as DuckDB: {value}")
        return kind, value

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                continue
        self._process.wait()


@contextmanager
def open_duckdb(path: Path) -> Iterator[Database]:
    """Open a DuckDB file. Its contents reach no other file and no network."""
    if find_spec("duckdb") is None:
        raise MissingExtra("reading DuckDB files", "tables")
    opened = _ReadElsewhere(path)
    try:
        yield opened
    finally:
        opened.close()
