"""The list of all methods, for the command line, the contract suite and the documentation."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.lazy import Lazy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.detectors.base import Detector, Options

PLACES: Final = {
    "auto": "detemplate.detectors.auto.detector:Auto",
    "segments": "detemplate.detectors.segments:Segments",
    "sandwich": "detemplate.detectors.sandwich:Sandwich",
    "sitelevel": "detemplate.detectors.sitelevel:SiteLevel",
    "styletree": "detemplate.detectors.styletree:StyleTree",
    "shingles": "detemplate.detectors.shingles:Shingles",
    "pagelets": "detemplate.detectors.pagelets:Pagelets",
    "pagelevel": "detemplate.detectors.pagelevel:PageLevel",
    "expressions": "detemplate.detectors.expressions:TemplateExpressions",
}
"""Where the detector class of each method is, in the order in which methods are listed to users."""

DETECTORS: Final[Lazy[type[Detector]]] = Lazy(PLACES)
"""Detector classes by method name; a class is imported when it is asked for."""

DEFAULT_METHOD: Final = "auto"
"""The method that is used when none is named."""

Factory = Callable[[], "Detector"]
"""A function that makes an empty detector for one site."""

_TYPE_NAMES: Final = {int: "a whole number", float: "a number", str: "a word"}


def detector_class(method: str) -> type[Detector]:
    """Look up a method's detector class by the method's name.

    Raises UserError: there is no such method.
    """
    if method not in DETECTORS:
        raise UserError(f"unknown method {method!r} (choose from {', '.join(DETECTORS)})")
    return DETECTORS[method]


def factory(method: str, given: Mapping[str, Any] | None = None, *, streaming: bool) -> Factory:
    """Return a function that makes empty detectors of a method.

    ``method``: the method's name.
    ``given``: values of options by name, typed or as text. Other options keep their defaults.
    ``streaming``: true: pages are scored as they arrive (one pass). False: all pages are learned first (two
        passes).
    Raises UserError: the method or an option is unknown, or a value has the wrong type or is out of range.
    """
    kind, options = detector_class(method), options_of(method, given, streaming=streaming)
    return partial(kind, options)


def options_of(method: str, given: Mapping[str, Any] | None = None, *, streaming: bool) -> Options:
    """Return a method's options, completed by its defaults; the arguments are those of :func:`factory`."""
    kind = detector_class(method)
    return kind.options(typed(kind, given or {}), streaming=streaming)


def typed(kind: type[Detector], given: Mapping[str, Any]) -> dict[str, Any]:
    """Convert values to the types of a method's options; raises UserError for what is no such option."""
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
                f"option {name}={value!r} of method {kind.name} must be {_TYPE_NAMES[wanted]}"
            ) from None
    return typed


def describe(kind: type[Detector]) -> dict[str, Any]:
    """Describe a method as plain data: its class attributes, and its options with defaults and help."""
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
