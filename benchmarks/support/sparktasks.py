"""Tasks of a Spark on this machine: rows and seconds of each, memory and time of its processes."""

from __future__ import annotations

import json
import os
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.request import urlopen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


class Stage(NamedTuple):
    """One stage.

    Attributes
    ----------
    number
        Its number; later stages have higher ones.
    name
        The description of its job.
    rows
        Rows that each task read of shuffles.
    seconds
        Wall-clock time of each task.
    """

    number: int
    name: str
    rows: list[int]
    seconds: list[float]


def from_interface(spark: SparkSession, what: str) -> Any:  # noqa: ANN401  # JSON
    """Ask the REST interface of Spark's user interface."""
    context = spark.sparkContext
    url = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{what}"
    with urlopen(url, timeout=60) as answer:
        return json.load(answer)


def stages(spark: SparkSession, after: int = -1) -> list[Stage]:
    """Return the finished stages with a number above ``after``, in their order."""
    found = []
    for stage in from_interface(spark, "stages?status=complete&details=true"):
        if stage["stageId"] <= after:
            continue
        done = [task for task in stage["tasks"].values() if task["status"] == "SUCCESS"]
        rows = [task["taskMetrics"]["shuffleReadMetrics"]["recordsRead"] for task in done]
        seconds = [task["taskMetrics"]["executorRunTime"] / 1000 for task in done]
        found.append(Stage(stage["stageId"], stage.get("description") or stage["name"], rows, seconds))
    return sorted(found)


class Peaks:
    """Peaks of resident memory of processes, in bytes, by their numbers."""

    def __init__(self) -> None:
        self.workers: dict[int, int] = {}

    @property
    def largest(self) -> int:
        """The largest of them."""
        return max(self.workers.values(), default=0)

    def look(self) -> None:
        """Look at all Python processes below this one."""
        for process in _processes():
            try:
                status = Path(f"/proc/{process}/status").read_text()
                if status.startswith("Name:\tpython"):
                    peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
                    self.workers[process] = max(peak, self.workers.get(process, 0))
            except (OSError, IndexError):
                continue


def processor_seconds() -> float:
    """Return the processor time of this process and of all below it, those that ended included (Linux)."""
    ticks = sum(sum(int(value) for value in fields[11:15]) for fields in _processes().values())
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def _processes() -> dict[int, list[str]]:
    """Return the processes below this one: what ``/proc`` says of each, from its state on."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found[int(folder.name)] = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
    parents = {process: int(fields[1]) for process, fields in found.items()}
    return {
        process: fields
        for process, fields in found.items()
        if process != os.getpid() and _below(process, parents)
    }


def _below(process: int, parents: dict[int, int]) -> bool:
    """Tell whether a process comes from this one."""
    while process in parents:
        process = parents[process]
        if process == os.getpid():
            return True
    return False


@contextmanager
def watched_memory(every: float = 0.5) -> Iterator[Peaks]:
    """Watch the memory of Spark's Python processes (Linux)."""
    peaks, over = Peaks(), threading.Event()

    def watch() -> None:
        while not over.wait(every):
            peaks.look()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peaks
    finally:
        over.set()
        thread.join()
