"""Tag names: their numbers, and flags that say how an element is written and laid out.

The compiled scan and its reference read the same tables. ``_tags.pxd`` repeats the flags for kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

if TYPE_CHECKING:
    from collections.abc import Mapping

# Flags of a tag name.
VOID: Final = 1
"""The element is written without an end tag."""
RAW: Final = 2
"""Its text is written unescaped."""
UNSEEN: Final = 4
"""Its text is no visible text of the page."""
BLOCK: Final = 8
"""It is laid out as a block: it separates blocks of segments."""
SVG: Final = 16
"""It opens SVG inside HTML."""
MATH: Final = 32
"""It opens MathML inside HTML."""
SVG_HTML: Final = 64
"""An SVG element with HTML inside."""
MATH_HTML: Final = 128
"""A MathML element with HTML inside."""
ANNOTATION: Final = 256
"""``annotation-xml``: its ``encoding`` decides what is inside."""
GLYPH: Final = 512
"""It stays MathML even inside MathML's text elements."""
SCRIPT: Final = 1024
"""``script``: its text has escaped states of its own."""
PLAINTEXT: Final = 2048
"""``plaintext``: it never ends, so its serialisation cannot be read back."""
FOREIGN_UNSEEN: Final = 4096
"""Its text is unseen inside SVG and MathML, too."""
CODE: Final = 8192
"""Its text is program code."""

IN_SVG: Final = 0x8000
"""Added to the number of an element in the SVG namespace."""
IN_MATH: Final = 0x4000
"""Added to the number of an element in the MathML namespace."""
FOREIGN: Final = IN_SVG | IN_MATH
"""Mask of the namespace in the column ``tag``."""
NUMBER: Final = 0x3FFF
"""Mask of the tag name's number in the column ``tag``."""

REPLACED: Final = "audio canvas iframe object textarea video"
"""Elements that show something else than their text; it is for browsers that cannot, or a form's default."""

# Tag names by flag.
_FLAGGED: Final[dict[int, str]] = {
    VOID: "area base basefont bgsound br col embed frame hr img input keygen link meta param source track "
    "wbr",
    RAW: "iframe noembed noframes plaintext script style xmp",
    UNSEEN: f"datalist noembed noframes noscript rp script style template title {REPLACED}",
    BLOCK: "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main "
    "menu nav ol optgroup option p plaintext pre search section select summary table tbody td tfoot th thead "
    "tr ul xmp",
    SVG: "svg",
    MATH: "math",
    SVG_HTML: "desc foreignObject title",
    MATH_HTML: "mi mn mo ms mtext",
    ANNOTATION: "annotation-xml",
    GLYPH: "malignmark mglyph",
    SCRIPT: "script",
    PLAINTEXT: "plaintext",
    FOREIGN_UNSEEN: "script style",
    CODE: "script style",
}
# Other tag names that have a number.
_UNFLAGGED: Final = (
    "a abbr acronym applet b bdi bdo big blink button cite code data del dfn em font g head i "
    "image ins kbd label map mark marquee meter nobr output path picture progress q rb rt rtc ruby s "
    "samp slot small span strike strong sub sup template text time tspan tt u use var"
)

NAMES: Final[tuple[str, ...]] = (
    "",
    *sorted({*_UNFLAGGED.split(), *(name for names in _FLAGGED.values() for name in names.split())}),
)
"""Tag names by number. Number 0 stands for all names that are not listed."""

IDS: Final[dict[str, int]] = {name: number for number, name in enumerate(NAMES) if name}
"""Numbers by tag name."""

FLAGS: Final[npt.NDArray[np.uint16]] = np.zeros(len(NAMES), np.uint16)
"""Flags by number: sums of the constants above."""
for _flag, _names in _FLAGGED.items():
    for _name in _names.split():
        FLAGS[IDS[_name]] |= _flag


SLOTS: Final = 1024
"""Slots of the hash table of tag names; a power of two."""


def _hash_slots() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint16]]:
    """Lay the names' hashes out as an open-addressing table for the compiled scan."""
    keys = np.zeros(SLOTS, np.uint64)
    numbers = np.zeros(SLOTS, np.uint16)
    for name, number in IDS.items():
        key = xxhash.xxh64_intdigest(name.encode())
        slot = key % SLOTS
        while numbers[slot]:
            slot = (slot + 1) % SLOTS
        keys[slot], numbers[slot] = key, number
    return keys, numbers


SLOT_KEYS, SLOT_NUMBERS = _hash_slots()
"""XXH64 of the tag name in each slot, and its number; 0 in an empty slot."""


def numbers(names: str) -> frozenset[int]:
    """Give the numbers of tag names, which are separated by spaces in ``names``."""
    return frozenset(IDS[name] for name in names.split())


def marked(flagged: Mapping[int, str], kind: type[np.unsignedinteger[Any]]) -> npt.NDArray[Any]:
    """Give flags for every value of the column ``tag``.

    ``flagged``: tag names, separated by spaces, by flag.
    ``kind``: type of the flags.
    Returns: 0 for unlisted names, and for elements in SVG and MathML.
    """
    table = np.zeros(1 << 16, kind)
    for flag, names in flagged.items():
        table[list(numbers(names))] |= flag
    return table
