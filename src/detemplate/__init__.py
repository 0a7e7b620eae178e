"""detemplate finds and removes templates from web pages.

>>> import detemplate
>>> pages = [(f"http://a/{n}", f"<nav>Home</nav><p>Page {n}") for n in range(5)]
>>> [result.text for result in detemplate.clean(pages)][0]
'Page 0'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from detemplate._version import __version__

if TYPE_CHECKING:
    from detemplate.detectors.verdict import Verdict
    from detemplate.errors import DetemplateError, PageError, UserError
    from detemplate.frames.clean import clean
    from detemplate.frames.extract import extract
    from detemplate.output.result import Result
    from detemplate.page.metadata.record import Metadata
    from detemplate.page.page import Page
    from detemplate.run.cleaner import Cleaner

__all__ = [
    "Cleaner",
    "DetemplateError",
    "Metadata",
    "Page",
    "PageError",
    "Result",
    "UserError",
    "Verdict",
    "__version__",
    "clean",
    "extract",
    "methods",
]

_PLACES = {
    "Cleaner": "run.cleaner",
    "DetemplateError": "errors",
    "Metadata": "page.metadata.record",
    "Page": "page.page",
    "PageError": "errors",
    "Result": "output.result",
    "UserError": "errors",
    "Verdict": "detectors.verdict",
    "clean": "frames.clean",
    "extract": "frames.extract",
}
"""Modules of the public names, below ``detemplate``."""


if not TYPE_CHECKING:  # type checkers read the imports above, and refuse other names

    def __getattr__(name: str) -> object:
        """Import a public name when it is first asked for, so that importing the package costs nothing."""
        if name not in _PLACES:
            raise AttributeError(f"module 'detemplate' has no attribute {name!r}")
        from importlib import import_module

        found = getattr(import_module(f"detemplate.{_PLACES[name]}"), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted(__all__)


def methods() -> list[str]:
    """Return the names of all methods."""
    from detemplate.detectors import registry

    return list(registry.DETECTORS)
