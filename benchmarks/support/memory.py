"""Memory of this process, as Linux counts it."""

from __future__ import annotations

import resource
from pathlib import Path


def peak_memory() -> int:
    """Give the peak of this process's resident memory, in bytes.

    Unlike ``getrusage``, this leaves out what the parent process held when it forked.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def resident_memory() -> int:
    """Give this process's resident memory, in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()
