"""Pages made to be slow: a table of makers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Maker = Callable[[int, int], str]
    """Makes a page of about so many characters; the second number tells pages of a site apart."""

_PRIMES: Final = tuple(
    np.uint64(prime)
    for prime in (
        0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5,
    )
)  # fmt: skip
"""The primes of XXH64, P1 to P5."""

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
"""The multiplier of Fibonacci hashing, which a hash table would have that keeps none secret."""

_DRAWN: Final = 1 << 20
"""Texts that are hashed at a time."""


def _of(piece: str, before: str = "", after: str = "") -> Maker:
    """Make pages of one piece, over and over; ``{}`` in it is a number that counts up."""

    def make(size: int, number: int) -> str:
        count = max(size // len(piece.replace("{}", "1234567")), 1)
        if "{}" in piece:
            body = "".join(piece.replace("{}", f"{place * 7 + number:07}") for place in range(count))
        else:
            body = piece * count
        return f"<title>{number}</title>{before}{body}{after}"

    return make


def _by_page(*makers: Maker) -> Maker:
    """Make the pages of a site in turns, so that they differ from beginning to end."""
    return lambda size, number: makers[number % len(makers)](size, number)


def _colliding(size: int, number: int) -> str:
    """Make a page of texts whose keys lie side by side in a table of a known multiplier."""
    texts = _collisions(size // 12)
    return f"<title>{number}</title>" + "".join(f"<p>{text}" for text in texts)


@cache
def _collisions(count: int) -> list[str]:
    """Find texts of eight letters in ``<p>`` whose keys begin in the same 256th of a hash table."""
    from detemplate.page.page import Page

    shown = Page("http://e.org/", "<p>abcdefgh")
    around = shown.segment_keys[0] ^ _hashed(np.frombuffer(b"abcdefgh", np.uint64))[0]
    drawn = np.random.default_rng(5)
    found: list[str] = []
    while len(found) < count:
        letters = drawn.integers(97, 123, (_DRAWN, 8), np.uint8)
        keys = _hashed(letters.view(np.uint64).ravel()) ^ around
        begin = (keys * _GOLDEN) >> np.uint64(32) & np.uint64(0xFF00)
        found += [row.tobytes().decode() for row in letters[begin == 0]]
    return found[:count]


def _hashed(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Compute XXH64 of texts of eight bytes."""
    first, second, third, fourth, fifth = _PRIMES

    def turned(value: npt.NDArray[np.uint64], bits: int) -> npt.NDArray[np.uint64]:
        return value << np.uint64(bits) | value >> np.uint64(64 - bits)

    value = (fifth + np.uint64(8)) ^ turned(words * second, 31) * first
    value = turned(value, 27) * first + fourth
    value = (value ^ value >> np.uint64(33)) * second
    value = (value ^ value >> np.uint64(29)) * third
    return value ^ value >> np.uint64(32)


KINDS: Final[dict[str, Maker]] = {
    # what recurs
    "numbers": _of("{} "),
    "one word": _of("word "),
    "two words": _of("one two "),
    "colliding keys": _colliding,
    "alternating lines": _by_page(_of("a\nb\n"), _of("b\na\na\n"), _of("b\nb\na\n")),
    "alternating tags": _by_page(_of("<i>a</i>b"), _of("b<i>a</i>b"), _of("<i>a</i><i>a</i>b")),
    "alternating blocks": _of("<p>a\n<p>b\n"),
    "equal paragraphs": _of("<p>equal"),
    "counted paragraphs": _of("<p>text {}"),
    # texts
    "a long word": _of("a", "1 "),
    "a digit and letters": _of("a", "1"),
    "dates": _of("1 May 2007 "),
    "digits": _of("1,"),
    "dots": _of("."),
    "spaces": _of(" \n", "a", "a"),
    "no-break spaces": _of("&nbsp;", "a", "a"),
    "entities": _of("&amp;&lt;"),
    "ideographs": _of("漢字。"),
    "prices": _of("$1.99 "),
    "addresses": _of("http://e.org/{} "),
    # markup
    "inline elements": _of("<b>a</b>b"),
    "line breaks": _of("a<br>"),
    "links": _of("<a href=/{}>a</a> "),
    "images": _of("<img src=/{} alt=a>", "<p>text"),
    "list items": _of("<li>a", "<ul>"),
    "lists in lists": _of("<ul><li>a"),
    "divisions in divisions": _of("<div>a"),
    "inline in inline": _of("<i>a", "<p>"),
    "cells": _of("<td>a", "<table><tr>"),
    "rows": _of("<tr><td>a<td>b", "<table>"),
    "tables in tables": _of("<table><tr><td>a"),
    "headings": _of("<h2>a {}</h2>b"),
    "definitions": _of("<dt>a<dd>b", "<dl>"),
    "options": _of("<option>a", "<select>"),
    "lines of code": _of("a = {}\n", "<pre><code>", "</code></pre>"),
    "formulas": _of("<math><mi>x</mi><mn>{}</mn></math>"),
    "notes": _of("<sup><a href=#n{}>1</a></sup><p id=n{}>note</p>"),
    "comments": _of("a<!-- b -->"),
    "noscript": _of("<noscript>a</noscript>b"),
    "attributes": _of(" a{}=b", "<p", ">text"),
    "a long attribute": _of("b", "<p a='", "'>text"),
    "classes": _of("c{} ", "<p class='", "'>text"),
    "starts of tags": _of("<a ", "<p>text"),
    "ends of tags": _of("a</p>"),
    "metadata": _of("<meta property='og:title' content='a {}'>", "", "<p>text"),
    "linked data": _of(
        '{"@type": "Product", "name": "a {}"},', '<script type="application/ld+json">[', "{}]</script><p>text"
    ),
    "microdata": _of("<div itemscope itemtype=http://schema.org/Offer><b itemprop=price>1.99</b></div>"),
    "readers' comments": _of("<div class=comments>a", f"<p>{'a b c d ' * 20}"),
    "names of comments": _of(' class="x', f"<p>{'a b c d ' * 20}", "<p>comments"),
    "times": _of("<time datetime=2024-01-01>a</time> "),
}
"""Kinds of hostile pages by name. To add one, add a line."""
