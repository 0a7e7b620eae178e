"""Tables of DuckDB and SQLite files."""

from __future__ import annotations

import contextlib
import datetime
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Generator
from typing import TYPE_CHECKING

import duckdb
import pytest

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.fieldnames import FieldNames
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import read, records, skips

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [(f"http://e.org/{n}", f"<p>page {n}", n) for n in range(5000)]


def make(path: Path, *statements: str, kind: str = "duckdb") -> Path:
    opened = duckdb.connect if kind == "duckdb" else sqlite3.connect
    with contextlib.closing(opened(str(path))) as database:
        for statement in statements:
            database.execute(statement)
        if kind == "sqlite":
            database.commit()  # type: ignore[union-attr]
    return path


def filled(path: Path, kind: str, *more: str) -> Path:
    """Make a database with a table of pages."""
    rows = ", ".join(f"('{url}', '{html}', {n})" for url, html, n in ROWS)
    return make(
        path, "CREATE TABLE pages (url TEXT, raw_html TEXT, n INTEGER)", f"INSERT INTO pages VALUES {rows}",
        "CREATE TABLE notes (words TEXT)", *more, kind=kind,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_pages(tmp_path: Path, kind: str) -> None:
    """A file with one table that fits needs no name; a name may have any suffix of a database."""
    path = filled(tmp_path / f"x.{kind}", kind)
    other = filled(tmp_path / "x.db", kind)
    before = path.read_bytes()
    for name in (str(path), f"{path}:pages", f"{path}:main.pages", str(other)):
        source = open_sources([name])
        for _ in range(2):
            pages = records(source)
            assert [(page.url, page.html, page.carried["n"]) for page in pages] == ROWS
        assert source.bytes_read == source.total_bytes
        assert pages[7].source is not None
        assert pages[7].source.position == 7
        assert pages[7].source.path.endswith(":pages")
    assert path.read_bytes() == before


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_tables_that_cannot_be_read(tmp_path: Path, kind: str) -> None:
    """Views are refused: they run what the file's author wrote."""
    path = filled(
        tmp_path / "x.db", kind, "CREATE VIEW shown AS SELECT url, raw_html FROM pages",
        'CREATE TABLE "a ""b" (html TEXT)',
    )  # fmt: skip
    for name, message in (
        (":shown", r"no table 'shown' \(views are not read\); its tables are .*'pages'"),
        (":none", "no table 'none'"),
        (":notes", r"table notes of .* has no column .* 'words'"),
        ("", r"several tables that may hold pages \(.*\): name one, as in .*x.db:"),
    ):
        with pytest.raises(UserError, match=message):
            open_sources([f"{path}{name}"])
    assert list(open_sources([f'{path}:a "b'])) == []


def test_a_view_of_duckdb_reaches_no_file(tmp_path: Path) -> None:
    """Nothing in a database makes DuckDB read another file."""
    secret = tmp_path / "secret.csv"
    secret.write_text("url,html\nu,<p>\n")
    path = make(tmp_path / "x.duckdb", f"CREATE VIEW pages AS SELECT * FROM read_csv('{secret}')")
    with pytest.raises(UserError, match="no table with a column for HTML; its tables are none"):
        open_sources([str(path)])


def test_values_of_duckdb(tmp_path: Path) -> None:
    path = make(
        tmp_path / "x.duckdb",
        "CREATE SCHEMA s",
        "CREATE TABLE s.t (url TEXT, html BLOB, day DATE, seen TIMESTAMPTZ, tags TEXT[])",
        "INSERT INTO s.t VALUES ('u', '<p>\\xE9'::BLOB, '2020-01-02', '2020-01-02 03:04:05+00', ['a'])",
    )
    (page,) = records(open_sources([f"{path}:s.t"]))
    assert page.html == b"<p>\xe9"
    assert page.carried["day"] == datetime.date(2020, 1, 2)
    assert str(page.carried["seen"]).startswith("2020-01-02 ")
    assert page.carried["tags"] == ["a"]


def test_values_of_sqlite(tmp_path: Path) -> None:
    path = make(
        tmp_path / "x.sqlite", "CREATE TABLE p (html, id)",
        "INSERT INTO p VALUES (x'3C703EE9', 1), (CAST(x'3C703EE9' AS TEXT), 2), (NULL, 3), ('<p>', 4)",
        f"INSERT INTO p VALUES (zeroblob({3 << 20}), 5), ('<p>last', 6)", kind="sqlite",
    )  # fmt: skip
    first, second, none, fourth, large, last = read(path, limit=1000)
    assert isinstance(first, Record)
    assert isinstance(second, Record)
    assert first.html == second.html == b"<p>\xe9"
    assert isinstance(none, Skip)
    assert none.detail.startswith("row 2: no HTML")
    assert fourth.url == f"{path.as_uri()}:p#3"
    assert isinstance(large, Skip)
    assert (large.reason, large.rejected) == ("too large", True)
    assert isinstance(last, Record)
    assert last.html == "<p>last"


def test_columns_can_be_said(tmp_path: Path) -> None:
    path = make(
        tmp_path / "x.sqlite", "CREATE TABLE p (a, b)", "INSERT INTO p VALUES ('w', 'u')", kind="sqlite"
    )
    with pytest.raises(UserError, match="no table with a column for HTML"):
        open_sources([str(path)])
    (page,) = records(open_sources([str(path)], names=FieldNames(url="b", html="a")))
    assert (page.url, page.html) == ("u", "w")


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
def test_files_that_are_damaged(tmp_path: Path, kind: str) -> None:
    path = filled(tmp_path / f"x.{kind}", kind)
    whole = path.read_bytes()
    for cut in (0, 10, 100, 5000, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:cut])
        try:
            result = read(path)
        except UserError as error:
            assert str(path) in str(error)  # noqa: PT017
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert skips(result)[-1].reason == "truncated"
            assert skips(result)[-1].rejected
    # Pages before damaged ones are used.
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b"\xff" * 9000 + whole[middle + 9000 :])
    try:
        result = read(path)
    except UserError as error:
        assert kind == "duckdb", error  # noqa: PT017
    else:
        assert skips(result)[-1].reason == "truncated"
        assert len(records(result)) > 100 or kind == "duckdb"


def test_a_message_that_quotes_the_file_is_one_line(tmp_path: Path) -> None:
    path = filled(tmp_path / "x.sqlite", "sqlite")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET sql = ?", ("CREATE TABLE pages (url [\n" + "a\n" * 9000,)
        )
        connection.commit()
    with pytest.raises(UserError, match="unrecognized token") as raised:
        read(path)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < len(str(path)) + 400


def test_sizes_that_are_damaged(tmp_path: Path) -> None:
    """Wherever a large number is written over the file, it is read or refused."""
    path = tmp_path / "x.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE pages (url TEXT, html TEXT)")
        connection.execute("INSERT INTO pages VALUES ('http://e.org/', '<p>x')")
        connection.commit()
    data = path.read_bytes()
    opened = 0
    for at in range(100, len(data) - 6):
        path.write_bytes(data[:at] + b"\xff\xff\xff\xff\xff\x62" + data[at + 6 :])
        try:
            opened += len(read(path)) > 0
        except UserError:
            continue
    assert opened > 0


def pages_of(path: Path, count: int) -> Path:
    return make(
        path,
        f"CREATE TABLE pages AS SELECT 'http://a.org/' || i AS url, '<p>page ' || i AS html FROM range({count}) t(i)",
    )


@pytest.mark.parametrize(
    ("ends", "why"),
    [
        ("os.abort()", "DuckDB crashes on it"),
        ("[0 for _ in iter(int, 1)]", "does not come to an end within 2 sec"),
    ],
)
def test_a_file_on_whose_rows_duckdb_crashes_or_hangs_is_broken_there(
    ends: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ending.py").write_text(
        "import os, sys\n"
        "from detemplate.io.sources import duckdbreader as reader\n"
        "class Ending(reader.OpenFile):\n"
        "    def rows(self, table, first):\n"
        "        for number, rows in enumerate(super().rows(table, first)):\n"
        f"            if number == 3: {ends}\n"
        "            yield rows\n"
        "reader.OpenFile = Ending\n"
        "reader.main(*sys.argv[1:])\n"
    )
    path = pages_of(tmp_path / "x.duckdb", 1000)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("detemplate.io.sources.duckdbfile._READER", "ending")
    monkeypatch.setattr("detemplate.files.duckdbprobe.SECONDS", 2)
    source = open_sources([str(path)])
    *pages, last = source
    assert [page.url for page in records(pages)] == [f"http://a.org/{row}" for row in range(192)]
    assert isinstance(last, Skip)
    assert last.reason == "truncated"
    assert "broke at row 192" in last.detail
    assert why in last.detail


def test_a_reader_of_duckdb_ends_with_whoever_asks(tmp_path: Path) -> None:
    """It is ended where not all rows are read, and ends by itself when the other process is killed."""
    path = pages_of(tmp_path / "x.duckdb", 100_000)
    source = open_sources([str(path)])
    reading = iter(source)
    assert isinstance(reading, Generator)
    assert isinstance(next(reading), Record)
    assert children(os.getpid())
    reading.close()
    assert not children(os.getpid())
    code = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from detemplate.io.sources.duckdbfile import open_duckdb\n"
        "with open_duckdb(Path(sys.argv[1])) as file:\n"
        "    next(file.rows('pages', 0, 0))\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        assert asking.stdout.readline() == b"ready\n"
        [reader] = children(asking.pid)
        asking.kill()
    late = time.monotonic() + 20
    while alive(reader) and time.monotonic() < late:
        time.sleep(0.02)
    assert not alive(reader)


def children(pid: int) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    return [int(line.split()[0]) for line in found.stdout.splitlines() if "duckdbreader" in line]


def alive(pid: int) -> bool:
    found = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.strip() not in {"", "Z"} and not found.stdout.startswith("Z")
