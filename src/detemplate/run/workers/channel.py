"""Messages between the owner and a worker: packed, with their length, over a pair of sockets.

The owner never waits for one worker: its end reads and writes what is possible at once. A worker waits for
its next message and for room to answer.
"""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, Any, Final

from detemplate.run.pieces import MOST, unwritten
from detemplate.run.workers.packing import packed_parts, unpacked_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

_LENGTH: Final = struct.Struct("<Q")
"""Before each message: its length in bytes."""

_READ: Final = 1 << 20
"""Most bytes that are read at once."""

_BUFFER: Final = 1 << 20
"""Size of a socket's buffers in bytes, as far as the system allows it."""


def _framed(message: object) -> list[memoryview]:
    parts = packed_parts(message)
    return [memoryview(_LENGTH.pack(sum(map(len, parts)))), *parts]


class WorkerEnd:
    """A worker's end: waits until a message is read or written.

    Parameters
    ----------
    sock
        The worker's socket.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._file = sock.makefile("rb", buffering=_READ)

    def receive(self) -> Any:  # noqa: ANN401  # any message
        """Return the next message; raises EOFError if the owner is gone."""
        head = self._file.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            raise EOFError
        size = _LENGTH.unpack(head)[0]
        data = self._file.read(size)
        if len(data) < size:
            raise EOFError
        return unpacked_parts(memoryview(data))

    def send(self, message: object) -> None:
        """Send a message; raises OSError if the owner is gone."""
        parts: Sequence[memoryview] = _framed(message)
        while parts:
            parts = unwritten(parts, self._sock.sendmsg(parts[:MOST]))


class OwnerEnd:
    """The owner's end: reads and writes without waiting.

    Parameters
    ----------
    sock
        The owner's socket.
    """

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.sock = sock
        self._out: Sequence[memoryview] = ()
        self._in = bytearray()
        self._read_into = memoryview(bytearray(_READ))

    @property
    def waiting(self) -> bool:
        """Whether something is still to be written."""
        return bool(self._out)

    def send(self, message: object) -> None:
        """Take a message to send, and write as much of it as is possible at once."""
        self._out = [*self._out, *_framed(message)]
        self.write()

    def write(self) -> None:
        """Write what is possible at once; what a dead worker does not read is dropped."""
        try:
            while self._out:
                self._out = unwritten(self._out, self.sock.sendmsg(self._out[:MOST]))
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # reading tells that the worker is gone
            self._out = ()

    def read(self) -> tuple[list[Any], bool]:
        """Read what is there.

        Returns
        -------
        messages : list
            Whole messages, in order.
        alive : bool
            False if the worker has closed its end.
        """
        alive = True
        try:
            while size := self.sock.recv_into(self._read_into):
                self._in += self._read_into[:size]
                if size < _READ // 16:
                    break
            else:
                alive = False
        except (BlockingIOError, InterruptedError):
            pass
        except OSError:
            alive = False
        return self._messages(), alive

    def _messages(self) -> list[Any]:
        messages, at, data = [], 0, self._in
        while len(data) - at >= _LENGTH.size:
            start = at + _LENGTH.size
            stop = start + _LENGTH.unpack_from(data, at)[0]
            if len(data) < stop:
                break
            with memoryview(data) as view, view[start:stop] as part:
                messages.append(unpacked_parts(part))
            at = stop
        if at:
            del data[:at]
        return messages

    def close(self) -> None:
        """Close the socket."""
        self.sock.close()


def channel() -> tuple[OwnerEnd, socket.socket]:
    """Open a channel; return the owner's end, and the worker's socket for :class:`WorkerEnd`."""
    ours, theirs = socket.socketpair()
    for sock in (ours, theirs):
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            sock.setsockopt(socket.SOL_SOCKET, option, _BUFFER)
    return OwnerEnd(ours), theirs
