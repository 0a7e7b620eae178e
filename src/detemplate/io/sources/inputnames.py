"""Names of inputs as the user gives them: files, patterns, lists of inputs, tables of databases."""

from __future__ import annotations

import glob
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.files.atomic import is_stream
from detemplate.io.sources.base import STDIN
from detemplate.io.sources.kinds import DUCKDB, KINDS, kind_of_name

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    ``outputs``: the outputs; None, ``-`` (standard output) and other streams are left out.
    Raises UserError: an output is an input, is a directory that holds one, is read as part of an input
        directory, or is named twice.
    """
    written: dict[str, str] = {}
    for output in outputs:
        if output is None or output == STDIN or is_stream(output):
            continue
        real = os.path.realpath(output)
        if real in written:
            raise UserError(f"{output} cannot be both of two outputs; name two files")
        written[real] = output
    for name in names:
        read = os.path.realpath(file_and_table(name)[0]) if name != STDIN else ""
        for real, output in written.items():
            held = read == real or read.startswith(real + os.sep)
            if (held and read) or (_is_below(real, read) and Path(real).is_file()):
                raise UserError(f"{output} would replace an input ({name}); name another output")


def _is_below(real: str, directory: str) -> bool:
    """Tell whether a file stands in an input directory, under a name that is read."""
    if not directory or not real.startswith(directory.rstrip(os.sep) + os.sep):
        return False
    return kind_of_name(Path(real).name, KINDS) is not None and Path(directory).is_dir()
