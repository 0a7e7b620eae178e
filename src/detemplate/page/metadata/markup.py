"""Finds what the body of a page marks as its author and its day, or shows near its heading."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags
from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.metadata.dates import day, first_day
from detemplate.page.metadata.record import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from detemplate.page.page import Page

# Nodes before and behind the heading in which authors are looked for, and most bytes of them.
_AUTHOR_WINDOW: Final = (60, 150, 32 << 10)

# Nodes before and behind the heading in which days are looked for, and most bytes of them.
_DAY_WINDOW: Final = (150, 400, 32 << 10)

_MOST_AUTHORS: Final = 16  # elements that may mark an author that are looked at
_MOST_DAYS: Final = 30  # places that may tell a day that are looked at
_MOST_PIECES: Final = 12  # segments of a marked element
_LONGEST: Final = 160  # characters of a text that tells an author or a day
_FIRST: Final = 40  # first characters of longer texts, in which a day is looked for, too
_MOST_WORDS: Final = 10  # words of a piece of text with a day that nothing marks; more are a sentence
_LONGEST_PIECE: Final = 80  # characters of such a piece
_PIECES: Final = re.compile(r"\s[-–—]+\s|[|•·:()\[\]]")  # what parts a text into pieces
_LEVELS: Final = 8  # elements around a day or an author whose names are looked at
_TAG_BYTES: Final = 2000  # bytes of a start tag that are read
_START: Final = re.compile(rb'<[a-z][a-z0-9-]*(?:\s[^\s"=>]+="[^"]*")*')  # a start tag, without its end

# Attributes that mark an element; groups 1 and 2 are name and value.
_ATTRIBUTE: Final = re.compile(
    rb'\s(class|id|rel|itemprop|property|datetime|content|pubdate|title|data-testid)="([^"]*)"'
)

# Attributes that name what an element is.
_NAMES: Final = ("class", "id", "itemprop", "property", "rel", "data-testid", "pubdate")

_AUTHOR_NEEDLES: Final = ("uthor", "yline", "autor")  # all marks of authors have one of them

# Words of attributes that mark an author.
_AUTHOR: Final = re.compile(
    r"(?:^|[\s_.-])(?:(?:article|post|entry|news|story)-?)?(?:authors?|autore?|auteur|by-?lines?|writer|contributor|reporter)(?:-?(?:name|link))?(?=$|[\s_.-])"
    r"|(?:^|[a-z_-])(?:Author|Byline)(?:Name|Link|s)?(?=$|[\s_-])"
)

# A text that names an author where nothing marks one: each word of a name begins with a capital letter.
_BY_NAME: Final = re.compile(
    r"(?:(?:(?:[Ww]ritten|[Pp]osted|[Rr]eported)\s)?[Bb]y|BY|Von|Par|Por|Di)\s+"
    r"(?:[A-ZÀ-Ý][\w.'’-]*\s+){1,3}[A-ZÀ-Ý][\w'’-]+(?:\s*$|\s*[,|•·–]|\s(?:-|and|und|et|on|in|at|for|\d))"
    r"(?!.*\w{3}[.!?]$)"  # which is no sentence
)
_MOST_UNMARKED: Final = 12  # texts behind the heading that are looked at for such a name

# Words of attributes that mark something else near an author.
_NO_AUTHOR: Final = re.compile(
    r"comment|avatar|gravatar|photo|image|img|related|social|share|follow|bio\b|desc|date|time|twitter|email|more|list|teaser|(?<!v)card|sidebar|"
    "footer|popular|recommend|job|role|title"
)

# Words of attributes that mark a day.
_DAY: Final = re.compile(
    r"date|time|publi|posted|created|byline|meta|stamp|info|datum|fecha|dato|data\b|a(?<=\ba)ge\b"
)

# Words of attributes that mark the day of publication.
_PUBLISHED: Final = re.compile(r"publi|pubdate|posted|created")

# Words of attributes around what is often about something else than the page.
_DOUBTFUL: Final = re.compile(
    r"comment|reply|related|sidebar|popular|recommend|recent|widget|copyright|latest|teaser|expir|event|upcoming|"
    r"carousel|breaking|ticker"
)

# Words of attributes, in lower case, around another text than the page's; group 1: a comment.
_OTHER: Final = re.compile(
    r"(?:^|\s)(?:(comments?(?:list|[-_](?:author|body|content|date|item|list|meta|metadata|text|time))?(?:\s|$)|"
    r"repl(?:y|ies)\b|responses?(?:\s|$)|disqus)|sidebar|related|recommend|popular|recent|latest|teaser|copyright|site-footer)"
)

# Tags whose attributes tell no day.
_SKIPPED: Final = tags.marked({1: "a img link script iframe source form input option use"}, np.uint8)

_H1: Final = tags.IDS["h1"]
_BODY: Final = tags.IDS["body"]
_NEAREST: Final = 500  # bytes that are added to each distance from the heading: nearer ones do not differ
_FARTHEST: Final = 1e9  # more than any distance
_ELSEWHERE: Final = 6  # weight of a day among what is often about something else
_NEAR: Final = 5  # elements around a day whose doubtful names count
_TEXT: Final = 300  # characters of a text on which there may be comments

# Words of attributes of a page's foot, in lower case.
_FOOT: Final = re.compile(
    r"(?:^|\s)(?:(?:page|main|global)[-_]?)?(?:footer(?:[-_]?(?:inner|wrap\w*|content|text))?|colophon)(?:\s|$)"
)

# The heading of another page, which it links to; a link of an item of a list.
_TEASER: Final = re.compile(
    rb'<h[2-6](?: [^<>]*)?>\s*<a [^<>]*href="[^#"]|<a [^<>]*href="[^#"][^<>]*>\s*<h[2-6]'
)
_LINK: Final = re.compile(rb'<a [^<>]*href="[^#"]')
_BYLINE: Final = re.compile(rb"uthor|yline|vcard")  # authors' names stand in headings, too

# Tags around what is about something else than the page.
_ASIDE: Final = frozenset(tags.IDS[name] for name in ("aside", "figure", "figcaption"))

# Tags around what a menu says: "By Use Case", "By Company Size".
_MENU: Final = frozenset(tags.IDS[name] for name in ("button", "li", "nav"))

_ARTICLE: Final = tags.IDS["article"]
_FOOTER: Final = tags.IDS["footer"]
_LI: Final = tags.IDS["li"]
_TEASER_BYTES: Final = 3000  # most bytes of an element around a day that may be about another page

# Words beside the day of the last change.
_CHANGED: Final = re.compile(
    r"modifi|\bupdated?\b|\blast (?:edit|change|review)|\brevised\b|aktualis|aktualiz|geändert|"
    r"\bstand:|mise? à jour|actuali[zs]a|atualiza|aggiorna|bijgewerkt|gewijzigd|uppdaterad|ändrad|opdateret|"
    r"oppdatert|endret|päivitetty|güncelle|frissít|обновл|измен|оновлен|更新|修正|修改|수정|업데이트|עודכן|تحديث"
)

# Words beside the day of publication.
_SAID: Final = re.compile(
    r"publi|posted|created|written|veröffentlicht|erstellt|écrit|опубликован|发布|發佈|發布|发表|發表|公開|投稿|게시|등록"
)


class _Mark:
    """An element: its row, the attributes that may mark something, and what class, id and the like say."""

    __slots__ = ("attributes", "lower", "row", "words")

    def __init__(self, row: int, tag: bytes) -> None:
        self.row = row
        self.attributes = {
            name.decode(): unescape(value.decode("utf-8", "ignore"))
            for name, value in _ATTRIBUTE.findall(tag)
        }
        self.words = " ".join([self.attributes[name] for name in _NAMES if name in self.attributes])
        self.lower = self.words.lower()

    @property
    def is_day(self) -> bool:
        """Whether it marks a day."""
        return "datetime" in self.attributes or _DAY.search(self.lower) is not None


_Part = Callable[[_Mark, str], str]  # gives the part of an element's text that may have a day


class Markup:
    """What the body of a page says near its heading.

    ``page``: the page.
    ``heading``: row of the heading that shows its title; -1 if no ``h1`` does.
    ``month_first``: whether ``3/4/2024`` is March 4.
    """

    def __init__(self, page: Page, heading: int, *, month_first: bool) -> None:
        self._page = page
        self._title_row = heading
        self.month_first = month_first
        self._marks: dict[int, _Mark] = {}

    @cached_property
    def _heading(self) -> int:
        """Row of the heading; else of a text that shows the title, of the first ``h1``, or of the body."""
        page, row = self._page, self._title_row
        if row >= 0:
            return row
        shown = page.title_segments
        if shown:
            return int(page.segments[shown[0]])
        return next((rows[0] for tag in (_H1, _BODY) if (rows := page.landmarks.get(tag))), 0)

    def _window(self, sizes: tuple[int, int, int]) -> tuple[int, int, int]:
        """Return the place of the heading, and the range of bytes around it."""
        columns, canonical = self._page.columns, self._page.canonical
        count = len(columns)
        if not count:
            return 0, 0, 0
        row = self._heading
        before, behind, size = sizes
        at = int(columns.start[row])
        high = int(columns.start[row + behind]) if row + behind < count else len(canonical)
        return at, max(int(columns.start[max(0, row - before)]), at - size), min(high, at + size)

    def _mark(self, row: int) -> _Mark:
        mark = self._marks.get(row)
        if mark is None:
            start = self._page.columns.start.data[row]
            found = _START.match(self._page.canonical, start, start + _TAG_BYTES)
            mark = self._marks[row] = _Mark(row, found[0] if found else b"")
        return mark

    def _texts(self, row: int) -> list[str]:
        inside = self._page.segments_in(row)
        if len(inside) > _MOST_PIECES:
            return []
        return [plain(self._page.segment_text(number)) for number in inside]

    def authors(self) -> Iterator[list[list[str]]]:
        """Yield the texts of elements beside each other that are marked as author, the surest marks first."""
        canonical, columns = self._page.canonical, self._page.columns
        heading, low, high = self._window(_AUTHOR_WINDOW)
        places: list[int] = []
        for needle in _AUTHOR_NEEDLES:
            written = needle.encode()
            at = canonical.find(written, low, high)
            while at >= 0 and len(places) < 10 * _MOST_AUTHORS:
                places.append(at)
                at = canonical.find(written, at + len(written), high)
        rows = _rows_at(columns.start, np.array(sorted(places), columns.start.dtype))
        rows = rows[columns.kind[rows] == ELEMENT]
        far = np.abs(columns.start[rows] - heading)
        near = map(self._mark, rows[far.argsort(kind="stable")].tolist())
        named = (mark for mark in near if any(needle in mark.words for needle in _AUTHOR_NEEDLES))
        marks = [
            mark
            for mark in islice(named, _MOST_AUTHORS)
            if not _NO_AUTHOR.search(mark.lower) and self._elsewhere(mark.row) < _FARTHEST
        ]
        ways = (
            [mark for mark in marks if mark.attributes.get("itemprop") in ("author", "creator")],
            [mark for mark in marks if "author" in mark.attributes.get("rel", "").split()],
            [mark for mark in marks if _AUTHOR.search(mark.words)],
        )
        for way in ways:
            beside: dict[int, list[list[str]]] = {}  # by the element around them
            for mark in way:
                beside.setdefault(int(columns.parent[mark.row]), []).append(self._name(mark.row))
            yield from filter(any, beside.values())
        yield from self._unmarked()

    def _unmarked(self) -> Iterator[list[list[str]]]:
        """Yield texts right behind the heading that begin with "By" and a name."""
        segments, tag = self._page.segments, self._page.columns.tag
        first = int(segments.searchsorted(self._heading))
        for row in segments[first : first + _MOST_UNMARKED].tolist():
            text = self._page.text_of(row)
            if len(text) > _LONGEST or not _BY_NAME.match(text) or self._elsewhere(row) > 1:
                continue
            if _MENU.isdisjoint(tag[list(self._around(row))].tolist()):
                yield [[plain(text)]]

    def _name(self, row: int) -> list[str]:
        """Return the texts of an element that names an author; none where they are too long for that."""
        texts = self._texts(row)
        start = int(self._page.columns.start[row])
        if self._page.canonical.find(b'itemprop="familyName"', start, start + _TAG_BYTES) >= 0:
            texts[:2] = [" ".join(texts[:2])]
        return texts if sum(map(len, texts)) <= _LONGEST else []

    def published(self) -> str | None:
        """Return the day that stands nearest to the heading; what is marked as a day counts as nearer."""
        return self._nearest(self._unchanged)

    def modified(self) -> str | None:
        """Return the day of the first element that is marked as ``dateModified``, or is said to be it."""
        columns = self._page.columns
        at = self._page.canonical.find(b'itemprop="dateModified"')
        if at < 0:
            return self._nearest(self._changed)
        row = int(columns.start.searchsorted(at, side="right")) - 1
        told = self._mark(row).attributes
        texts = [told.get("datetime", ""), told.get("content", ""), *self._texts(row)]
        return first_day(texts, month_first=self.month_first)

    def _nearest(self, part: _Part) -> str | None:
        """Return the nearest day; ``part`` gives the part of a text that may have it."""
        page = self._page
        columns = page.columns
        heading, low, high = self._window(_DAY_WINDOW)
        places = _years(page.canonical, low, high)
        if not len(places):
            return None
        rows = _rows_at(columns.start, places.astype(columns.start.dtype))
        kinds = columns.kind[rows]
        rows = rows[(kinds == TEXT) | ((kinds == ELEMENT) & (_SKIPPED[columns.tag[rows]] == 0))]
        far = columns.start[rows] - heading
        far = np.where(far < 0, -2 * far, far) + _NEAREST
        near = far.argsort(kind="stable")[:_MOST_DAYS]
        best, read = _FARTHEST, None
        for row, distance in zip(rows[near].tolist(), far[near].tolist(), strict=True):
            if distance >= best:
                break
            told = self._day_at(row, best / distance, part)
            if told is not None:
                weight, read = told
                best = weight * distance
        return read

    def _day_at(self, row: int, most: float, part: _Part) -> tuple[float, str] | None:
        """Read the day of a text or an element; with a weight for its distance, below ``most``."""
        columns = self._page.columns
        if columns.kind[row] == TEXT:
            whole = self._page.text_of(row)
            text = whole if len(whole) <= _LONGEST else whole[:_FIRST]
            if day(text) is None:
                return None
            mark = self._mark(int(columns.parent[row]))
            marked = mark.is_day
            text = part(mark, text)
            if not marked and not _SAID.search(text.lower()):
                text = _alone(text if len(whole) <= _LONGEST else whole)
            read = day(text, month_first=self.month_first)
        else:
            mark = self._mark(row)
            if not mark.is_day:
                return None
            told = (mark.attributes.get(name, "") for name in ("datetime", "content", "title"))
            read = next(filter(None, map(day, told)), None)
            marked = True
            if read and not part(mark, read):
                return None
        weight: float = 1 if _PUBLISHED.search(mark.lower) else 2 if marked else 4
        if read is None or weight >= most:
            return None
        weight *= self._elsewhere(mark.row)
        return (weight, read) if weight < most else None

    def _unchanged(self, mark: _Mark, text: str) -> str:
        """Return the part of a text with a day that is not said to be the day of the last change."""
        if _PUBLISHED.search(mark.lower):
            return text
        if _CHANGED.search(mark.lower):
            return ""
        lower = text.lower()
        said = _SAID.search(lower)
        changed = _CHANGED.search(lower)
        if changed is not None:
            before = text[: changed.start()]
            return (
                before if day(before) else text[said.end() :] if said and said.end() > changed.end() else ""
            )
        return "" if not said and self._behind_changed(mark) else text

    def _changed(self, mark: _Mark, text: str) -> str:
        """Return the part of a text with a day that is said to be the day of the last change."""
        lower = text.lower()
        changed, said = _CHANGED.search(lower), _SAID.search(lower)
        if changed is not None:
            stop = said.start() if said and said.start() > changed.end() else len(text)
            return text[changed.end() : stop]
        told = _CHANGED.search(mark.lower) and not _PUBLISHED.search(mark.lower)
        return text if not said and (told or self._behind_changed(mark)) else ""

    def _behind_changed(self, mark: _Mark) -> bool:
        """Tell whether the text before an element is a label of the day of the last change."""
        number = int(self._page.segments.searchsorted(mark.row))
        before = self._page.segment_text(number - 1) if number > 0 else ""
        return len(before) <= _FIRST and bool(_CHANGED.search(before.lower())) and not day(before)

    def _elsewhere(self, row: int) -> float:
        """Weigh what is around a row: 1, more where it is doubtful, _FARTHEST where it is another text."""
        columns = self._page.columns
        footer, weight = False, 1
        for level, around in enumerate(self._around(row)):
            tag = columns.tag[around]
            if tag in _ASIDE:
                return _FARTHEST
            holds = around <= self._heading < columns.end[around]  # the page's heading
            if level < _LEVELS and not holds and self._is_teaser(around, tag):
                return _FARTHEST
            if level < _LEVELS and (words := self._mark(around).lower):
                other = _OTHER.search(words)
                if other and (not other[1] or self._behind_text(around)):
                    return _FARTHEST
                if level < _NEAR and _DOUBTFUL.search(words):
                    weight = _ELSEWHERE
                footer = footer or (not holds and _FOOT.search(words) is not None)
            if tag == _ARTICLE:
                if self._article != -1:
                    return weight if holds else _FARTHEST
                footer = False
            footer = footer or tag == _FOOTER
        return _FARTHEST if footer else weight

    def _is_teaser(self, row: int, tag: int) -> bool:
        """Tell whether a small element has the heading of another page, or is an item of a list of links."""
        start, stop = self._page.columns.start.data[row], self._page.columns.stop.data[row]
        if stop - start > _TEASER_BYTES:
            return False
        canonical = self._page.canonical
        heading = _TEASER.search(canonical, start, stop)
        if heading is not None and not _BYLINE.search(canonical, start, heading.end()):
            return True
        linked = tag == _LI and _LINK.search(canonical, start, stop)
        return bool(linked) and self._behind_text(row)

    def _behind_text(self, row: int) -> bool:
        """Tell whether a text stands between the heading and a row, of which the row may be a comment."""
        first, last = self._page.segments.searchsorted((self._heading + 1, row)).tolist()
        return int(self._page.segment_chars[first:last].sum()) >= _TEXT

    def _around(self, row: int) -> Iterator[int]:
        """Return a row and the rows of the elements around it, up to the body."""
        columns = self._page.columns
        while row >= 0 and columns.tag[row] != _BODY:
            yield row
            row = int(columns.parent[row])

    @cached_property
    def _article(self) -> int:
        """Row of the ``article`` element around the heading; -1 if there is none."""
        return next(
            (row for row in self._around(self._heading) if self._page.columns.tag[row] == _ARTICLE), -1
        )


def _alone(text: str) -> str:
    """Return the piece of a text that has a day and is no sentence; of a long text only the first one."""
    pieces = _PIECES.split(text)
    parts = pieces if len(text) <= _LONGEST else pieces[:1]
    short = (part for part in parts if len(part.split()) <= _MOST_WORDS and len(part) <= _LONGEST_PIECE)
    return next(filter(day, short), "")


def _rows_at(starts: npt.NDArray[np.int32], places: npt.NDArray[np.int32]) -> npt.NDArray[np.intp]:
    """Return the rows in which ascending places of the canonical serialisation are, each once."""
    rows = starts.searchsorted(places, side="right") - 1
    # np.unique would import numpy.ma, which takes 0.05 s.
    new = rows >= 0
    new[1:] &= rows[1:] != rows[:-1]
    return rows[new]


def _years(canonical: bytes, low: int, high: int) -> npt.NDArray[np.intp]:
    """Find where a range of bytes has a year from 1990 to 2039, or a point between figures."""
    text = np.frombuffer(canonical, np.uint8, high - low, low)
    if len(text) < 4:
        return np.zeros(0, np.intp)
    figure = (text - ord("0")) < 10  # unsigned: what is below "0" is above 9
    places = (figure[:-3] & figure[3:]).nonzero()[0]  # few: the rest is fast
    first, second, third = text[places], text[places + 1], text[places + 2]
    here = (first == ord("2")) & (second == ord("0")) & (third <= ord("3"))
    here |= (first == ord("1")) & (second == ord("9")) & (third == ord("9"))
    here |= (second == ord(".")) & figure[places + 2]
    return np.asarray(places[here] + low)
