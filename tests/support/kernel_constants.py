"""Reads the constants that kernels state, to compare them with those of the Python side."""

from __future__ import annotations

import re
from ast import literal_eval
from pathlib import Path

import detemplate

_ROOT = Path(detemplate.__file__).parent
_ENUM = re.compile(r"^cdef enum:\n((?:    .*\n|\n(?=    ))+)", re.MULTILINE)
_MEMBER = re.compile(r"^    (\w+) = (\w+)", re.MULTILINE)
_DECLARED = re.compile(r"^(\w+) = cython\.declare\(cython\.\w+, (\S+)\)", re.MULTILINE)


def enums(path: str) -> list[dict[str, int]]:
    """Give the members of each enum of a ``.pxd`` file, by its path within the package."""
    text = (_ROOT / path).read_text()
    return [
        {name: literal_eval(value) for name, value in _MEMBER.findall(body)} for body in _ENUM.findall(text)
    ]


def declared(path: str) -> dict[str, float]:
    """Give the constants that a kernel declares with ``cython.declare``."""
    return {name: literal_eval(value) for name, value in _DECLARED.findall((_ROOT / path).read_text())}
