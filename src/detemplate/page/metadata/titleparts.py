"""The parts of titles, and words in the place of authors; how many pages of a site share those of a page."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import xxhash

from detemplate.page import tags
from detemplate.page.metadata.record import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from detemplate.page.page import Page

_SIGNS: Final = re.compile("[|｜/~:–—·•»«›‹<>⋅*_－-]+|@")  # what may separate the parts of a title
_WORDS: Final = re.compile(r"\w+")  # words

# Numbers: parts that differ in them alone are of one kind, such as "Page 2" and "Page 3".
_NUMBERS: Final = re.compile(r"\d+")

# Where words that may stand for authors are looked for.
_META, _H1, _BODY = (tags.IDS[name] for name in ("meta", "h1", "body"))
_AUTHOR: Final = re.compile(rb'<meta(?=[^<>]*\sname="author")[^<>]*?\scontent="([^"<>]{1,60})"')
_NEAR: Final = (2 << 10, 6 << 10)  # bytes before and behind the first heading
_HEAD: Final = 16 << 10  # bytes behind the first ``meta``
_MOST_NODES: Final = 20  # nodes of an element that names an author
_MOST_TEXTS: Final = 4  # texts of it that are read
_LONGEST_WORD: Final = 20  # characters of a word
_WORD: Final = re.compile(rf"[^\s\u2e80-\U0010ffff]{{1,{_LONGEST_WORD}}}")

_ENDS: Final = 4  # parts at each end of a title that are counted
_LEAST_PAGES: Final = 4  # fewest pages by which a site tells anything
_COMMON: Final = (2, 0.01)  # fewest pages with a common part, and their least share of the pages
_RARER: Final = 4  # how many times as many pages a common part has as one that is the page's own


@lru_cache(2048)
def key(text: str) -> str:
    """Give a text's letters and digits only, in lower case, to compare texts."""
    return "".join(_WORDS.findall(text.casefold()))


@lru_cache(256)
def split(title: str) -> Sequence[str]:
    """Split a title into its parts and the separators between them, in turns; not inside of brackets.

    White space in the title must be collapsed.
    """
    pieces: list[str] = []
    last = 0
    for found in _SIGNS.finditer(title):
        start, end = found.span()
        if start and _separates(title, found[0], start, end) and not _inside(title, last, start):
            start -= title[start - 1] == " "
            end += title[end : end + 1] == " "
            pieces += title[last:start], title[start:end]
            last = end
    pieces.append(title[last:])
    return pieces


def _separates(title: str, signs: str, start: int, end: int) -> bool:
    """Tell whether signs separate parts of a title: between spaces, bars, or before its last word."""
    if title[start - 1] == " " and title[end : end + 1] == " " and signs[0] not in "_－":
        return True
    if signs in ("|", "｜"):
        return True
    rest = title[end:].lstrip(" ")
    if not rest or " " in rest or signs.strip("_－–—"):
        return False
    return (
        signs[0] != "_" or not (title[start - 1] + rest[0]).isascii() or " " in (title[start - 1], title[end])
    )


def _inside(title: str, start: int, end: int) -> bool:
    """Tell whether a part of a title ends inside of brackets."""
    return title.count("(", start, end) > title.count(")", start, end)


def counted(title: str) -> list[str]:
    """Give the keys of the parts of a title that are counted."""
    parts = [key(part) for part in split(title)[::2]]
    return parts if len(parts) <= 2 * _ENDS else parts[:_ENDS] + parts[-_ENDS:]


def part_keys(page: Page) -> tuple[int, ...]:
    """Return two hashes for each part of a page's title: of its key, and of this with all numbers alike.

    Behind them come hashes of the words that may stand for its author (:func:`author_words`).
    """
    texts = [text for part in counted(plain(page.title)) for text in (part, _alike(part))]
    return tuple([_hash(text) for text in (*texts, *("@" + word for word in author_words(page)))])


def author_words(page: Page) -> list[str]:
    """Return the keys of single short words in the place of authors: in the head, near the first ``h1``.

    Names in scripts without spaces are single words, too, and are left out.
    """
    columns, canonical = page.columns, page.canonical
    start = columns.start.data
    words: list[str] = []
    metas = page.landmarks.get(_META, ())
    low, high = (start[metas[0]], columns.stop.data[metas[-1]]) if metas else (0, 0)
    at = canonical.find(b'name="author"', low, min(high, low + _HEAD))
    if at >= 0 and (found := _AUTHOR.match(canonical, canonical.rfind(b"<meta", low, at), high)):
        words.append(found[1].decode("utf-8", "ignore"))
    heading = (page.landmarks.get(_H1) or page.landmarks.get(_BODY) or (0,))[0]
    low = max(0, start[heading] - _NEAR[0]) if len(columns) else 0
    for mark in (b"uthor", b"yline"):
        at = canonical.find(mark, low, low + sum(_NEAR))
        row = bisect_right(start, at) - 1
        if at >= 0 and columns.end.data[row] - row <= _MOST_NODES:
            inside = page.segments_in(row)[:_MOST_TEXTS]
            words += [
                page.segment_text(number) for number in inside if page.segment_chars[number] <= _LONGEST_WORD
            ]
    return sorted({key(word) for word in map(str.strip, words) if _WORD.fullmatch(word)})


def _alike(part: str) -> str:
    return "#" + _NUMBERS.sub("0", part)


def _hash(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))


class SharedParts(NamedTuple):
    """How many pages of a site have the parts of one page's title.

    ``pages``: pages of the site so far.
    ``counts``: of each key that :func:`part_keys` gives for the page, the pages that have it, about.
    """

    pages: int
    counts: tuple[int, ...]

    def of_site(self, title: str) -> set[str]:
        """Give the keys of the parts of a title that half of the site's pages have."""
        return self._of_half(self._counts(title))

    def words(self, page: Page) -> set[str]:
        """Return the keys of words in the place of authors that half of the site's pages have there."""
        words = author_words(page) if self.pages >= _LEAST_PAGES else []
        counts = self.counts[len(self.counts) - len(words) :]
        return self._of_half(dict(zip(words, counts, strict=False)))

    def ends(self, title: str) -> set[str]:
        """Give those of the site's parts that are not the rarest part of a title."""
        counts = self._counts(title)
        return {part for part in self.of_site(title) if counts[part] > min(counts.values())}

    def own(self, title: str, chosen: str) -> str:
        """Give the page's own part of a title if what was chosen of it is on other pages, too.

        ``title``: the title, white space collapsed.
        ``chosen``: the part or heading that was chosen.
        Returns: the title without common parts at its ends, if it has a rare one, else without those that
            half of the pages have. ``""`` if no other page has what was chosen, and for a title of one part.
        """
        alike = self._counts(title, 1)
        if len(alike) < 2:
            return ""
        least = max(_COMMON[0], _COMMON[1] * self.pages)
        common = {part for part, count in alike.items() if count >= least}
        name = key(chosen)
        if not common.issuperset(counted(chosen)) and not any(
            name in part and 2 * len(name) > len(part) for part in common
        ):
            return ""
        rare = any(
            part not in common and _RARER * count <= max(alike.values()) for part, count in alike.items()
        )
        left = common if rare else self.ends(title)
        return without_ends(title, lambda part: key(part) in left)

    def _of_half(self, counts: dict[str, int]) -> set[str]:
        """Give the texts that half of the site's pages have."""
        least = max(_LEAST_PAGES - 1, self.pages / 2)
        return {text for text, count in counts.items() if count >= least}

    def _counts(self, title: str, kind: int = 0) -> dict[str, int]:
        """Give the number of pages of each part, if they are enough; of kind 1, numbers in them are alike."""
        parts = counted(title) if self.pages >= _LEAST_PAGES else []
        return dict(zip(parts, self.counts[kind::2], strict=False))


UNKNOWN: Final = SharedParts(0, ())
"""Of a page of whose site nothing is known."""


def without_ends(title: str, goes: Callable[[str], bool]) -> str:
    """Take the parts that ``goes`` says off both ends of a title; one part stays."""
    pieces = split(title)
    while len(pieces) > 2 and goes(pieces[-1]):
        pieces = pieces[:-2]
    while len(pieces) > 2 and goes(pieces[0]):
        pieces = pieces[2:]
    return "".join(pieces).strip() or title
