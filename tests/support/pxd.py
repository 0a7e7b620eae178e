"""Constants that kernels read from .pxd files."""

from __future__ import annotations

import re
from pathlib import Path

import detemplate

_BLOCK = re.compile(r"cdef enum:\n((?:    .*\n|\n)+)")
_NUMBER = re.compile(r"    ([A-Z_0-9]+)(?: = (\S+))?")
_DEFINED = re.compile(r"#define DETEMPLATE_([A-Z_0-9]+) (\S+)")


def constants(path: str) -> dict[str, float]:
    """Read the enums, and the constants by ``#define``, of a .pxd file in the package's folder."""
    text = (Path(detemplate.__file__).parent / path).read_text(encoding="utf-8")
    found: dict[str, float] = {}
    for block in _BLOCK.findall(text):
        number = 0
        for name, value in _NUMBER.findall(block):
            number = int(value, 0) if value else number
            found[name] = number
            number += 1
    for name, value in _DEFINED.findall(text):
        found[name] = int(value[:-3], 0) if value.endswith("ULL") else float(value)
    assert found
    return found
