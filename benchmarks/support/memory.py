"""Memory of this process. Exact on Linux; elsewhere both figures are the peak that ``getrusage`` gives."""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Final

_LINUX: Final = sys.platform == "linux"


def peak_memory() -> int:
    """Give the peak of this process's resident memory, in bytes.

    On Linux this leaves out what the parent process held when it forked, unlike ``getrusage``.
    """
    if not _LINUX:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def resident_memory() -> int:
    """Give this process's resident memory, in bytes."""
    if not _LINUX:
        return peak_memory()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()
