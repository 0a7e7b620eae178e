"""Time pages made to be slow, and longer ones: twice the length may take little more than twice the time.

Each kind of page is learned and cleaned by every method, from bytes to HTML, text, Markdown and metadata. The
kinds are in `KINDS`. Each runs in a process of its own, with limits on its time and memory.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import xxhash

from benchmarks.support.processes import Overdue, stream
from benchmarks.support.reports import measured_on
from detemplate import Cleaner, Page
from detemplate.detectors.registry import detector_class
from detemplate.detectors.verdict import Verdict
from detemplate.errors import PageError, UserError
from detemplate.output.result import Result
from lab.harness.command import Parser, known_methods, positive, progress, run, split_names, tell
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    Pages = list[tuple[str, str]]
    """URLs and markup."""
    import numpy.typing as npt

    Maker = Callable[[int, int], str]
    """Makes a page of about so many characters; the second number tells pages of a site apart."""

_LIMIT: Final = 2.5  # maximum time of a page, relative to one of half its length
_DOUBLINGS: Final = 2  # the longer page is so many times doubled: caches that overflow once weigh less
_JUDGED: Final = 0.1  # times below are not judged, in seconds
_ROUNDS: Final = 5  # maximum number of times that a page is timed. The first one below the limit counts
_PAGES: Final = 3  # pages of a site that are learned, the cleaned one included
_MEMORY: Final = 3 << 30  # address space of a process, in bytes
_HALF: Final = "half of the segments"  # A way to clean pages: every second segment goes
_VARIANTS: Final[dict[str, dict[str, Any]]] = {
    "auto": {"comments": "drop"},
    "sandwich": {"unit": "token"},
    "sitelevel": {"equality": "normal"},
    "expressions": {"on": "html", "mutables": "shipped"},
}
"""Options with which methods run again, one at a time."""
_EXAMPLE = """\
examples:
  python -m benchmarks.hostile
  python -m benchmarks.hostile --kinds "one word,numbers" --methods expressions --kilobytes 400 --out -
"""
_INTRO = """\
# Hostile pages

Pages of one repeated piece, of {short} and of {long} thousand characters. {pages} pages of a site are
learned, the last one is cleaned, from HTML to HTML, text, Markdown and metadata. *Times* is the factor by
which processor time grows where the length doubles: of the method for which it is greatest, among those
that take {judged:.0f} ms and more. *Seconds* is the longest time of a method. At most {limit} × is linear;
what is above was timed {rounds} times, garbage collector off, and the least counts. {where}.
"""


class Timed(NamedTuple):
    """Processor seconds of the shorter and the longer page of a kind, cleaned in one way."""

    way: str
    short: float
    long: float

    @property
    def times(self) -> float:
        """By what factor the time grows where the length doubles; 0 for times too short to be judged."""
        return (self.long / max(self.short, 1e-3)) ** (1 / _DOUBLINGS) if self.long >= _JUDGED else 0.0


_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
"""The multiplier of Fibonacci hashing, which a hash table would have that keeps none secret."""
_DRAWN: Final = 1 << 20  # texts that are hashed at a time


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
    around = shown.segment_keys[0] ^ _hashed(np.frombuffer(b"abcdefgh", np.uint8).reshape(1, 8))[0]
    drawn = np.random.default_rng(5)
    found: list[str] = []
    while len(found) < count:
        letters = drawn.integers(97, 123, (_DRAWN, 8), np.uint8)
        keys = _hashed(letters) ^ around
        begin = (keys * _GOLDEN) >> np.uint64(32) & np.uint64(0xFF00)
        found += [row.tobytes().decode() for row in letters[begin == 0]]
    return found[:count]


def _hashed(texts: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint64]:
    """Hash rows of bytes as the package hashes texts."""
    return np.array([xxhash.xxh64_intdigest(row.tobytes()) for row in texts], np.uint64)


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


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    kinds = split_names(options.kinds) if options.kinds != "all" else list(KINDS)
    for kind in kinds:
        if kind not in KINDS:
            raise UserError(f"unknown kind {kind!r}; known are {', '.join(KINDS)}")
    methods = known_methods(options.methods)
    rows, slow = [], []
    with progress(len(kinds)) as show:
        for number, kind in enumerate(kinds):
            show(kind, number)
            found, lost = _in_a_process(kind, methods, options.kilobytes * 1000, options.seconds)
            slow += [f"{kind}: {each.way} {each.times:.1f} ×" for each in found if each.times > _LIMIT]
            slow += [f"{kind}: {lost}"] if lost else []
            rows.append(_row(kind, found, lost))
    report = _INTRO.format(
        short=options.kilobytes, long=options.kilobytes << _DOUBLINGS, pages=_PAGES,
        judged=1000 * _JUDGED, limit=_LIMIT, rounds=_ROUNDS, where=measured_on(),
    )  # fmt: skip
    goal = f"Goal: no page takes more than {_LIMIT} × the time of half of it: "
    goal += "missed.\n\n" + "\n".join(f"- {line}" for line in slow) if slow else "reached."
    table = markdown_table(["kind", "times", "of", "seconds", "of"], rows)
    tell(f"{report}\n{table}\n\n{goal}\n", options.out)
    return 1 if slow else 0


def _row(kind: str, found: Sequence[Timed], lost: str) -> list[str]:
    if not found:
        return [kind, "", "", "", lost]
    most, longest = max(found, key=lambda each: each.times), max(found, key=lambda each: each.long)
    times = [f"{most.times:.1f}", most.way] if most.times else ["", ""]
    return [kind, *times, f"{longest.long:.2f}", f"{longest.way}{f'; {lost}' if lost else ''}"]


def _in_a_process(kind: str, methods: Sequence[str], size: int, seconds: float) -> tuple[list[Timed], str]:
    """Time a kind in a process of its own; say what of it was lost, if anything."""
    found: list[Timed] = []
    try:
        found.extend(stream(_time_kind, seconds, kind, methods, size))
    except Overdue as why:
        return found, f"{why} after {found[-1].way if found else 'the start'}"
    return found, ""


def _time_kind(kind: str, methods: Sequence[str], size: int) -> Iterator[Timed]:
    """Time a kind, way by way."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    gc.disable()
    ways: dict[str, Callable[[Pages], object]] = {_HALF: _halve}
    for method in methods:
        ways[method] = partial(_clean, method, {})
        for name, value in _VARIANTS.get(method, {}).items():
            ways[f"{method} {name}={value}"] = partial(_clean, method, {name: value})
    for way, work in ways.items():
        yield time_way(KINDS[kind], size, way, work)


def time_way(make: Maker, size: int, way: str, work: Callable[[Pages], object]) -> Timed:
    """Time one way to clean pages of ``size`` characters and longer ones; again while they seem too slow."""
    warm, *sites = (
        [(f"http://e.org/{number}", make(length, number)) for number in range(_PAGES)]
        for length in (size // 100, size, size << _DOUBLINGS)
    )
    _try(work, warm, way)
    least = [float("inf"), float("inf")]
    for _ in range(_ROUNDS):
        for place, pages in enumerate(sites):
            gc.collect()
            start = time.process_time()
            _try(work, pages, way)
            least[place] = min(least[place], time.process_time() - start)
        timed = Timed(way, *least)
        if timed.times <= _LIMIT:
            break
    return timed


def _try(work: Callable[[Pages], object], pages: Pages, way: str) -> None:
    """Clean pages; a page that is refused is told, and costs what it took."""
    try:
        work(pages)
    except PageError as error:
        print(f"{way}: {error}", file=sys.stderr)


def _clean(method: str, options: dict[str, Any], pages: Pages) -> object:
    """Learn pages by a method, and clean the last one."""
    streaming = detector_class(method).streams
    cleaner = Cleaner(method, streaming=streaming, options=options)
    for page in pages[:-1] if streaming else pages:
        cleaner.learn(page)
    return _written((cleaner.learn_and_clean if streaming else cleaner.clean)(pages[-1]))


def _halve(pages: Pages) -> object:
    """Remove every second segment of a page."""
    page = Page(*pages[-1], keep_document=True)
    every_second = (np.arange(len(page.segments)) % 2).astype(np.float32)
    return _written(Result(page, Verdict(every_second), _HALF))


def _written(result: Result) -> object:
    return result.text, result.html, result.markdown, result.metadata


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.hostile", __doc__, _EXAMPLE)
    parser.add_argument("--kinds", default="all", metavar="NAMES", help="kinds of pages (default all)")
    parser.add_argument("--methods", default="all", metavar="NAMES", help="methods (default all)")
    for name, default, about in (
        ("kilobytes", 150, "characters of the shorter page, in thousands"),
        ("seconds", 120, "most seconds for a kind and a method, both lengths together"),
    ):
        told = f"{about} (default {default})"
        parser.add_argument(f"--{name}", type=positive, default=default, metavar="N", help=told)
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
