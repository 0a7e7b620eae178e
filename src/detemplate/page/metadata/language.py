"""Tells the language of a page: as it is declared, else from its text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from detemplate.page.page import Page

# A language tag; group 1 is the language.
_CODE: Final = re.compile(r"\s*([a-zA-Z]{2,3})(?:[-_](?:[a-zA-Z0-9]{2,8}))*\s*(?:[,;].*)?", re.DOTALL)
_UNKNOWN: Final = frozenset(("und", "mul", "zxx", "xx"))
_CODES: Final = (
    "afr:af aka:ak amh:am ara:ar aze:az bel:be ben:bn bul:bg cat:ca ces:cs cmn:zh zho:zh cym:cy dan:da "
    "deu:de ell:el eng:en epo:eo est:et fas:fa pes:fa fin:fi fra:fr guj:gu heb:he hin:hi hrv:hr hun:hu "
    "hye:hy ind:id ita:it jav:jv jpn:ja kan:kn kat:ka khm:km kor:ko lat:la lav:lv lit:lt mal:ml mar:mr "
    "mkd:mk mya:my nep:ne nld:nl nob:no nor:no ori:or pan:pa pol:pl por:pt ron:ro rus:ru sin:si slk:sk "
    "slv:sl sna:sn spa:es srp:sr swe:sv tam:ta tel:te tgl:tl tha:th tuk:tk tur:tr ukr:uk urd:ur uzb:uz "
    "vie:vi yid:yi zul:zu"
)
_TWO_LETTERS: Final = {code[:3]: code[4:] for code in _CODES.split()}  # ISO 639-1 codes by ISO 639-3 codes

# Former codes, codes of countries that pages have for languages, and the two forms of Norwegian.
_FORMER: Final = "iw:he in:id ji:yi nb:no nn:no gr:el jp:ja cn:zh cz:cs"
_SAME: Final = {code[:2]: code[3:] for code in _FORMER.split()}

_SAMPLE: Final = 600  # characters of text by which a language is told
_LEAST: Final = 40  # fewest such characters
_FOREIGN: Final = re.compile(r"[^\W\d_a-zA-Z]")  # a letter that English does not have
_SHARE: Final = 0.03  # least share of such letters with which a page is not taken for English
_SURE: Final = 0.9  # least confidence with which the text overrules a declared language


@lru_cache(256)
def code(declared: str) -> str | None:
    """Return the ISO 639 code of a declared language, such as ``en`` for ``en_US``; None if it is none."""
    found = _CODE.fullmatch(declared[:100])
    if found is None:
        return None
    name = found[1].lower()
    name = _TWO_LETTERS.get(name, _SAME.get(name, name))
    return None if name in _UNKNOWN else name


def language_of(page: Page, declared: Iterable[str]) -> str | None:
    """Tell the language of a page.

    ``page``: the page.
    ``declared``: the languages that it declares, the most reliable first.
    Returns: ISO 639-1 code; ISO 639-3 for languages without one. None if nothing is declared and the text is
        too short.
    """
    told = next(filter(None, map(code, declared)), None)
    if told is not None and (told != "en" or not _foreign(page)):
        return told
    from turbohtml.detect import detect_language

    sample = _sample(page)
    if len(sample) < _LEAST:
        return told
    found = detect_language(sample)
    if found.language is None or (told is not None and found.confidence < _SURE):
        return told
    return _TWO_LETTERS.get(found.language, found.language)


def _foreign(page: Page) -> bool:
    """Tell whether a page's longest text has letters that English does not have."""
    if not len(page.segments):
        return False
    row = page.segments[page.segment_chars.argmax()]
    start, stop = int(page.columns.start[row]), int(page.columns.stop[row])
    written = page.canonical[start : min(stop, start + _SAMPLE)]
    if written.isascii():
        return False
    text = written.decode("utf-8", "ignore")
    return len(_FOREIGN.findall(text)) >= _SHARE * len(text)


def _sample(page: Page) -> str:
    """Return the longest texts of a page, up to :data:`_SAMPLE` characters."""
    chars = page.segment_chars
    count = min(len(chars), 12)
    if not count:
        return ""
    longest = np.argpartition(chars, len(chars) - count)[-count:]
    pieces: list[str] = []
    size = 0
    for index in longest[np.argsort(-chars[longest], kind="stable")].tolist():
        pieces.append(page.segment_text(index)[: _SAMPLE // 3])
        size += len(pieces[-1])
        if size >= _SAMPLE:
            break
    return " ".join(pieces)
