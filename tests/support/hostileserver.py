"""A server whose answers do not end, come byte by byte, or are none."""

import gzip
import socketserver
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import repeat
from threading import Thread
from typing import Final

_OK: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_FINE: Final = b"<title>fine</title><p>a page among traps"
_BOMB: Final = gzip.compress(bytes(1 << 25))
_PACKED: Final = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(_BOMB)
_PAUSE: Final = 0.05  # seconds between two pieces that come slowly

TRAPS: Final = {
    "charset": (_OK[:-2] + b"; charset=klingon\r\nContent-Length: %d\r\n\r\n" % len(_FINE), _FINE, 1),
    "endless": (_OK + b"Transfer-Encoding: chunked\r\n\r\n", b"fff\r\n" + b"<p>more" * 585 + b"\r\n", 0),
    "unbounded": (_OK + b"\r\n", b"<p>more " * 500, 0),
    "bomb": (_OK + _PACKED, _BOMB, 1),
    "drip": (_OK + b"Content-Length: 100000\r\n\r\n", b"x", 0),
    "headers": (_OK, b"X-Again: and again\r\n", 0),
    "header": (_OK + b"X-Long: ", b"long" * 1000, 0),
    "silent": (b"", b"", 0),
    "junk": (b"SSH-2.0-nothing\r\n\r\n" + bytes(range(256)), b"", 1),
    "lengths": (_OK + b"Content-Length: 3\r\nContent-Length: 900\r\n\r\nabc", b"", 1),
    "chunks": (_OK + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\nabc", b"", 1),
    "cut": (_OK + b"Content-Length: 900\r\n\r\n<p>cut", b"", 1),
    "status": (b"HTTP/1.1 99999 WHAT\r\n\r\n<p>x", b"", 1),
}
"""Answers by path: their beginning, a piece that follows, and how often it does; 0: for ever."""

_SLOW: Final = {"drip", "silent"}
_LINKS: Final = "".join(f"<p><a href=/{name}>to {name}</a>" for name in TRAPS).encode()


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        path = self.rfile.readline().decode("latin-1").split(" ")[1].removeprefix("/")
        while self.rfile.readline().strip():
            pass
        home = _OK + b"Content-Length: %d\r\n\r\n" % len(_LINKS), _LINKS, 1
        robots = b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n", b"", 1
        begin, piece, times = robots if path == "robots.txt" else TRAPS.get(path, home)
        with suppress(OSError):
            self.wfile.write(begin)
            for _ in repeat(None, times) if times else repeat(None):
                self.wfile.write(piece)
                if path in _SLOW:
                    time.sleep(_PAUSE)

    def finish(self) -> None:
        with suppress(OSError):
            super().finish()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False


@contextmanager
def hostile_server() -> Iterator[str]:
    """Serve a page that links to all traps; gives its URL, without the path."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
