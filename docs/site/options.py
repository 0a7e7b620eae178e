"""The tables of the methods' options, made of their option classes."""

from __future__ import annotations

import re
from typing import Any, Final

MARK: Final = re.compile(r"<!-- parameters: (\w+) -->\n")
"""Stands in the page of a method where the table of its options comes."""


def with_parameters(text: str) -> str:
    """Put the tables of options into a page."""
    return MARK.sub(lambda mark: parameters(mark[1]), text)


def parameters(method: str) -> str:
    """Give the table of a method's options, and what the method can do, as Markdown."""
    from detemplate.detectors.registry import describe, detector_class

    about = describe(detector_class(method))
    rows = "".join(
        f"| `{option['name']}` | {shown(option['default'])} | {escaped(option['help'])} |\n"
        for option in about["options"]
    )
    needs: dict[str, str] = {"site": "other pages of the site", "nothing": "nothing but the page"}
    able = (
        f"Cleans a stream in one pass: {said(about['stream'])}. "
        f"Merges what was learned apart: {said(about['merge'])}. "
        f"The order of the pages matters: {said(about['ordered'])}. "
        f"Needs {needs.get(about['needs'], about['needs'])}."
    )
    return f"| option | default | meaning |\n|---|---|---|\n{rows}\n{able}\n"


def said(value: bool) -> str:
    """Give a truth value in words."""
    return "yes" if value else "no"


def shown(value: Any) -> str:  # noqa: ANN401
    """Give the default of an option; numbers with thousands set apart."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return f"`{text}`" if text else "–"


def escaped(text: str) -> str:
    """Escape what Markdown would obey."""
    return re.sub(r"([\\`*_{}<>|])", r"\\\1", text)
