"""Bytes that are UTF-8 although their page, or its server, declares another encoding."""

from __future__ import annotations

import codecs
from typing import Final

# What the names of encodings begin with that have characters of several bytes, as Python and the web say.
_MULTI_BYTE: Final = ("utf", "gb", "big5", "euc", "shift", "sjis", "iso-2022", "iso2022", "johab", "hz")

# Other names of such encodings, and of the one that shows nothing.
_CODE_PAGES: Final = ("cp932", "cp949", "cp950", "replacement")


def is_misdeclared(html: bytes, encoding: str) -> bool:
    """Tell whether bytes are UTF-8 beyond doubt, where an encoding of one byte a character is declared.

    ``html``: the bytes; the last character may be cut.
    ``encoding``: name of the encoding that is declared, in any case.
    Returns: False for ASCII, and where the declared encoding has characters of several bytes.
    """
    name = encoding.lower().replace("_", "-")
    if html.isascii() or name.startswith(_MULTI_BYTE) or name in _CODE_PAGES:
        return False
    try:
        text, _ = codecs.utf_8_decode(html, "strict", False)  # it has no names for these
    except UnicodeDecodeError:
        return False
    return not text.isascii()
