"""The short texts of a page around its product's name, and the places in them where values are shown."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from html import unescape
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from detemplate.page.whitespace import collapse

if TYPE_CHECKING:
    from detemplate.page.page import Page
    from detemplate.page.productdata import ProductData

    Range = tuple[int, int]
    """First segment, and the one behind the last."""

_LONGEST: Final = 80  # characters of a segment in which values are looked for; a name may be longer
_PIECE: Final = 12  # characters of a piece of a price that is split over several segments

REACH: Final = 100
"""Segments between the product's name and a value."""

FAR: Final = 1500
"""The same for values that are not shown so near."""

_AGAIN: Final = 30  # segments between the product's name and the second place of a value

PLACES: Final = 2
"""Places of one value that are given, if they show it alike."""

_SPELLINGS: Final = 3  # spellings of one value that are given, as ``$799`` and ``$799.00``

MOST_INSIDE: Final = 8
"""Segments in an element that shows a value; an element with more shows other things, too."""

_LABEL: Final = 24  # characters of a label before a value
_SAME: Final = "\x1f"  # separates the pieces that one price may be split into
_OTHER: Final = "\x1e"  # separates all other segments
_ENDS: Final = _SAME + _OTHER  # both separators

# What may stand before a text that a value must be the whole of: nothing or a label.
_BEFORE_WHOLE: Final = ("", _SAME, _OTHER, ":", "：")

_AROUND: Final = " \xa0:：#.,;/|()[]"  # characters that may stand beside a product number
_GROUP: Final = 3  # digits of a group in a large number; in India also one fewer
_GROUP_MARKS: Final = frozenset((".", ",", "'", "’", " ", "\xa0", "\u202f"))  # marks between groups of digits

# What may stand between units and cents; they may be segments of their own.
_POINTS: Final = frozenset(
    (".", ",", _SAME, *(f"{a}{point}{b}" for point in ".," for a in ("", _SAME) for b in ("", _SAME)))
)

_DIGITS: Final = re.compile(r"[0-9]+")  # a run of digits
_DIGIT: Final = re.compile(r"\d")  # a digit
_NUMBER: Final = re.compile(r"\d[\d.,]*")  # a number as written
_CENTS: Final = re.compile(r"\d[.,]\d\d(?!\d)")  # a number with two digits behind its point


def _amount(units: str, cents: str) -> tuple[str, str]:
    """Give an amount without zeros that do not count."""
    return units.lstrip("0"), cents.rstrip("0")


def _price(value: str) -> tuple[str, str]:
    """Read a price of data, with any separators and a currency; its digits before and behind the point."""
    number = "".join(character for character in value if character in "0123456789.,").strip(".,")
    at = max(number.rfind("."), number.rfind(","))
    if at < 0:
        return _amount(number, "")
    whole, rest = re.sub("[.,]", "", number[:at]), number[at + 1 :]
    if number.count(number[at]) > 1 or (number[at] == "," and len(rest) == 3):
        return _amount(whole + rest, "")
    return _amount(whole, rest)


class OfferTexts:
    """The short texts around the product's name, in one string.

    ``anchor``: the segment that shows the name; None if there is none: values are looked for from the page's
        beginning.
    ``data``: what is known of the product.
    ``reach``: segments between the name and a value.
    ``reach``: as given.
    ``anchor``: the segment that shows the name, counted from the first of the texts; None if there is none.
    ``first``: number of the first segment.
    ``currencies``: names of the product's currencies, in lower case.
    ``blocks``: blocks of the segments.
    ``texts``: their texts, in lower case; empty where they are longer than a value.
    ``joined``: all texts; separators say which of them may be pieces of one price.
    ``starts``: where each text begins in ``joined``.
    """

    def __init__(self, page: Page, anchor: int | None, data: ProductData, reach: int) -> None:
        self.reach = reach
        around = anchor or 0
        self.first = max(around - reach - MOST_INSIDE, 0)
        self.anchor = None if anchor is None else anchor - self.first
        self.currencies = [currency.casefold() for currency in data.currencies]
        rows = page.segments[self.first : around + reach + MOST_INSIDE]
        columns, canonical = page.columns, page.canonical
        self.blocks = columns.block[rows].tolist()
        self.texts = [
            collapse(unescape(canonical[start:stop].decode())).casefold() if chars <= _LONGEST else ""
            for start, stop, chars in zip(
                columns.start[rows].tolist(),
                columns.stop[rows].tolist(),
                columns.chars[rows].tolist(),
                strict=True,
            )
        ]
        pieces: list[str] = []
        self.starts: list[int] = []
        at = 0
        for text, following in zip(self.texts, [*self.texts[1:], ""], strict=True):
            self.starts.append(at)
            split = 0 < len(text) <= _PIECE and 0 < len(following) <= _PIECE
            pieces += [text, _SAME if split else _OTHER]
            at += len(text) + 1
        self.joined = "".join(pieces)

    def prices(self, values: list[str]) -> list[list[Range]]:
        """Give the places of each price: with any separators, in one segment or in pieces."""
        places: dict[tuple[str, str], list[Range]] = {_price(value): [] for value in values}
        places.pop(("", ""), None)
        if not places:
            return []
        joined = self.joined
        numbers = [(match.start(), match.end()) for match in _DIGITS.finditer(joined)]
        gaps = [joined[stop:start] for (_, stop), (start, _) in pairwise(numbers)]
        gaps.append(_OTHER)
        for first, (start, stop) in enumerate(numbers):
            if first and gaps[first - 1] in (_GROUP_MARKS if stop - start == _GROUP else _POINTS):
                continue  # the end of a number: thousands, or cents
            units, last = joined[start:stop], first
            while True:
                if gaps[last] not in {".", ","}:
                    self._put(places, (units, ""), start, numbers[last][1])
                if last + 1 == len(numbers) or last - first > _GROUP:
                    break
                following, end = numbers[last + 1]
                if gaps[last] in _POINTS:
                    self._put(places, (units, joined[following:end]), start, end)
                if gaps[last] not in _GROUP_MARKS or end - following not in (_GROUP, _GROUP - 1):
                    break
                units += joined[following:end]
                last += 1
        return list(places.values())

    def _put(
        self, places: dict[tuple[str, str], list[Range]], shown: tuple[str, str], start: int, stop: int
    ) -> None:
        """Note a place of a price."""
        ranges = places.get(_amount(*shown))
        if ranges is not None:
            first, last = self._with_currency(
                bisect_right(self.starts, start) - 1, bisect_right(self.starts, stop - 1)
            )
            if self._is_price(first, last):
                if ranges and first == ranges[-1][0]:
                    ranges.pop()  # its units alone
                ranges.append((first, last))

    def code(self, code: str) -> list[Range]:
        """Give the places of a product number; none of a short one, which may stand for anything."""
        digits = sum(map(str.isdigit, code))
        if not digits or not (4 if digits < len(code) else 5) <= len(code) <= _LONGEST:
            return []
        return self._word(code.casefold(), whole=False)

    def brand(self, brand: str) -> list[Range]:
        """Give the places of a brand as a whole text or behind a label."""
        return self._word(brand.casefold(), whole=True) if 2 <= len(brand) <= _LONGEST else []

    def _word(self, word: str, *, whole: bool) -> list[Range]:
        """Give the segments with a word, or with it as a whole text or behind a label."""
        ranges, joined = [], self.joined
        at = joined.find(word)
        while at >= 0:
            stop = at + len(word)
            before = joined[max(at - 2, 0) : at].rstrip(" \xa0")[-1:]
            if whole:
                fits = before in _BEFORE_WHOLE and joined[stop] in _ENDS
            else:
                fits = (
                    not (joined[max(at - 1, 0) : at] + joined[stop]).replace("_", "-").strip(_ENDS + _AROUND)
                )
            if fits:
                first = bisect_right(self.starts, at) - 1
                ranges.append((first, first + 1))
            at = joined.find(word, stop)
        return ranges

    def nearest(self, ranges: list[Range]) -> list[int]:
        """Give the segments of the places nearest to the name; without a name, the first ones.

        Of each spelling there is one place, and of the nearest a second one near the name.
        """
        anchor = self.anchor or 0
        found: list[int] = []
        spelled: list[str] = []
        for distance, first, last in sorted((abs(first - anchor), first, last) for first, last in ranges):
            spelling = " ".join(_NUMBER.findall(_SAME.join(self.texts[first:last])))
            again = 0 < len(spelled) < PLACES and self.anchor is not None and distance <= _AGAIN
            if distance > self.reach or (spelling in spelled and not again) or len(spelled) >= _SPELLINGS:
                continue
            spelled.append(spelling)
            found += range(self.first + self._with_label(first), self.first + last)
        return found

    def _with_currency(self, first: int, last: int) -> Range:
        """Add a currency's sign or name that is a segment of its own in the block of a price."""
        blocks, texts = self.blocks, self.texts
        if any(map(_has_sign, texts[first:last])):
            return first, last
        if first > 0 and blocks[first - 1] == blocks[first] and self._is_currency(texts[first - 1]):
            return first - 1, last
        if last < len(texts) and blocks[last] == blocks[last - 1]:
            following = texts[last]
            if self._is_currency(following) or (following.isalpha() and len(following) <= _GROUP):
                return first, last + 1
        return first, last

    def _is_currency(self, text: str) -> bool:
        """Tell whether a text is the sign or the name of a currency, and nothing else."""
        return 0 < len(text) <= 5 and (_has_sign(text) or text in self.currencies) and not _DIGIT.search(text)

    def _is_price(self, first: int, last: int) -> bool:
        """Tell whether a number looks like a price: with a currency, with cents, or large and alone."""
        text = "".join(self.texts[first:last])
        if _has_sign(text) or any(currency in text for currency in self.currencies) or _CENTS.search(text):
            return True
        return sum(map(str.isalpha, text)) <= 3 and sum(map(str.isdigit, text)) >= 3

    def _with_label(self, first: int) -> int:
        """Add a label in the same block, as ``SKU:``."""
        if first > 0 and self.blocks[first - 1] == self.blocks[first]:
            before = self.texts[first - 1].rstrip()
            if before.endswith((":", "：")) and len(before) <= _LABEL:
                return first - 1
        return first


def _has_sign(text: str) -> bool:
    """Tell whether a text has the sign of a currency."""
    return any(unicodedata.category(character) == "Sc" for character in text)
