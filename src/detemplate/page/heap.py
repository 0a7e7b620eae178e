"""Memory that one page leaves stays with the process for the next page.

The C library of Linux (glibc) gives free memory at the end of its heap back to the system, from 128 KiB on.
A page's DOM takes more. So the memory of each page would go, and come again for the next one, a page fault
for every 4 KiB: up to a quarter of the time of method ``segments``. By itself, glibc raises the limit to
twice the size of the largest block outside of the heap that was ever freed (``mallopt(3)``,
``M_MMAP_THRESHOLD``). So one such block is asked for and freed, without being touched.
"""

from __future__ import annotations

from typing import Final

import numpy as np

KEPT: Final = 1 << 24
"""Bytes of free memory at the end of the heap that the process keeps."""


def keep_heap() -> None:
    """Let the process keep :data:`KEPT` bytes; without effect where the C library is not glibc."""
    np.empty(KEPT // 2, np.uint8)
