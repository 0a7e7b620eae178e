"""Reading the constants in ``.pxd`` files, to compare them with those of Python modules."""

import re
from pathlib import Path

import detemplate

_ROOT = Path(detemplate.__file__).parent
_ENUM = re.compile(r"^cdef enum:.*\n((?:    .*\n|\n(?=    ))+)", re.MULTILINE)
_MEMBER = re.compile(r"^    (\w+)(?: = ([^#\n]+))?", re.MULTILINE)


def enums(path: str) -> list[dict[str, int]]:
    """Give the members of each enum of a file, by its path within the package.

    A value is a number, or a sum or product of members before it. A member without a value is one more than the
    member before it.
    """
    found: list[dict[str, int]] = []
    names: dict[str, int] = {}
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


def _read(path: str) -> str:
    return (_ROOT / path).read_text(encoding="utf-8")
