"""The command: its parts are in :mod:`detemplate.commands`; errors become one line here."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from detemplate._version import __version__
from detemplate.commands.command import Group
from detemplate.errors import DetemplateError, Stopped
from detemplate.report.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

_INTERRUPTED = 130
"""Exit code after an interrupt: 128 plus the number of SIGINT."""

_COMPLETING = "_DETEMPLATE_COMPLETE"
"""Variable by which a shell asks for completions, or for the script that asks for them."""


app = Group(
    {
        "clean": "detemplate.commands.clean:clean",
        "extract": "detemplate.commands.extract:extract",
        "learn": "detemplate.commands.learn:learn",
        "inspect": "detemplate.commands.inspect:inspect",
        "explain": "detemplate.commands.reports:explain",
        "report": "detemplate.commands.reports:report",
        "compare": "detemplate.commands.reports:compare",
        "crawl": "detemplate.commands.crawl:crawl",
        "methods": "detemplate.commands.inspect:methods",
        "store": Group(
            {
                "show": "detemplate.commands.store:show",
                "export": "detemplate.commands.store:export",
                "merge": "detemplate.commands.store:merge",
                "forget": "detemplate.commands.store:forget",
            },
            name="store",
            help="Show, export, merge and forget what stores know of sites.",
        ),
        "expressions": Group(
            {
                "mine": "detemplate.commands.expressions:mine",
                "apply": "detemplate.commands.expressions:apply",
            },
            name="expressions",
            help="Mine template expressions of pages or plain text, and remove what they match.",
        ),
        "graph": Group(
            {
                "tables": "detemplate.commands.graph:tables",
                "templates": "detemplate.commands.graph:templates",
                "rank": "detemplate.commands.rank:rank",
                "related": "detemplate.commands.rank:related",
            },
            name="graph",
            help="Find templates over all sites of a crawl, and rank its pages by their links.",
        ),
        "spark": Group(
            {
                "clean": "detemplate.commands.spark:clean",
                "templates": "detemplate.commands.spark:templates",
            },
            name="spark",
            help="Clean and find templates on Spark: for crawls in buckets, on many machines.",
        ),
        "train": "detemplate.commands.learn:train",
    },
    {
        "sites": "store show",
        "export": "store export",
        "merge": "store merge",
        "forget": "store forget",
        "mine": "expressions mine",
        "apply": "expressions apply",
        "tables": "graph tables",
        "templates": "graph templates",
        "rank": "graph rank",
        "related": "graph related",
    },
    name="detemplate",
    help="Find and remove templates (navigation, headers, footers, notices) from web pages.",
)
click.version_option(__version__, prog_name="detemplate", message="%(prog)s %(version)s")(app)


def _occupy_streams() -> None:
    """Open something in place of closed standard streams: the next file would get their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _say(message: str) -> None:
    if sys.stderr is not None:  # else print would use standard output
        with suppress(OSError):
            print("detemplate: " + printable(" ".join(message.split())), file=sys.stderr, flush=True)


class _Messages:
    """Standard error, whose reader may go away: what is said then is lost, and the run goes on."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(BrokenPipeError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:  # what is left in its buffer must not fail again at the program's end
            with suppress(OSError, ValueError):
                nothing = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nothing, self._stream.fileno())
                os.close(nothing)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # all else is the stream's
        return getattr(self._stream, name)


@contextmanager
def _heard() -> Iterator[None]:
    """Lose messages that nobody reads any more, and go on with the run."""
    stream = sys.stderr
    if stream is None:
        yield
        return
    sys.stderr = cast("TextIO", _Messages(stream))
    try:
        yield
    finally:
        sys.stderr = stream


def main(  # noqa: PLR0911  # each end of a run has its own
    arguments: list[str] | None = None, command: click.Command = app
) -> int:
    """Run the command, or another one; return its exit code (the console script's entry point).

    Errors that the user can mend are one line on standard error and exit code 2.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy would start threads that nothing uses
    from detemplate.io.sinks.out import OutputClosed, silence_stdout

    _occupy_streams()
    completing = os.environ.get(_COMPLETING)
    if completing:
        from click.shell_completion import shell_complete

        return shell_complete(command, {}, "detemplate", _COMPLETING, completing)

    def fail(message: str, code: int) -> int:
        _say(message)
        return code

    try:
        with _heard():
            given = sys.argv[1:] if arguments is None else list(arguments)
            with command.make_context(command.name, given) as context:
                command.invoke(context)
            if sys.stdout is not None:
                sys.stdout.flush()
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError):  # its message is the help
            print(error.format_message(), file=sys.stderr)
            return 2
        place = error.ctx if isinstance(error, click.UsageError) else None
        words = place.command_path if place is not None else command.name
        return fail(f"{error.format_message()} (see '{words} --help')", 2)
    except (OutputClosed, BrokenPipeError):
        silence_stdout()
        return 0
    except DetemplateError as error:
        return fail(str(error), error.exit_code)
    except Stopped as stopped:
        return fail(f"interrupted; {stopped.advice}", 128 + stopped.number)
    except OSError as error:  # of what a command prints: files have messages of their own
        silence_stdout()
        return fail(f"cannot read or write: {error}", 2)
    except KeyboardInterrupt:
        return fail("interrupted; no output was written", _INTERRUPTED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
