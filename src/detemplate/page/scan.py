"""Makes the columns of a parsed page, by the compiled scan of its serialisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from turbohtml import Namespace, Text

from detemplate.errors import PageError
from detemplate.page import _scan, tags
from detemplate.page.columns import Columns

if TYPE_CHECKING:
    import turbohtml

NO_ROOM: Final = -1
"""Result of a scan whose arrays are too short."""

# Bytes a node for which arrays are made: first a usual number, then the least that a serialisation has.
_DENSITIES: Final = (16, 2)

_SMALL: Final = 1 << 18  # a document of so many characters at most is serialised in one piece
_LARGEST: Final = 1 << 31  # serialisations of so many bytes and more are refused: positions are int32


def read_columns(document: turbohtml.Document, size: int = _LARGEST) -> tuple[bytes, Columns | None]:
    """Serialise a document and describe its nodes.

    ``document``: what :func:`turbohtml.parse` gave. It is not changed.
    ``size``: characters or bytes of what it was made of. A small document is serialised in one piece: that is
        faster, but takes four bytes a character where one is beyond the basic plane.
    Returns: the canonical serialisation (UTF-8) and the columns of its nodes; None for these if it cannot be
        read back (:func:`readable`).
    Raises PageError: ``too large``: 2 GiB or more.
    """
    canonical = encoded([document.serialize()] if size <= _SMALL else list(document.serialize_iter()))
    return canonical, scan(canonical)


def readable(document: turbohtml.Document) -> str:
    """Serialise a document so that it can be read back, whatever its texts look like.

    ``plaintext``, which has no end, and ``xmp``, which shows tags as text, become ``pre``. A script that
    never ends, because its comment holds ``<script>``, gets the end of the comment.

    ``document``: what :func:`turbohtml.parse` gave. It is changed.
    Returns: the markup.
    """
    for element in list(document.iter_elements(("plaintext", "script", "xmp"))):
        if element.namespace is not Namespace.HTML:
            continue
        if element.tag != "script":
            element.tag = "pre"
        elif scan(element.serialize().encode()) is None:
            element.append(Text("-->"))
    return document.serialize()


def encoded(pieces: list[str]) -> bytes:
    """Join texts as UTF-8.

    Raises UnicodeEncodeError: a text holds half of a surrogate pair, which is no character.
    """
    joined: bytes | None = _scan.utf8(pieces)
    return b"".join([piece.encode() for piece in pieces]) if joined is None else joined


def scan(canonical: bytes) -> Columns | None:
    """Read a canonical serialisation into columns with the compiled scan.

    ``canonical``: the serialisation. Any bytes are safe.
    Returns: None where the text does not nest.
    Raises PageError: ``too large``: 2 GiB or more.
    """
    if len(canonical) >= _LARGEST:
        raise PageError("too large", f"{len(canonical):,} bytes")
    for density in _DENSITIES:
        room = len(canonical) // density + 8
        # Rows as _columns.pxd names them.
        small = np.empty((3, room), np.uint16)
        ints = np.empty((9, room), np.int32)
        hashes = np.empty((3, room), np.uint64)
        count, segments = _scan.scan(
            canonical, tags.SLOT_KEYS, tags.SLOT_NUMBERS, tags.FLAGS, small, ints, hashes
        )
        if count >= 0:
            rows = [*small[:-1, :count], *ints[:-1, :count], *hashes[:-1, :count]]
            rows += [ints[-1, :segments], hashes[-1, :segments]]
            return Columns(*rows)
        if count != NO_ROOM:
            break
    return None
