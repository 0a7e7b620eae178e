"""Runs that are killed go on, and give what an undisturbed run gives."""

import gzip
import json
import os
import pickle
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from detemplate.cli import main
from detemplate.errors import UserError
from detemplate.io.record import Record
from detemplate.run import steps
from detemplate.run.checkpoint import Checkpoint
from detemplate.run.steps import Piece
from detemplate.sites.storefile import StoreFile, StoreWriter
from tests.support.commands import cli, write_rows
from tests.support.forked import Forked
from tests.support.killed import PIECE, command, contents, killed_until_done, undisturbed
from tests.support.warc_fixtures import http, record

FINISHED = {"closing", "lock", "run.json"}
"""What a finished run leaves in its checkpoint."""

OUTPUTS = ("out.jsonl", "out.jsonl.zst", "out.parquet", "out.warc.gz", "out/", "out.csv")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(steps, "PAGES", PIECE)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """Pages of four sites, with some that are lost, and some that come twice."""
    rows = []
    for number in range(250):
        host = f"{number * number % 4}.org"
        body = "".join(f"<p>Words of story {number}, part {part}.</p>" for part in range(number % 40))
        html = f"<title>Page {number} - The House of Letters</title><nav><a href=/>Home</a> <a href=/n>News</a></nav>{body}<footer>End</footer>"
        rows.append({"url": f"http://{host}/{number}", "html": html, "number": number})
        if number % 90 == 7:
            rows.append({"url": f"http://{host}/empty{number}", "html": ""})
        if number % 80 == 5:
            rows.append(rows[-1])
    return write_rows(tmp_path_factory.mktemp("crawl") / "crawl.jsonl", rows)


@pytest.fixture(scope="module")
def inputs(crawl):
    """The same pages, or parts of them, in inputs of all kinds that begin at a place."""
    lines = crawl.read_bytes().splitlines(keepends=True)
    rows = [json.loads(line) for line in lines]
    folder = crawl.parent / "kinds"
    folder.mkdir()
    members = [gzip.compress(b"".join(lines[at : at + 7]), mtime=0) for at in range(0, len(lines), 7)]
    (folder / "a.jsonl.gz").write_bytes(b"".join(members))
    html = [http(row["html"].encode()) for row in rows]
    records = [record(body, url=row["url"]) for body, row in zip(html, rows, strict=True)]
    packed = [gzip.compress(each, mtime=0) for each in records]
    packed[40] = packed[40][:60] + b"broken" + packed[40][66:]
    (folder / "b.warc.gz").write_bytes(b"".join(packed))
    pq.write_table(pa.Table.from_pylist(rows), folder / "c.parquet", row_group_size=40)
    (folder / "d").mkdir()
    for number, row in enumerate(rows[:120]):
        (folder / "d" / f"{number}.html").write_text(row["html"])
    each = [[str(folder / name)] for name in ("a.jsonl.gz", "b.warc.gz", "c.parquet", "d")]
    return [[str(crawl)], *each, [name for [name] in each]]


def arguments(crawl, folder, output, *more):
    given = [
        "clean", str(crawl), "-o", f"{folder}/{output}", "-q", "--explain", "--rejects",
        str(folder / "rejects"),
    ]  # fmt: skip
    return [*given, "--checkpoint", str(folder / "progress"), *more]


@pytest.mark.parametrize("seed", range(int(os.environ.get("DETEMPLATE_KILLS", "12")) // 2))
def test_a_run_that_is_killed_twice_gives_the_same_bytes(seed, crawl, inputs, tmp_path):
    """DETEMPLATE_KILLS sets the number of kills, 12 by default; DETEMPLATE_KILLS_LOG names a file for the real ones."""
    chance = random.Random(seed)
    output = chance.choice(OUTPUTS)
    ways = [["-m", chance.choice(["auto", "segments", "sandwich"])], ["--workers", chance.choice("0124")]]
    if chance.random() < 0.5:
        ways.append(["--stream"])
    ways.append(["--versions", chance.choice(["first", "first", "last", "keep"]), "--every-skip"])
    more = [word for way in ways for word in way]
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    start = time.monotonic()
    given = arguments(crawl, Path(), output, *more)
    given[1:2] = inputs[seed % len(inputs)]
    wanted = undisturbed(given, one, output)
    took = time.monotonic() - start
    two.mkdir()
    killed = killed_until_done(given, 2, chance, folder=two, longest=took)
    assert contents(two / output) == wanted
    assert (two / "rejects").read_bytes() == (one / "rejects").read_bytes()
    assert killed <= 2
    if log := os.environ.get("DETEMPLATE_KILLS_LOG"):
        with Path(log).open("a") as file:
            file.write(f"{killed}\n")
    left = {path.name for path in two.iterdir()} - {"rejects", output.rstrip("/")}
    assert left == {"progress"}
    assert {path.name for path in (two / "progress").iterdir()} == FINISHED


def started(arguments, progress):
    """Start a run, and wait until it has cleaned some pieces."""
    process = subprocess.Popen(command(arguments, 50), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    late = time.monotonic() + 120
    while time.monotonic() < late and process.poll() is None and len(cleaned(progress)) < 3:
        time.sleep(0.002)
    return process


def cleaned(progress):
    """Give the files of the pieces that are cleaned."""
    return [path for path in progress.glob("cleaned-*") if path.suffix != ".new"]


@pytest.mark.parametrize(
    ("output", "limit", "more"),
    [
        ("out.jsonl", 20_000, ["--stream", "-m", "segments"]),
        ("out.parquet", 60_000, ["-m", "auto", "--workers", "1"]),
    ],
)
def test_a_run_that_found_the_disk_full_goes_on(output, limit, more, crawl, tmp_path):
    """A limit on the size of files fails where a full disk does: in outputs, and in the checkpoint itself."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    given = arguments(crawl, Path(), output, *more)
    wanted = undisturbed(given, one, output)
    full = subprocess.run(
        command(given, 1e9),
        cwd=two,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"},
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        check=False,
    )
    assert full.returncode == 2
    assert full.stderr.count(b"\n") == 1
    assert b"cannot" in full.stderr
    assert {path.name for path in two.iterdir()} == {"progress"}
    assert undisturbed(given, two, output) == wanted
    assert {path.name for path in two.iterdir()} == {"progress", "rejects", output.rstrip("/")}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_cleanly_and_says_how_to_go_on(number, code, crawl, tmp_path):
    given = arguments(crawl, tmp_path, "out.jsonl", "-m", "segments", "--stream")
    process = started(given, tmp_path / "progress")
    process.send_signal(number)
    _, error = process.communicate(timeout=120)
    assert process.returncode == code
    assert error.decode().count("\n") == 1
    assert f"run the same command again to go on from {tmp_path / 'progress'}" in error.decode()
    assert [path.name for path in tmp_path.iterdir()] == ["progress"]
    cli(*given)
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 250
    assert {path.name for path in (tmp_path / "progress").iterdir()} == FINISHED


@pytest.mark.parametrize(("way", "workers"), [(["--stream"], "0"), ([], "2")], ids=["one pass", "two passes"])
def test_what_was_done_is_not_done_again(way, workers, crawl, tmp_path, monkeypatch):
    """At most one piece a worker, and those that waited for it."""
    from detemplate.run.pagework import PageWork

    given = arguments(crawl, tmp_path, "out.jsonl", "-m", "segments", *way, "--workers", workers)
    process = started(given, tmp_path / "progress")
    process.kill()
    process.communicate()
    done = len(cleaned(tmp_path / "progress"))
    assert done >= 3
    parsed = 0
    plain = PageWork.page

    def counted(*args, **options):
        nonlocal parsed
        parsed += 1
        return plain(*args, **options)

    monkeypatch.setattr(PageWork, "page", counted)
    given[-1] = "0"  # the number of workers may change, and here it is counted
    cli(*given)
    records = len(crawl.read_text().splitlines())
    assert 0 < parsed <= records - (done - 1) * PIECE


@pytest.mark.parametrize("output", ["out.parquet", "out/", "out.jsonl.gz"])
def test_without_a_checkpoint_what_is_whole_is_kept(output, crawl, tmp_path):
    seen = tmp_path / "rejects"
    given = [
        "clean", "-", "-o", f"{tmp_path}/{output}", "-m", "segments", "--workers", "1", "--rejects",
        str(seen),
    ]  # fmt: skip
    process = subprocess.Popen(command(given, 1e9), stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(b"".join(crawl.read_bytes().splitlines(keepends=True)[:200]))
    process.stdin.flush()
    late = time.monotonic() + 120
    # Rejects are written at once: when one of the last pages is there, those before it have been written.
    while time.monotonic() < late and not any(
        b"empty187" in path.read_bytes() for path in tmp_path.glob(".rejects*")
    ):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=120)
    assert process.returncode == 130, error.decode()
    kept = tmp_path / (output.rstrip("/") + ".partial")
    assert f"that were cleaned are in {kept}" in error.decode()
    assert {path.name for path in tmp_path.iterdir()} == {kept.name, "rejects.partial"}
    if output.startswith("out.jsonl"):
        data = kept.read_bytes() if output == "out.jsonl" else gzip.decompress(kept.read_bytes())
        assert sum(json.loads(line)["number"] >= 0 for line in data.splitlines()) > 180
    if output == "out.parquet":
        assert pq.read_table(kept).num_rows > 180
    if output == "out/":
        assert sum(path.suffix == ".txt" for path in kept.rglob("*.*")) > 180


def test_a_checkpoint_belongs_to_one_run(crawl, tmp_path, said):
    given = arguments(crawl, tmp_path, "out.jsonl", "-m", "segments", "--stream")
    process = started(given, tmp_path / "progress")
    process.send_signal(signal.SIGSTOP)
    assert "another run uses the checkpoint" in said(*given, code=2)
    assert "another run uses the checkpoint" in said(*given[:3], tmp_path / "b.jsonl", *given[4:], code=2)
    process.kill()
    process.communicate()
    for other in ([*given, "--set", "min_df=3"], [*given[:3], str(tmp_path / "b.jsonl"), *given[4:]]):
        assert "the checkpoint of another run" in said(*other, code=2)
    (tmp_path / "progress" / "run.json").write_bytes(b"no JSON at all" * 100)
    assert "remove it to begin again" in said(*given, code=2)


def test_files_of_others_stay(crawl, tmp_path, said):
    """Their names are like those of its own; a directory that has such files before is refused."""
    folder = tmp_path / "progress"
    folder.mkdir()
    (folder / "cleaned-old.txt").write_text("mine")
    given = arguments(crawl, tmp_path, "out.jsonl", "-m", "segments")
    assert "holds cleaned-old.txt, which is no checkpoint" in said(*given, code=2)
    assert [path.name for path in folder.iterdir()] == ["cleaned-old.txt"]
    (folder / "cleaned-old.txt").unlink()
    said(*given)
    mine = {"cleaned-20261128.jsonl", "learned-000000001.txt"}
    for name in mine:
        (folder / name).write_text("mine")
    said(*given[:3], str(tmp_path / "other.jsonl"), *given[4:])
    assert {path.name for path in folder.iterdir()} == FINISHED | mine


@pytest.mark.parametrize("name", ["learned-00000000", "cleaned-00000000"])
@pytest.mark.parametrize("damage", [(-3, b""), (0, b""), (30, b"?")])
def test_a_damaged_piece_is_done_again(name, damage, tmp_path):
    piece = Piece(0, [Record("u", "<p>a")], [Record("u", "<p>a")])

    def parts():
        with Checkpoint(str(tmp_path), {}) as checkpoint:
            return [
                bool(found.part)
                for learning in (True, False)
                for found in checkpoint.mark([Piece(0, piece.items, piece.given)], learning=learning)
            ]

    with Checkpoint(str(tmp_path), {}) as checkpoint:
        checkpoint.learned(piece, {"s": b"state"}, {})
        checkpoint.cleaned(piece, [None], None)
    assert parts() == [True, True]
    file = tmp_path / name
    end, more = damage
    file.write_bytes(file.read_bytes()[:end] + more)
    assert parts() == [name[0] != "l", name[0] != "c"]


MADE = [
    [], 5, {"finished": True}, {"generation": 1, "summary": [], "finished": 7}, [["x", "y", {}]], [[1, 2, 3, 4, 5, 6]],
    {"items": PIECE}, {"items": PIECE, "queries": {"a": "!"}, "lost": {}, "rows": {}},
    *({"items": PIECE, "queries": {"0": ["0.org", query]}, "lost": {}, "rows": {}} for query in (
        "AAAA", [], {}, [5, []], [[0, 8, "<u8", [1]], []], [[0, 8, "<u8", [1]], ["x"]], [[0, 8, "<u8", [1]], {}],
        [[0, 8, "|O", [1]], []], [[-8, 8, "<u8", [1]], []], [[0, 1 << 60, "<u8", [1 << 57]], []], [[0, 0, "<u8", []], []],
        [[0, 8, "<u8", [1 << 40]], []], [[0, 8, "<u8", [1, 1]], []], [[0, 8, "<i4", [2]], []],
    )),
    {"items": PIECE, "queries": {}, "lost": {"0": ["x", "y"], "9999": ["x", "y"]}, "rows": {}},
    {"items": PIECE, "queries": {}, "lost": {}, "rows": {"0": [[1, 2], 3]}},
    {"items": PIECE, "queries": {}, "lost": {}, "rows": {"0": [{}, "s", "x", 0, 0, 0, [], None, 0, 0, 0, []]}},
    {"items": PIECE, "queries": {}, "lost": {}, "rows": {"0": [[[0, 1 << 60], ["url"]], "s", 1, 0, 0, 0, [], None, 0, 0, 0, []]}},
    {"items": PIECE, "queries": {}, "lost": {}, "rows": {str(n): [{}, "s", 1, 0, 0, 0, [], None, 0, 0, 0, []] for n in range(PIECE)}},
]  # fmt: skip


def test_made_checkpoints_do_no_harm(crawl, tmp_path, monkeypatch, capsys):
    """Of whatever the files of a checkpoint are: a message, or the output; nothing is executed, or too large."""
    few = tmp_path / "few.jsonl"
    few.write_text("".join(crawl.read_text().splitlines(keepends=True)[: 4 * PIECE]))
    given = arguments(few, tmp_path, "out.jsonl", "-m", "segments", "--workers", "0")
    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "between", stop)
        cli(*given, code=2)
    saved = tmp_path / "saved"
    shutil.copytree(tmp_path / "progress", saved)
    assert (saved / "learned-00000003").exists()
    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "closing", stop)
        cli(*given, code=2)
    shutil.copytree(tmp_path / "progress", saved, dirs_exist_ok=True)
    harmful = pickle.dumps(Path("/").exists) + b"c\nos\nsystem\n"
    packed = zstandard.ZstdCompressor(write_checksum=True).compress
    bomb = b"\x28\xb5\x2f\xfd\xe4" + (1 << 50).to_bytes(8, "little") + bytes(9)  # says that it is 1 PiB
    for name in ("run.json", "lost.json", "closing", "sites", "learned-00000000", "cleaned-00000000"):
        for made in (harmful, b"[" * 200_000, bomb, *(json.dumps(each).encode() for each in MADE)):
            shutil.rmtree(tmp_path / "progress")
            shutil.copytree(saved, tmp_path / "progress")
            if name.startswith("learned"):  # the first pass has still to be done
                (tmp_path / "progress" / "sites").unlink()
            is_part = name[-1] == "0" and made is not bomb
            as_part = packed(len(made).to_bytes(8, "little") + made + bytes(range(16)))
            (tmp_path / "progress" / name).write_bytes(as_part if is_part else made)
            (tmp_path / "out.jsonl").unlink(missing_ok=True)
            code = main(given)
            assert code in {0, 2}, (name, made[:50])
            assert "Traceback" not in capsys.readouterr().err


def stop(*_):
    raise UserError("stopped")


@pytest.mark.parametrize(
    ("where", "again"), [((StoreWriter, "close"), True), ((Checkpoint, "finish"), False)]
)
def test_pages_are_learned_once_by_a_run_that_is_killed_when_it_writes_its_store(
    where, again, crawl, tmp_path
):
    """Before or after the store is written; the run is too short for a checkpoint before its end."""

    def given(folder):
        more = ["-m", "segments", "--workers", "0", "--store", str(folder / "store.db")]
        return arguments(crawl, folder, "out.jsonl", *more, "--summary", str(folder / "summary"))

    def run(killed):
        if killed:
            setattr(*where, lambda self: os.kill(os.getpid(), signal.SIGKILL))
        return main(given(two))

    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    cli(*given(one))
    assert Forked(lambda: run(killed=True), two).wait().code == -signal.SIGKILL
    written = (two / "store.db").read_bytes()
    assert Forked(lambda: run(killed=False), two).wait().code == 0
    assert (written != (two / "store.db").read_bytes()) == again
    pages = []
    for folder in (one, two):
        with closing(StoreFile(str(folder / "store.db"))) as store:
            pages.append([(row.name, row.pages) for row in store.rows()])
    assert pages[0] == pages[1]
    for name in ("out.jsonl", "rejects"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
    counts = [json.loads((folder / "summary").read_text()) for folder in (one, two)]
    assert counts[0] | {"seconds": 0} == counts[1] | {"seconds": 0}
    assert {path.name for path in (two / "progress").iterdir()} == FINISHED


@pytest.mark.parametrize("output", ["out/", "out.jsonl"])
def test_a_finished_run_says_so(output, crawl, tmp_path, capsys, said):
    given = arguments(crawl, tmp_path, output, "-m", "segments", "--workers", "0")
    given += ["--summary", str(tmp_path / "summary")]
    cli(*given)
    out, told = tmp_path / output, json.loads((tmp_path / "summary").read_text())
    before, when = contents(out), out.stat().st_mtime_ns
    capsys.readouterr()
    assert "this run is finished; remove" in said(*given)
    assert json.loads((tmp_path / "summary").read_text()) | {"seconds": 0} == told | {"seconds": 0}
    assert (contents(out), out.stat().st_mtime_ns) == (before, when)
    # Another run may use the directory; what is there is replaced by none that does not say so.
    other = [*given, "--set", "min_df=3"]
    assert main(other) == (2 if output == "out/" else 0)
    if output == "out/":
        assert "not empty" in capsys.readouterr().err
        shutil.rmtree(out)
        cli(*given)  # the output is gone: the run begins again
        assert contents(out) == before


def test_a_run_whose_messages_nobody_reads_goes_on(crawl, tmp_path):
    """Its standard error is a pipe whose reader has died."""
    reader, writer = os.pipe()
    os.close(reader)
    given = [word for word in arguments(crawl, tmp_path, "out.jsonl", "-m", "segments") if word != "-q"]
    done = subprocess.run(
        command(given, 1e9), stdin=subprocess.DEVNULL, stdout=writer, stderr=writer, check=False
    )
    os.close(writer)
    assert done.returncode == 0
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 250
    assert {path.name for path in (tmp_path / "progress").iterdir()} == FINISHED


def test_a_store_is_written_by_a_run_that_was_killed(crawl, tmp_path):
    def pages(store):
        with sqlite3.connect(store) as file:
            return sorted(file.execute("SELECT name, pages FROM sites"))

    def given(folder):
        folder.mkdir()
        return arguments(crawl, folder, "out.jsonl", "-m", "segments", "--store", str(folder / "store.db"))

    one = tmp_path / "one"
    cli(*given(one))
    two = tmp_path / "two"
    again = given(two)
    process = started(again, two / "progress")
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    cli(*again)
    assert pages(one / "store.db") == pages(two / "store.db")
    assert (one / "out.jsonl").read_bytes() == (two / "out.jsonl").read_bytes()


def test_a_run_that_is_killed_when_its_output_has_its_name_goes_on(crawl, tmp_path, monkeypatch):
    given = arguments(crawl, tmp_path, "out/", "-m", "segments", "--workers", "0")
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "finish", lambda self: self.abort())
        assert main(given) == 0
    before = contents(tmp_path / "out")
    cli(*given)
    assert contents(tmp_path / "out") == before
