"""What of a page may be about products, uncompiled; arguments as in the kernel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Rows = npt.NDArray[np.int32]

_PRICE: Final = re.compile(rb"[0-9$\xc2\xe0\xef]|\xe2\x82")
"""A digit, or the beginning of a currency's sign in UTF-8."""

_WORD: Final = re.compile(rb"[a-z\x80-\xff]+")
"""A word in UTF-8, in lower case."""

_LINKED: Final = (b"Product", b'Vehicle"', b'Car"')
"""What JSON-LD with the type of a product holds."""


def product_signs(  # noqa: PLR0917  # as in the kernel
    canonical: bytes,
    kind: npt.NDArray[np.uint16],
    tag: npt.NDArray[np.uint16],
    start: Rows,
    stop: Rows,
    code: int,
    meta: int,
) -> bool:
    """Tell whether a page may have data of products; ``code`` is a kind, ``meta`` a tag."""
    at = 0
    for row in ((kind == code) | (tag == meta)).nonzero()[0].tolist():
        first, last = int(start[row]), int(stop[row])
        if kind[row] != code:
            if b'price:amount"' in canonical[first:last]:
                return True
            continue
        opening = canonical[start[row - 1] : first] if row else b""
        written = canonical[first:last]
        if b'Product"' in canonical[at:first] or (
            b"ld+json" in opening and any(needle in written for needle in _LINKED)
        ):
            return True
        at = last
    return b'Product"' in canonical[at:]


def price_signs(  # noqa: PLR0917  # as in the kernel
    canonical: bytes,
    start: Rows,
    stop: Rows,
    chars: Rows,
    segments: Rows,
    first: int,
    behind: int,
    longest: int,
    tiny: int,
    signs: tuple[bytes, ...],
    names: frozenset[bytes],
) -> list[int]:
    """List the short segments that may be prices, or pieces of them; none without a currency among them."""
    found = []
    for number, row in enumerate(segments[first:behind].tolist(), first):
        low, high = int(start[row]), int(stop[row])
        if chars[row] <= longest and (high - low <= tiny or _PRICE.search(canonical, low, high)):
            found.append(number)
    return found if _has_currency(canonical, start, stop, segments[found], signs, names) else []


def _has_currency(  # noqa: PLR0917  # columns, and what is looked for
    canonical: bytes,
    start: Rows,
    stop: Rows,
    rows: Rows,
    signs: tuple[bytes, ...],
    names: frozenset[bytes],
) -> bool:
    """Tell whether any of some rows has the sign or the name of a currency."""
    for row in rows.tolist():
        text = canonical[start[row] : stop[row]]
        if any(sign in text for sign in signs) or not names.isdisjoint(_WORD.findall(text.lower())):
            return True
    return False
