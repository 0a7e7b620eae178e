"""Arrow IPC files and streams."""

import pyarrow as pa
import pytest

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import read, records

ROWS = 40


def table(**columns):
    pages = [f"<p>{n}" for n in range(ROWS)]
    return pa.table(
        {"url": [f"u{n}" for n in range(ROWS)], "content": pages, "n": list(range(ROWS)), **columns}
    )


def write(path, data, kind, **options):
    opened = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with pa.OSFile(str(path), "wb") as out, opened(out, data.schema, **options) as writer:
        writer.write_table(data, max_chunksize=7)
    return path


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("suffix", [".arrow", ".feather"])
def test_pages(tmp_path, kind, compression, suffix):
    options = pa.ipc.IpcWriteOptions(compression=compression)
    path = write(tmp_path / f"x{suffix}", table(), kind, options=options)
    source = open_sources([str(path)])
    for _ in range(2):
        pages = records(source)
        assert [(page.url, page.html) for page in pages] == [(f"u{n}", f"<p>{n}") for n in range(ROWS)]
        assert pages[9].carried == {"n": 9}
        assert pages[9].source.position == 9
        assert source.bytes_read > 0.9 * path.stat().st_size


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_a_file_that_is_cut(tmp_path, kind):
    """What stands before the damage is read, of files without their index, too."""
    whole = write(tmp_path / "x.arrow", table(), kind).read_bytes()
    path = tmp_path / "cut.arrow"
    some = 0
    for cut in range(0, len(whole), 150):
        path.write_bytes(whole[:cut])
        try:
            result = read(path)
        except UserError as error:
            assert "cannot be read as an Arrow file or stream" in str(error)  # noqa: PT017
            assert "\n" not in str(error)  # noqa: PT017
            continue
        pages = [item for item in result if isinstance(item, Record)]
        assert [page.url for page in pages] == [f"u{n}" for n in range(len(pages))]
        assert len(pages) == ROWS or isinstance(result[-1], Skip)
        some += 0 < len(pages) < ROWS
    assert some > 5


def test_values_that_are_damaged(tmp_path):
    """Offsets that point outside the data do not end the process."""
    path = write(tmp_path / "x.arrow", table(), "stream")
    data = path.read_bytes()
    offsets = b"".join(n.to_bytes(4, "little") for n in (0, 3, 6, 9, 12))
    assert offsets in data
    path.write_bytes(data.replace(offsets, offsets[:-4] + b"\xff\xff\xff\x7f"))
    last = read(path)[-1]
    assert (last.reason, last.rejected) == ("truncated", True)


def test_not_arrow(tmp_path):
    path = tmp_path / "x.arrow"
    path.write_bytes(b"hello" * 100)
    with pytest.raises(UserError, match="cannot be read as an Arrow file or stream"):
        open_sources([str(path)])
    write(path, pa.table({"a": [1]}), "file")
    with pytest.raises(UserError, match=r"no column .* 'a'"):
        open_sources([str(path)])


@pytest.mark.parametrize("kind", ["file", "stream"])
@pytest.mark.parametrize("column", ["pages", "a dictionary", "another column"])
@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_a_small_file_that_unfolds_to_much_is_not_unfolded(tmp_path, kind, column, compression, monkeypatch):
    monkeypatch.setattr("detemplate.io.sources.arrow._MOST_BATCH", 1 << 20)
    bomb = pa.array([f"<p>{n}" for n in range(7)] + ["x" * (8 << 20)] + ["<p>"] * (ROWS - 8))
    given = {"content": bomb} if column == "pages" else {"other": bomb}
    if column == "a dictionary":
        given = {"content": bomb.dictionary_encode()}
    options = pa.ipc.IpcWriteOptions(compression=compression)
    path = write(tmp_path / "x.arrow", table(**given), kind, options=options)
    assert path.stat().st_size < 1 << 17
    before = pa.total_allocated_bytes()
    *pages, last = read(path)
    assert len(records(pages)) == (0 if column == "a dictionary" else 7)
    assert (last.reason, last.rejected) == ("too large", True)
    assert "would unfold to" in last.detail
    assert pa.total_allocated_bytes() - before < 4 << 20
