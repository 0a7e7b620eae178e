"""All methods by name: the one list for the command line, the contract suite and the documentation."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from detemplate.detectors.auto.detector import Auto
from detemplate.detectors.expressions import TemplateExpressions
from detemplate.detectors.pagelets.detector import Pagelets
from detemplate.detectors.pagelevel.detector import PageLevel
from detemplate.detectors.sandwich import Sandwich
from detemplate.detectors.segments import Segments
from detemplate.detectors.shingles import Shingles
from detemplate.detectors.sitelevel import SiteLevel
from detemplate.detectors.styletree.detector import StyleTree
from detemplate.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.detectors.base import Detector

_ALL: Final = (
    Auto,
    Segments,
    Sandwich,
    SiteLevel,
    StyleTree,
    Shingles,
    Pagelets,
    PageLevel,
    TemplateExpressions,
)

DETECTORS: Final[dict[str, type[Detector]]] = {detector.name: detector for detector in _ALL}
"""Detector classes by method name."""

DEFAULT_METHOD: Final = "auto"

Factory = Callable[[], "Detector"]
"""Makes an empty detector for one more site."""


def detector_class(method: str) -> type[Detector]:
    """Look a method up.

    Raises
    ------
    UserError
        For an unknown name.
    """
    try:
        return DETECTORS[method]
    except KeyError:
        raise UserError(f"unknown method {method!r} (choose from {', '.join(DETECTORS)})") from None


def factory(method: str, given: Mapping[str, Any] | None = None, *, streaming: bool) -> Factory:
    """Give a function that makes empty detectors of a method.

    Parameters
    ----------
    method
        Its name.
    given
        Values of its options, typed or as text (as from a command line); others keep their defaults.
    streaming
        Whether pages are scored as they arrive (one pass), or after all have been learnt (two).

    Raises
    ------
    UserError
        For an unknown method or option, or a value that is no option's.
    """
    kind = detector_class(method)
    options = kind.options(_typed(kind, given or {}), streaming=streaming)
    return lambda: kind(options)


def _typed(kind: type[Detector], given: Mapping[str, Any]) -> dict[str, Any]:
    fields = {field.name: field for field in dataclasses.fields(kind.options_class)}
    typed: dict[str, Any] = {}
    for name, value in given.items():
        if name not in fields:
            raise UserError(f"method {kind.name} has no option {name!r} (it has {', '.join(fields)})")
        wanted: type = type(fields[name].default)
        try:
            if wanted is int and isinstance(value, float) and not value.is_integer():
                raise ValueError
            typed[name] = wanted(value)
        except (TypeError, ValueError):
            raise UserError(
                f"option {name}={value!r} of method {kind.name} must be {_NOUNS[wanted]}"
            ) from None
    return typed


_NOUNS: Final = {int: "a whole number", float: "a number", str: "a word"}


def describe(kind: type[Detector]) -> dict[str, Any]:
    """Say what a method is and can do, and list its options with their defaults."""
    return {
        "name": kind.name,
        "summary": kind.summary,
        "paper": kind.paper,
        "stream": kind.streams,
        "merge": kind.merges,
        "ordered": kind.ordered,
        "needs": kind.needs,
        "options": [
            {"name": field.name, "default": field.default, "help": field.metadata["help"]}
            for field in dataclasses.fields(kind.options_class)
        ],
    }
