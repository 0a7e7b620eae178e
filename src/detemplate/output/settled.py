"""A verdict settled for readers: lines and tables stay whole; unseen texts, labels of adverts, shells go."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from detemplate.detectors.causes import because
from detemplate.output.remains import concealed_candidates
from detemplate.output.wholes import early_titles, line_pieces, shells, torn_cells
from detemplate.page import tags

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from detemplate.detectors.causes import Reason
    from detemplate.detectors.verdict import Verdict
    from detemplate.page.page import Page

# Reasons of texts that go only with their line, or their row or column.
_LINE: Final = because("line", -1.0, "it stands within a line of text that stays")
_CELL: Final = because("cell", -1.0, "it is a cell of a table whose row and column stay")

_UNSEEN: Final = because("unseen", 1.0, "readers do not see it: the page hides it")
_ADVERT: Final = because("advert", 1.0, "it is the label of an advertisement")
_TWICE: Final = because("twice", 1.0, "it is the page's title, which stands in a heading behind it")
_SHELL: Final = because("shell", 1.0, "nothing is left of what it introduces, and other pages have it, too")


@dataclass(slots=True, frozen=True)
class SettledReasons:
    """The reasons of a method, and those of the segments that were settled.

    ``explain``: gives the method's reason of a segment's score.
    ``settled``: reasons by the numbers of segments.
    """

    explain: Callable[[int], str]
    settled: Mapping[int, Reason]

    def __call__(self, segment: int) -> str:
        """Give the reason of a segment's score."""
        return self.settled.get(segment) or self.explain(segment)


def settled(page: Page, verdict: Verdict) -> Verdict:
    """Return the verdict on a page with whole lines and tables, without unseen texts, labels and shells.

    ``page``, ``verdict``: the page, and a method's verdict on it, which is not changed.
    Returns: what is kept for its line or its row has the score of the kept text beside it, what goes the
        score 1. The verdict itself where nothing changes, and where its threshold is 1: then nothing is to be
        removed.
    """
    if verdict.threshold >= 1:
        return verdict
    template = verdict.template
    kept = [(inside, _LINE) for inside in line_pieces(page, template)]
    kept += [(inside, _CELL) for inside in torn_cells(page, template)]
    for inside, _ in kept:
        template[inside.start : inside.stop] = False
    gone = [(inside, _UNSEEN) for inside in unseen_segments(page, template)]
    gone += [(inside, _ADVERT) for inside in advert_labels(page, template)]
    for inside, _ in gone:
        template[inside.start : inside.stop] = True
    own = page.title_segments if template.any() else []
    gone += [(inside, _TWICE) for inside in early_titles(page, template, own)]
    gone += [(inside, _SHELL) for inside in shells(page, verdict, template, own)]
    if not gone and not kept:
        return verdict
    scores, stays = verdict.scores.copy(), (~verdict.template).nonzero()[0]
    reasons: dict[int, Reason] = {}
    for inside, reason in kept:
        reasons |= dict.fromkeys(inside, reason)
        place = int(stays.searchsorted(inside.start))
        beside = verdict.scores[stays[max(place - 1, 0) : place + 1]]
        scores[inside.start : inside.stop] = beside.min()
    for inside, reason in gone:
        for segment in inside:
            if scores[segment] <= verdict.threshold:
                reasons[segment] = reason
        scores[inside.start : inside.stop] = 1
    return replace(verdict, scores=scores, explain=SettledReasons(verdict.explain, reasons))


# Attributes of an element that is not shown.
_HIDDEN: Final = re.compile(
    rb"""[ ]hidden="(?!until-found)|[ ]style="[^"]*?(?<![\w-])
    (?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))""",
    re.IGNORECASE | re.VERBOSE,
)

# An element that is shown when a button is pressed; scripts have other values for themselves.
_POPOVER: Final = re.compile(rb' popover="(?:auto|manual|hint)?"')

# The style of an element with a place of its own.
_ABSOLUTE: Final = re.compile(rb"""[ ]style="[^"]*?position\s*:\s*(?:absolute|fixed)""", re.IGNORECASE)

# A style that puts such an element outside of the page, or leaves a point of it: it is read aloud.
_AWAY: Final = re.compile(
    rb"""(?<![\w-])(?:(?:margin-)?(?:left|right|top|bottom)\s*:\s*-\d{3,}|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?
    [\s,)]|clip-path\s*:\s*inset\(\s*(?:50|100)%)""",
    re.IGNORECASE | re.VERBOSE,
)

# Attributes by which a script, a link or a label may find an element, to open it.
_NAMED: Final = re.compile(
    rb"""[ ](?:id|name|role|itemprop|data-[a-z-]+|aria-(?!hidden)[a-z]+|[vx]-[a-z]+)="[^"]"""
)

_CLASS: Final = re.compile(rb' class="([^"]+)"')

# Numbers of tags that tabs and foldable sections do not have.
_OF_LINES: Final = tags.numbers(
    "a abbr b cite code em font h1 h2 h3 h4 h5 h6 i label p small span strong sub sup u"
)

# Maximum characters of such an element that is a hint or a label; a longer one may be opened.
_HINT: Final = 400

# Maximum share of the page's kept characters in one hidden element; else it is the page, not yet shown.
_MOST: Final = 0.25

# The class of a note, which is shown at its sign.
_NOTE: Final = re.compile(rb' class="[^"]*?(?:foot|side|margin)-?note', re.IGNORECASE)

# Formulas, which a picture or a script may show in the place of a hidden element.
_MATH: Final = [tags.IDS["math"] | tags.IN_MATH, tags.IDS["math"]]

_DIALOG: Final = tags.IDS["dialog"]
_FOREIGN: Final = [tags.IDS[name] | tags.IN_SVG for name in ("title", "desc")]
_MARKS: Final = np.zeros(1 << 16, np.uint8)
_MARKS[[_DIALOG, *_FOREIGN]] = 1


def unseen_segments(page: Page, template: npt.NDArray[np.bool_]) -> list[range]:
    """Find kept segments that readers do not see.

    They are in elements with ``hidden``, ``display: none`` or ``visibility: hidden``, in closed dialogs and
    popovers, in elements that are placed outside of the page for screen readers, and in titles and
    descriptions of drawings. Elements that a script may open, such as tabs and foldable sections, are not
    meant: blocks that have a name, or a class that others have or that a style sheet or script of the page
    names; and elements with much of the page's text. Nor is text whose place a picture takes
    (``text-indent``).

    ``page``, ``template``: the page, and whether each of its segments is template.
    Returns: numbers of the segments in each such element, in document order.
    """
    rows = concealed_candidates(page, template, _MARKS)
    if not rows:
        return []
    most = _MOST * page.segment_chars[~template].sum()
    return [
        inside
        for row in rows
        if _is_unseen(page, row)
        and (inside := page.segments_in(row))
        and page.segment_chars[inside][~template[inside]].sum() <= most
    ]


def _is_unseen(page: Page, row: int) -> bool:
    """Tell whether an element that may be hidden is, and nothing shows it or its like elsewhere."""
    columns, canonical = page.columns, page.canonical
    tag, start = columns.tag.data[row], columns.start.data[row]
    opening = canonical[start : canonical.find(b">", start)]
    if tag in _FOREIGN:
        return True
    if _NOTE.search(opening) or np.isin(columns.tag[row : columns.end.data[row]], _MATH).any():
        return False
    if _POPOVER.search(opening) or (tag == _DIALOG and b" open=" not in opening):
        return True
    if _HIDDEN.search(opening):
        return columns.chars.data[row] <= _HINT if tag in _OF_LINES else not _may_open(canonical, opening)
    return bool(_ABSOLUTE.search(opening) and _AWAY.search(opening))


def _may_open(canonical: bytes, opening: bytes) -> bool:
    """Tell whether the start tag of a hidden block has something by which a script may find it."""
    if _NAMED.search(opening):
        return True
    named = _CLASS.search(opening)
    return named is not None and (
        canonical.count(named[0]) > 1 or any(b"." + word in canonical for word in named[1].split())
    )


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
_AROUND_LABELS: Final = 3


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
            _OTHER[columns.tag[above]]
            for above in islice(columns.above(int(page.segments[number])), _AROUND_LABELS)
        )
    ]
