"""States of detectors as they are stored: compressed. Those that were stored before are read as they are."""

from __future__ import annotations

import threading
from typing import Final

import zstandard

from detemplate.detectors.state import StateError

_MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""First bytes of what is compressed; no state begins with them."""

_MOST_SIZE: Final = 1 << 26
"""Bytes to which anything may unfold."""

_MOST_TIMES: Final = 64
"""How many times its length anything longer may have, unfolded."""


class _Tools(threading.local):
    """What compresses and decompresses, for each thread: to make them takes longer than to use them."""

    def __init__(self) -> None:
        self.compressor = zstandard.ZstdCompressor(level=1)
        self.decompressor = zstandard.ZstdDecompressor()


_TOOLS: Final = _Tools()
"""Those of the present thread."""


def packed_state(state: bytes) -> bytes:
    """Compress a state. It is about half as long then: what it holds most are hashes, which do not shrink."""
    return _TOOLS.compressor.compress(state)


def plain_state(stored: bytes) -> bytes:
    """Return the state that was stored.

    Raises
    ------
    StateError
        It is damaged, or would unfold to more than is plausible.
    """
    if not stored.startswith(_MAGIC):
        return stored
    try:
        size = zstandard.frame_content_size(stored)
        if not 0 <= size <= max(_MOST_SIZE, _MOST_TIMES * len(stored)):
            raise StateError(f"a state of {len(stored)} bytes would unfold to {size}")
        return _TOOLS.decompressor.decompress(stored)
    except zstandard.ZstdError as error:
        raise StateError(f"a state cannot be unfolded: {error}") from error
