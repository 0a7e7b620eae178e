"""Jobs of an experiment spread over processes. Results do not depend on the number of processes."""

from __future__ import annotations

import os
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, Final, TypeVar

from detemplate.files.safepath import safe_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

Shared = TypeVar("Shared")
Job = TypeVar("Job")
Result = TypeVar("Result")

_AHEAD: Final = 8  # jobs a process that are read ahead: bounds memory
_worker: list[Any] = []  # in a worker process: the function and its first argument


def process_count(*, quick: bool) -> int:
    """Return the number of processes of a run: one for a quick run, else one a core."""
    return 1 if quick else os.cpu_count() or 1


def results_in_order(
    work: Callable[[Shared, Job], Result], shared: Shared, jobs: Iterable[Job], processes: int
) -> Iterator[tuple[Job, Result]]:
    """Run a module's function over jobs, in processes if several; yield each with its result, in order."""
    if processes == 1:
        for job in jobs:
            yield job, work(shared, job)
        return
    context = get_context("spawn")  # the progress bar runs a thread: forking would be unsafe
    with (
        safe_path(),
        ProcessPoolExecutor(processes, context, initializer=_start, initargs=(work, shared)) as pool,
    ):
        waiting: deque[tuple[Job, Future[Result]]] = deque()
        for job in jobs:
            waiting.append((job, pool.submit(_run, job)))
            if len(waiting) > _AHEAD * processes:
                first, future = waiting.popleft()
                yield first, future.result()
        for job, future in waiting:
            yield job, future.result()


def _start(work: Callable[[Any, Any], Any], shared: Any) -> None:  # noqa: ANN401
    _worker[:] = [work, shared]


def _run(job: Any) -> Any:  # noqa: ANN401
    work, shared = _worker
    return work(shared, job)
