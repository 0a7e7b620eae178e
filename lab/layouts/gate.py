"""A gate to the network: a SOCKS proxy on this machine that connects to public addresses only.

A page from a crawl may name addresses of the machine or of the network in which it is rendered. A browser
would fetch them. So it has no other way to the network than this gate, which looks names up itself: what it
has checked is what it connects to, whatever the name's server says next.
"""

from __future__ import annotations

import select
import socket
import struct
import threading
from contextlib import suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import TYPE_CHECKING, Final, Self

from detemplate.crawl.options import is_public

if TYPE_CHECKING:
    from collections.abc import Callable

_SECONDS: Final = 30.0  # time without data after which a connection ends
_CHUNK: Final = 1 << 16
_VERSION, _CONNECT = 5, 1  # SOCKS 5 (RFC 1928), and its only command that is served
_IPV4, _NAME, _IPV6 = 1, 3, 4  # kinds of addresses
_DONE, _REFUSED, _FAILED, _UNKNOWN_COMMAND = 0, 2, 4, 7  # answers


class Gate:
    """A SOCKS 5 proxy on a free `port` of this machine, in a thread; it connects to `allowed` addresses."""

    def __init__(self, allowed: Callable[[str], bool] = is_public) -> None:
        class Handler(_Connection):
            is_allowed = staticmethod(allowed)

        self._server = _Server(("127.0.0.1", 0), Handler)
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: what a browser or a server breaks off is no error."""


class _Connection(StreamRequestHandler):
    """One connection of a client."""

    timeout = _SECONDS
    is_allowed: Callable[[str], bool]

    def handle(self) -> None:
        """Read the request, connect, and pass data on."""
        version, methods = self._read("!BB")
        self.rfile.read(methods)
        if version != _VERSION:
            return
        self.wfile.write(bytes([_VERSION, 0]))  # no authentication
        _, command, _, kind = self._read("!BBBB")
        if kind == _NAME:
            host = self.rfile.read(*self._read("!B")).decode("ascii", "replace")
        else:
            family, size = (socket.AF_INET, 4) if kind == _IPV4 else (socket.AF_INET6, 16)
            host = socket.inet_ntop(family, self.rfile.read(size))
        (port,) = self._read("!H")
        if command != _CONNECT:
            self._answer(_UNKNOWN_COMMAND)
            return
        code, server = self._connected(host, port)
        self._answer(code)
        if server is not None:
            with server:
                _pass_on(self.connection, server)

    def _read(self, form: str) -> tuple[int, ...]:
        return struct.unpack(form, self.rfile.read(struct.calcsize(form)))

    def _answer(self, code: int) -> None:
        self.wfile.write(struct.pack("!BBBB4sH", _VERSION, code, 0, _IPV4, bytes(4), 0))

    def _connected(self, host: str, port: int) -> tuple[int, socket.socket | None]:
        """Connect to the first address of a host that answers, if all of its addresses are allowed."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return _FAILED, None
        if not all(self.is_allowed(str(address[0])) for *_, address in found):
            return _REFUSED, None
        for family, kind, protocol, _, address in found:
            server = socket.socket(family, kind, protocol)
            server.settimeout(_SECONDS)
            with suppress(OSError):
                server.connect(address)
                return _DONE, server
            server.close()
        return _FAILED, None


def _pass_on(one: socket.socket, two: socket.socket) -> None:
    """Pass data on in both directions, until one side ends or nothing comes for long."""
    other = {one: two, two: one}
    while ready := select.select([one, two], [], [], _SECONDS)[0]:
        for source in ready:
            data = source.recv(_CHUNK)
            if not data:
                return
            other[source].sendall(data)
