"""Commands made of functions: annotations say the type of a parameter, and how it is spelt and explained."""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

from detemplate.lazy import Lazy
from detemplate.report.terminal import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from detemplate.commands.merged import Merged

CONTEXT: Final = {"help_option_names": ["-h", "--help"]}
"""Settings of all commands."""

PANELS: Final = ("Input", "Output", "Method", "Run")
"""Panels of a help text that several commands have, in their order; those of one command come before."""

_FILES: Final = {"CRAWL", "DIR", "EXPRESSIONS", "FILE", "INPUT", "PAGE", "STORE"}
"""Names of values that are files or directories, which shells complete."""


class Option:
    """An option of a command; its default is the parameter's.

    ``help``: what it does.
    ``usage``: its spellings and what stands behind it: ``"-o --output FILE"``. Without a spelling, it is the
        parameter's name with hyphens; a flag that is switched on by default gets ``--no-…``, too.
    ``default``: the default in words; None: as it is.
    ``panel``: the panel of the help text that shows it; else that of its dataclass, or ``Method``.
    ``**settings``: what :class:`click.Option` takes beside; ``min`` is the minimum of a whole number.
    """

    def __init__(
        self,
        help: str,  # noqa: A002  # click's word
        usage: str = "",
        *,
        default: str | None = None,
        panel: str = "",
        **settings: Any,  # noqa: ANN401
    ) -> None:
        words = usage.split()
        self.names = [word for word in words if word.startswith("-")]
        self.default = default
        self.panel = panel
        self.settings = {**settings, "help": help, "metavar": None if self.names == words else words[-1]}


class Argument(Option):
    """An argument of a command."""


class Without:
    """Names the fields that are no options, where a dataclass is the annotation."""

    def __init__(self, *fields: str) -> None:
        self.fields = fields


class Fields:
    """Says which fields of a dataclass are options, where that is of another part of the package.

    ``panel``, ``merged``: the panel that shows them; options that set several of them.
    ``**options``: the options by the names of the fields, which have their types and defaults.
    """

    def __init__(self, panel: str, *merged: Merged, **options: Option) -> None:
        self.panel = panel
        self.merged = merged
        self.options = options


class _Commands(Lazy[Any]):
    """Commands by their names; functions become commands."""

    def __init__(self, places: Mapping[str, str | Group]) -> None:
        self._groups = {name: place for name, place in places.items() if isinstance(place, Group)}
        super().__init__({name: str(place) for name, place in places.items()})

    def __getitem__(self, name: str) -> click.Command:
        return self._groups[name] if name in self._groups else command_of(super().__getitem__(name))


class Group(click.Group):
    """A group whose commands are imported when they are called, or listed.

    ``places``: names of commands, in the order in which they are listed, and where their functions are:
        ``"module:function"``, or a group.
    ``old``: former names of commands, and the words that call them now.
    ``**settings``: settings of :class:`click.Group`.
    """

    def __init__(
        self,
        places: Mapping[str, str | Group],
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
        """Find the command of the first word; a former name works, and a message says the new one."""
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


class _ShownOption(click.Option):
    """An option whose help text does not show the range of a number, which an error says."""

    def get_help_extra(self, ctx: click.Context) -> click.types.OptionHelpExtra:
        """Return what stands behind the help."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


class PanelCommand(click.Command):
    """A command whose help text shows its options in panels."""

    panels: Mapping[str, str] = types.MappingProxyType({})
    """Panels of its options, by the names of their parameters."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                panels.setdefault(self.panels.get(param.name or "", PANELS[-1]), []).append(record)
        for name in sorted(panels, key=lambda name: PANELS.index(name) if name in PANELS else -1):
            with formatter.section(name):
                formatter.write_dl(panels[name])


def first_sentence(text: str) -> str:
    """Return the first sentence of a help text."""
    return re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0]


def command_of(function: Callable[..., None]) -> click.Command:
    """Make a command of a function; its help text is the docstring.

    A parameter that has a dataclass as its annotation stands for one option a field, in its ``panel``, and
    for the options in its ``merged``, which set several of them.
    """
    parameters: list[click.Parameter] = []
    panels: dict[str, str] = {}
    parts: dict[str, tuple[Any, list[str]]] = {}
    known: list[Merged] = []

    def add(name: str, annotation: Any, default: Any, panel: str = "Method") -> None:  # noqa: ANN401
        kind, note = _annotation(annotation)
        parameters.append(_parameter(name, kind, note, default))
        panels[name] = note.panel or panel

    for each in inspect.signature(function, eval_str=True).parameters.values():
        kind, note = _annotation(each.annotation)
        if not dataclasses.is_dataclass(kind):
            add(each.name, each.annotation, each.default)
            continue
        hints = get_type_hints(kind, include_extras=True)
        defaults = {field.name: field.default for field in dataclasses.fields(kind)}
        if isinstance(note, Fields):
            hints = {name: Annotated[hints[name], option] for name, option in note.options.items()}
        else:
            note, left_out = kind, note.fields if isinstance(note, Without) else ()
            own_first = sorted(defaults, key=lambda name: name not in kind.__annotations__)
            hints = {name: hints[name] for name in own_first if name not in left_out}
        parts[each.name] = kind, list(hints)
        for name, hint in hints.items():
            add(name, hint, defaults[name], note.panel)
        known += note.merged

    own = {parameter.name or "": parameter for parameter in parameters}
    merged = [found for each in known if (found := each.among(own)) is not None]
    for option in merged:
        first = next(iter(option.targets))
        parameters.insert(parameters.index(own[first]), option.option())
        panels[option.key] = panels[first]
        for name in option.targets:
            own[name].hidden = True  # type: ignore[attr-defined]  # an option

    def call(**given: Any) -> None:  # noqa: ANN401
        for option in merged:
            given |= option.values(given.pop(option.key), own)
        for name, (kind, fields) in parts.items():
            given[name] = kind(**{field: given.pop(field) for field in fields})
        function(**given)

    text = inspect.getdoc(function)
    command = PanelCommand(function.__name__, CONTEXT, callback=call, params=parameters, help=text)
    command.panels = panels
    return command


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
    shown = note.default
    if shown is None and not required and default is not None and kind is not bool:
        shown = f"{default:,g}" if isinstance(default, int | float) else str(default)
    if shown is not None:
        settings["help"] = f"{settings['help']} [default: {shown}]"
    spelt = "--" + name.replace("_", "-")
    names = note.names or [f"{spelt}/--no{spelt[1:]}" if default is True else spelt]
    return _ShownOption([name, *names], multiple=several, is_flag=kind is bool, **settings)


def _files(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:  # noqa: ARG001
    """Let the shell complete the name of a file."""
    return [CompletionItem(begun, type="file")]


def _methods(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:  # noqa: ARG001
    """Complete the name of a method."""
    from detemplate.detectors.registry import DETECTORS

    return [CompletionItem(name) for name in DETECTORS if name.startswith(begun)]


def _listed(context: click.Context, parameter: click.Parameter, value: tuple[Any, ...]) -> list[Any] | None:  # noqa: ARG001
    """Return the values of an option that can be repeated; None without one."""
    return list(value) or None
