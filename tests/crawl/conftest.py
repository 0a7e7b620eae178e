"""Crawls in processes of their own: Scrapy's reactor runs once a process."""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
import traceback
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path  # noqa: TC003  # fixtures are read at run time
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytest.importorskip("scrapy")


class Run(NamedTuple):
    """How a crawl ended."""

    code: int
    err: str


def leave_sockets() -> None:
    """Put something else in place of inherited sockets: what the server closes must be closed."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3, 256):
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                os.dup2(nothing, number)


def components(setting: object) -> Iterator[str]:
    """Give the modules of Scrapy that a default setting names."""
    if isinstance(setting, str) and setting.startswith("scrapy."):
        yield setting.rpartition(".")[0]
    elif isinstance(setting, dict):
        for part in (*setting, *setting.values()):
            yield from components(part)


@cache
def load() -> None:
    """Load all that a crawl needs, before the first fork: each crawl would load it again.

    Scrapy asks who imports some of its modules, which takes seconds where many modules are loaded.
    """
    from scrapy.settings import default_settings

    from detemplate import Cleaner

    own = (
        "crawl.focus",
        "crawl.run",
        "crawl.settings",
        "io.sinks.open",
        "io.sources.warc",
        "report.progress",
    )
    named = {name for setting in vars(default_settings).values() for name in components(setting)}
    for module in (*(f"detemplate.{name}" for name in own), *sorted(named)):
        import_module(module)
    assert "twisted.internet.reactor" not in sys.modules, "each crawl starts a reactor of its own"
    Cleaner(site_by="domain").learn_and_clean(("http://example.org/", "<p>warm up"))


class Crawling:
    """A crawl that runs."""

    def __init__(self, folder: Path, arguments: tuple[object, ...]) -> None:
        from detemplate.cli import main

        load()
        self._err = folder / f"stderr-{time.monotonic_ns()}"
        words = ["crawl", *map(str, arguments)]
        self.pid = os.fork()
        if self.pid:
            return
        code = 99
        try:
            leave_sockets()
            os.chdir(folder)
            handle = os.open(self._err, os.O_CREAT | os.O_WRONLY)
            os.dup2(handle, 2)
            sys.stderr = os.fdopen(2, "w", buffering=1)
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.default_int_handler)
            code = main(words)
        except BaseException:  # noqa: BLE001
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)

    def send(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait(self, seconds: float = 240) -> Run:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return Run(
                    os.waitstatus_to_exitcode(status), self._err.read_text() if self._err.exists() else ""
                )
            time.sleep(0.02)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError(f"the crawl goes on and on: {self._err.read_text()}")


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., Crawling]:
    """Start a crawl in the test's folder; every server of the tests is on this machine, and quick."""

    def begin(*arguments: object, delay: float = 0.0) -> Crawling:
        return Crawling(tmp_path, (*arguments, "--delay", delay, "--allow-private"))

    return begin


@pytest.fixture
def crawl(start: Callable[..., Crawling]) -> Callable[..., Run]:
    """Crawl, and wait for the end."""
    return lambda *arguments, **given: start(*arguments, **given).wait()
