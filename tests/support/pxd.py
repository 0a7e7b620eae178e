"""Reading the constants of kernels and of their ``.pxd`` files, to compare them with those of Python modules."""

from __future__ import annotations

import re
from ast import literal_eval
from pathlib import Path
from typing import TYPE_CHECKING

import detemplate

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROOT = Path(detemplate.__file__).parent
_ENUM = re.compile(r"^cdef enum:.*\n((?:    .*\n|\n(?=    ))+)", re.MULTILINE)
_MEMBER = re.compile(r"^    (\w+)(?: = ([^#\n]+))?", re.MULTILINE)
_DEFINED = re.compile(r"#define DETEMPLATE_([A-Z_0-9]+) (\S+)")
_DECLARED = re.compile(r"^(\w+) = cython\.declare\(cython\.\w+, (\S+)\)", re.MULTILINE)


def enums(path: str, known: Mapping[str, int] | None = None) -> list[dict[str, int]]:
    """Give the members of each enum of a file, by its path within the package.

    A value is a number, or a sum or product of members before it and of ``known`` ones. A member without a value
    is one more than the member before it.
    """
    found: list[dict[str, int]] = []
    names = dict(known or {})
    for body in _ENUM.findall(_read(path)):
        members: dict[str, int] = {}
        for name, value in _MEMBER.findall(body):
            assert name not in members
            following = max(members.values(), default=-1) + 1
            members[name] = eval(value, {"__builtins__": {}}, names) if value else following
            names[name] = members[name]
        found.append(members)
    assert found
    return found


def constants(path: str, known: Mapping[str, int] | None = None) -> dict[str, float]:
    """Give the members of all enums of a file, and what it has by ``#define``; no name comes twice."""
    text = _read(path)
    found: dict[str, float] = {}
    for members in enums(path, known) if "cdef enum" in text else ():
        assert not found.keys() & members.keys()
        found |= members
    for name, value in _DEFINED.findall(text):
        found[name] = int(value[:-3], 0) if value.endswith("ULL") else float(value)
    assert found
    return found


def declared(path: str) -> dict[str, float]:
    """Give the constants that a kernel declares with ``cython.declare``."""
    return {name: literal_eval(value) for name, value in _DECLARED.findall(_read(path))}


def _read(path: str) -> str:
    return (_ROOT / path).read_text(encoding="utf-8")
