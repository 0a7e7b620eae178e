"""Inputs by their names: files, patterns, lists, tables of databases; and of what kind each is."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.files.atomic import is_stream, kept_name
from detemplate.io.sources.base import STDIN
from detemplate.io.sources.compression import SUFFIXES
from detemplate.io.sources.http_body import SNIFF_SIZE, looks_like_html
from detemplate.io.sources.warc import is_warc

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from detemplate.io.sources.compression import InputStream


HTML_SUFFIXES: Final = (".html", ".htm", ".xhtml", ".xht", ".shtml")
"""Suffixes of HTML files."""

_PROGRAM_SUFFIXES: Final = (".php", ".phtml", ".asp", ".aspx", ".jsp", ".jspx", ".cfm", ".cgi", ".do")
"""Suffixes of programs that make pages on a web server."""

PAGE_SUFFIXES: Final = (*HTML_SUFFIXES, *_PROGRAM_SUFFIXES)
"""Suffixes that a mirror of a site gives to pages.

Files with a suffix of a programming language can also be programs: they are pages if they start like HTML.
"""

MHTML_SUFFIXES: Final = (".mhtml", ".mht")
"""Suffixes of MHTML files."""

KINDS: Final[dict[str, tuple[str, ...]]] = {
    "warc": (".warc",),
    "wacz": (".wacz",),
    "jsonl": (".jsonl", ".jl", ".ndjson", ".json"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".arrows", ".feather", ".ipc"),
    "csv": (".csv", ".tsv"),
    "sqlite": (".sqlite", ".sqlite3", ".db"),
    "zip": (".zip",),
    "tar": (".tar", ".tgz", ".tzst"),
    "mhtml": MHTML_SUFFIXES,
    "html": PAGE_SUFFIXES,
}
"""Kinds of input with their file name suffixes, without a suffix of compression."""

KINDS_AND_TEXT: Final = {**KINDS, "text": (".txt",)}
"""The same with plain text, for commands that work on any text and not only on pages."""

ARC: Final = (".arc",)
"""Suffix of ARC files, which are refused."""

_ARC_MAGIC: Final = b"filedesc://"  # how an ARC file begins

DUCKDB: Final = (".duckdb", ".ddb")
"""Suffixes of DuckDB files, which are refused."""

SINGLE_PAGES: Final = ("html", "text", "mhtml")
"""Kinds that hold one page a file."""

IN_DIRECTORIES: Final = (
    (".warc", ".wacz"),
    (".parquet", ".pq", ".jsonl", ".jl", ".ndjson", ".arrow"),
    (".json", ".csv", ".tsv", ".arrows", ".feather", ".ipc", ".sqlite", ".sqlite3", ".zip",
     ".tar", ".tgz", ".tzst"),
)  # fmt: skip
"""Suffixes of inputs that are read in directories: of the first of these groups that occurs.

The last are also what sites offer for download: they are read where no HTML file is.
"""

SEEKED: Final = {
    "parquet": (b"PAR1", "Parquet"),
    "arrow": (b"ARROW1", "Arrow files"),
    "zip": (b"PK\x03\x04", "ZIP and WACZ files"),
    "wacz": (b"PK\x03\x04", "ZIP and WACZ files"),
    "sqlite": (b"SQLite f", "SQLite files"),
}
"""Kinds that are not read in one go, from their beginning: their first bytes and their names."""

_TAR_MAGIC: Final = (257, b"ustar")  # where a tar file says what it is, and how


def without_compression(name: str) -> str:
    """Return a file name without its suffix of compression, if any."""
    lower = name.lower()
    for suffix in SUFFIXES:
        if lower.endswith(suffix):
            return name[: -len(suffix)]
    return name


def kind_of_name(name: str, kinds: Mapping[str, tuple[str, ...]]) -> str | None:
    """Tell the kind of a file by its name; None if it does not say."""
    lower = without_compression(name).lower()
    return next((kind for kind, suffixes in kinds.items() if lower.endswith(suffixes)), None)


def is_record_file(name: str, suffixes: tuple[str, ...]) -> bool:
    """Tell whether a file has one of the suffixes, and is not hidden or a mark of Spark's."""
    return not name.startswith(("_", ".")) and without_compression(name).lower().endswith(suffixes)


def duckdb_refused(path: Path) -> UserError:
    """Return the error of a DuckDB file, which says how to make Parquet of it."""
    return UserError(
        f"{path} is a DuckDB file, which is not read; make Parquet of it: "
        f"duckdb {path} -c \"COPY (SELECT url, html FROM pages) TO 'pages.parquet'\""
    )


def arc_refused(name: object) -> UserError:
    """Return the error of an ARC file, which says how to make WARC of it."""
    return UserError(
        f"{name} is an ARC file, which is not read; make WARC of it: pip install warcio; "
        "warcio recompress old.arc.gz new.warc.gz"
    )


def kind_of_stream(stream: InputStream, kind: str | None, otherwise: str) -> str:
    """Tell the kind of standard input by its first bytes.

    ``stream``: standard input. No more is waited for than what tells the kind.
    ``kind``: what the user says it is.
    ``otherwise``: what it is if its first bytes do not tell.
    Raises UserError: it is of a kind that is not read in one go.
    """
    start = stream.peek(8)
    for seeked, (magic, name) in SEEKED.items():
        if kind == seeked or (kind is None and start.startswith(magic)):
            raise UserError(f"{name} cannot be read from standard input; name the file instead of -")
    if kind is None and start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"{", b"["}:
        kind = "jsonl"  # does not wait for more bytes of a slow pipe
    if kind is None:
        start = stream.peek(SNIFF_SIZE)
        place, magic = _TAR_MAGIC
        if start.startswith(_ARC_MAGIC):
            raise arc_refused("standard input")
        if is_warc(start):
            kind = "warc"
        elif start.startswith(magic, place):
            kind = "tar"
        else:
            kind = "html" if looks_like_html(start) else otherwise
    if kind == "warc" and start and not is_warc(stream.peek(64)):
        raise UserError(
            "standard input is not a WARC file (it does not begin with 'WARC/'); check --input-format"
        )
    return kind


LIST: Final = "@"
"""What an input's name begins with if it is a file of inputs."""


def listed(name: str) -> list[str]:
    """Return the inputs that a list names, one a line; any other name is itself."""
    if not name.startswith(LIST) or os.path.lexists(name):
        return [name]
    if name == LIST + STDIN and sys.stdin is None:
        raise UserError("standard input is closed; name a file of inputs")
    try:
        data = sys.stdin.read() if name == LIST + STDIN else Path(name.removeprefix(LIST)).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the list of inputs {name.removeprefix(LIST)}: {error}") from error
    lines = [line.removesuffix("\r") for line in data.split("\n")]
    names = [line for line in lines if line.strip() and not line.startswith("#")]
    if not names:
        raise UserError(f"the list of inputs {name.removeprefix(LIST)} names none; write one a line")
    return names


def file_and_table(name: str) -> tuple[str, str | None]:
    """Part ``crawl.sqlite:pages`` into a file and its table, if the file is there."""
    file, colon, table = name.rpartition(":")
    if not colon or os.path.lexists(name):
        return name, None
    if kind_of_name(file, KINDS) != "sqlite" and not file.lower().endswith(DUCKDB):
        return name, None
    return file, table


def expanded(name: str) -> list[str]:
    """Expand a pattern to the files it matches; any other name must exist."""
    if name == STDIN or os.path.lexists(file_and_table(name)[0]):
        return [name]
    if glob.has_magic(name):
        matches = sorted(glob.glob(name, recursive=True))  # noqa: PTH207  # patterns may be absolute
        # "**" matches directories as well as the files in them.
        matches = [path for path in matches if "**" not in name or not Path(path).is_dir()]
        if matches:
            return matches
        raise UserError(f"nothing matches {name}; check the pattern")
    if "://" in name:
        raise UserError(
            f"{name} is an address, and inputs are files: download it, or pipe it to -; 'detemplate crawl' "
            "fetches sites, 'detemplate spark clean' reads s3://, gs:// and hdfs://"
        )
    raise UserError(f"{name} does not exist; check the path")


def refuse_outputs(names: Iterable[str], outputs: Iterable[str | None]) -> None:
    """Refuse outputs that would replace an input, or each other. Symbolic links are followed.

    ``names``: the inputs: files, tables of databases, directories, or ``-``.
    ``outputs``: the outputs, and a checkpoint; None, ``-`` (standard output) and other streams are left out.
    Raises UserError: an output is an input, is a directory that holds one or another output, is read as part
        of an input directory, or is named twice.
    """
    written: dict[str, str] = {}
    for output in outputs:
        if output is None or output == STDIN or is_stream(output):
            continue
        real = os.path.realpath(output)
        if real in written:
            raise UserError(f"{output} cannot be both of two outputs; name two files")
        written[real] = output
    for real, output in written.items():
        for around, directory in written.items():
            if real != around and _is_within(real, around):
                raise UserError(f"{output} stands in {directory}, another output; name another file")
    for name in names:
        if name == STDIN:
            continue
        read = os.path.realpath(file_and_table(name)[0])
        for real, output in written.items():
            # What a stopped run kept goes when the output is written.
            held = _is_within(read, real) or _is_within(read, kept_name(real))
            if held or (_is_read_in(read, real) and Path(real).is_file()):
                raise UserError(f"{output} would replace an input ({name}); name another output")


def _is_within(path: str, directory: str) -> bool:
    """Tell whether a path is another, or is below it."""
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


def _is_read_in(directory: str, real: str) -> bool:
    """Tell whether a file stands in an input directory, under a name that is read."""
    is_read = _is_within(real, directory) and kind_of_name(Path(real).name, KINDS) is not None
    return is_read and Path(directory).is_dir()
