"""Reading the enums of ``.pxd`` files, to compare them with Python's constants."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_ENUM = re.compile(r"^cdef enum:.*\n((?:    .*\n|\n)+)", re.MULTILINE)
_MEMBER = re.compile(r"^    (\w+)(?: = ([^#\n]+))?", re.MULTILINE)


def read_enums(path: Path, known: Mapping[str, int] | None = None) -> dict[str, int]:
    """Give the members of all enums; values may be sums and products of members above or ``known`` ones."""
    members: dict[str, int] = {}
    for enum in _ENUM.findall(path.read_text(encoding="utf-8")):
        following = 0
        for name, value in _MEMBER.findall(enum):
            assert name not in members
            members[name] = (
                eval(value, {"__builtins__": {}}, {**(known or {}), **members}) if value else following
            )
            following = members[name] + 1
    assert members
    return members
