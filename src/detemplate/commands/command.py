"""Commands made of functions: annotations say the type of a parameter, and how it is spelt and explained."""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

from detemplate.commands.merged import PanelCommand, merged_of
from detemplate.lazy import Lazy
from detemplate.report.terminal import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONTEXT: Final = {"help_option_names": ["-h", "--help"]}
"""Settings of all commands."""

_FILES: Final = {"CRAWL", "DIR", "EXPRESSIONS", "FILE", "INPUT", "PAGE", "STORE"}
"""Names of values that are files or directories, which shells complete."""


class Option:
    """An option of a command; its default is the parameter's.

    Parameters
    ----------
    *names
        Its spellings; without them, the parameter's name with hyphens.
    **settings
        What :class:`click.Option` takes beside; ``min`` is the minimum of a whole number.
    """

    def __init__(self, *names: str, **settings: Any) -> None:  # noqa: ANN401
        self.names = names
        self.settings = settings


class Argument(Option):
    """An argument of a command; ``metavar`` and ``help`` say what it is."""


class Without:
    """Names the fields that are no options, where a dataclass is the annotation."""

    def __init__(self, *fields: str) -> None:
        self.fields = fields


class _Commands(Lazy[Any]):
    """Commands by their names; functions become commands."""

    def __getitem__(self, name: str) -> click.Command:
        found = super().__getitem__(name)
        return found if isinstance(found, click.Command) else command_of(found)


class Group(click.Group):
    """A group whose commands are imported when they are called, or listed.

    Parameters
    ----------
    places
        Names of commands, in the order in which they are listed, and where their functions are:
        ``"module:function"``. It may also be a group.
    old
        Former names of commands, and the words that call them now.
    **settings
        Settings of :class:`click.Group`.
    """

    def __init__(
        self,
        places: Mapping[str, str],
        old: Mapping[str, str] = types.MappingProxyType({}),
        **settings: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(context_settings=CONTEXT, no_args_is_help=True, **settings)
        self.commands = _Commands(places)  # type: ignore[assignment]  # nothing is added to it
        self._old = old

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of the commands, in their order."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the first word, also by its former name, which is then told."""
        if args[0] in self._old:
            new = self._old[args[0]]
            say(f"detemplate: '{args[0]}' is now '{new}'; the old name works for one more release", err=True)
            args = [*new.split(), *args[1:]]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands with their first sentences, which are not cut."""
        shown = [(name, command) for name, command in self.commands.items() if not command.hidden]
        rows = [(name, first_sentence(command.help or "")) for name, command in shown]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def first_sentence(text: str) -> str:
    """Give the first sentence of a help text."""
    return re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0]


def command_of(function: Callable[..., None]) -> click.Command:
    """Make a command of a function; its help text is the docstring.

    A parameter that has a dataclass as its annotation stands for one option a field.
    """
    parameters: list[click.Parameter] = []
    parts: dict[str, tuple[Any, list[str]]] = {}
    for each in inspect.signature(function, eval_str=True).parameters.values():
        kind, note = _annotation(each.annotation)
        if not dataclasses.is_dataclass(kind):
            parameters.append(_parameter(each.name, kind, note, each.default))
            continue
        left_out = note.fields if isinstance(note, Without) else ()
        fields = [field for field in dataclasses.fields(kind) if field.name not in left_out]
        parts[each.name] = kind, [field.name for field in fields]
        hints = get_type_hints(kind, include_extras=True)
        parameters += [
            _parameter(field.name, *_annotation(hints[field.name]), field.default) for field in fields
        ]

    own = {parameter.name or "": parameter for parameter in parameters}
    merged = merged_of(function)
    for option in merged:
        parameters.append(option.option())
        for name in option.targets:
            if isinstance(shown := own[name], click.Option):
                shown.hidden = True
                shown.opts = [spelt for spelt in shown.opts if spelt != option.name]
    unspelt = [name for name, each in own.items() if isinstance(each, click.Option) and not each.opts]
    parameters = [each for each in parameters if each.name not in unspelt]

    def call(**given: Any) -> None:  # noqa: ANN401
        given |= dict.fromkeys(unspelt)
        for option in merged:
            given |= option.values(given.pop(option.key), own)
        for name, (kind, fields) in parts.items():
            given[name] = kind(**{field: given.pop(field) for field in fields})
        function(**given)

    text = inspect.getdoc(function)
    return PanelCommand(function.__name__, CONTEXT, callback=call, params=parameters, help=text)


def _annotation(annotation: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Return the type and the note of an annotation."""
    if get_origin(annotation) is not Annotated:
        return annotation, None
    kind, note = get_args(annotation)
    if get_origin(kind) in {types.UnionType, Union}:
        kind = next(each for each in get_args(kind) if each is not types.NoneType)
    return kind, note


def _parameter(name: str, kind: Any, note: Option, default: Any) -> click.Parameter:  # noqa: ANN401
    """Make an argument or an option of a parameter of a function."""
    settings = dict(note.settings)
    several = get_origin(kind) is list
    if several:
        (kind,) = get_args(kind)
        settings["callback"] = _listed
    if get_origin(kind) is Literal:
        kind = click.Choice(get_args(kind))
    elif "min" in settings:
        kind = click.IntRange(min=settings.pop("min"))
    required = default is inspect.Parameter.empty
    settings = {"type": kind, "required": required, **settings}
    if not required:
        settings["default"] = default
    if set(re.findall("[A-Z]+", settings.get("metavar") or "")) & _FILES:
        settings["shell_complete"] = _files
    elif name == "method":
        settings["shell_complete"] = _methods
    if isinstance(note, Argument):
        return click.Argument([name], nargs=-1 if several else 1, **settings)
    spelt = "--" + name.replace("_", "-")
    names = note.names or ((f"{spelt}/--no{spelt[1:]}",) if kind is bool else (spelt,))
    settings.setdefault("show_default", True)
    return click.Option([name, *names], multiple=several, is_flag=kind is bool, **settings)


def _files(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:  # noqa: ARG001
    """Let the shell complete the name of a file."""
    return [CompletionItem(begun, type="file")]


def _methods(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:  # noqa: ARG001
    """Complete the name of a method."""
    from detemplate.detectors.registry import DETECTORS

    return [CompletionItem(name) for name in DETECTORS if name.startswith(begun)]


def _listed(context: click.Context, parameter: click.Parameter, value: tuple[Any, ...]) -> list[Any] | None:  # noqa: ARG001
    return list(value) or None
