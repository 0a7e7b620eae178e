"""Telling how far a run has come: on a terminal, as a log of JSON lines, and as numbers for Prometheus."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from detemplate.errors import UserError, counted
from detemplate.files.atomic import writing
from detemplate.files.jsonvalues import utc_now

if TYPE_CHECKING:
    import http.server
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Self

    from detemplate.io.sources.base import Source

Item = TypeVar("Item")

PAGES_A_STEP: Final = 16
"""Pages from one update of a progress bar to the next."""

SECONDS: Final = 30.0
"""Seconds from one line to the next."""

_HELP: Final = {  # types and meanings of the numbers for Prometheus
    "pages": ("counter", "Pages of this pass that are done."),
    "sites": ("gauge", "Sites of these pages."),
    "pages_per_second": ("gauge", "Pages a second since the last reading."),
    "memory_bytes": ("gauge", "Memory of the process and its workers."),
    "seconds": ("counter", "Seconds since the start."),
}


class Progress(Protocol):
    """Shows how far a run has come, for example as a bar on a terminal."""

    def begin(self, doing: str, total_bytes: int | None) -> None:
        """Start a pass that does something, in one word, to an input of so many stored bytes, if known."""

    def advance(self, pages: int, sites: int, bytes_read: int) -> None:
        """Show the pages and sites of this pass so far, and the bytes read of the input."""

    def end(self) -> None:
        """Finish: the run is over."""


class Meter:
    """Reads off a source how far a pass has come, and shows it now and then; its block ends the progress.

    ``progress``, ``source``: what shows it, None for nothing; the input that is read.
    ``pages_a_step``: pages from one update to the next; 1 where a page takes long.
    """

    def __init__(
        self, progress: Progress | None, source: Source, *, pages_a_step: int = PAGES_A_STEP
    ) -> None:
        self._progress = progress
        self._source = source
        self._step = pages_a_step
        self._doing = ""

    def begin(self, doing: str) -> None:
        """Start a pass over the source."""
        self._doing = doing
        if self._progress is not None:
            self._progress.begin(doing, self._source.total_bytes)

    def advance(self, pages: int, sites: int) -> None:
        """Show the pages and sites of this pass, every so many pages."""
        if self._progress is not None and pages % self._step == 0:
            self._progress.advance(pages, sites, self._source.bytes_read)

    def aside(self, doing: str, items: Iterable[Item]) -> Iterator[Item]:
        """Give the items of another pass, which is shown; then the present one begins again."""
        before = self._doing
        self.begin(doing)
        for pages, item in enumerate(items, 1):
            self.advance(pages, 0)
            yield item
        self.begin(before)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress is not None:
            self._progress.end()


class Watch:
    """Tells how a run goes; a context manager.

    ``log``, ``lines``: file for JSON lines, written as the run goes on; whether lines are printed on
        standard error.
    ``port``: port on 127.0.0.1 at which Prometheus reads the numbers; 0: any free one, which is then its
        ``port``.
    Raises UserError: the log cannot be written, or the port cannot be had.
    """

    def __init__(self, log: str | None = None, port: int | None = None, *, lines: bool = False) -> None:
        self._name = log or ""
        self._lines = lines
        self._start = self._told = time.monotonic()
        self._stage = ""
        self._pages = self._sites = self._pages_told = 0
        self._rejects: dict[str, int] = {}
        self._slowest: tuple[float, str] = (0.0, "")
        self._file = None
        self._server: http.server.ThreadingHTTPServer | None = None
        if log is not None:
            with writing(log):
                self._file = Path(log).open("w", encoding="utf-8")  # noqa: SIM115  # closed at the end
        if port is not None:
            self._server = _served(self, port)
        self.port = self._server.server_address[1] if self._server is not None else None

    def begin(self, stage: str) -> None:
        """Begin a pass."""
        self._stage, self._pages, self._pages_told, self._told = stage, 0, 0, time.monotonic()
        self._tell("begin")

    def page(self, url: str, seconds: float) -> None:
        """Note the time of a page."""
        if seconds > self._slowest[0]:
            self._slowest = seconds, url

    def advance(self, pages: int, sites: int, skipped: Mapping[str, int]) -> None:
        """Note how far a pass has come; tell it now and then."""
        self._pages, self._sites = pages, sites
        if time.monotonic() - self._told >= SECONDS:
            self._rejects = dict(skipped)
            self._tell()

    def _tell(self, event: str = "running") -> None:
        """Write a line, and begin to count for the next one."""
        numbers = self.numbers()
        if self._file is not None:
            seconds, url = self._slowest
            row = {"time": utc_now(), "event": event, "pass": self._stage, **numbers}
            row["rejects"] = self._rejects
            row["slowest"] = {"url": url, "seconds": round(seconds, 3)} if url else None
            with writing(self._name):
                self._file.write(json.dumps(row) + "\n")
                self._file.flush()
        if self._lines and event == "running":
            print(
                f"detemplate: {self._stage}: {counted(self._pages, 'page')} of "
                f"{counted(self._sites, 'site')}, {numbers['pages_per_second']:,.0f} pages/s",
                file=sys.stderr,
            )
        self._told, self._pages_told, self._slowest = time.monotonic(), self._pages, (0.0, "")

    def numbers(self) -> dict[str, Any]:
        """Return the numbers as they are now."""
        now = time.monotonic()
        rate = (self._pages - self._pages_told) / max(now - self._told, 1e-9)
        return {
            "pages": self._pages,
            "sites": self._sites,
            "pages_per_second": round(rate, 3),
            "memory_bytes": memory(),
            "seconds": round(now - self._start, 3),
        }

    def prometheus(self) -> str:
        """Return the numbers in Prometheus' text format."""
        lines = []
        for name, value in self.numbers().items():
            kind, about = _HELP[name]
            full = f"detemplate_{name}"
            lines += [f"# HELP {full} {about}", f"# TYPE {full} {kind}", f"{full} {value}"]
        name = "detemplate_skipped"
        lines += [f"# HELP {name} Items that were skipped.", f"# TYPE {name} counter"]
        lines += [f'{name}{{reason="{reason}"}} {count}' for reason, count in sorted(self._rejects.items())]
        return "\n".join(lines) + "\n"

    def end(self, skipped: Mapping[str, int]) -> None:
        """Write the last line."""
        self._rejects = dict(skipped)
        self._tell("end")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        if self._file is not None:
            with suppress(OSError):
                self._file.close()


def _served(watch: Watch, port: int) -> http.server.ThreadingHTTPServer:
    import http.server  # it takes longer to import than a page to clean

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/metrics":
                self.send_error(404)
                return
            body = watch.prometheus().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except (OSError, OverflowError) as error:
        raise UserError(f"cannot serve metrics on port {port}: {error}; name another port") from error
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def memory() -> int:
    """Return the resident memory of this process and its workers, in bytes; 0 where it cannot be read."""
    pids = [os.getpid()]
    with suppress(OSError, ValueError):
        children = Path(f"/proc/self/task/{threading.main_thread().native_id}/children").read_text("ascii")
        pids += [int(pid) for pid in children.split()]
    total = 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            total += int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return total * os.sysconf("SC_PAGESIZE")
