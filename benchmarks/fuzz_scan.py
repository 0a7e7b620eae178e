r"""Feed damaged and arbitrary input to the compiled kernels, in bulk.

    python -m benchmarks.fuzz_scan [--rounds N] [--seed S] [--pages FILE ...]

What the scan gives must be columns that fit together, or nothing. The recurrence table is run against its
reference. Prints one line a kernel.

Every input is a bytes object of its exact size (Python ends it with one NUL, which may be read). Sanitizers
see reads and writes past an end; in a copy of the source tree, with GCC on Linux:

    cp -r . /tmp/sanitized && cd /tmp/sanitized && find src -name '*.so' -delete
    DETEMPLATE_KERNEL_FLAGS="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined" \
        python setup.py build_ext --inplace
    LD_PRELOAD="$(gcc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
        PYTHONPATH=src python -m benchmarks.fuzz_scan --rounds 300000
"""

from __future__ import annotations

import random
import time
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import turbohtml

from benchmarks.command import Parser, positive, run
from detemplate.algorithms import recurrence, recurrence_reference
from detemplate.errors import UserError
from detemplate.io.record import Record
from detemplate.io.sources.open import open_sources
from detemplate.page import columns
from detemplate.page import scan as scan_module
from detemplate.page.columns import CODE, ELEMENT, INSTRUCTION, RAW, TEXT, Columns
from detemplate.page.scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TAGS: Final = [
    "p",
    "div",
    "b",
    "a",
    "table",
    "tr",
    "td",
    "select",
    "option",
    "textarea",
    "pre",
    "template",
    "noscript",
    "iframe",
    "xmp",
    "script",
    "style",
    "title",
    "svg",
    "math",
    "foreignObject",
    "desc",
    "mi",
    "annotation-xml",
    "mglyph",
    "br",
    "img",
    "plaintext",
    "x-y",
]
_PIECES: Final = (
    *(f"<{tag}>" for tag in _TAGS),
    *(f"</{tag}>" for tag in _TAGS),
    "<!--", "-->", "<!---->", "<?", "<!DOCTYPE html>", "<script><!-- <script>", "</script ", "<", ">", "</",
    "<!", ' a="1"', ' ="', '"', "=", '<annotation-xml encoding="text/html">', '<annotation-xml encoding="',
    " ", "\n", "&nbsp;", "&amp;", "&", "&nb", "a  b", "12345678", "\xa0", "\u200b", "\u3000", "漢", "😀",
    "\x00", "",
)  # fmt: skip
_SEEDS: Final = (
    "<!DOCTYPE html><title>t</title><p id=a class='b c'>one <b>two</b>  three &amp; \xa0<br>four",
    "<script>a<!-- <script>b</script> --></script><style>c</style><pre>\n\nd</pre><textarea>e</textarea>",
    '<math><mi>a<mglyph></mi><annotation-xml encoding="text/html"><p>b</annotation-xml></math>',
    "<svg><title>a</title><foreignObject><p>b</foreignObject><script>c</script></svg><?x y><!-- z -->",
    "<template><table><tr><td>漢字\u3000\u200b😀</table></template><iframe> a  b </iframe><xmp>&</xmp>",
)


def broken_rule(found: Columns, size: int) -> str | None:
    """Name the first rule that columns of a serialisation of ``size`` bytes break, if any."""
    rows = np.arange(len(found))
    nested = found.parent >= 0
    above = found.parent[nested]
    inner = rows[nested]
    rules = {
        "kind": ((found.kind >= ELEMENT) & (found.kind <= INSTRUCTION)).all(),
        "parent before child": (found.parent < rows).all() and (found.parent >= -1).all(),
        "parent is an element": (found.kind[above] == ELEMENT).all(),
        "subtree within the rows": ((found.end > rows) & (found.end <= len(found))).all(),
        "subtree within the parent's": (found.end[inner] <= found.end[above]).all(),
        "only elements have subtrees": (
            found.end[found.kind != ELEMENT] == rows[found.kind != ELEMENT] + 1
        ).all(),
        "bytes within the text": (
            (found.start >= 0) & (found.start < found.stop) & (found.stop <= size)
        ).all(),
        "bytes in order": (np.diff(found.start) > 0).all(),
        "bytes within the parent's": (
            (found.start[inner] > found.start[above]) & (found.stop[inner] <= found.stop[above])
        ).all(),
        "blocks in order": len(found) == 0 or (found.block[0] == 0 and (np.diff(found.block) >= 0).all()),
        "characters": ((found.chars >= 0) & (found.chars <= size)).all(),
        "text of unseen elements has no characters": not found.chars[np.isin(found.kind, (CODE, RAW))].any(),
        "children": (found.children >= np.bincount(above, minlength=len(found))).all(),
        "place among the children": (
            (found.place >= 0).all() and (found.place[inner] < found.children[above]).all()
        ),
        "segments": np.array_equal(found.segments, np.flatnonzero(found.kind == TEXT)),
        "keys": np.array_equal(
            found.keys, columns.segment_keys(found.path[found.segments], found.content[found.segments])
        ),
    }
    return next((rule for rule, holds in rules.items() if not holds), None)


def mutated(rng: random.Random, text: bytes) -> bytes:
    """Damage a serialisation: cut it, drop, repeat or overwrite some of it, put a piece of markup in."""
    data = bytearray(text)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(data) + 1)
        to = min(len(data), at + rng.choice((1, 1, 2, 8, 64)))
        what = rng.randrange(6)
        if what == 0:
            del data[at:]
        elif what == 1:
            del data[at:to]
        elif what == 2:
            data[at:at] = data[at:to]
        elif what == 3 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif what == 4:
            data[at:at] = rng.choice(_PIECES).encode()
        else:
            data[at:to] = rng.randbytes(to - at)
    return bytes(data)


def serialised(html: str | bytes) -> bytes:
    """Parse and serialise."""
    return turbohtml.parse(html, positions=False).serialize().encode()


def inputs(rng: random.Random, pages: Sequence[bytes]) -> Iterator[bytes]:
    """Give inputs without end: noise, tag soup raw and serialised, and damaged serialisations."""
    seeds = [serialised(seed) for seed in _SEEDS]
    for text in seeds:
        for stop in range(len(text)):
            yield text[:stop]
    while True:
        what = rng.randrange(8)
        if what == 0:
            yield rng.randbytes(rng.randrange(64))
        elif what == 1:
            yield "".join(rng.choices(_PIECES, k=rng.randrange(30))).encode()
        elif what == 2:
            yield mutated(rng, serialised("".join(rng.choices(_PIECES, k=rng.randrange(30)))))
        elif what == 3 and pages:
            page = rng.choice(pages)
            at = rng.randrange(max(1, len(page) - 2000))
            yield mutated(rng, page[at : at + 2000])
        elif what == 4 and pages:
            yield mutated(rng, rng.choice(pages))
        else:
            yield mutated(rng, rng.choice(seeds))


def fuzz_scan(rounds: int, seed: int, pages: Sequence[bytes]) -> tuple[int, int, int]:
    """Run the scan over so many inputs; give how many it read, how many it refused, and their bytes.

    Raises
    ------
    AssertionError
        If columns do not fit together; the input is in the message.
    """
    accepted = refused = size = 0
    for data in islice(inputs(random.Random(seed), pages), rounds):
        found = scan(data)
        size += len(data)
        if found is None:
            refused += 1
            continue
        accepted += 1
        rule = broken_rule(found, len(data))
        if rule is not None:
            raise AssertionError(f"{rule}: {data!r}")
    return accepted, refused, size


def _same(first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def fuzz_table(rounds: int, seed: int) -> int:
    """Run so many calls on tables of all shapes, compiled and reference; give how many entries were seen.

    Raises
    ------
    AssertionError
        If the two differ.
    """
    rng = random.Random(seed)
    seen = 0
    while rounds > 0:
        lives = [rng.choice((-1, 1, 2, 5, 40)) for _ in range(rng.choice((1, 2, 6)))]
        most = rng.choice((1, 7, 500, 2**31 - 1))
        reach = rng.choice((4, 60, 5000))
        ours, reference = (
            recurrence.recurrence_table(lives, most),
            recurrence_reference.RecurrenceTable(lives, most),
        )
        for _ in range(rng.randrange(1, 60)):
            rounds -= 1
            keys = np.array([rng.randrange(reach) for _ in range(rng.choice((0, 1, 5, 80)))], np.uint64)
            keys <<= np.uint64(rng.choice((0, 0, 32, 50)))
            seen += len(keys)
            if not np.array_equal(ours.observe(keys), reference.observe(keys)):
                raise AssertionError(f"document frequencies differ (seed {seed})")
            if not _same(ours.dump(), reference.dump()):
                raise AssertionError(f"tables differ (seed {seed})")
        again = recurrence.recurrence_table(lives, most)
        again.load(ours.pages, *ours.dump())
        if not _same(ours.dump(), again.dump()):
            raise AssertionError(f"a loaded table differs (seed {seed})")
    return seen


def read_pages(files: Sequence[str], most: int) -> list[bytes]:
    """Read the first pages of each file, of any kind that can be cleaned, as serialisations."""
    return [
        serialised(item.html)
        for name in files
        for item in islice(open_sources([name]), most)
        if isinstance(item, Record)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the arguments, run, print the figures."""
    parser = Parser("fuzz_scan", __doc__)
    parser.add_argument(
        "--rounds", type=positive, default=100_000, help="inputs to the scan (default 100000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default 1)")
    parser.add_argument("--pages", nargs="*", default=[], metavar="FILE", help="pages to damage, 100 a file")
    given = parser.parse_args(arguments)
    if scan_module.KERNEL is None or recurrence.KERNEL is None:
        raise UserError("the kernels are not compiled; run: python setup.py build_ext --inplace")
    pages = read_pages(given.pages, 100)
    start = time.perf_counter()
    accepted, refused, size = fuzz_scan(given.rounds, given.seed, pages)
    seconds = time.perf_counter() - start
    print(
        f"scan: {given.rounds:,} inputs ({size / 1e6:,.0f} MB, {len(pages)} pages damaged), "
        f"{accepted:,} accepted, {refused:,} refused, {given.rounds / seconds:,.0f}/s"
    )
    start = time.perf_counter()
    seen = fuzz_table(given.rounds // 10, given.seed)
    seconds = time.perf_counter() - start
    print(f"table: {given.rounds // 10:,} calls, {seen:,} entries, {seen / seconds:,.0f} entries/s")
    return 0


if __name__ == "__main__":
    run(main)
