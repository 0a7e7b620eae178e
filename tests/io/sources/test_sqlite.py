"""Tables of SQLite files, and DuckDB files, which are refused."""

import contextlib
import sqlite3

import pytest

from detemplate.errors import UserError
from detemplate.io.sources.fields import FieldNames
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import read, records

ROWS = [(f"http://e.org/{n}", f"<p>page {n}", n) for n in range(2000)]


def make(path, *statements):
    with contextlib.closing(sqlite3.connect(path)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    return path


def filled(path, *more):
    """Make a database with a table of pages."""
    rows = ", ".join(f"('{url}', '{html}', {n})" for url, html, n in ROWS)
    return make(
        path, "CREATE TABLE pages (url TEXT, raw_html TEXT, n INTEGER)", f"INSERT INTO pages VALUES {rows}",
        "CREATE TABLE notes (words TEXT)", *more,
    )  # fmt: skip


def test_pages(tmp_path):
    """A file with one table that fits needs no name; a name may have any suffix of a database."""
    path = filled(tmp_path / "x.sqlite")
    other = filled(tmp_path / "x.db")
    before = path.read_bytes()
    for name in (str(path), f"{path}:pages", f"{path}:main.pages", str(other)):
        source = open_sources([name])
        for _ in range(2):
            pages = records(source)
            assert [(page.url, page.html, page.carried["n"]) for page in pages] == ROWS
        assert source.bytes_read == source.total_bytes
        assert pages[7].source.position == 7
        assert pages[7].source.path.endswith(":pages")
    assert path.read_bytes() == before


def test_tables_that_cannot_be_read(tmp_path):
    """Views are refused: they run what the file's author wrote."""
    path = filled(
        tmp_path / "x.db", "CREATE VIEW shown AS SELECT url, raw_html FROM pages",
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


def test_values_of_sqlite(tmp_path):
    path = make(
        tmp_path / "x.sqlite", "CREATE TABLE p (html, id)",
        "INSERT INTO p VALUES (x'3C703EE9', 1), (CAST(x'3C703EE9' AS TEXT), 2), (NULL, 3), ('<p>', 4)",
        f"INSERT INTO p VALUES (zeroblob({3 << 20}), 5), ('<p>last', 6)",
    )  # fmt: skip
    first, second, none, fourth, large, last = read(path, limit=1000)
    assert first.html == second.html == b"<p>\xe9"
    assert none.detail.startswith("row 2: no HTML")
    assert fourth.url == f"{path.as_uri()}:p#3"
    assert (large.reason, large.rejected) == ("too large", True)
    assert last.html == "<p>last"


def test_columns_can_be_said(tmp_path):
    path = make(tmp_path / "x.sqlite", "CREATE TABLE p (a, b)", "INSERT INTO p VALUES ('w', 'u')")
    with pytest.raises(UserError, match="no table with a column for HTML"):
        open_sources([str(path)])
    (page,) = records(open_sources([str(path)], names=FieldNames(url="b", html="a")))
    assert (page.url, page.html) == ("u", "w")


def test_a_message_that_quotes_the_file_is_one_line(tmp_path):
    path = filled(tmp_path / "x.sqlite")
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


def test_duckdb_is_refused(tmp_path, said):
    """One line says how to make Parquet of a DuckDB file, by whatever name it is given."""
    (tmp_path / "x.duckdb").touch()
    (tmp_path / "x.db").write_bytes(bytes(8) + b"DUCK" + bytes(4084))
    (tmp_path / "x.html").write_text("<p>x")
    for names in (["x.duckdb"], ["x.duckdb:pages"], ["x.db"], ["x.html", "x.duckdb"]):
        given = [str(tmp_path / name) for name in names]
        told = said("clean", *given, "-o", tmp_path / "out.jsonl", code=2)
        assert "is a DuckDB file, which is not read" in told
        assert "TO 'pages.parquet'" in told
        assert told.count("\n") == 1
