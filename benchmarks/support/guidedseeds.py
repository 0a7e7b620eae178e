"""What the guided fuzzer begins with: small inputs of pages and sources, and a dictionary of tokens."""

from __future__ import annotations

import random
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from benchmarks.support.fuzzing import PIECES, SEEDS, read_pages
from benchmarks.support.fuzzinputs import KINDS, sound_inputs
from benchmarks.support.guidedchecks import BETWEEN_PAGES, METHODS, MOST_PAGES, SOURCES, packs_of
from lab.harness.command import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_REAL: Final = FOLDER.parent / "examples" / "rustbook"
"""Real pages that every copy of the sources has."""
_SITES: Final = 100
"""Inputs that are made of real pages, at most."""
_TOKENS: Final = (
    "<nav>", "<main>", "<article>", "<header>", "<footer>", "<ul><li>", "<dl><dt>", "<h1>", "<h2>",
    "<a href=/", "<img src=", " alt=", " title=", " class=", " id=", " style=", "display:none", " hidden",
    " rowspan=2", " colspan=", "<code>", "<blockquote>", "<base href=", "<meta charset=",
    "<meta property=og:title", "<meta name=description content=", "<link rel=canonical href=",
    "<script type=application/ld+json>", '{"@type":"Product","name":"', "itemprop=", "<sup>", "<math>",
    "<svg>", "<details>", "<table>", "<th>", "\x1c", "\ufeff", "&#x0;", "&#55296;", "<plaintext>",
    "<frameset>", "<form>", "<button>", "WARC/1.0\r\n", "WARC-Type: response\r\n", "WARC-Type: revisit\r\n",
    "WARC-Target-URI: ", "WARC-Date: ", "WARC-Record-ID: ", "WARC-Truncated: length\r\n",
    "Content-Length: ", "Content-Type: ", "\r\n\r\n", "application/http; msgtype=response",
    "HTTP/1.1 200 OK\r\n", "HTTP/1.1 301 ", "Transfer-Encoding: chunked", "Content-Encoding: gzip",
    "Content-Encoding: br", "text/html; charset=utf-16", "0\r\n\r\n", '{"url":"', '","html":"', '"}\n',
    "url,html\n", "\\ud800", "\\u0000", "1e999", "[[[[", "null", "boundary=",
    "Content-Transfer-Encoding: base64", "quoted-printable", "=\r\n", "cid:", "ustar", "PK\x03\x04",
    "charset=iso-2022-jp", "charset=utf-7", "DUCK", "CREATE VIEW ", "read_text(", "\x64\x00\x65\x00",
    "\xff\xfe",
)  # fmt: skip
"""Tokens of pages and of sources, beside the pieces that tag soup is made of."""


def page_seeds(pages: Sequence[bytes], most: int) -> Iterator[bytes]:
    """Give inputs of pages: made ones, and parts of real ones."""
    rng = random.Random(1)
    names = sorted(str(path) for path in _REAL.glob("*.html"))
    real = [*read_pages(names), *pages]
    sites = [real[at : at + MOST_PAGES] for at in range(0, len(real), MOST_PAGES)]
    for number in range(len(METHODS)):
        for seed in SEEDS:
            yield bytes((number, rng.randrange(4))) + seed.encode()
    length = most // MOST_PAGES // 2 - MOST_PAGES
    for number, site in enumerate(rng.sample(sites, min(len(sites), _SITES))):
        parts = [_beginning(page, length) + _part(page, length, rng) for page in site]
        yield bytes((number % len(METHODS), rng.randrange(4))) + BETWEEN_PAGES.join(parts)


def _beginning(page: bytes, length: int) -> bytes:
    """Give the beginning of a page's body, which other pages of its site are likely to have."""
    at = max(page.find(b"<body"), 0)
    return page[at : at + length]


def _part(page: bytes, length: int, rng: random.Random) -> bytes:
    """Give a part of a page that begins with a tag."""
    at = page.find(b"<", rng.randrange(max(1, len(page) - length)))
    return page[at : at + length]


def source_seeds(kind: str) -> Iterator[bytes]:
    """Give sound inputs of a kind, or of all."""
    for name in KINDS if kind == "all" else (kind,):
        for data, pack in sound_inputs(name, random.Random(1)):
            yield bytes((SOURCES.index(name), packs_of(name).index(pack))) + data


def write_seeds(folder: Path, seeds: Iterable[bytes]) -> Path:
    """Write inputs to files, and return the folder of these files."""
    place = folder / "seeds"
    place.mkdir()
    for seed in seeds:
        (place / sha256(seed).hexdigest()[:16]).write_bytes(seed)
    return place


def write_dictionary(folder: Path) -> Path:
    """Write the tokens that libFuzzer inserts, in its own notation, and return the file."""
    tokens = dict.fromkeys(token.encode()[:60] for token in (*PIECES, *_TOKENS) if token)
    path = folder / "tokens.dict"
    lines = ("".join(f"\\x{byte:02x}" for byte in token) for token in tokens)
    path.write_text("".join(f'"{line}"\n' for line in lines), "ascii")
    return path
