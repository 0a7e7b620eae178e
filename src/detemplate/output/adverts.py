"""Labels of advertisements ("Advertisement", "Anzeige"), which are left where an advertisement was."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.page import tags

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.page.page import Page

_LABELS: Final = (
    "advertisement advertisements advertising anzeige werbung publicité publicidad publicidade pubblicità "
    "publicitat advertentie reclame annons annonse annonce reklama reklame reklam mainos mainokset hirdetés "
    "iklan διαφήμιση реклама 广告 廣告 広告 광고 إعلان פרסומת"
)
_FORMS: Final = [form for word in _LABELS.split() for form in (word, word.capitalize(), word.upper())]
_AROUND: Final = (("", ""), ("", ":"), ("- ", " -"), ("– ", " –"), ("[", "]"), ("(", ")"))
_HASHES: Final = np.array(
    sorted(
        {xxhash.xxh64_intdigest(f"{low}{form}{high}".encode()) for form in _FORMS for low, high in _AROUND}
    ),
    np.uint64,
)

# Tags around a text that is no label of an advertisement: terms, cells, links, menus.
_OTHER: Final = tags.marked(
    {1: "h1 h2 h3 h4 h5 h6 td th dt dd li a button option code pre em strong b i"}, np.uint8
)
_LEVELS: Final = 3


def advert_labels(page: Page, template: npt.NDArray[np.bool_]) -> list[range]:
    """Find kept segments that are the label of an advertisement, alone in their block.

    ``page``, ``template``: the page, and whether each of its segments is template.
    Returns: their numbers, one a range.
    """
    columns, blocks = page.columns, page.blocks
    texts = columns.content[page.segments]
    # np.isin would import numpy.ma, which takes 0.05 s.
    known = _HASHES[_HASHES.searchsorted(texts).clip(max=len(_HASHES) - 1)] == texts
    found = (known & ~template).nonzero()[0]
    alone = [
        number
        for number in found.tolist()
        if blocks[number] not in blocks[max(number - 1, 0) : number]
        and blocks[number] not in blocks[number + 1 : number + 2]
    ]
    return [
        range(number, number + 1)
        for number in alone
        if not any(
            _OTHER[columns.tag[above]] for above in islice(columns.above(int(page.segments[number])), _LEVELS)
        )
    ]
