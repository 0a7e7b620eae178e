"""Time pages made to be slow, and longer ones: twice the length may take little more than twice the time.

Each kind of page is learnt and cleaned by every method, from bytes to HTML, text, Markdown and metadata. The
kinds are in `benchmarks/support/hostile.py`. Each runs in a process of its own, with limits on its time and
memory.
"""

from __future__ import annotations

import gc
import multiprocessing
import platform
import resource
import sys
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from benchmarks.support.hostile import KINDS
from detemplate import Cleaner, Page
from detemplate.detectors.registry import detector_class
from detemplate.detectors.verdict import Verdict
from detemplate.errors import PageError, UserError
from detemplate.output.result import Result
from lab.harness.command import Parser, known_methods, machine, positive, progress, run, split_names, tell
from lab.labelled.tables import markdown_table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection

    from benchmarks.support.hostile import Maker

    Pages = list[tuple[str, str]]
    """URLs and markup."""

_LIMIT: Final = 2.5
"""Maximum time of a page, relative to one of half its length."""
_DOUBLINGS: Final = 2
"""The longer page is so many times doubled: caches that overflow once weigh less."""
_JUDGED: Final = 0.1
"""Times below are not judged, in seconds."""
_ROUNDS: Final = 5
"""Maximum number of times that a page is timed. The first one below the limit counts."""
_PAGES: Final = 3
"""Pages of a site that are learnt, the cleaned one included."""
_MEMORY: Final = 3 << 30
"""Address space of a process, in bytes."""
_HALF: Final = "half of the segments"
"""A way to clean pages: every second segment goes."""
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

Pages of one repeated piece, of {short} and of {long} thousand characters. {pages} pages of a site are learnt,
the last one is cleaned, from HTML to HTML, text, Markdown and metadata. *Times* is the factor by which
processor time grows where the length doubles: of the method for which it is greatest, among those that take
{judged:.0f} ms and more. *Seconds* is the longest time of a method. At most {limit} × is linear; what is
above was timed {rounds} times, garbage collector off, and the least counts. Python {python}, {machine}.
"""


class Timed(NamedTuple):
    """Times of one kind of page, cleaned in one way.

    Attributes
    ----------
    way
        The method with its options, or what goes.
    short, long
        Processor time of the shorter and the longer page, in seconds.
    """

    way: str
    short: float
    long: float

    @property
    def times(self) -> float:
        """By what factor the time grows where the length doubles; 0 for times too short to be judged."""
        return (self.long / max(self.short, 1e-3)) ** (1 / _DOUBLINGS) if self.long >= _JUDGED else 0.0


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
        judged=1000 * _JUDGED, limit=_LIMIT, rounds=_ROUNDS,
        python=platform.python_version(), machine=machine(),
    )  # fmt: skip
    header = ["kind", "times", "of", "seconds", "of"]
    goal = f"Goal: no page takes more than {_LIMIT} × the time of half of it: "
    goal += "missed.\n\n" + "\n".join(f"- {line}" for line in slow) if slow else "reached."
    tell(f"{report}\n{markdown_table(header, rows)}\n\n{goal}\n", options.out)
    return 1 if slow else 0


def _row(kind: str, found: Sequence[Timed], lost: str) -> list[str]:
    """Make the row of a kind."""
    if not found:
        return [kind, "", "", "", lost]
    most, longest = max(found, key=lambda each: each.times), max(found, key=lambda each: each.long)
    times = [f"{most.times:.1f}", most.way] if most.times else ["", ""]
    return [kind, *times, f"{longest.long:.2f}", f"{longest.way}{f'; {lost}' if lost else ''}"]


def _in_a_process(kind: str, methods: Sequence[str], size: int, seconds: float) -> tuple[list[Timed], str]:
    """Time a kind in a process of its own; tell what of it was lost, if anything."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_time_kind, args=(sender, kind, methods, size))
    process.start()
    sender.close()
    found: list[Timed] = []
    lost = ""
    try:
        while receiver.poll(seconds):
            timed = receiver.recv()
            if timed is None:
                break
            found.append(timed)
        else:
            lost = f"over {seconds:g} s after {found[-1].way if found else 'the start'}"
    except EOFError:
        lost = f"ended by itself after {found[-1].way if found else 'the start'}"
    process.kill()
    process.join()
    return found, lost


def _time_kind(sender: Connection, kind: str, methods: Sequence[str], size: int) -> None:
    """Send the times of a kind, way by way, then None."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    gc.disable()
    ways: dict[str, Callable[[Pages], object]] = {_HALF: _halve}
    for method in methods:
        ways[method] = _way(method, {})
        for name, value in _VARIANTS.get(method, {}).items():
            ways[f"{method} {name}={value}"] = _way(method, {name: value})
    for way, work in ways.items():
        sender.send(time_way(KINDS[kind], size, way, work))
    sender.send(None)


def time_way(make: Maker, size: int, way: str, work: Callable[[Pages], object]) -> Timed:
    """Time one way to clean pages of two lengths, again while the longer one seems to take too long."""
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


def _way(method: str, options: dict[str, Any]) -> Callable[[Pages], object]:
    """Clean by a method."""

    def work(pages: Pages) -> object:
        streaming = detector_class(method).streams
        cleaner = Cleaner(method, streaming=streaming, **options)
        for page in pages if not streaming else pages[:-1]:
            cleaner.learn(page)
        return _written((cleaner.learn_and_clean if streaming else cleaner.clean)(pages[-1]))

    return work


def _halve(pages: Pages) -> object:
    """Remove every second segment of a page."""
    page = Page(*pages[-1], keep_document=True)
    every_second = (np.arange(len(page.segments)) % 2).astype(np.float32)
    return _written(Result(page, Verdict(every_second), _HALF))


def _written(result: Result) -> object:
    """Write a cleaned page in all formats."""
    return result.text, result.html, result.markdown, result.metadata


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = Parser("benchmarks.hostile", __doc__, _EXAMPLE)
    parser.add_argument("--kinds", default="all", metavar="NAMES", help="kinds of pages (default all)")
    parser.add_argument("--methods", default="all", metavar="NAMES", help="methods (default all)")
    parser.add_argument(
        "--kilobytes", type=positive, default=150, metavar="N",
        help="characters of the shorter page, in thousands (default 150)",
    )  # fmt: skip
    parser.add_argument(
        "--seconds", type=positive, default=120, metavar="N",
        help="most seconds for a kind and a method, both lengths together (default 120)",
    )  # fmt: skip
    parser.add_out()
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run(main)
