"""Objects of the package that are imported when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar, cast

_T = TypeVar("_T")


class Lazy(Mapping[str, _T], Generic[_T]):
    """Objects by their names, each imported when it is asked for.

    ``places``: where each is: ``"module:name"``.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> _T:
        module, _, attribute = self._places[name].partition(":")
        return cast("_T", getattr(import_module(module), attribute))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places
