"""The URLs that a pass has seen, and what a run that goes on needs to know them again."""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.algorithms.recurrence import recurrence_table

if TYPE_CHECKING:
    from collections.abc import Callable

SEEN_URLS: Final = 2**22
"""Records among which the first of a URL is known: 72 bytes each at most, 288 MiB in all."""

SECRET: Final = os.urandom(16)
"""Key of the hashes of URLs: nobody can choose URLs whose hashes are equal."""

DIGEST: Final = 16
"""Bytes of a hash."""


class UrlLog(NamedTuple):
    """The URLs that a pass has seen, for a later one that goes on."""

    secret: bytes
    """Key of their hashes."""
    before: bytes
    """The hashes of the last :data:`SEEN_URLS` of them, :data:`DIGEST` bytes each."""
    add: Callable[[bytes], None]
    """Keeps the hash of one more."""


class SeenUrls:
    """The last :data:`SEEN_URLS` URLs.

    Parameters
    ----------
    log
        Those that were seen before; further ones are added to it. None: none were, and they are kept nowhere.
    """

    def __init__(self, log: UrlLog | None = None) -> None:
        # The recurrence table serves as a bounded set of hashes of 128 bits, each as two keys.
        self._table = recurrence_table([SEEN_URLS], 2 * SEEN_URLS)
        self._log = log
        self._secret = log.secret if log is not None else SECRET
        if log is not None:
            for digest in np.frombuffer(bytearray(log.before), np.uint64).reshape(-1, 2):
                self._table.observe(digest)

    def add(self, url: str) -> bool:
        """Note a URL; tell whether it was seen before."""
        data = digest_of(url, self._secret)
        if self._log is not None:
            self._log.add(data)
        return bool((self._table.observe(np.frombuffer(bytearray(data), np.uint64)) > 1).all())


def digest_of(url: str, secret: bytes = SECRET) -> bytes:
    """Return the hash of a URL: 16 bytes."""
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=DIGEST, key=secret).digest()
