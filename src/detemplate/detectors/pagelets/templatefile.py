"""Template files: the shingles of known template pagelets, for use in cleaning.

A file is one JSON object: ``{"version": 1, "algorithm": "global", "k": 3, "width": 5, "sketch": 4,
"shingles": […]}``. The shingles are signed 64-bit integers. ``k``, ``width`` and ``sketch`` say how the
pagelets were cut and hashed; pagelets that are compared with them must be cut and hashed in the same way.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

import numpy as np

from detemplate.errors import UserError

if TYPE_CHECKING:
    import numpy.typing as npt

SETTINGS: Final = ("k", "width", "sketch")
"""The options of method pagelets that a template file sets."""

_VERSION: Final = 1
"""Version of the file format."""

_LINE: Final = 10_000
"""Shingles in a line of the file."""


class TemplateFile(NamedTuple):
    """Shingles of template pagelets, and the settings they were made with."""

    algorithm: str
    """The algorithm that found the templates: ``"local"`` or ``"global"``."""
    k: int
    """Number of links in a child from which on its parent is no pagelet."""
    width: int
    """Words in a gram."""
    sketch: int
    """Minima in a shingle."""
    shingles: npt.NDArray[np.int64]
    """Shingles, ascending and distinct."""


def write_template_file(file: BinaryIO, templates: TemplateFile) -> None:
    """Write a template file.

    Parameters
    ----------
    file
        An open file.
    templates
        The content; its shingles may be in any order and repeated.
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
        A file written by ``detemplate templates --states``.

    Raises
    ------
    UserError
        The file cannot be read, or is no template file.
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


@lru_cache(maxsize=4)
def known_templates(path: str) -> TemplateFile:
    """Read a template file once for all sites of a run; see :func:`read_template_file`."""
    return read_template_file(Path(path))


def _positive(path: Path, found: dict[str, Any], name: str) -> int:
    """Return a number of the file, which must be a positive integer."""
    value = found.get(name)
    if type(value) is not int or value < 1:
        raise _refusal(path, f"its {name} is {value!r}, not a positive integer")
    return value


def _refusal(path: Path, why: str) -> UserError:
    return UserError(f"{path} is no template file: {why}; make one with 'detemplate templates --states'")
