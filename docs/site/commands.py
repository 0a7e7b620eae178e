"""The reference of the commands, made of what is read off their functions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

Words = tuple[str, ...]
"""The words that name a command behind ``detemplate``."""

INTRODUCTION: Final = """# Commands

All commands, with their arguments and options, as `detemplate COMMAND --help` shows them.

Exit codes: 0, all went well; 2, an error that you can mend, told in one line; 3, no page was read or left, or
the output was written, but an input ended early; 130, 143 or 129, a signal ended the run
([long runs](../runs.md#signals)).

Parts of `--max-page`, `--column`, `--render`, `--log` and `--fetch` can be spelt out: `--max-page-bytes`,
`--max-page-seconds`, `--max-page-memory`; `--url-column`, `--html-column`, `--id-column`; `--links`,
`--images`, `--tables`, `--keep-scripts`, `--sanitize`; `--summary`, `--rejects`, `--every-skip`,
`--progress`, `--metrics`; `--retries`, `--max-fetch-seconds`, `--max-alike`, `--user-agent`, `--proxy`.

"""
"""What stands above the commands."""

EXAMPLES: Final = re.compile(r"^ *Examples?: *$", re.MULTILINE)
"""The line of a help text behind which the examples stand."""


def commands(command: Any, names: Words = ()) -> Iterator[tuple[Words, Any]]:  # noqa: ANN401
    """Give the words and the object of each command of a group; a group comes before its commands."""
    for name, inner in command.commands.items():
        yield (*names, name), inner
        if hasattr(inner, "commands"):
            yield from commands(inner, (*names, name))


def commands_page() -> str:
    """Give the page of all commands, as Markdown."""
    from detemplate.cli import app
    from detemplate.commands.command import first_sentence

    rows = "".join(
        f"| [`detemplate {' '.join(names)}`](#{'-'.join(names)}) "
        f"| {cell(first_sentence(command.help or ''))} |\n"
        for names, command in commands(app)
    )
    sections = "\n".join(section(names, command) for names, command in commands(app))
    return f"{INTRODUCTION}| command | what it does |\n|---|---|\n{rows}\n{sections}"


def section(names: Words, command: Any) -> str:  # noqa: ANN401
    """Give the section of one command."""
    context = command.make_context(" ".join(names), [], resilient_parsing=True)
    usage = " ".join(["detemplate", *names, *command.collect_usage_pieces(context)])
    text, *example = EXAMPLES.split((command.help or "").replace("\b", ""), maxsplit=1)
    lines = [line.strip() for line in "".join(example).splitlines()]
    head = f"{'#' * (len(names) + 1)} {' '.join(names)} {{ #{'-'.join(names)} }}\n\n{prose(text)}\n"
    parts = [head, f"```sh\n{usage}\n```\n"]
    for title, wanted in (("argument", "argument"), ("option", "option")):
        records = [
            parameter.get_help_record(context)
            for parameter in command.params
            if parameter.param_type_name == wanted and not getattr(parameter, "hidden", False)
        ]
        rows = "".join(f"| `{record[0]}` | {cell(record[1])} |\n" for record in records if record)
        if rows:
            parts.append(f"| {title} | meaning |\n|---|---|\n{rows}")
    if any(lines):
        parts.append("Examples:\n\n```sh\n" + "\n".join(line for line in lines if line) + "\n```\n")
    return "\n".join(parts)


def prose(text: str) -> str:
    """Give the paragraphs of a help text, each on one line."""
    paragraphs = [" ".join(each.split()) for each in text.strip().split("\n\n")]
    return "\n\n".join(marked(each) for each in paragraphs if each) + "\n"


def marked(text: str) -> str:
    """Escape what Markdown would obey, and set options and quoted commands as code."""
    escaped = re.sub(r"([\\`*_{}<>|])", r"\\\1", text)
    return re.sub(r"'(detemplate [^']*)'|(?<![\w-])(--[a-z][a-z-]+(?: [A-Z]+\b)?)", _code, escaped)


def _code(match: re.Match[str]) -> str:
    return "`" + re.sub(r"\\(.)", r"\1", match[1] or match[2]) + "`"


def cell(text: str) -> str:
    """Give a text as the cell of a table."""
    return marked(" ".join(text.split()))
