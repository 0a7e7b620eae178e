"""What all commands of lab and benchmarks share: options, errors in one line, progress, results."""

from __future__ import annotations

import argparse
import itertools
import platform
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from detemplate.errors import DetemplateError, UserError
from detemplate.report.terminal import step_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from detemplate.report.terminal import ShowStep

FOLDER: Final = Path(__file__).parents[2] / "benchmarks"
RESULTS: Final = FOLDER / "results"


class Parser(argparse.ArgumentParser):
    """Parses the arguments of the command ``python -m name``. A wrong argument raises a `UserError`."""

    def __init__(self, name: str, about: str | None, example: str = "") -> None:
        super().__init__(
            prog=f"python -m {name}",
            description=about,
            epilog=example,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    def error(self, message: str) -> NoReturn:
        """Raise a `UserError`, which :func:`run` prints in one line."""
        raise UserError(message)

    def read(self, arguments: Sequence[str] | None) -> argparse.Namespace:
        """Parse arguments; ``command`` of the options is the whole command, for reports.

        It is without ``--out`` and ``--data``, which change nothing of what is measured.
        """
        given = sys.argv[1:] if arguments is None else list(arguments)
        options = self.parse_args(given)
        told = [
            word
            for before, word in itertools.pairwise(["", *given])
            if not re.match(r"--(out|data)(=|$)", word) and before not in ("--out", "--data")
        ]
        options.command = shlex.join([*self.prog.split(), *told])
        return options

    def add_experiment(
        self, *, pages: int | None = None, methods: str = "", seed: bool = True, sites: bool = True
    ) -> None:
        """Add options that experiments share; without a default, no ``--pages`` (0: all) or ``--methods``."""
        name = self.prog.rpartition(".")[2]
        about = (
            "folder of labelled sets, ours or your own (docs/experiments/data.md; default: $DETEMPLATE_DATA)"
        )
        self.add_argument("--data", type=Path, metavar="DIR", help=about)
        self.add_argument(
            "--out", type=Path, default=Path(f"experiment-{name}"), metavar="DIR",
            help="folder for tables and charts (default: %(default)s)",
        )  # fmt: skip
        if sites:
            self.add_argument(
                "--sites", dest="names", type=split_names, default=[], metavar="NAMES",
                help="sites, separated by commas (default: all)",
            )  # fmt: skip
        if pages is not None:
            self.add_argument(
                "--pages", type=positive, default=pages or None, metavar="N",
                help=f"maximum number of pages of each site (default: {pages or 'all'})",
            )  # fmt: skip
        if seed:
            self.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all random choices")
        if methods:
            self.add_argument(
                "--methods", type=split_names, default=methods, metavar="NAMES",
                help="methods and peers, separated by commas; ours: all methods; all: installed peers, too; "
                "options stand behind a method, as in pagelevel:variant=basic (default: %(default)s)",
            )  # fmt: skip

    def add_flag(self, name: str, about: str) -> None:
        """Add an option without a value."""
        self.add_argument(name, action="store_true", help=about)

    def add_judged(self, documents: str) -> None:
        """Add ``--queries`` and ``--judgements`` (:mod:`lab.harness.trec`) on `documents`."""
        about = "TREC topics, or lines of a number, a tab and words"
        self.add_argument("--queries", type=Path, metavar="FILE", help=about)
        about = f"TREC judgements (qrels); documents are named by their {documents}"
        self.add_argument("--judgements", type=Path, metavar="FILE", help=about)

    def add_quick(self, about: str) -> None:
        """Add ``--quick``; ``about`` says what it leaves out."""
        self.add_flag("--quick", about)

    def add_out(self, about: str = "Markdown file, - for standard output only") -> None:
        """Add ``--out``: the Markdown file of the report, by default the committed one."""
        default = RESULTS / f"{self.prog.rpartition('.')[2]}.md"
        self.add_argument("--out", default=str(default), metavar="FILE", help=about)

    def add_check(self) -> None:
        """Add ``--check``: exit with 1 when a goal is missed."""
        self.add_flag("--check", "exit 1 when a goal is not reached")

    def add_peers(self, kept: str) -> None:
        """Add the options on other extractors; ``kept`` is the file of their kept scores."""
        self.add_argument("--peers", default="all", help="all, none, or names separated by commas")
        self.add_argument("--peer-scores", type=Path, default=RESULTS / kept, help="peers' kept scores")
        self.add_flag("--fresh-peers", "measure peers again, also where scores are kept")
        self.add_flag("--kept-peers", "measure no peers: show their newest kept scores")

    def add_floors(self, recorded: str) -> None:
        """Add the options of a gate (:func:`benchmarks.support.floors.gate`); ``recorded`` is its file."""
        self.add_argument("--floors", type=Path, default=FOLDER / recorded, help="the recorded floors")
        self.add_flag("--check", "exit 1 when a figure fell below its floor")
        self.add_flag("--update-floors", "raise the floors to the scores")
        self.add_flag("--lower-floors", "record what was measured, even where it is lower")

    def add_timing(self, rounds: int) -> None:
        """Add the options of a benchmark of times: ``--rounds``, ``--out`` and ``--check``."""
        self.add_argument("--rounds", type=positive, default=rounds, help=f"rounds (default {rounds})")
        self.add_out()
        self.add_check()


def positive(text: str) -> int:
    """Parse a whole number of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {number}")
    return number


def split_names(text: str) -> list[str]:
    """Split names that are separated by commas; white space around them does not count."""
    return [name.strip() for name in text.split(",") if name.strip()]


def known_methods(names: str) -> list[str]:
    """Find methods: ``all``, ``none``, or names separated by commas. UserError for an unknown name."""
    from detemplate import methods

    known = methods()
    if names in ("all", "none"):
        return known if names == "all" else []
    for name in (wanted := split_names(names)):
        if name not in known:
            raise UserError(f"unknown method {name!r}; known are {', '.join(known)}")
    return wanted


def machine() -> str:
    """Name the operating system and the processor, for example ``Linux x86_64``."""
    return f"{platform.system()} {platform.machine()}"


def run(main: Callable[[], int]) -> NoReturn:
    """Run a command and exit with its code; with 2 and one line on standard error after a `UserError`."""
    try:
        sys.exit(main())
    except DetemplateError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def progress(total: int) -> AbstractContextManager[ShowStep]:
    """Show progress over `total` steps on standard error: a bar on a terminal, else one line a step."""
    return step_progress(total, lines=True)


def log(line: str) -> None:
    """Print a line on standard error at once."""
    print(line, file=sys.stderr, flush=True)


def tell(report: str, out: str) -> None:
    """Print a report, and write it unless ``out`` is ``-``."""
    print(report)
    if out != "-":
        write(Path(out), report)


def write_or_print(report: str, out: str) -> None:
    """Write a report to a file; print it where ``out`` is ``-``."""
    if out == "-":
        print(report)
    else:
        write(Path(out), report)


def write(path: Path, text: str) -> None:
    """Write a file, make its folder if need be, and name it on standard error. UserError if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
    print(f"wrote {path}", file=sys.stderr)
