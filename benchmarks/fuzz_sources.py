r"""Read damaged inputs of every kind, and write what they give in every format.

    python -m benchmarks.fuzz_sources [--kinds A,B] [--rounds N] [--seed S]

Each input is a sound one with damage, or the damaged content of a sound container (gzip, zstd). Opening it
gives a source or ``UserError``; reading it gives records and skips, twice the same; each in some seconds.
Of some inputs, the records are cleaned and written in every format, and what is written is parsed again.
Prints one line a kind.
"""

from __future__ import annotations

import csv
import json
import random
import signal
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.support.fuzzing import mutated
from benchmarks.support.fuzzinputs import KINDS, sound_inputs
from detemplate.errors import UserError
from detemplate.expressions.files import Expression, Expressions, pattern_of
from detemplate.files.arrow import pa, pq
from detemplate.io.record import Record, Skip
from detemplate.io.sinks.open import open_sink
from detemplate.io.sources.base import SelectedSource
from detemplate.io.sources.open import open_sources
from detemplate.mining.apply import ApplyJob, apply
from detemplate.output.options import Rendering
from detemplate.run.job import Job
from detemplate.run.run import run as clean
from lab.harness.command import Parser, positive, run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LIMIT: Final = 1 << 16  # largest page in bytes
_SECONDS: Final = 10  # time that an input may take
_UNLIMITED: Final = 86400.0  # seconds of a page: the clock runs on where the processor has other work
_WRITTEN: Final = 0.01  # share of the inputs whose records are written
_OUTPUTS: Final = ("x.jsonl", "x.csv", "x.parquet", "x.arrow", "x.warc.gz", "x/")  # what they are written to
_TEXT: Final = "text"  # the kind of plain text: expressions are taken out of it
_SPACE: Final = r"\s+"  # what separates tokens


def read(path: Path, kind: str) -> list[Record | Skip] | None:
    """Read an input twice; None if it cannot be opened."""
    try:
        source = open_sources([str(path)], kind=kind, max_page_bytes=_LIMIT, text=kind == _TEXT)
    except UserError as refused:
        if "\n" in str(refused):
            raise AssertionError("an error of several lines") from refused
        return None
    try:
        items = list(source)
        again = [repr(item) for item in source]
    except UserError:  # the only input: of several, it is a skip
        return None
    assert all(isinstance(item, Record | Skip) for item in items), "something else than records and skips"
    assert [repr(item) for item in items] == again, "another pass, other items"
    return items


def written(
    paths: Sequence[Path], kind: str, folder: Path, *, method: str = "segments", form: str = "html"
) -> None:
    """Clean inputs into every kind of output, and parse what was written: each has the same texts."""
    wanted: list[str] | None = None
    for name in _OUTPUTS:
        names = [str(path) for path in paths]
        opened = open_sources(names, kind=kind, max_page_bytes=_LIMIT, text=kind == _TEXT)
        output = f"{folder}/{name}"
        source = SelectedSource(opened, max_bad=1.0)
        if kind == _TEXT:
            form = _TEXT
            summary = apply(
                source,
                open_sink(output, format=form, overwrite=True),
                ApplyJob(_menu(), max_page_seconds=_UNLIMITED),
            )
        else:
            sink = open_sink(output, format=form, overwrite=True)
            job = Job(method=method, rendering=Rendering(format=form), max_page_seconds=_UNLIMITED)
            summary = clean(source, sink, job)
        texts = parsed(Path(output), form)
        wanted = texts if wanted is None else wanted
        assert len(texts) == summary.pages, f"{name}: another number of pages"
        assert texts == wanted, f"{name}: other texts than {_OUTPUTS[0]}"


def _menu() -> Expressions:
    """Give an expression of two words, of which the second may be any."""
    pieces = ("Home", r"\S+")
    expression = Expression(pattern_of(pieces, _SPACE), pieces, 9, 9, 1)
    return Expressions(r"\S+", _SPACE, (), (expression,))


def parsed(output: Path, form: str) -> list[str]:
    """Parse an output; give the texts of its pages in a format."""
    if output.suffix == ".parquet":
        return _column(pq.read_table(output), form)
    if output.suffix == ".arrow":
        return _column(pa.ipc.open_file(output).read_all(), form)
    if output.suffix == ".csv":
        csv.field_size_limit(1 << 30)
        with output.open(newline="", encoding="utf-8") as file:
            return [row[form] for row in csv.DictReader(file, strict=True)]
    if output.suffix == ".gz":
        from fastwarc.warc import ArchiveIterator, WarcRecordType

        with output.open("rb") as file:
            pages = ArchiveIterator(file, record_types=WarcRecordType.conversion, parse_http=False)
            return [record.reader.read().decode() for record in pages]
    index = output / "index.jsonl" if output.is_dir() else output
    rows = [json.loads(line) for line in index.read_text("utf-8").split("\n")[:-1]]
    if index == output:
        return [row[form] for row in rows]
    files = [(output / row["path"]).read_bytes().decode() for row in rows]
    return [_without_metadata(text) if form == "markdown" else text for text in files]


def _column(table: pa.Table, form: str) -> list[str]:
    return [str(text) for text in table[form].to_pylist()] if table.num_rows else []


def _without_metadata(page: str) -> str:
    """Parse the metadata that a Markdown file begins with; give what follows."""
    import yaml

    _, metadata, text = page.split("---\n", 2)
    assert isinstance(yaml.safe_load(metadata), dict), "metadata that parse back"
    return text.removeprefix("\n")


@contextmanager
def _limited() -> Iterator[None]:
    """Raise TimeoutError after some seconds."""

    def late(*_: object) -> None:
        raise TimeoutError(f"over {_SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fuzz(kind: str, rounds: int, seed: int, folder: Path) -> tuple[int, int, int]:
    """Read damaged inputs of a kind; return numbers of opened ones, records and skips. A bad one is left."""
    rng = random.Random(seed)
    sound = sound_inputs(kind, rng)
    opened = records = skips = 0
    name, said = KINDS[kind]
    path = folder / name
    for _ in range(rounds):
        data, pack = rng.choice(sound)
        path.write_bytes(pack(mutated(rng, data)))
        try:
            with _limited():
                items = read(path, said)
                if items is not None and rng.random() < _WRITTEN:
                    written([path], said, folder)
        except Exception as error:
            raise AssertionError(f"{kind}: {type(error).__name__}: {error}: {path}") from error
        opened += items is not None
        records += sum(isinstance(item, Record) for item in items or [])
        skips += sum(isinstance(item, Skip) for item in items or [])
    return opened, records, skips


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser("benchmarks.fuzz_sources", __doc__)
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds separated by commas (default: all)")
    parser.add_argument("--rounds", type=positive, default=5_000, help="inputs a kind (default 5000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (default 1)")
    options = parser.parse_args(arguments)
    kinds = options.kinds.split(",")
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        raise UserError(f"unknown kind {unknown[0]!r}; known are {', '.join(KINDS)}")
    folder = Path(tempfile.mkdtemp(prefix="fuzz-sources-"))
    for kind in kinds:
        start = time.perf_counter()
        opened, records, skips = fuzz(kind, options.rounds, options.seed, folder)
        rate = options.rounds / (time.perf_counter() - start)
        print(
            f"{kind}: {options.rounds:,} inputs, {opened:,} opened, {records:,} records, {skips:,} skips, "
            f"{rate:,.0f}/s"
        )
    return 0


if __name__ == "__main__":
    run(main)
