"""The code blocks of Markdown documents, and running them as a reader would."""

import contextlib
import doctest
import importlib.util
import io
import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from detemplate.cli import app, main
from tests.support.programs import lacks_java

_FENCE: Final = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_MARK: Final = re.compile(r"<!-- ([^<>]+) -->\s*\Z")
_HEAD: Final = re.compile(r"# .+\n\n<!-- not run: [^<>]+ -->\n")
_SHELL: Final = re.compile(r"[|&;<>$*?`(){}]")
_OUTPUTS: Final = {"-o", "--output", "--store", "--states", "--plot", "--summary"}
_EXECUTED: Final = {"sh", "python"}


class Block(NamedTuple):
    """A fenced block of a document.

    ``line`` is that of its fence, from 1. ``mark`` is the HTML comment right before it, or empty. ``expected``
    is the block of language ``text`` that follows it at once: what it prints.
    """

    line: int
    language: str
    code: str
    mark: str
    expected: str | None

    @property
    def executable(self) -> bool:
        return self.language in _EXECUTED

    @property
    def missing(self) -> list[str]:
        """Programs and modules that a mark ``needs: …`` names, and that are not here."""
        names = self.mark.removeprefix("needs: ").split() if self.mark.startswith("needs: ") else []
        return [
            name
            for name in names
            if (
                lacks_java()
                if name == "java"
                else not shutil.which(name) and not importlib.util.find_spec(name)
            )
        ]


def all_commands() -> dict[tuple[str, ...], Any]:
    """Give all commands that the help lists, by their words; a group comes before its commands."""

    def inside(group: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
        for name, command in getattr(group, "commands", {}).items():
            if command.hidden:
                continue
            yield (*names, name), command
            yield from inside(command, *names, name)

    return dict(inside(app))


def blocks(document: str) -> list[Block]:
    """Give all fenced blocks of a document. A mark under its title is that of all its blocks."""
    head = _HEAD.match(document)
    found: list[Block] = []
    end = 0
    for match in _FENCE.finditer(document):
        indent, language, code = match.groups()
        between = document[end : match.start()]
        if language == "text" and found and not between.strip():
            found[-1] = found[-1]._replace(expected=code)
        mark = (head and _MARK.search(head[0])) or _MARK.search(between)
        line = document.count("\n", 0, match.start()) + 1
        code = re.sub(f"^{indent}", "", code, flags=re.MULTILINE)
        found.append(Block(line, language, code, mark[1] if mark else "", None))
        end = match.end()
    return found


def run_shell(block: Block) -> str:
    """Run the commands of a block in the current folder; give what they print.

    Plain calls of ``detemplate`` run in this process, all else in Bash. Outputs that a command names must be
    there after it, and hold something.
    """
    printed = ""
    for command in _commands(block.code):
        words = shlex.split(command, comments=True)
        before = printed
        plain = words[0] == "detemplate" and not _SHELL.search(re.sub(r"'[^']*'|\"[^\"$`]*\"", "", command))
        printed += _in_process(words[1:]) if plain else _in_bash(command)
        outputs = [word for option, word in itertools.pairwise(words) if option in _OUTPUTS]
        files = [Path(name) for name in outputs if name != "-" and not set(name) & {"$", "{"}]
        for file in files:
            _check_output(file, cleaned=words[1] == "clean" or words[1:3] == ["expressions", "apply"])
        if "detemplate" in words and not outputs:
            assert printed != before, f"prints nothing: {command}"
    return printed


def run_python(block: Block, names: dict[str, Any], title: str) -> str:
    """Run a block, as a doctest if it has prompts; give what it prints."""
    printed = io.StringIO()
    if block.code.startswith(">>> "):
        test = doctest.DocTestParser().get_doctest(block.code, names, title, title, block.line)
        runner = doctest.DocTestRunner(verbose=False)
        results = runner.run(test, out=printed.write, clear_globs=False)
        names.update(test.globs)
        assert results.failed == 0, printed.getvalue()
        return ""
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * block.line + block.code, title, "exec"), names)
    return printed.getvalue()


def prints(expected: str, printed: str) -> bool:
    """Tell whether a text is the expected one, in which ``...`` stands for anything."""
    return doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS)


def _commands(code: str) -> Iterator[str]:
    """Part a block into commands that are complete."""
    command = ""
    for line in code.splitlines(keepends=True):
        command += line
        parsed = subprocess.run(["bash", "-n", "-c", command], stderr=subprocess.PIPE, check=False)
        if parsed.returncode == 0 and not command.endswith("\\\n"):
            if shlex.split(command, comments=True):
                yield command
            command = ""
    assert not command, f"the block ends within a command: {command}"


def _in_process(arguments: list[str]) -> str:
    printed, told = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(told):
        code = main(arguments)
        printed.flush()
    assert code == 0, f"detemplate {shlex.join(arguments)}: exit code {code}: {told.getvalue()}"
    return printed.buffer.getvalue().decode()


def _in_bash(command: str) -> str:
    """Run a command in Bash, where ``detemplate`` and ``python`` are those of this process."""
    programs = Path(".programs").absolute()
    if not programs.exists():
        programs.mkdir()
        (programs / "python").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        (programs / "detemplate").write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m detemplate "$@"\n'
        )
        for program in programs.iterdir():
            program.chmod(0o755)
    places = os.pathsep.join(path for path in sys.path if path)
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": places}
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, f"{command}exit code {run.returncode}: {run.stderr}"
    return run.stdout


def _check_output(path: Path, *, cleaned: bool) -> None:
    assert path.exists(), f"{path} was not written"
    assert any(path.iterdir()) if path.is_dir() else path.stat().st_size, f"{path} is empty"
    if cleaned and path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert all(row.get("text") or row.get("markdown") or row.get("html") for row in rows), path
