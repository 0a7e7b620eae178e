"""From a parsed page to its columns: the compiled scan, or the reference that walks the DOM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detemplate.errors import PageError
from detemplate.kernels import compiled
from detemplate.page import tags
from detemplate.page.columns import Columns

if TYPE_CHECKING:
    import turbohtml


KERNEL: Final[Any] = compiled("detemplate.page._scan")
"""The kernel, None if it was not compiled."""


NO_ROOM: Final = -1
"""What the scan gives where its arrays are too short."""


def read_columns(document: turbohtml.Document) -> tuple[bytes, Columns]:
    """Serialise a document and describe its nodes.

    Parameters
    ----------
    document
        What :func:`turbohtml.parse` gave. It is not changed.

    Returns
    -------
    tuple of bytes and Columns
        The canonical serialisation (UTF-8) and the columns of its nodes.

    Raises
    ------
    PageError
        ``unparsable``: the serialisation does not describe the document (no such page is known).
    """
    # In pieces: each is encoded while it is in the cache, and no second whole copy is made.
    canonical = b"".join([piece.encode() for piece in document.serialize_iter()])
    if KERNEL is not None:
        columns = scan(canonical)
        if columns is not None:
            return canonical, columns
    from detemplate.page.scan_reference import walk

    walked, columns = walk(document)
    if walked != canonical:
        raise PageError("unparsable", "the serialisation does not describe the document")
    return canonical, columns


def scan(canonical: bytes) -> Columns | None:
    """Read a canonical serialisation into columns with the compiled scan.

    Gives None where the text does not nest, so that only the DOM can tell what was meant. Any bytes
    are safe to pass.
    """
    if len(canonical) >= 2**31:
        raise PageError("too large", f"{len(canonical):,} bytes")
    for density in (16, 2):  # bytes a node: first a guess, then more than any serialisation has
        room = len(canonical) // density + 8
        small = np.empty((3, room), np.uint16)
        ints = np.empty((9, room), np.int32)
        hashes = np.empty((3, room), np.uint64)
        count, segments = KERNEL.scan(
            canonical, tags.SLOT_KEYS, tags.SLOT_NUMBERS, tags.FLAGS, small, ints, hashes
        )
        if count >= 0:
            rows = [*small[:2, :count], *ints[:8, :count], *hashes[:2, :count]]
            rows += [ints[8, :segments], hashes[2, :segments]]
            return Columns(*rows)
        if count != NO_ROOM:
            break
    return None
