"""Tables of DuckDB and SQLite files."""

from __future__ import annotations

import base64
import contextlib
import datetime
import lzma
import sqlite3
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


HANGS = (
    "T>t<81poj4|NsC0{{Rmg(DS$YerV?oY_eBsv0DH{ngk@h`drwW@l^ovRKJcM&Hu?fH&<_yO;cRMYK804*e(_Km*(NJQ^ozSV"
    "Xe!RIKl=7m=`Wn;ci`8Uv=$w66d85V46@7Rb!EbhTylbcb;MQrU&OR2!vT>v@Itj1CqTH8I@Yk=C&ECZK66`y1+;)RsdD+3R"
    "wRfC8LKueiBDT+CrsSBg`6gjSu|JP3{$y@m+zwtdpJ+y_h(jki||ZZp#kw@m$5$^>F^A-mzO^lwz$EpLB&I3qHSX95Q?z&bk"
    "5`I0bF>YNA>d?7LP)K{h!Q62+o{muwaEr$NA$4A2e0C?lBO`n8tqJujrG(HQS1=PeWdTJCeV+<aIk(yPx@3r;s3%sdR{4Zpg"
    "ed|pn8;=n*tjuT`Mz6d6NyGdw2tFgkwo&qH5c<r}HGUed(D+Ihc^uz8@cW*Yf0b6F3LOcmccu-GX8i1T{jviv3G7leVhj(au"
    "0t+P^r<KIEn<!@}Dw$`tobdqTki1f{u<IQH`NbM_%WfnW<DAo<yY{AI=(vDJlnazW&l*ZIB<j<7*e3IwZpk~8<V%E;Zk_$h6"
    "!Dav<zKbSa*b{LDFk}aHx*M0rExxWj$&o;Y5usCFTdN_?9aJQIm#{zIz<9<$z%0z4nBOc!>ls7Z}UgPl(4tn*%u-SRqMEWUt"
    "bgV&C?%GL&ZBZd6tvMVF8l2BqEUP1e~LQQyc@)X!5Exu+U<#6~HAErv7?d#e--6_Lm@0FOF;_V1ig;=_CbERt*!^cHka1BrM"
    "p)40`6*dsJm@J=n-a6o;?KNsxwywW1xaG8d!}p=lI@lnXJi-!3=aY~z@#Zc>1J-z{odkNUh;&`(yEqc@6^PU-as?GFwczfx6"
    "p3K<4L=7>nAD=xa%Y8ggkl#kNJg~?{R959+h7IZz_$qBHOqo{Td8vMv}0(1K*_2;cKwzqiUZAk3eQh`dhG<nAlGgTF~eu{|V"
    "AiG&7DBsg}^*9nI-1`dQ;yFl3S@%4N4sI}G&2<1pk(QKm0oW?pr@FXv8pv0_keo8t?~U=#$e;0qNiml8Pi<5-o{o*|UikwBy"
    "jJF)jhuNjJ0MtMK`9Z@=@kMLrt>6ppf&)EJ@|{cd_Bdn*`Rn?UX}?D@k0ho@k0qusL*C{WlyP=>*hJx0_&b#CO*B@i#|h{b5"
    "m{A-8XtzBMMoOVFKy7tIVB4>Th{_&71H?T(+m%Gow6mDm7U7wp632UZj~)X2vv=GMAqvL)9X^k6Zq0zu63exV^~Z584-~Vxk"
    "UrY80`fw%X!|2T^n&KkjlGR$M}Cc&+@J2)CN3xKt3J+ks*k3Cv~0YoB)f{|4<6-aFk<^WX`TyFM&R_g_Xv+cGliY$aOQ<(?d"
    "n7r;2Nlh{SBp^Vaz*)}p(0~ecKS$%RQz<IyvZg%#}Thqc^^-*bNBAAEN7o1D2L82@-t>r>9;~zdx>Zu{3cFtNUGYaWF=O8;l"
    "a!C$y0S-~&_jRFrzp51f_IigB"
)
"""A damaged DuckDB file whose checksums fit, packed: DuckDB 1 loops while it opens it. The fuzzer has found it."""


def test_a_file_on_which_duckdb_hangs_or_crashes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("detemplate.io.sources.duckdbprobe.SECONDS", 3)
    path = tmp_path / "x.duckdb"
    path.write_bytes(lzma.decompress(base64.b85decode(HANGS)))
    with pytest.raises(UserError, match="does not come to an end within 3 seconds; the file is damaged"):
        open_sources([str(path)])
    monkeypatch.setattr("detemplate.io.sources.duckdbprobe._OPEN", "import os; os.abort()")
    path.write_bytes(b"")
    with pytest.raises(UserError, match="DuckDB crashes on it; the file is damaged"):
        open_sources([str(path)])
