"""Options that hold several in one, as ``NAME=VALUE``; sizes as people write them; panels of a help text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

PANELS: Final = {
    "Input": (
        "base_url", "input_format", "column", "url_column", "html_column", "id_column", "limit", "sample",
        "versions", "max_bad", "max_page", "max_page_bytes", "max_page_seconds", "max_page_memory", "url",
        "site", "gold",
    ),
    "Output": (
        "output", "formats", "output_format", "render", "links", "images", "tables", "keep_scripts",
        "sanitize", "metadata", "explain", "overwrite", "title", "top",
    ),
    "Method": (
        "method", "settings", "threshold", "keep", "drop", "comments", "site_by", "store", "frozen",
    ),
    "Run": (
        "stream", "workers", "memory", "checkpoint", "log", "metrics", "rejects", "every_skip", "summary",
        "show", "quiet",
    ),
}  # fmt: skip
"""Parameters by the panels of a help text that show their options; others are in the panel ``Options``."""

_MANY: Final = 12  # visible options above which a help text has panels

_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kKMGT])(i?)B?|B)?")
_POWERS: Final = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4}


class Size(click.ParamType[int]):
    """A size in bytes, such as ``32MiB``, ``2GB`` or a number; ``unit`` is what a number alone counts."""

    name = "size"

    def __init__(self, unit: int = 1) -> None:
        self._unit = unit

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401
        """Read a size."""
        found = _SIZE.fullmatch(str(value).strip())
        if found is None:
            self.fail(f"{value!r} is no size: write it like 32MiB, 2GB or 1000000", param, ctx)
        number, prefix, binary = found.groups()
        if prefix is None:
            return round(float(number) * (1 if str(value).strip().endswith("B") else self._unit))
        size: int = round(float(number) * (1024 if binary else 1000) ** _POWERS[prefix])
        return size


class Merged:
    """An option that sets several parameters of a command; their own options work, and are not shown.

    Parameters
    ----------
    name
        Its spelling.
    parts
        Parameters by the names that stand before ``=``. Of several, those that are flags are switched on, the
        others get the value. A mapping has flags by values.
    plain
        The parameter that gets a value without a name; None: there must be a name.
    commas
        Whether one value may have several parts, joined by commas.
    **settings
        Settings of :class:`click.Option`.

    Attributes
    ----------
    name
        As above.
    key
        The name of its own parameter.
    """

    def __init__(
        self,
        name: str,
        parts: Mapping[str, str | tuple[str, ...] | Mapping[str, str]],
        *,
        plain: str | None = None,
        commas: bool = True,
        **settings: Any,  # noqa: ANN401
    ) -> None:
        self.key = name.removeprefix("--").replace("-", "_") + "_parts"
        self.name = name
        self._parts = parts
        self._plain = plain
        self._commas = commas
        self._settings = settings

    @property
    def targets(self) -> set[str]:
        """Names of the parameters that it sets."""
        found = {self._plain} if self._plain else set()
        for part in self._parts.values():
            found.update(
                [part] if isinstance(part, str) else part if isinstance(part, tuple) else part.values()
            )
        return found

    def option(self) -> click.Option:
        """Return it for click."""
        return click.Option([self.key, self.name], multiple=True, **self._settings)

    def values(self, given: Iterable[str], parameters: Mapping[str, click.Parameter]) -> dict[str, object]:
        """Return the values of parameters; raises what click tells as wrong."""
        values: dict[str, object] = {}
        for each in given:
            for item in each.split(",") if self._commas else [each]:
                name, equals, value = item.partition("=")
                part = self._parts.get(name.strip()) if equals else None
                if part is None and self._plain is not None:
                    part, value = self._plain, item
                elif part is None:
                    known = ", ".join(f"{name}=…" for name in self._parts)
                    raise click.BadParameter(f"{item!r} is none of {known}", param_hint=self.name)
                elif not isinstance(part, str | tuple):
                    if value not in part:
                        raise click.BadParameter(
                            f"{value!r} is none of {', '.join(part)}", param_hint=f"{self.name} {name}"
                        )
                    part = part[value]
                for target in [part] if isinstance(part, str) else part:
                    kind = parameters[target]
                    flag = isinstance(kind, click.Option) and kind.is_flag
                    values[target] = True if flag else kind.type.convert(value, kind, None)
        return values


_MERGED: Final[dict[Callable[..., None], tuple[Merged, ...]]] = {}
"""The merged options of commands, by their functions."""


def merging(*options: Merged) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command's function merged options."""

    def note(function: Callable[..., None]) -> Callable[..., None]:
        _MERGED[function] = options
        return function

    return note


def merged_of(function: Callable[..., None]) -> tuple[Merged, ...]:
    """Return the merged options of a command's function."""
    return _MERGED.get(function, ())


class PanelCommand(click.Command):
    """A command that shows its options in panels, if they are many."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options."""
        panels: dict[str, list[tuple[str, str]]] = {name: [] for name in (*PANELS, "Options")}
        shown = [
            (param, record)
            for param in self.get_params(ctx)
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None
        ]
        for param, record in shown:
            panels[panel_of(param.name or "") if len(shown) > _MANY else "Options"].append(record)
        for name, records in panels.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def panel_of(name: str) -> str:
    """Return the panel of a parameter."""
    name = name.removesuffix("_parts")
    return next((panel for panel, names in PANELS.items() if name in names), "Options")
