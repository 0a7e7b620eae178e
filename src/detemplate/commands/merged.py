"""Options that set several others, as ``NAME=VALUE``; and sizes as people write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kKMGT])(i?)B?|B)?")
_POWERS: Final = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
_SEVERAL: Final = 2

Target = str | tuple[str, ...] | dict[str, str]
"""A parameter that gets the value; several, of which flags are switched on; or flags by values."""


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

    ``name``, ``metavar``: its spelling, and what stands behind it.
    ``text``: what it is for. The texts of its parts follow.
    ``parts``: by the names that stand before ``=``: a text, and what it sets.
    ``plain``: the parameter that gets a value without a name; None: there must be a name.
    ``commas``: whether one value may have several parts, joined by commas.
    ``key``: the name of its own parameter.
    """

    def __init__(
        self,
        name: str,
        metavar: str,
        text: str,
        parts: Mapping[str, tuple[str, Target]],
        *,
        plain: str | None = None,
        commas: bool = True,
    ) -> None:
        self.key = name.removeprefix("--").replace("-", "_") + "_parts"
        self._given = name, metavar, text
        self._parts = parts
        self._plain = plain
        self._commas = commas

    @property
    def targets(self) -> dict[str, None]:
        """Names of the parameters that it sets, in their order."""
        found: dict[str, None] = {}
        for _, part in self._parts.values():
            found |= dict.fromkeys(_names(part))
        return found

    def among(self, known: Collection[str]) -> Merged | None:
        """Return it for a command that has some of the parameters; None where it would set fewer than two."""
        parts = {name: part for name, part in self._parts.items() if set(_names(part[1])) <= set(known)}
        plain = self._plain if self._plain in known else None
        found = Merged(*self._given, parts, plain=plain, commas=self._commas)
        return found if len(found.targets) >= _SEVERAL else None

    def option(self) -> click.Option:
        """Return it for click."""
        name, metavar, text = self._given
        texts = "; ".join(each for each, _ in self._parts.values())
        return click.Option([self.key, name], multiple=True, metavar=metavar, help=f"{text}: {texts}.")

    def values(self, given: Iterable[str], parameters: Mapping[str, click.Parameter]) -> dict[str, object]:
        """Return the values of parameters; raises what click tells as wrong."""
        values: dict[str, object] = {}
        for each in given:
            for item in each.split(",") if self._commas else [each]:
                name, equals, value = item.partition("=")
                _, part = self._parts.get(name.strip(), ("", None)) if equals else ("", None)
                if part is None and self._plain is not None and not (equals and name.isidentifier()):
                    part, value = self._plain, item
                elif part is None:
                    known = ", ".join(f"{name}=…" for name in self._parts)
                    raise click.BadParameter(f"{item!r} is none of {known}", param_hint=self._given[0])
                hint = f"{self._given[0]} {item}"
                if isinstance(part, dict):
                    if value not in part:
                        raise click.BadParameter(f"{value!r} is none of {', '.join(part)}", param_hint=hint)
                    part = part[value]
                for target in [part] if isinstance(part, str) else part:
                    kind = parameters[target]
                    flag = isinstance(kind, click.Option) and kind.is_flag
                    try:
                        values[target] = True if flag else kind.type.convert(value, None, None)
                    except click.BadParameter as error:
                        raise click.BadParameter(error.message, param_hint=hint) from None
        return values


def _names(target: Target) -> Iterable[str]:
    """Return the names of the parameters of a part."""
    return (target,) if isinstance(target, str) else target.values() if isinstance(target, dict) else target
