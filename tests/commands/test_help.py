"""``--help`` of every command: panels, examples, few options, defaults that a person can read."""

import re

import click
import pytest

from detemplate.commands.command import PANELS, first_sentence
from tests.support.commands import cli
from tests.support.documents import all_commands

COMMANDS = {" ".join(names): each for names, each in all_commands().items() if not hasattr(each, "commands")}


@pytest.fixture(params=COMMANDS)
def told(request, capsys):
    """A command, and its help."""
    cli(*request.param.split(), "--help")
    return COMMANDS[request.param], capsys.readouterr().out


def test_the_help_of_every_command(told):
    command, text = told
    heads = [line.removesuffix(":") for line in text.splitlines() if re.fullmatch(r"[A-Z]\w+:", line)]
    assert heads == sorted(heads, key=lambda name: PANELS.index(name) if name in PANELS else -1)
    assert {"Input", "Output", "Method", "Run"} & set(heads)
    assert re.search(r"^  Examples?:\n    detemplate ", text, re.MULTILINE)
    shown = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    assert len(shown) <= 30
    assert not re.search(r"default: (\(|\d{5,}|\d+\.0\])|x>=|  --?[\w-]+ TEXT", text)
    assert all(name in text for each in shown for name in each.opts)


def test_the_list_has_whole_first_sentences(printed):
    for group in ([], ["store"], ["expressions"], ["graph"], ["spark"]):
        text = " ".join(printed(*group, "--help").split())
        for names, command in all_commands().items():
            if list(names[:-1]) == group:
                assert first_sentence(command.help or "") in text


def test_shared_options_have_one_help():
    """What two commands call alike is explained alike, but for what is of one command."""
    own = {"output", "store", "method", "formats", "metadata", "top", "explain", "url", "templates"}
    own |= {"memory", "min_pages", "seed"}
    texts = {}
    for command in COMMANDS.values():
        for each in command.params:
            if isinstance(each, click.Option) and each.name not in own and not each.name.endswith("_parts"):
                texts.setdefault(each.name, set()).add(each.help)
    assert {name: found for name, found in texts.items() if len(found) > 1} == {}
