"""Work in processes of its own, within limits; memory and processor time of processes (Linux)."""

from __future__ import annotations

import os
import resource
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from detemplate.files.safepath import safe_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Result = TypeVar("Result")


def apart(task: Callable[..., Result], *arguments: object, **named: object) -> Result:
    """Run a function in a new process and return its result."""
    with safe_path(), ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(task, *arguments, **named).result()


class Overdue(Exception):  # noqa: N818
    """A process gave nothing for too long, or ended by itself; the message says which."""


def stream(task: Callable[..., Iterator[Any]], seconds: float, *arguments: object) -> Iterator[Any]:
    """Yield what a generator function yields in a new process; Overdue where an item takes too long."""
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, task, arguments), daemon=True)
    with safe_path():
        process.start()
    sender.close()
    try:
        while receiver.poll(seconds):
            last, item = receiver.recv()
            if last:
                return
            yield item
        raise Overdue(f"over {seconds:g} s")
    except EOFError:
        raise Overdue("ended by itself") from None
    finally:
        process.kill()
        process.join()


def _send(sender: Any, task: Callable[..., Iterator[Any]], arguments: tuple[object, ...]) -> None:  # noqa: ANN401
    for item in task(*arguments):
        sender.send((False, item))
    sender.send((True, None))


def memory(pid: int | str = "self", *, peak: bool = False) -> int:
    """Return the resident memory of a process, or its peak, in bytes; 0 after its end."""
    if sys.platform != "linux":  # only of this process, and only its peak
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with suppress(OSError, IndexError):
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
        return int(status.partition("VmHWM:" if peak else "VmRSS:")[2].split()[0]) * 1024
    return 0


def work(pid: int, *, ended: bool = False) -> float:
    """Return the processor time of a process in seconds, and of those it waited for; 0 after its end."""
    return sum(map(int, _stat(pid)[11 : 15 if ended else 13])) / os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    with suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]
    return []


def below(pid: int) -> list[int]:
    """Return all processes below one: its children, their children, …."""
    parents = {
        int(path.name): int(fields[1])
        for path in Path("/proc").glob("[0-9]*")
        if (fields := _stat(path.name))
    }
    found = [pid]
    for above in found:  # it grows on the way
        found += [process for process, parent in parents.items() if parent == above]
    return found[1:]


def all_work() -> float:
    """Return the processor time of this process and of all below it, those that ended included."""
    return time.process_time() + sum(work(pid, ended=True) for pid in below(os.getpid()))


def _stat(pid: int | str) -> list[str]:
    """Return what /proc says of a process, from its state on; nothing after its end."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return []
