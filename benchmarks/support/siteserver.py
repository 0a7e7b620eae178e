"""Sites served over HTTP on this machine: directly by 127.0.0.x, and under any host name as a proxy."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self


@dataclass
class Answer:
    """What the server answers to a request."""

    body: bytes = b""
    status: int = 200
    type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    cut: int = 0  # bytes that are missing at the end of the body


class Asked(NamedTuple):
    """A request that came."""

    time: float
    host: str
    target: str
    agent: str


class SiteServer:
    """Serves pages by URL without scheme (or host: on all): an answer, a function that makes one, or text."""

    def __init__(
        self,
        pages: Mapping[str, Answer | str | Callable[[str], Answer]],
        *,
        compressed: bool = False,
        port: int = 0,
    ) -> None:
        self.pages = dict(pages)
        self.compressed = compressed
        self.log: list[Asked] = []
        self._lock = threading.Lock()
        self.port = port
        self._server: _Server | None = None

    def start(self) -> None:
        """Start it, in threads."""
        serving = self

        class Handler(_Handler):
            site = serving

        self._server = _Server(("0.0.0.0", self.port), Handler)  # all of 127.0.0.x
        self.port = int(self._server.server_address[1])
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()

    def stop(self) -> None:
        """End it, and all connections."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            for connection in self._server.open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._server = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def proxy(self) -> str:
        """Its URL as a proxy."""
        return f"http://127.0.0.1:{self.port}"

    def url(self, number: int = 1, path: str = "/") -> str:
        """Give a URL of 127.0.0.NUMBER."""
        return f"http://127.0.0.{number}:{self.port}{path}"

    @property
    def targets(self) -> list[str]:
        """What was asked for, without robots.txt."""
        return [one.host + one.target for one in self.log if one.target != "/robots.txt"]

    def answer(self, host: str, target: str, agent: str) -> Answer:
        """Give the answer to a request, and log it."""
        with self._lock:
            self.log.append(Asked(time.monotonic(), host, target, agent))
        path = target.partition("?")[0]
        name = host.rpartition(":")[0] or host
        found = next(
            (self.pages[key] for key in (name + target, name + path, target, path, "*") if key in self.pages),
            Answer(b"<h1>not here</h1>", 404),
        )
        if callable(found):
            found = found(target)
        return Answer(found.encode()) if isinstance(found, str) else found


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.open: set[socket.socket] = set()
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        self.open.add(request)
        super().process_request(request, client_address)

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that are gone."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for head and body: else each answer waits for an acknowledgement
    disable_nagle_algorithm = True
    site: SiteServer

    def do_GET(self) -> None:
        host, target = self.headers.get("Host", ""), self.path
        if "://" in target:
            parts = urlsplit(target)
            host, target = parts.netloc, parts.path + (f"?{parts.query}" if parts.query else "")
        answer = self.site.answer(host, target, self.headers.get("User-Agent", ""))
        if answer.wait:
            time.sleep(answer.wait)
        body = answer.body
        headers = {"Content-Type": answer.type, **answer.headers} if answer.type else dict(answer.headers)
        if self.site.compressed and answer.type.startswith("text/html") and "Content-Encoding" not in headers:
            body, headers["Content-Encoding"] = gzip.compress(body, mtime=0), "gzip"
        self.send_response(answer.status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) - answer.cut])
        if answer.cut:
            self.wfile.flush()
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Print nothing."""
