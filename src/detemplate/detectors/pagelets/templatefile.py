"""The file in which the shingles of known template pagelets are handed to cleaning.

One JSON object: ``{"version": 1, "algorithm": "global", "k": 3, "width": 5, "sketch": 4, "shingles":
[…]}``. The shingles are signed 64-bit integers. ``k``, ``width`` and ``sketch`` say how the pagelets were
cut and hashed; whoever compares pagelets with them has to do the same.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

import numpy as np

from detemplate.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

_VERSION: Final = 1
_LINE: Final = 10_000  # shingles


class TemplateFile(NamedTuple):
    """Shingles of template pagelets, and how they were made."""

    algorithm: str
    """What found them: ``"local"`` or ``"global"``."""
    k: int
    """Links that a child has to hold for its parent to be opened."""
    width: int
    """Words a gram."""
    sketch: int
    """Minima a shingle."""
    shingles: npt.NDArray[np.int64]
    """Ascending, none twice."""


def write_template_file(file: BinaryIO, templates: TemplateFile) -> None:
    """Write a template file into an open file.

    Parameters
    ----------
    file
        Where it goes.
    templates
        What goes into it; its shingles may be in any order and come twice.
    """
    head = {"version": _VERSION, **templates._asdict()}
    del head["shingles"]
    file.write(json.dumps(head)[:-1].encode() + b', "shingles": [\n')
    shingles = np.unique(templates.shingles)
    for start in range(0, len(shingles), _LINE):
        comma = b",\n" if start else b""
        file.write(comma + ", ".join(map(str, shingles[start : start + _LINE].tolist())).encode())
    file.write(b"]}\n")


def read_template_file(path: Path) -> TemplateFile:
    """Read a template file.

    Parameters
    ----------
    path
        A file that ``detemplate templates --states`` has written.

    Returns
    -------
    TemplateFile
        What is in it.

    Raises
    ------
    UserError
        It cannot be read, or is no template file.
    """
    try:
        found = json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise _refusal(path, "it is not JSON") from error
    if not isinstance(found, dict):
        raise _refusal(path, "it is not a JSON object")
    if found.get("version") != _VERSION:
        raise _refusal(path, f"its version is {found.get('version')!r}, not {_VERSION}")
    algorithm, shingles = found.get("algorithm"), found.get("shingles")
    if not isinstance(algorithm, str) or not isinstance(shingles, list):
        raise _refusal(path, "it lacks algorithm or shingles")
    if not all(type(shingle) is int for shingle in shingles):
        raise _refusal(path, "its shingles are not all integers")
    try:
        numbers = np.array(shingles, dtype=np.int64)
    except OverflowError as error:
        raise _refusal(path, "its shingles are not all 64-bit integers") from error
    k, width, sketch = (_positive(path, found, name) for name in ("k", "width", "sketch"))
    return TemplateFile(algorithm, k, width, sketch, np.unique(numbers))


def _positive(path: Path, found: dict[str, Any], name: str) -> int:
    value = found.get(name)
    if type(value) is not int or value < 1:
        raise _refusal(path, f"its {name} is {value!r}, not a positive integer")
    return value


def _refusal(path: Path, why: str) -> UserError:
    return UserError(f"{path} is no template file: {why}; make one with 'detemplate templates --states'")
