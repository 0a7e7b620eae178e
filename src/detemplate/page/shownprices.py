"""Finds the prices that a page shows as its own, where no data name them.

A product's own price stands behind the page's title, alone in its kind of place: lists of other products
repeat theirs. Beside it is a word for it ("Price:"), its element is named for it, or a button to buy is near.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.page import tags

if TYPE_CHECKING:
    from detemplate.page.page import Page


_LONGEST: Final = 30  # characters of a text that is a price, with a label
_BEFORE: Final = 10  # segments before the title in which the price may be
_BEHIND: Final = 150  # segments behind the title in which the price may be
_MOST_ALIKE: Final = 3  # prices of a page that have the same path of tags: more are a list
_MOST: Final = 3  # prices that are given
_TOGETHER: Final = 8  # segments between the first of the prices and the others
_CART: Final = 20  # segments between a price and the button to buy
_LEVELS: Final = 3  # elements around a price whose names are read
_SIGNS: Final = "$£¥€₹₽₺₩₴₪₫฿₱￥円元원"  # signs of currencies

# Names of currencies.
_NAMES: Final = (
    "usd", "eur", "gbp", "chf", "cad", "aud", "inr", "rs", "kr", "zł", "pln", "kč", "czk", "ft", "huf", "lei",
    "ron", "лв", "руб", "р", "грн", "tl",
)  # fmt: skip

_CODES: Final = rf"(?:{'|'.join(_NAMES)})\.?"  # the same as alternatives; some may have a point behind them
_AMOUNT: Final = r"\d[\d.,'’\s]*(?:,-|\.-|,–|-)?"  # an amount
_SIGN: Final = rf"(?:[a-z]{{0,3}}\s?[{_SIGNS}]|[{_SIGNS}]\s?[a-z]{{0,3}}|{_CODES})"  # a currency

# A price, in lower case. It is compiled when a page shows amounts, as the other expressions are.
_PRICE: Final = rf"(?:{_SIGN}\s?{_AMOUNT}|{_AMOUNT}\s?{_SIGN}\*?|{_SIGN}\s?{_AMOUNT}\s?{_CODES})"

# Words for a price, as alternatives.
_WORDS: Final = (
    r"price|msrp|rrp|our price|list price|sale price|regular price|price from|now|you pay|buy it now|"
    r"buy new|preis|unser preis|prix|prix public|precio|pvp|prezzo|preço|por|prijs|pris|cena|ár|hinta|fiyat|"
    r"цена|ціна|"
    r"価格|販売価格|定価|价格|售价|價格|售價|가격|판매가"
)

# A label of a price, in lower case.
_LABEL: Final = rf"(?:[\w ]{{0,12}}\s)?(?:{_WORDS})(?:\s[\w(). ]{{0,16}})?\s*[:：]?"

_LABELLED: Final = rf"(?:{_LABEL})\s*({_PRICE})"  # a price behind its label in one text; group 1 is the price

# A button to buy, in lower case.
_BUY: Final = (
    r"(?:add|ship) to (?:my |your )?(?:cart|bag|basket|trolley|order)|buy(?: it)? now|"
    r"in den (?:waren|einkaufs)korb|"
    r"ajouter au panier|a[ñn]adir (?:al carrito|a la cesta)|comprar(?: ahora| agora)?|aggiungi al carrello|"
    r"adicionar (?:ao carrinho|à sacola)|in (?:mijn )?winkel(?:wagen|mand)(?:tje)?|(?:dodaj )?do koszyka|"
    r"do košíku|kosárba|lägg i (?:varukorg|kundvagn)(?:en)?|læg i kurv|legg i handlekurv|lisää ostoskoriin|"
    r"sepete ekle|в корзину|купить|купити|в кошик|カートに入れる|加入购物车|加入購物車|立即购买|장바구니"
)

# Attribute of a start tag that names a price.
_NAMED: Final = re.compile(
    rb'\s(?:class|id|itemprop|data-[\w-]+)="[^"]*(?:price|preis|prix|precio|prezzo|preco|prijs|msrp|cena|fiyat)',
    re.IGNORECASE,
)

# Signs and names in UTF-8.
_CURRENCY_SIGNS: Final = re.compile(b"|".join(re.escape(sign.encode()) for sign in _SIGNS))
_CURRENCY_NAMES: Final = frozenset(name.encode() for name in _NAMES)

_TINY: Final = 5  # bytes of a text that may be the name of a currency

# A digit, or a byte with which the sign of a currency begins.
_BEGINS: Final = re.compile(rb"[0-9$\xc2\xe0\xef]|\xe2\x82")

# Makes spaces of bytes that the name of a currency cannot have, and small letters of others.
_LETTERS: Final = bytes(
    byte if byte > 127 or chr(byte).isalpha() else ord(" ") for byte in bytes(range(256)).lower()
)

_BEGINNING: Final = rf"(?:{_SIGN}\s?)?(?:\d|$)"  # the beginning of a price, or the currency before it
_MOST_PIECES: Final = 5  # texts that one price may be split into
_MOST_PRICES: Final = 40  # prices around the title; a page with more is a list
_MOST_HEADINGS: Final = 50  # headings in which the title is looked for
_H1: Final = tags.IDS["h1"]
_A: Final = tags.IDS["a"]


def shown_prices(page: Page, titles: list[int]) -> list[int]:
    """Find the prices that a page shows as its own.

    ``page``: the page, with segments.
    ``titles``: the segments that show its title.
    Returns: numbers of segments, ascending: the first price behind the page's title that is not one of many
        alike, and that a label, the name of its element or a button to buy marks; up to two more such prices
        right behind it; labels in their blocks. Empty if there is none.
    """
    anchor = _title(page, titles)
    if anchor is None:
        return []
    first, behind = max(anchor - _BEFORE, 0), anchor + _BEHIND
    likely = _likely(page, first, behind)
    if not likely:  # most pages
        return []
    texts = _Texts(page, first, behind, likely)
    prices = texts.prices()
    if len(prices) > _MOST_PRICES:
        return []
    paths = Counter(texts.path(first) for first, _ in prices)
    own: list[tuple[int, int]] = []
    for first, last in prices:
        if own and (first - own[0][0] > _TOGETHER or len(own) == _MOST):
            break
        alone = paths[texts.path(first)] <= _MOST_ALIKE
        if alone and not texts.linked(first) and (own or texts.marked(first, last)):
            own.append((first, last))
    found: set[int] = set()
    for first, last in own:
        found.update(range(texts.first + texts.with_label(first), texts.first + last))
    return sorted(found)


def _likely(page: Page, first: int, behind: int) -> list[int]:
    """List the segments before ``behind`` that may be prices or pieces of them; none without a currency."""
    rows = page.segments[first:behind]
    short = (page.columns.chars[rows] <= _LONGEST).nonzero()[0]
    texts = page.written(rows[short])
    if not _has_currency(texts):  # before each is looked at: most pages
        return []
    likely = [len(text) <= _TINY or _BEGINS.search(text) is not None for text in texts]
    if not _has_currency([text for text, is_likely in zip(texts, likely, strict=True) if is_likely]):
        return []
    numbers: list[int] = (first + short[likely]).tolist()
    return numbers


def _has_currency(texts: list[bytes]) -> bool:
    """Tell whether the sign or the name of a currency is in texts."""
    shown = b" ".join(texts)
    named = not _CURRENCY_NAMES.isdisjoint(shown.translate(_LETTERS).split())
    return named or _CURRENCY_SIGNS.search(shown) is not None


def _title(page: Page, titles: list[int]) -> int | None:
    """Give the segment that shows the page's title, best in a heading; else the first ``h1``'s first one."""
    heading = None
    for row in page.landmarks.get(_H1, ())[:_MOST_HEADINGS]:
        inside = page.segments_in(row)
        if inside and heading is None:
            heading = inside[0]
        if any(title in inside for title in titles):
            return inside[0]
    return titles[0] if titles else heading


class _Texts:
    """The short texts around a page's title, in lower case; longer ones are empty."""

    def __init__(self, page: Page, first: int, behind: int, likely: list[int]) -> None:
        columns, canonical = page.columns, page.canonical
        self.page, self.first, self.rows = page, first, page.segments[first:behind]
        self.likely = [number - first for number in likely]
        self.blocks = columns.block[self.rows].tolist()
        self.texts = [""] * len(self.rows)
        starts, stops = columns.start[self.rows].tolist(), columns.stop[self.rows].tolist()
        for number in np.flatnonzero(columns.chars[self.rows] <= _LONGEST).tolist():
            written = canonical[starts[number] : stops[number]].decode().replace("&nbsp;", " ")
            self.texts[number] = " ".join(written.casefold().split())

    def prices(self) -> list[tuple[int, int]]:
        """Give the prices: the first segment of each, and the one behind its last."""
        found: list[tuple[int, int]] = []
        behind = 0
        for first in self.likely:
            if first < behind:
                continue
            if re.match(_BEGINNING, self.texts[first]):
                behind = self._behind(first)
            elif re.fullmatch(_LABELLED, self.texts[first]):
                behind = first + 1
            if behind > first:
                found.append((first, behind))
        return found

    def _behind(self, first: int) -> int:
        """Give the end of the longest price that begins with a text; 0 if none does."""
        behind, written = 0, ""
        for last in range(first, min(first + _MOST_PIECES, len(self.texts))):
            if self.blocks[last] != self.blocks[first]:
                break
            written += self.texts[last]
            if re.fullmatch(_PRICE, written):
                behind = last + 1
        return behind

    def path(self, number: int) -> int:
        """Give the path of tags of a text."""
        return int(self.page.columns.path[self.rows[number]])

    def linked(self, number: int) -> bool:
        """Tell whether a text is in a link."""
        columns = self.page.columns
        return any(columns.tag[above] == _A for above in columns.above(int(self.rows[number])))

    def marked(self, first: int, last: int) -> bool:
        """Tell whether something says that a price is the page's own."""
        texts = self.texts
        if re.fullmatch(_LABELLED, texts[first]) or re.fullmatch(
            _LABEL, " ".join(texts[max(first - 1, 0) : first])
        ):
            return True
        return self._named(first) or any(map(re.compile(_BUY).fullmatch, texts[last : last + _CART]))

    def _named(self, number: int) -> bool:
        """Tell whether an element around a text has the name of a price."""
        columns, canonical = self.page.columns, self.page.canonical
        for row in islice(columns.above(int(self.rows[number])), _LEVELS):
            start = int(columns.start[row])
            if _NAMED.search(canonical, start, canonical.find(b">", start)):
                return True
        return False

    def with_label(self, first: int) -> int:
        """Give the number of a label in the block of a price; else of the price."""
        before = first - 1
        same = before >= 0 and self.blocks[before] == self.blocks[first]
        return before if same and re.fullmatch(_LABEL, self.texts[before]) else first
