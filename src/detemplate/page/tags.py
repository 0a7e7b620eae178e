"""What the parser's serialisation says by tag names, and what a browser makes of them.

One number a tag name and a set of flags a number; the compiled scan and its reference read the same
tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

if TYPE_CHECKING:
    from collections.abc import Mapping

# Flags of a tag name. The first group says how the element is written, the second what its text is.
VOID: Final = 1  # written without an end tag
RAW: Final = 2  # its text is written unescaped
UNSEEN: Final = 4  # its text is no visible text of the page
BLOCK: Final = 8  # laid out as a block: separates blocks of segments
SVG: Final = 16  # opens SVG inside HTML
MATH: Final = 32  # opens MathML inside HTML
SVG_HTML: Final = 64  # an SVG element with HTML inside
MATH_HTML: Final = 128  # a MathML element with HTML inside
ANNOTATION: Final = 256  # annotation-xml: its encoding decides what is inside
GLYPH: Final = 512  # stays MathML even inside MathML's text elements
SCRIPT: Final = 1024  # has escaped states of its own
PLAINTEXT: Final = 2048  # never ends: its serialisation cannot be read back
FOREIGN_UNSEEN: Final = 4096  # unseen inside SVG and MathML, too
CODE: Final = 8192  # its text is program code

# Added to a tag's number: the element is in the SVG or MathML namespace.
IN_SVG: Final = 0x8000
IN_MATH: Final = 0x4000

_FLAGGED: Final[dict[int, str]] = {
    VOID: "area base basefont bgsound br col embed frame hr img input keygen link meta param source track "
    "wbr",
    RAW: "iframe noembed noframes plaintext script style xmp",
    UNSEEN: "datalist noembed noframes noscript rp script style template title",
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
_PLAIN: Final = (
    "a abbr acronym applet audio b bdi bdo big blink button canvas cite code data del dfn em font g head i "
    "image ins kbd label map mark marquee meter nobr object output path picture progress q rb rt rtc ruby s "
    "samp slot small span strike strong sub sup template text textarea time tspan tt u use var video"
)

NAMES: Final[tuple[str, ...]] = (
    "",
    *sorted({*_PLAIN.split(), *(name for names in _FLAGGED.values() for name in names.split())}),
)
"""Tag names by number; number 0 stands for every name that is not listed."""

IDS: Final[dict[str, int]] = {name: number for number, name in enumerate(NAMES) if name}
"""Numbers by tag name."""

FLAGS: Final[npt.NDArray[np.uint16]] = np.zeros(len(NAMES), np.uint16)
"""Flags by number."""
for _flag, _names in _FLAGGED.items():
    for _name in _names.split():
        FLAGS[IDS[_name]] |= _flag


def _hash_slots() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint16]]:
    """Lay the names' hashes out as an open-addressing table of 1,024 slots for the compiled scan."""
    keys = np.zeros(1024, np.uint64)
    numbers = np.zeros(1024, np.uint16)
    for name, number in IDS.items():
        key = xxhash.xxh64_intdigest(name.encode())
        slot = key & 1023
        while numbers[slot]:
            slot = (slot + 1) & 1023
        keys[slot], numbers[slot] = key, number
    return keys, numbers


SLOT_KEYS, SLOT_NUMBERS = _hash_slots()


def numbers(names: str) -> frozenset[int]:
    """Give the numbers of the tag names in ``names``, separated by spaces."""
    return frozenset(IDS[name] for name in names.split())


def marked(flagged: Mapping[int, str], kind: type[np.unsignedinteger[Any]]) -> npt.NDArray[Any]:
    """Give flags by tag number, also for the numbers of no HTML element; ``flagged`` has names by flag."""
    table = np.zeros(1 << 16, kind)
    for flag, names in flagged.items():
        table[list(numbers(names))] |= flag
    return table
