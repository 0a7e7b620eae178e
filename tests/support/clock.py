"""Processor time, for tests that compare the time of an input with that of another."""

import time
from collections.abc import Callable


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """Give the least processor time of a few runs, in seconds; it is never 0."""
    least = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return max(least, 1e-6)
