"""Template files: known template pagelets and what connects them, for use in cleaning.

A file is JSON Lines. The first line has the settings: ``{"version": 2, "algorithm": "global", "k": 3,
"width": 5, "sketch": 4}``. ``k``, ``width`` and ``sketch`` say how the pagelets were cut and hashed; pagelets
that are compared with them must be cut and hashed in the same way. Each further line is one template:
``{"shingle": …, "pages": […], "linked": […]}``: the shingle of its pagelets, the keys of the pages that have
them, and the keys of pages outside of the crawl that these pages link to. All are signed 64-bit integers. The
templates of the local algorithm are their shingles alone, as nothing connects them.
"""

from __future__ import annotations

import json
from array import array
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

import numpy as np

from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

SETTINGS: Final = ("k", "width", "sketch")
"""The options of method pagelets that a template file sets."""

_VERSION: Final = 2

_ALGORITHMS: Final = ("local", "global")


class KnownTemplate(NamedTuple):
    """One template of a file."""

    shingle: int
    """Shingle of its pagelets."""
    pages: Sequence[int] = ()
    """Keys of the pages that have these pagelets (global algorithm)."""
    linked: Sequence[int] = ()
    """Keys of pages outside of the crawl that these pages link to (global algorithm)."""


class _PagesOfShingles:
    """Sets of page keys, one for each shingle, from pairs in any order."""

    def __init__(self, shingles: Numbers, pages: Numbers) -> None:
        order = np.lexsort((pages, shingles))
        self._pages = pages[order]
        self._shingles, starts = np.unique(shingles[order], return_index=True)
        self._bounds = np.append(starts, len(pages))

    def has_any(self, shingle: int, keys: Numbers) -> bool:
        """Tell whether a shingle's set has one of the keys."""
        place = int(np.searchsorted(self._shingles, shingle))
        if place == len(self._shingles) or self._shingles[place] != shingle:
            return False
        pages = self._pages[self._bounds[place] : self._bounds[place + 1]]
        found = np.searchsorted(pages, keys)
        inside = found < len(pages)
        return bool((pages[found[inside]] == keys[inside]).any())


@dataclass(slots=True)
class TemplateFile:
    """The settings and templates of a file.

    ``algorithm``: the algorithm that found the templates: ``"local"`` or ``"global"``.
    ``k``: number of links in a child from which on its parent is no pagelet.
    ``width``: words in a gram.
    ``sketch``: minima in a shingle.
    ``shingles``: shingles of the templates, ascending and distinct. int64.
    """

    algorithm: str
    k: int
    width: int
    sketch: int
    shingles: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    _members: _PagesOfShingles | None = None
    _linked: _PagesOfShingles | None = None

    def holds(self, shingles: Numbers, page: int, links: Numbers) -> npt.NDArray[np.bool_]:
        """Tell which pagelets of a page belong to a template.

        Bar-Yossef & Rajagopalan 2002, Definition 4: their shingle is a template's and, for templates of the
        global algorithm, the page is connected to the template's pages: it is one of them, links to one of
        them, or one of them links to it.

        ``shingles``: shingles of the page's pagelets. int64.
        ``page``: key of the page.
        ``links``: keys of the pages that it links to. int64.
        """
        same = np.isin(shingles, self.shingles)
        if self._members is None or self._linked is None:
            return same
        own = np.array([page], np.int64)
        near = np.append(links, own)
        for at in np.flatnonzero(same).tolist():
            shingle = int(shingles[at])
            same[at] = self._members.has_any(shingle, near) or self._linked.has_any(shingle, own)
        return same


def write_template_file(file: BinaryIO, settings: TemplateFile, templates: Iterable[KnownTemplate]) -> None:
    """Write a template file.

    ``file``: an open file.
    ``settings``: algorithm, k, width and sketch; its templates are not read.
    """
    head = {"version": _VERSION, "algorithm": settings.algorithm}
    file.write(_line(head | {name: getattr(settings, name) for name in SETTINGS}))
    connected = settings.algorithm == "global"
    for template in templates:
        file.write(_line(template._asdict() if connected else {"shingle": template.shingle}))


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content).encode() + b"\n"


def read_template_file(path: Path) -> TemplateFile:
    """Read a template file.

    ``path``: a file written by ``detemplate graph templates --states``.
    Raises UserError: the file cannot be read, or is no template file.
    """
    try:
        with path.open("rb") as file:
            return _read(path, file)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error


def _read(path: Path, file: BinaryIO) -> TemplateFile:
    head = _object(path, file.readline())
    if head.get("version") != _VERSION:
        raise _refusal(path, f"its version is {head.get('version')!r}, not {_VERSION}")
    if head.get("algorithm") not in _ALGORITHMS:
        raise _refusal(path, f"its algorithm is {head.get('algorithm')!r}, not local or global")
    k, width, sketch = (_positive(path, head, name) for name in SETTINGS)
    found = TemplateFile(head["algorithm"], k, width, sketch)
    connected = found.algorithm == "global"
    shingles = array("q")
    pairs = {name: (array("q"), array("q")) for name in ("pages", "linked")} if connected else {}
    for line in file:
        template = _object(path, line)
        shingle = _integers(path, [template.get("shingle")])
        shingles.extend(shingle)
        for name, (repeated, pages) in pairs.items():
            keys = template.get(name)
            if not isinstance(keys, list):
                raise _refusal(path, f"a template lacks {name}")
            pages.extend(_integers(path, keys))
            repeated.extend(shingle * len(keys))
    found.shingles = np.unique(_numbers(shingles))
    if connected:
        found._members, found._linked = (
            _PagesOfShingles(_numbers(repeated), _numbers(pages)) for repeated, pages in pairs.values()
        )
    return found


def _numbers(values: array[int]) -> Numbers:
    return np.frombuffer(values, np.int64) if values else np.zeros(0, np.int64)


def _object(path: Path, line: bytes) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _refusal(path, "it is not JSON Lines") from error
    if not isinstance(content, dict):
        raise _refusal(path, "a line is not a JSON object")
    return content


def _integers(path: Path, values: list[Any]) -> array[int]:
    if not all(type(value) is int for value in values):
        raise _refusal(path, "its shingles or pages are not all integers")
    try:
        return array("q", values)
    except OverflowError as error:
        raise _refusal(path, "its shingles or pages are not all 64-bit integers") from error


@lru_cache(maxsize=4)
def known_templates(path: str) -> TemplateFile:
    """Read a template file once for all sites of a run; see :func:`read_template_file`."""
    return read_template_file(Path(path))


def _positive(path: Path, content: dict[str, Any], name: str) -> int:
    """Return a number of the file, which must be a positive integer."""
    value = content.get(name)
    if type(value) is not int or value < 1:
        raise _refusal(path, f"its {name} is {value!r}, not a positive integer")
    return value


def _refusal(path: Path, why: str) -> UserError:
    return UserError(
        f"{path} is no template file: {why}; make one with 'detemplate graph templates --states'"
    )
