"""Attributes that hide an element from readers, or show it only after an action."""

import re
from typing import Final

HIDDEN: Final = 1
"""Flag: readers do not see the element, as attribute ``hidden`` or its ``style`` says."""

ARIA_HIDDEN: Final = 2
"""Flag: screen readers do not read the element (``aria-hidden="true"``)."""

_DECLARED: Final = re.compile(
    rb"(?:\A|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\s*(?:[;!]|\Z)", re.IGNORECASE
)
"""A declaration in a ``style`` that hides. White space, case and what follows a ``!`` do not count."""


def hides(name: bytes, value: bytes) -> int:
    """Tell how an attribute hides its element: :data:`HIDDEN`, :data:`ARIA_HIDDEN`, or 0 for not at all."""
    if name == b"hidden" or (name == b"style" and _DECLARED.search(value)):
        return HIDDEN
    return ARIA_HIDDEN if name == b"aria-hidden" and value.lower() == b"true" else 0
