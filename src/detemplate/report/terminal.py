"""Text that terminals show and do not obey."""

from __future__ import annotations

import json
import re
from typing import Final

import click

_OBEYED: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, among them the beginnings of escape sequences; marks that change the direction of text,
line breaks, and lone surrogates, which cannot be written."""


def printable(text: str) -> str:
    r"""Escape what a terminal would obey: ``\x1b`` for the character that begins escape sequences."""
    return _OBEYED.sub(lambda match: ascii(match[0])[1:-1], text)


def say(line: str, *, err: bool = False) -> None:
    """Write one line on standard output, or on standard error, with nothing in it that a terminal obeys."""
    click.echo(printable(line), err=err)


def say_json(value: object) -> None:
    """Write a value as indented JSON on standard output, with nothing in it that a terminal obeys."""
    for line in json.dumps(value, indent=2, ensure_ascii=False).split("\n"):
        click.echo(_OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", line))
