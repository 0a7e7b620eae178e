"""CSV and TSV files."""

import csv
import gzip
import io
import sys

import pytest

from detemplate.errors import UserError
from detemplate.io.record import Record
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import read, records, skips

ROWS = [
    ("http://e.org/1", '<p>a, "b"\n;c</p>', "1"),
    ("http://e.org/2", "<p>é\r\n\tx|y", ""),
    ("http://e.org/3", "", "2"),
]


def text(delimiter, rows=ROWS):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerows([("url", "html", "n"), *rows])
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "delimiter", "pack"),
    [
        ("x.csv", ",", bytes),
        ("x.csv", ";", bytes),
        ("x.csv", "|", bytes),
        ("x.tsv", "\t", bytes),
        ("x.csv.gz", ",", gzip.compress),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file(tmp_path, name, delimiter, pack, encoding):
    path = tmp_path / name
    path.write_bytes(pack(text(delimiter).encode(encoding)))
    result = read(path)
    assert [(page.url, page.html, page.carried["n"]) for page in records(result)] == ROWS
    assert [page.source.position for page in records(result) if page.source] == [2, 4, 6]


def test_cells_that_are_no_utf8_stay_bytes(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes("url,html\nu,<p>é\n".encode("latin-1"))
    (page,) = records(read(path))
    assert page.html == "<p>é".encode("latin-1")


def test_bad_rows_do_not_end_the_run(tmp_path):
    path = tmp_path / "x.csv"
    lines = [
        "url,html", "u1,<p>", 'u2,"<p>"x', "u3", "u4,<p>,more", "", "u5,<p>", f'u6,"{"y" * 200}"',
        'u7,"<p>\n',
    ]  # fmt: skip
    path.write_text("\n".join(lines))
    first, *bad, fifth, large, last = read(path, limit=100)
    assert (first.url, fifth.url) == ("u1", "u5")
    assert [skip.detail for skip in skips(bad)] == [
        "line 3: ',' expected after '\"'",
        "line 4: 1 cells for 2 columns",
        "line 5: 3 cells for 2 columns",
    ]
    assert large.reason == "too large"
    assert (last.reason, last.rejected) == ("bad record", True)
    assert last.detail == "line 9: unexpected end of data"


def test_a_quote_without_end_does_not_fill_the_memory(tmp_path):
    path = tmp_path / "x.csv"
    before = csv.field_size_limit(1000)  # the limit is the process's: others have raised it
    path.write_text('url,html\nu1,<p>\nu2,"' + "<p>word\n" * 40_000 + "u3,<p>\n")
    result = read(path, limit=1000)
    csv.field_size_limit(before)
    assert isinstance(result[0], Record)
    assert (result[1].reason, result[1].rejected) == ("too large", True)
    assert result[1].detail.startswith("lines 3 to ")
    assert len(result) > 100
    assert result[-1].url == "u3"


def test_files_without_a_page(tmp_path, monkeypatch):
    path = tmp_path / "x.csv"
    for content in ("", "a,b\n1,2\n"):
        path.write_text(content)
        with pytest.raises(UserError, match=r"\(its first row\) has no column .* --html-column"):
            open_sources([str(path)])
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"url,html\nu,<p>\n")))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert [page.url for page in records(open_sources(["-"], kind="csv"))] == ["u"]
