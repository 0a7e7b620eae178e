"""Damaged and arbitrary input for the fuzzers."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import turbohtml

from detemplate.io.record import Record
from detemplate.io.sources.open import open_sources

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

    from lab.harness.command import Parser

_TAGS: Final = (
    "p", "div", "b", "a", "table", "tr", "td", "select", "option", "textarea", "pre", "template", "noscript",
    "iframe", "xmp", "script", "style", "title", "svg", "math", "foreignObject", "desc", "mi",
    "annotation-xml", "mglyph", "br", "img", "plaintext", "x-y",
)  # fmt: skip
"""Elements with parsing rules of their own, and some ordinary ones."""
PIECES: Final = (
    *(f"<{tag}>" for tag in _TAGS),
    *(f"</{tag}>" for tag in _TAGS),
    "<!--", "-->", "<!---->", "<?", "<!DOCTYPE html>", "<script><!-- <script>", "</script ", "<", ">", "</",
    "<!", ' a="1"', ' ="', '"', "=", '<annotation-xml encoding="text/html">', '<annotation-xml encoding="',
    " ", "\n", "&nbsp;", "&amp;", "&", "&nb", "a  b", "12345678", "\xa0", "\u200b", "\u3000", "漢", "😀",
    "\x00", "",
)  # fmt: skip
"""Pieces that tag soup is made of."""
SEEDS: Final = (
    "<!DOCTYPE html><title>t</title><p id=a class='b c'>one <b>two</b>  three &amp; \xa0<br>four",
    "<script>a<!-- <script>b</script> --></script><style>c</style><pre>\n\nd</pre><textarea>e</textarea>",
    '<math><mi>a<mglyph></mi><annotation-xml encoding="text/html"><p>b</annotation-xml></math>',
    "<svg><title>a</title><foreignObject><p>b</foreignObject><script>c</script></svg><?x y><!-- z -->",
    "<template><table><tr><td>漢字\u3000\u200b😀</table></template><iframe> a  b </iframe><xmp>&</xmp>",
)
"""Pages whose serialisations are damaged."""
_PAGES_A_FILE: Final = 100  # pages that are read from each file at most


def add_options(parser: Parser) -> None:
    """Add the options that all fuzzers take: ``--seed`` and ``--pages``."""
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default 1)")
    parser.add_argument("--pages", nargs="*", default=[], metavar="FILE", help="pages to damage, 100 a file")


def read_pages(files: Sequence[str]) -> list[bytes]:
    """Read the first 100 pages of each file, of any kind that can be cleaned, as serialisations."""
    return [
        serialised(item.html)
        for name in files
        for item in islice(open_sources([name]), _PAGES_A_FILE)
        if isinstance(item, Record)
    ]


def mutated(rng: random.Random, text: bytes) -> bytes:
    """Damage a serialisation: cut it off, delete, repeat or overwrite a part, flip a bit, insert markup."""
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
            data[at:at] = rng.choice(PIECES).encode()
        else:
            data[at:to] = rng.randbytes(to - at)
    return bytes(data)


def serialised(html: str | bytes) -> bytes:
    """Parse a page and give its serialisation in UTF-8."""
    return turbohtml.parse(html, positions=False).serialize().encode()


def inputs(rng: random.Random, pages: Sequence[bytes]) -> Iterator[bytes]:
    """Give inputs without end: prefixes of made pages, then random bytes, tag soup, damaged pages."""
    seeds = [serialised(seed) for seed in SEEDS]
    for text in seeds:
        for stop in range(len(text)):
            yield text[:stop]
    while True:
        what = rng.randrange(8)
        if what == 0:
            yield rng.randbytes(rng.randrange(64))
        elif what == 1:
            yield "".join(rng.choices(PIECES, k=rng.randrange(30))).encode()
        elif what == 2:
            yield mutated(rng, serialised("".join(rng.choices(PIECES, k=rng.randrange(30)))))
        elif what == 3 and pages:
            page = rng.choice(pages)
            at = rng.randrange(max(1, len(page) - 2000))
            yield mutated(rng, page[at : at + 2000])
        elif what == 4 and pages:
            yield mutated(rng, rng.choice(pages))
        else:
            yield mutated(rng, rng.choice(seeds))
