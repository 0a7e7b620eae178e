"""The command: its parts are in :mod:`detemplate.commands`; errors become one line here."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Annotated, Any, TextIO, cast

import typer

from detemplate.commands.apply import apply
from detemplate.commands.clean import clean
from detemplate.commands.crawl import crawl
from detemplate.commands.experiment import experiment
from detemplate.commands.explain import explain
from detemplate.commands.inspect import inspect
from detemplate.commands.learn import learn
from detemplate.commands.methods import methods
from detemplate.commands.mine import mine
from detemplate.commands.rank import rank, related
from detemplate.commands.render import render
from detemplate.commands.report import report
from detemplate.commands.sites import sites
from detemplate.commands.spark_learn import spark
from detemplate.commands.store import export, forget, merge
from detemplate.commands.tables import tables
from detemplate.commands.templates import templates
from detemplate.commands.train import train
from detemplate.errors import DetemplateError, Stopped
from detemplate.report.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

app = typer.Typer(
    name="detemplate",
    help="Find and remove templates (navigation, headers, footers, notices) from web pages.",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_USAGE: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""Base of click's errors. Typer uses its own copy of click, under a private name, or the installed one."""

_INTERRUPTED = 130
"""Exit code after an interrupt: 128 plus the number of SIGINT."""


def _version(asked: bool) -> None:
    if not asked:
        return
    from detemplate._version import __version__

    typer.echo(f"detemplate {__version__}")
    raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


for _command in (
    apply, clean, crawl, explain, export, forget, inspect, learn, merge, methods, mine, rank, related, render,
    report, sites, tables, templates, train,
):  # fmt: skip
    app.command()(_command)
app.add_typer(experiment, name="experiment")
app.add_typer(spark, name="spark")


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
    """Let messages get lost, rather than the run, when nobody reads them any more."""
    stream = sys.stderr
    if stream is None:
        yield
        return
    sys.stderr = cast("TextIO", _Messages(stream))
    try:
        yield
    finally:
        sys.stderr = stream


def main(arguments: list[str] | None = None) -> int:  # noqa: PLR0911  # each end of a run has its own
    """Run the command; give its exit code (the console script's entry point).

    Errors that the user can mend are one line on standard error and exit code 2.
    """
    from detemplate.io.sinks.base import OutputClosed
    from detemplate.io.sinks.out import silence_stdout

    _occupy_streams()

    def fail(message: str, code: int) -> int:
        _say(message)
        return code

    try:
        with _heard():
            result: Any = app(args=arguments, standalone_mode=False)
            if sys.stdout is not None:
                sys.stdout.flush()
    except _USAGE as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help
            print(error.format_message(), file=sys.stderr)
            return 2
        return fail(f"{error.format_message()} (see 'detemplate --help')", 2)
    except (OutputClosed, BrokenPipeError):
        silence_stdout()
        return 0
    except DetemplateError as error:
        return fail(str(error), error.exit_code)
    except Stopped as stopped:
        return fail(f"interrupted; {stopped.advice}", 128 + stopped.number)
    except OSError as error:  # of what a command prints: files have messages of their own
        silence_stdout()
        result = fail(f"cannot read or write: {error}", 2)
    except (KeyboardInterrupt, typer.Abort):
        result = _INTERRUPTED
    if result == _INTERRUPTED:  # also what Typer makes of an interrupt
        return fail("interrupted; no output was written", _INTERRUPTED)
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    sys.exit(main())
