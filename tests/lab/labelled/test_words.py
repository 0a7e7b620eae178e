"""Words, compared with a slow oracle that looks up each character's name."""

import unicodedata

from hypothesis import given, strategies as st

from lab.labelled.words import words

_ALONE = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "IDEOGRAPHIC", "HANGZHOU NUMERAL",
    "VERTICAL IDEOGRAPHIC ITERATION MARK", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA", "HENTAIGANA",
    "HANGUL SYLLABLE",
)  # fmt: skip

SCRIPTS = (
    "aZé_7 -.·ßİΣ\n"
    "漢字々〇〆㐀鿿豈𠀀𰀀"  # with extensions and a compatibility ideograph
    "ひらゟカーヿㇰｶﾞｰ・"
    "한글가힣ㄱᄀ"  # syllables, then single jamo
    "عرबी١"
)
texts = st.one_of(st.text(alphabet=SCRIPTS), st.text())


def oracle(text):
    result, run = [], ""
    for character in text.lower():
        word_character = character.isalnum() or character == "_"
        alone = word_character and unicodedata.name(character, "").startswith(_ALONE)
        if word_character and not alone:
            run += character
            continue
        if run:
            result.append(run)
            run = ""
        if alone:
            result.append(character)
    return [*result, run] if run else result


@given(texts)
def test_agrees_with_oracle(text):
    assert words(text) == oracle(text)
