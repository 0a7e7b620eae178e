"""The files of a checkpoint hold data alone, and give back what they were given."""

from __future__ import annotations

import copyreg
import datetime
import gc
import os
import pickle
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest

from detemplate.detectors.registry import DETECTORS, detector_class
from detemplate.errors import UserError
from detemplate.io.record import Record, Skip, SourceRef
from detemplate.io.sinks.out import EncodedRow
from detemplate.page.page import Page
from detemplate.run import journal as journal_module
from detemplate.run.checkpoint import WAITING_BYTES, Checkpoint
from detemplate.run.journal import Journal, packed, packed_queries, unpacked, unpacked_queries
from detemplate.run.pagework import Cleaned
from detemplate.run.position import CLEANING, Position
from detemplate.run.workers.packing import packed_parts, unpacked_parts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_outcomes_keep_their_types() -> None:
    carried = {
        "a": 1, "b": 1.5, "c": None, "d": b"x", "e": Decimal("1.20"), "f": datetime.datetime(2020, 1, 1, tzinfo=ZoneInfo("Europe/Rome")),
        "g": [1, {"h": datetime.date(2020, 2, 3)}], "i": datetime.timedelta(3),
    }  # fmt: skip
    source = SourceRef("in", 3, types={"a": pa.int8(), "g": pa.list_(pa.struct([("h", pa.date32())]))})
    items = [
        (Record("u", "<p>page", carried=carried, source=source), None),
        (Skip("v", "empty", source=source), None),
    ]
    found = unpacked(b"".join(packed(items)))
    assert found[0][0].carried == carried
    assert found[0][0].html == b""
    assert found[0][0].source == source
    assert found[1][0] == items[1][0]


def test_rows_come_back_as_they_were() -> None:
    rows = [EncodedRow(f'{{"url": "{number}"}}'.encode() * 9, ("url",)) for number in range(3)]
    items = [(Record("u", ""), Cleaned(row, "s", 3, 2, 1, 0, ("Menu",), None)) for row in rows]
    found = unpacked(b"".join(packed(items)))
    assert [outcome for _, outcome in found] == [outcome for _, outcome in items]
    assert all(type(outcome.row.data) is bytes for _, outcome in found)


def joined(queries: list[tuple[Any, Any]]) -> bytes:
    return b"".join(packed_queries(queries))


@pytest.mark.parametrize("method", sorted(DETECTORS))
def test_queries_that_are_read_again_are_learnt_alike(method: str) -> None:
    """Those of every method are data, and can be changed as those of a worker can."""
    kind = detector_class(method)
    learnt, again = (kind(kind.options({}, streaming=kind.streams)) for _ in range(2))
    for number in range(9):
        body = "".join(
            f"<p class=c{part}>Words of story {number % 4}, part {part}.</p>" for part in range(number)
        )
        page = Page(
            f"http://e.org/{number}", f"<title>T</title><nav><a href=/>Home</a></nav>{body}<ul><li>x</ul>"
        )
        query = learnt.ask(page).query
        before = joined([("e.org", query)])
        learnt.take(query)
        assert joined([("e.org", query)]) == before  # it may be packed later
        [(site, sent)] = unpacked_parts(memoryview(before))
        assert joined([(site, sent)]) == before  # as between workers
        [(site, read)] = unpacked_queries(before)
        assert site == "e.org"
        again.take(read)
    assert again.to_bytes() == learnt.to_bytes()


def test_reading_queries_executes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for value in (Evil(os.mkdir, ("evil",)), os.system, pickle.Unpickler, Evil(Page, ("u", "<p>x")), Journal):
        with pytest.raises(ValueError, match="no data"):
            unpacked_queries(joined([("e.org", value)]))
    assert not list(tmp_path.iterdir())


class Evil:
    def __init__(self, *reduced: object) -> None:
        self.reduced = reduced

    def __reduce__(self) -> tuple[object, ...]:
        return self.reduced


@pytest.mark.parametrize(
    "value", [Evil(os.mkdir, ("evil",)), os.system, pickle.Unpickler, Evil(getattr, (Record, "__init__"))]
)
def test_reading_outcomes_executes_nothing(
    value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcomes = [(Record("u", "", carried={"a": value}), None)]
    data = b"".join(packed_parts((outcomes, {}), copyreg.dispatch_table))
    with pytest.raises(ValueError, match="no data"):
        unpacked(data)
    assert not list(tmp_path.iterdir())


def test_a_row_that_is_a_number_takes_no_memory() -> None:
    """Of a number, bytes() would make so many."""
    rows = Evil(journal_module._row, (1 << 50, ("url",)))
    data = b"".join(packed_parts(([(Record("u", ""), rows)], {}), copyreg.dispatch_table))
    with pytest.raises(ValueError, match="damaged"):
        unpacked(data)


def test_pages_do_not_wait_in_memory(tmp_path: Path) -> None:
    page = bytes(1000)
    with Checkpoint(str(tmp_path / "p"), {}) as checkpoint:
        before = sys.getrefcount(page)
        checkpoint.add(Record("u", page), None)
        assert sys.getrefcount(page) == before


def test_what_waits_is_written_after_large_pages(tmp_path: Path) -> None:
    """However few they are: their rows and queries are large, too."""
    files = [tmp_path / "p" / name for name in ("outcomes", "learnt")]
    with Checkpoint(str(tmp_path / "p"), {}) as checkpoint:
        for _ in range(3):
            checkpoint.given(Record("u", bytes(WAITING_BYTES // 3)))
            checkpoint.learn("s", (1,))
            checkpoint.add(Record("u", ""), None)
        assert [file.stat().st_size for file in files] == [0, 0]
        checkpoint.given(Record("u", bytes(3)))
        assert all(file.stat().st_size for file in files)


def test_packing_leaves_nothing_for_the_garbage_collector() -> None:
    """Else all that was packed would stay in memory until it comes round."""
    outcomes = [
        (Record(str(i), "", source=SourceRef("a", i, types={"a": pa.int64()})), None) for i in range(9)
    ]
    packed(outcomes)  # loads what it needs
    gc.collect()
    gc.disable()
    try:
        packed(outcomes)
        assert not gc.collect()
    finally:
        gc.enable()


def cut(data: bytes) -> bytes:
    return data[:-1]


def wrong_length(data: bytes) -> bytes:
    return b"\xff" + data[1:]


def wrong_batch(data: bytes) -> bytes:
    return data[:8] + b"\x00" * (len(data) - 8)


@pytest.mark.parametrize("damage", [cut, wrong_length, wrong_batch])
def test_damaged_outcomes_are_an_error(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    with Checkpoint(str(tmp_path / "p"), {}) as checkpoint:
        checkpoint.add(Record("u", ""), None)
        checkpoint.save(checkpoint.due_at(Position(CLEANING, 1, None)))
    journal = tmp_path / "p" / "outcomes"
    journal.write_bytes(damage(journal.read_bytes()))

    def read() -> None:
        with Checkpoint(str(tmp_path / "p"), {}) as again:
            list(again.outcomes())

    with pytest.raises(UserError, match="cannot be used"):
        read()


def test_outcomes_that_were_not_saved_do_not_count(tmp_path: Path) -> None:
    """As a kill leaves them: the journal is longer than the last checkpoint says."""
    saved, lost = Record("saved", ""), Record("lost", "")
    with Checkpoint(str(tmp_path / "p"), {}) as checkpoint:
        checkpoint.add(saved, None)
        checkpoint.save(checkpoint.due_at(Position(CLEANING, 1, None)))
        checkpoint.add(lost, None)
        checkpoint.due_at(Position(CLEANING, 2, None))
    with Checkpoint(str(tmp_path / "p"), {}) as again:
        assert [item.url for item, _ in again.outcomes()] == ["saved"]
        again.add(lost, None)
        again.save(again.due_at(Position(CLEANING, 2, None)))
        assert [item.url for item, _ in again.outcomes()] == ["saved", "lost"]
