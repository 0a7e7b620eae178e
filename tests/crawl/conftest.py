"""Crawls in processes of their own: Scrapy's reactor runs once a process."""

import os
import stat
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module

import pytest

from tests.support.forked import Forked

pytest.importorskip("scrapy")


def leave_sockets():
    """Put something else in place of inherited sockets: what the server closes must be closed."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3, 256):
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                os.dup2(nothing, number)


def components(setting):
    """Give the modules of Scrapy that a default setting names."""
    if isinstance(setting, str) and setting.startswith("scrapy."):
        yield setting.rpartition(".")[0]
    elif isinstance(setting, dict):
        for part in (*setting, *setting.values()):
            yield from components(part)


@cache
def load():
    """Load all that a crawl needs, before the first fork: each crawl would load it again.

    Scrapy asks who imports some of its modules, which takes seconds where many modules are loaded.
    """
    from scrapy.settings import default_settings

    from detemplate import Cleaner

    own = ("crawl.run", "io.sinks.open", "io.sources.warc", "report.terminal")
    named = {name for setting in vars(default_settings).values() for name in components(setting)}
    for module in (*(f"detemplate.{name}" for name in own), *sorted(named)):
        import_module(module)
    assert "twisted.internet.reactor" not in sys.modules, "each crawl starts a reactor of its own"
    Cleaner(site_by="domain").learn_and_clean(("http://example.org/", "<p>warm up"))


class Crawling(Forked):
    """A crawl that runs."""

    def __init__(self, folder, arguments):
        from detemplate.cli import main

        def work():
            leave_sockets()
            return main(["crawl", *map(str, arguments)])

        load()
        super().__init__(work, folder)


@pytest.fixture
def start(tmp_path):
    """Start a crawl in the test's folder; every server of the tests is on this machine, and quick."""

    def begin(*arguments, delay=0.0):
        return Crawling(tmp_path, (*arguments, "--delay", delay, "--allow-private"))

    return begin


@pytest.fixture
def crawl(start):
    """Crawl, and wait for the end."""
    return lambda *arguments, **given: start(*arguments, **given).wait()
