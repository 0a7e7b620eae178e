"""Messages between the owner of a run and its workers, whole and in pieces."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from detemplate.io.record import Record, SourceRef
from detemplate.run.appended import AppendedFile
from detemplate.run.pieces import unwritten
from detemplate.run.workers.channel import WorkerEnd, channel
from detemplate.run.workers.packing import packed_parts, split_parts, unpacked_parts


@given(st.lists(st.binary(max_size=5), max_size=6), st.data())
def test_what_is_unwritten_is_the_rest(pieces: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(pieces)
    written = data.draw(st.integers(0, len(whole)))
    left = unwritten([memoryview(piece) for piece in pieces], written)
    assert b"".join(left) == whole[written:]
    assert not left or written + sum(map(len, left)) == len(whole)
    assert all(written == len(whole) or len(piece) for piece in left[:1])


PAGES = ["<p>plain", "<p>wide \u4e16 \U0001f600", "<p>half \ud800 of a pair", b"<p>bytes \xff", "", b""]


@pytest.mark.parametrize("html", PAGES)
def test_records_are_packed_with_their_pages_and_without_the_rest(html: str | bytes) -> None:
    record = Record("u", html, "latin-1", "text/html", "site", {"a": 1}, SourceRef("in", 3))
    lean = Record("u", html, "latin-1", "text/html", "site")
    assert unpacked_parts(joined([(1, record)])) == [(1, lean)]
    whole = joined([(1, record), (2, [replace(record)])])
    assert len(split_parts(whole)) == 3  # the pages are parts of their own
    assert unpacked_parts(whole) == [(1, lean), (2, [lean])]


def joined(message: object) -> memoryview:
    return memoryview(b"".join(packed_parts(message)))


def test_arrays_can_be_changed_as_before() -> None:
    arrays = [np.arange(100_000), np.zeros((3, 4), np.uint8), np.zeros(0), np.array(["a", None])]
    assert len(split_parts(joined(arrays))) == 1
    found = unpacked_parts(joined(arrays))
    for array, other in zip(arrays, found, strict=True):
        np.testing.assert_array_equal(array, other)
        other[:] = other


def test_messages_larger_than_a_socket_takes_at_once() -> None:
    sent: list[Any] = [
        [(1, number, Record(f"u{number}", "<p>\u00e9" * (50_000 * number))) for number in range(30)],
        "short",
        [(2, 0, bytes(3 << 20))],
    ]
    owner, sock = channel()
    received: list[Any] = []

    def work() -> None:
        end = WorkerEnd(sock)
        for _ in sent:
            received.append(end.receive())
            end.send(received[-1])
        sock.close()

    worker = threading.Thread(target=work)
    worker.start()
    back: list[Any] = []
    alive = True
    for message in sent:
        owner.send(message)
    while alive:
        owner.write()
        found, alive = owner.read()
        back += found
    worker.join()
    assert not owner.waiting
    assert received == back == sent
    owner.close()


def test_an_owner_drops_what_a_dead_worker_does_not_read() -> None:
    owner, sock = channel()
    owner.send("x" * (8 << 20))
    assert owner.waiting
    sock.close()
    owner.write()
    assert not owner.waiting
    assert owner.read() == ([], False)
    owner.close()


def test_pieces_are_appended_after_what_waits(tmp_path: Any) -> None:
    path = tmp_path / "file"
    file = AppendedFile(str(path), 0)
    file.add(b"waits ")
    file.append([b"", b"two ", b"pieces ", *[b"x"] * 3000])
    file.add(b" end")
    assert file.sync() == path.stat().st_size == len(b"waits two pieces  end") + 3000
    assert path.read_bytes() == b"waits two pieces " + b"x" * 3000 + b" end"
    assert file.read(6, 4) == b"two "
    file.close()
