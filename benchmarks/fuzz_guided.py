r"""Fuzz guided by coverage: pages through a method to every format, or sources of every kind.

    python -m benchmarks.fuzz_guided --target pages [--method M] [--executions N] [--corpus DIR]
    python -m benchmarks.fuzz_guided --target sources [--kind K] [--seconds S]

libFuzzer changes inputs that reached new code before. What must hold is what ``fuzz_pages`` and
``fuzz_sources`` check. Beside that, some results are made rows and parsed back, and some are written to every
kind of output and read again. Kernels have no coverage: the Python code around them guides. An input holds up
to three pages of one site. The first line that is printed tells what was run. After a fault, a second one
names the file with the input, and the exit code is 1; ``--input FILE`` runs it again.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.support.fuzzing import PIECES, SEEDS, add_options, read_pages
from benchmarks.support.fuzzinputs import KINDS, sound_inputs
from benchmarks.support.guidedchecks import BETWEEN_PAGES, METHODS, MOST_PAGES, SOURCES, packs_of
from detemplate.detectors.registry import DETECTORS
from detemplate.errors import MissingExtra, UserError
from lab.harness.command import FOLDER, Parser, log, positive, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_CHILD: Final = ("-m", "benchmarks.support.guided")  # what Python runs: libFuzzer takes over its process
_MAX_BYTES: Final = {"pages": 1024, "sources": 49152}
"""Largest input in bytes by target: small inputs run often."""
_MEMORY: Final = Path("/dev/shm")
_SECONDS: Final = 120  # time that an input may take: more is a hang
_MEBIBYTES: Final = 2048  # memory that the process may take
_ROUND: Final = 100_000
"""Inputs after which a new process goes on: atheris keeps some memory of each, 8 KB of an input of pages."""
_INTERRUPTED: Final = 72  # exit code of libFuzzer after Ctrl-C
_STATUS: Final = re.compile(
    r"#(\d+)\s+(\w+)\s+cov: (\d+) ft: (\d+) corp: (\d+)/(\S+).* exec/s: (\d+)", re.ASCII
)
"""A line of libFuzzer: executions, what happened, edges, features, inputs and bytes of the corpus, rate."""
_SHOWN: Final = {"INITED", "pulse", "DONE"}  # what happened in the lines that are shown while it runs
_REAL: Final = FOLDER.parent / "examples" / "rustbook"  # real pages that every copy of the sources has
_SITES: Final = 100  # inputs that are made of real pages, at most
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


@dataclass(frozen=True)
class Outcome:
    """What came of a run: inputs run, those a second, features of coverage, inputs of the corpus.

    ``interrupted``: by Ctrl-C. ``fault`` is None where every rule held; ``saved`` is the input that shows it.
    """

    executions: int
    rate: int
    features: int
    inputs: int
    interrupted: bool = False
    fault: str | None = None
    saved: Path | None = None


def fuzz(arguments: Sequence[str], folder: Path, child: Sequence[str] = _CHILD) -> Outcome:
    """Run libFuzzer in a process of its own."""
    path = [str(FOLDER.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    last: deque[str] = deque(maxlen=400)
    counts = (0, 0, 0, 0)
    with subprocess.Popen(
        [sys.executable, "-P", *child, *arguments],
        stderr=subprocess.STDOUT,
        stdout=subprocess.PIPE,
        text=True,
        errors="replace",
        cwd=FOLDER.parent,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path)},
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("INFO: Instrumenting"):
                continue
            last.append(line.rstrip("\n"))
            if found := _STATUS.match(line):
                counts = (int(found[1]), int(found[7]), int(found[4]), int(found[5]))
                if found[2] in _SHOWN:
                    log(last[-1])
    blind = any("no interesting inputs were found" in line for line in last)
    if process.returncode in {0, _INTERRUPTED} and not blind:
        return Outcome(*counts, process.returncode == _INTERRUPTED)
    saved = sorted(path for path in folder.iterdir() if path.name.startswith(("crash-", "timeout-", "oom-")))
    (folder / "log").write_text("\n".join(last) + "\n", "utf-8")
    return Outcome(*counts, False, _fault(last), saved[0] if saved else None)


def fuzz_in_rounds(
    arguments: Sequence[str], folder: Path, executions: int, seconds: int | None, seed: int
) -> Outcome:
    """Run libFuzzer in one process after the other, until all is done or a fault is found."""
    start = time.monotonic()
    done = 0
    while True:
        given = [f"-runs={min(executions - done, _ROUND)}", f"-seed={seed}"]
        if seconds is not None:
            given.append(f"-max_total_time={max(1, round(seconds - (time.monotonic() - start)))}")
        found = fuzz([*arguments, *given], folder)
        done += found.executions
        seed += 1
        spent = time.monotonic() - start
        late = seconds is not None and spent >= seconds
        if found.fault is not None or found.interrupted or late or not found.executions or done >= executions:
            return replace(found, executions=done, rate=round(done / spent))


def _fault(lines: Sequence[str]) -> str:
    """Find what libFuzzer says of a fault among its last lines."""
    marked = [number for number, line in enumerate(lines) if "Uncaught Python exception" in line]
    if marked and marked[-1] + 1 < len(lines):
        return lines[marked[-1] + 1]
    said = (line for line in reversed(lines) if "ERROR" in line or "no interesting inputs" in line)
    return next(said, lines[-1] if lines else "no output")


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


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser("benchmarks.fuzz_guided", __doc__)
    parser.add_argument("--target", choices=list(_MAX_BYTES), required=True, help="what is fuzzed")
    parser.add_argument("--method", help="of pages; all: each input names one (default all)")
    parser.add_argument("--kind", help="of sources; all: each input names one (default all)")
    parser.add_argument("--executions", type=positive, default=100_000, help="inputs (default 100000)")
    parser.add_argument("--seconds", type=positive, help="stop after this time, if that is sooner")
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="inputs to go on with, and new ones")
    parser.add_argument("--max-bytes", type=positive, help="largest input (pages: 1024, sources: 49152)")
    parser.add_argument("--input", type=Path, metavar="FILE", help="run one input, as it was saved")
    add_options(parser)
    options = parser.parse_args(arguments)
    choice = _choice(options.target, options.method, options.kind)
    if find_spec("atheris") is None:
        if sys.version_info >= (3, 14):
            raise UserError("atheris has no release for this Python: run the fuzzer with 3.11, 3.12 or 3.13")
        raise MissingExtra("fuzzing guided by coverage", "fuzz")
    folder = Path(tempfile.mkdtemp(prefix="fuzz-guided-"))
    given = [f"-artifact_prefix={folder}/", f"-timeout={_SECONDS}", f"-rss_limit_mb={_MEBIBYTES}"]
    if options.input is not None:
        if not options.input.is_file():
            raise UserError(f"no such file: {options.input}")
        given.append(str(options.input.resolve()))
    else:
        corpus = (options.corpus or folder / "corpus").resolve()
        corpus.mkdir(parents=True, exist_ok=True)
        most = options.max_bytes or _MAX_BYTES[options.target]
        seeds = (
            page_seeds(read_pages(options.pages), most) if options.target == "pages" else source_seeds(choice)
        )
        given += [f"-max_len={most}", "-keep_seed=1", f"-dict={write_dictionary(folder)}"]
        given += [str(corpus), str(write_seeds(folder, seeds))]
    with tempfile.TemporaryDirectory(
        prefix="fuzz-files-", dir=_MEMORY if _MEMORY.is_dir() else None
    ) as files:
        given = [options.target, choice, files, *given]
        if options.input is not None:
            found = fuzz(given, folder)
            print(f"{options.target} ({choice}): {options.input}: {'a fault' if found.fault else 'no fault'}")
        else:
            found = fuzz_in_rounds(given, folder, options.executions, options.seconds, options.seed)
            print(
                f"{options.target} ({choice}): {found.executions:,} executions, {found.rate:,}/s, "
                f"{found.features:,} features, corpus of {found.inputs:,} inputs"
            )
    if found.fault is not None:
        print(f"fault: {found.fault}; input: {found.saved or 'none saved'}; log: {folder / 'log'}")
    return int(found.fault is not None)


def _choice(target: str, method: str | None, kind: str | None) -> str:
    """Return the method or kind that is fuzzed, or ``"all"``."""
    known, name, other = (DETECTORS, method, kind) if target == "pages" else (KINDS, kind, method)
    if other is not None:
        raise UserError(f"--target {target} takes {'--method' if target == 'pages' else '--kind'} only")
    if name not in {None, "all", *known}:
        raise UserError(f"unknown choice {name!r}; known are all, {', '.join(known)}")
    return name or "all"


if __name__ == "__main__":
    run(main)
