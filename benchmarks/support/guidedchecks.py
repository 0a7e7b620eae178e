"""What the guided fuzzer does with an input, and what must hold.

An input of pages is two bytes and up to three pages of one site. The first byte names the method, if all are
fuzzed. Bits of the second say whether pages keep their DOM, and whether they are cleaned as they arrive. An
input of a source is two bytes, for the kind and the compression, and the bytes of the file.
"""

from __future__ import annotations

import gzip
import json
import zlib
from typing import TYPE_CHECKING, Final

import zstandard

from benchmarks.fuzz_pages import broken_rule
from benchmarks.fuzz_sources import read, written
from benchmarks.support.fuzzinputs import KINDS, PACKED_KINDS
from detemplate import Page, clean
from detemplate.detectors.registry import DETECTORS, detector_class
from detemplate.errors import PageError
from detemplate.files.jsonvalues import to_json
from detemplate.io.sinks.out import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from detemplate.output.result import Result

BETWEEN_PAGES: Final = b"\x1c"  # what separates the pages of an input
MOST_PAGES: Final = 3  # pages of an input
METHODS: Final = tuple(DETECTORS)  # methods by the first byte of an input, modulo their number
SOURCES: Final = tuple(KINDS)  # kinds by the first byte of an input, modulo their number
PACKED: Final[tuple[Callable[[bytes], bytes], ...]] = (bytes, gzip.compress, zstandard.compress)
"""Compressions of a file by the second byte of an input, modulo their number."""
_KEPT: Final = 1  # bit of the second byte: the pages keep their DOM
_STREAMED: Final = 2  # bit of the second byte: the pages are cleaned as they arrive, if the method can do so
_ROWS: Final = 8  # one of so many inputs is checked in every format, as rows with reasons and metadata
_WRITTEN: Final = 1000  # one of so many inputs is written to every kind of output, in one format


class Broken(Exception):  # noqa: N818
    """A rule does not hold; the message names it."""


def _drawn(data: bytes, of: int) -> bool:
    """Tell whether an input is one of so many; the same input always is, or never."""
    return zlib.crc32(data) % of == 0


def _pages_in(data: bytes) -> list[bytes]:
    """Give the pages of an input, which follow its first two bytes."""
    return data[2:].split(BETWEEN_PAGES, MOST_PAGES - 1)


def cleaned(data: bytes, method: str) -> list[Result]:
    """Clean the pages of an input; nothing is learned from one input for the next."""
    how = data[1]
    pages = []
    for number, html in enumerate(_pages_in(data)):
        try:
            pages.append(Page(f"http://e.org/{number}", html, site="e.org", keep_document=bool(how & _KEPT)))
        except PageError:
            continue
    streamed = bool(how & _STREAMED) and detector_class(method).streams
    return list(clean(iter(pages) if streamed else pages, method))


def check_pages(data: bytes, choice: str, folder: Path) -> None:
    """Clean the pages of an input by a method, and check what is written."""
    if len(data) < 3:
        return
    method = METHODS[data[0] % len(METHODS)] if choice == "all" else choice
    full = _drawn(data, _ROWS)
    formats = tuple(FORMATS)
    drawn = formats if full else (formats[zlib.crc32(data) // _ROWS % len(formats)],)
    for result in cleaned(data, method):
        rule = broken_rule(result, drawn, 3 if full else 0)
        if rule is not None:
            raise Broken(f"{method}: {rule}")
        if full:
            row = result.as_dict(("text", "html", "markdown"), explain=True)
            if json.loads(to_json(row)) != row:
                raise Broken(f"{method}: a row that parses back")
            Page(result.url, result.html or "<p>")
    if _drawn(data, _WRITTEN):
        paths = []
        for number, html in enumerate(_pages_in(data)):
            paths.append(folder / f"{number}.html")
            paths[-1].write_bytes(html)
        form = tuple(FORMATS)[data[1] % len(FORMATS)]
        written(paths, "html", folder, method=method, form=form)


def packs_of(kind: str) -> tuple[Callable[[bytes], bytes], ...]:
    """Give what may be done with the bytes of an input to make a file of a kind."""
    return PACKED if kind in PACKED_KINDS else (bytes,)


def check_sources(data: bytes, choice: str, folder: Path) -> None:
    """Read an input as a file of a kind, and write what it gives."""
    if len(data) < 2:
        return
    kind = SOURCES[data[0] % len(SOURCES)] if choice == "all" else choice
    packs = packs_of(kind)
    pack = packs[data[1] % len(packs)]
    name, said = KINDS[kind]
    path = folder / name
    path.write_bytes(pack(data[2:]))
    items = read(path, said)
    if items is not None and _drawn(data, _WRITTEN):
        written([path], said, folder)


CHECKS: Final = {"pages": check_pages, "sources": check_sources}  # by target
