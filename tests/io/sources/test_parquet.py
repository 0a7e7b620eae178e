import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import read, records, skips


def table(**columns):
    return pa.table({"url": ["http://e.org/1", "http://e.org/2"], "html": ["<p>1", "<p>2"], **columns})


def write(path, data, **options):
    pq.write_table(data, path, **options)
    return path


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
@pytest.mark.parametrize("use_dictionary", [True, False])
def test_types_of_html(tmp_path, kind, use_dictionary):
    data = table(html=pa.array(["<p>é", "<p>2"]).cast(kind), site=["e.org", None])
    first, second = records(read(write(tmp_path / "x.parquet", data, use_dictionary=use_dictionary)))
    assert first.html == (
        "<p>é".encode() if pa.types.is_binary(kind) or kind == pa.large_binary() else "<p>é"
    )
    assert (first.url, first.site, second.site) == ("http://e.org/1", "e.org", None)
    assert second.source.position == 1
    assert first.carried == {}


def test_bad_rows_do_not_end_the_run(tmp_path):
    broken = pa.array([b"<p>\xff", b"<p>ok", b"<p>3", b"<p>" * 1000], pa.binary()).view(pa.string())
    data = pa.table({"url": ["a", "b", None, "d"], "html": broken})
    result = read(write(tmp_path / "x.parquet", data), limit=100)
    assert [type(item) for item in result] == [Skip, Record, Record, Skip]
    assert [item.reason for item in skips(result)] == ["bad record", "too large"]
    assert all(item.rejected for item in skips(result))
    assert "row 0" in skips(result)[0].detail
    place = (tmp_path / "x.parquet").as_uri()
    assert (result[2].url, result[2].site) == (f"{place}#2", place)


def test_columns_that_are_missing(tmp_path):
    path = write(tmp_path / "x.parquet", pa.table({"link": ["a"], "words": ["b"]}))
    with pytest.raises(UserError, match=r"no column .* its columns are 'link', 'words'; .* --html-column"):
        open_sources([str(path)])


def test_not_parquet(tmp_path):
    path = tmp_path / "x.parquet"
    for content in (b"", b"PAR1", b"hello" * 100):
        path.write_bytes(content)
        with pytest.raises(UserError, match="cannot be read as Parquet") as caught:
            open_sources([str(path)])
        assert "\n" not in str(caught.value)


def test_corruption_in_the_middle(tmp_path):
    data = pa.table({"url": [f"u{n}" for n in range(3000)], "html": [f"<p>{n}" * 50 for n in range(3000)]})
    path = write(tmp_path / "x.parquet", data, row_group_size=1000, compression="zstd")
    content = bytearray(path.read_bytes())
    meta = pq.read_metadata(path)
    column = meta.row_group(1).column(1)
    content[column.data_page_offset : column.data_page_offset + 300] = b"\xff" * 300
    path.write_bytes(content)
    *before, broken = read(path)
    assert len(records(before)) == 1000
    assert (broken.reason, broken.rejected) == ("truncated", True)
    assert broken.detail.startswith("broke at row 1000")


# What getrusage gives begins with what the parent process held.
PEAK = "peak = lambda: int(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read off /proc")


@needs_proc
def test_one_page_stored_for_many_rows_is_not_unfolded(tmp_path):
    """200 rows of one 4 MB page are 800 MB of text and 4 MB of file."""
    html = pa.DictionaryArray.from_arrays(pa.array([0] * 200, pa.int32()), pa.array(["x" * (4 << 20)]))
    path = write(
        tmp_path / "x.parquet",
        pa.table({"url": ["u"] * 200, "html": html}),
        dictionary_pagesize_limit=64 << 20,
    )
    assert path.stat().st_size < 8 << 20
    code = (
        f"import sys; from detemplate.io.sources.open import open_sources\n{PEAK}\n"
        "print(sum(len(record.html) for record in open_sources([sys.argv[1]])))\n"
        "print(peak())"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    total, peak = map(int, done.stdout.split())
    assert total == 200 * (4 << 20)
    assert peak < 600 << 10


@needs_proc
def test_large_row_groups_are_streamed(tmp_path):
    rows = [f"{n}" * 20_000 for n in range(10_000, 11_500)]  # 150 MB in one row group
    # A page of the file is decompressed whole, so pages must be small for this to say anything.
    path = write(tmp_path / "x.parquet", table(url=[row[:9] for row in rows], html=rows), write_batch_size=10)
    code = (
        f"import sys, pyarrow.parquet; from detemplate.io.sources.open import open_sources\n{PEAK}\n"
        "start = peak()\n"
        "print(sum(1 for _ in open_sources([sys.argv[1]])))\n"
        "print(peak() - start)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    count, peak = map(int, done.stdout.split())
    assert count == 1500
    assert peak < 100 << 10


def test_directories_of_parts(tmp_path):
    parts = tmp_path / "pages.parquet"
    parts.mkdir()
    for name in ("part-1.parquet", "part-0.parquet"):
        write(parts / name, pa.table({"url": [name], "html": ["<p>"]}))
    (parts / "_SUCCESS").touch()
    assert [item.url for item in read(parts)] == ["part-0.parquet", "part-1.parquet"]
