"""What all tests share: the measuring data, the settings of generated tests, and what is not done twice."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.commands import cli
from tests.support.programs import installed_chromium, lack, lacks_java

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# A busy machine is no failure. On CI, the same examples every time: a red build must be repeatable.
_SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)
settings.register_profile("local", max_examples=50, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("ci", max_examples=30, deadline=None, suppress_health_check=_SLOW, derandomize=True)
settings.register_profile("deep", max_examples=2000, deadline=None, suppress_health_check=_SLOW)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The measuring data; skips the test where there is none."""
    root = Path(__file__).parents[1]
    path = Path(os.environ.get("DETEMPLATE_DATA", root / ".." / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"no measuring data at {path} (set DETEMPLATE_DATA)")
    return path


@pytest.fixture(scope="session", autouse=True)
def one_worker() -> Iterator[None]:
    """Commands have one worker, wherever tests do not say how many: each is a process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
        yield


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run the command with these words; return what it prints."""

    def run(*words: object) -> str:
        capsys.readouterr()
        cli(*words)
        return capsys.readouterr().out

    return run


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run the command with these words; return what it says on standard error: one line where it fails."""

    def run(*words: object, code: int = 0) -> str:
        capsys.readouterr()
        cli(*words, code=code)
        out, err = capsys.readouterr()
        assert code == 0 or (err.startswith("detemplate: ") and err.count("\n") == 1 and not out), (out, err)
        return err

    return run


@pytest.fixture(scope="session")
def java() -> None:
    """Skip the test where Spark would find no Java."""
    if reason := lacks_java():
        lack(reason, "DETEMPLATE_REQUIRE_JAVA")


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The installed Chromium; skips the test where there is none."""
    return installed_chromium()


@pytest.fixture(scope="session")
def spark(java: None) -> Iterator[SparkSession]:
    """A running Spark, which all tests of a process share."""
    from tests.support.sparksession import started

    with started() as running:
        yield running


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage among tests and modules: they stay, and are many in a run of all tests.

    It takes a third of the time in which tests are collected; and processes that tests fork would look again.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items):
    """Run the tests on Spark first: they follow each other, so that one process starts a Spark, and no other.

    Leave out those that take minutes, unless they are asked for.
    """
    if not os.environ.get("DETEMPLATE_SLOW"):
        for item in items:
            if item.get_closest_marker("slow") is not None:
                item.add_marker(pytest.mark.skip(reason="takes minutes: DETEMPLATE_SLOW=1 runs it"))
    items.sort(key=lambda item: "java" not in item.fixturenames and "[docs/spark.md]" not in item.name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """After a whole collection, look no more at what it left: modules and caches, more with each test file."""
    before = gc.get_stats()[2]["collections"]
    try:
        return (yield)
    finally:
        if gc.get_stats()[2]["collections"] > before:
            gc.freeze()


def pytest_unconfigure():
    gc.unfreeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Where the measuring data must be there, a test that skips for want of it fails."""
    report = yield
    needs_data = item.get_closest_marker("data") is not None or "data_dir" in item.fixturenames
    if report.skipped and needs_data and os.environ.get("DETEMPLATE_REQUIRE_DATA"):
        report.outcome = "failed"
        report.longrepr = f"skipped although the measuring data is required: {report.longrepr}"
    return report
