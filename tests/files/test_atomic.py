from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from detemplate.errors import UserError
from detemplate.files.atomic import AtomicDirectory, AtomicFile, AtomicParquet, writing

if TYPE_CHECKING:
    from pathlib import Path


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_file_takes_its_name_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "x.txt"
    target.write_bytes(b"before")
    file = AtomicFile(str(target))
    file.file.write(b"after")
    assert target.read_bytes() == b"before"
    file.commit()
    assert target.read_bytes() == b"after"
    assert names(tmp_path) == ["x.txt"]


def test_a_discarded_file_leaves_nothing(tmp_path: Path) -> None:
    file = AtomicFile(str(tmp_path / "x.txt"))
    file.file.write(b"x")
    file.discard()
    assert names(tmp_path) == []


def test_a_directory_takes_its_name_at_the_end(tmp_path: Path) -> None:
    directory = AtomicDirectory(str(tmp_path / "x"))
    (directory.path / "page.txt").touch()
    assert not (tmp_path / "x").exists()
    directory.commit()
    assert names(tmp_path / "x") == ["page.txt"]
    assert names(tmp_path) == ["x"]


def test_a_discarded_directory_leaves_nothing(tmp_path: Path) -> None:
    directory = AtomicDirectory(str(tmp_path / "x"))
    (directory.path / "page.txt").touch()
    directory.discard()
    assert names(tmp_path) == []


def test_a_parquet_file_without_rows_has_its_schema(tmp_path: Path) -> None:
    schema = pa.schema([("n", pa.int64())])
    file = AtomicParquet(str(tmp_path / "x.parquet"))
    file.write(schema.empty_table())
    file.commit()
    assert pq.read_schema(tmp_path / "x.parquet") == schema


def test_errors_of_the_system_are_errors_of_the_user() -> None:
    with pytest.raises(UserError, match=r"cannot write x\.txt: no room; check"), writing("x.txt"):
        raise OSError(28, "no room")
