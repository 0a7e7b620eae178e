"""Messages between the owner and a worker: packed, with their length, over a pair of sockets.

The owner never waits for one worker: its end reads and writes what is possible at once. A worker waits for
its next message and for room to answer.
"""

from __future__ import annotations

import socket
import struct
from collections import deque
from itertools import islice
from typing import Any, Final

from detemplate.engines.workers.packing import packed, unpacked

_LENGTH: Final = struct.Struct("<Q")
"""Before each message: its length in bytes."""

_READ: Final = 1 << 20
"""Most bytes that are read at once."""

_PARTS: Final = 64
"""Parts of messages that are written at once."""

_BUFFER: Final = 1 << 20
"""Size of a socket's buffers in bytes, as far as the system allows it."""


def _framed(message: object) -> tuple[memoryview, memoryview]:
    data = packed(message)
    return memoryview(_LENGTH.pack(len(data))), data


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
        return unpacked(data)

    def send(self, message: object) -> None:
        """Send a message; raises OSError if the owner is gone."""
        head, data = _framed(message)
        sent = self._sock.sendmsg((head, data)) - len(head)
        if sent < 0:
            self._sock.sendall(head[sent:])
        if sent < len(data):
            self._sock.sendall(data[max(sent, 0) :])


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
        self._out: deque[memoryview] = deque()
        self._in = bytearray()
        self._read_into = memoryview(bytearray(_READ))

    @property
    def waiting(self) -> bool:
        """Whether something is still to be written."""
        return bool(self._out)

    def send(self, message: object) -> None:
        """Take a message to send, and write as much of it as is possible at once."""
        self._out.extend(_framed(message))
        self.write()

    def write(self) -> None:
        """Write what is possible at once; what a dead worker does not read is dropped."""
        try:
            while self._out:
                sent = self.sock.sendmsg(islice(self._out, _PARTS))
                while self._out and sent >= len(self._out[0]):
                    sent -= len(self._out.popleft())
                if sent:
                    self._out[0] = self._out[0][sent:]
        except (BlockingIOError, InterruptedError):
            return
        except OSError:  # reading tells that the worker is gone
            self._out.clear()

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
                messages.append(unpacked(part))
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
