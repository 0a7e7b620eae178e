"""Options of ``detemplate experiment`` that several experiments have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from detemplate.commands.command import Option

if TYPE_CHECKING:
    from collections.abc import Iterable

Data = Annotated[
    Path | None,
    Option(metavar="DIR", help="The folder with the labelled sets (default: $DETEMPLATE_DATA)."),
]
"""Option ``--data`` of all experiments."""
Sites = Annotated[str, Option(metavar="NAMES", help="Sites, separated by commas (default: all).")]
"""Option ``--sites``."""
Out = Annotated[Path, Option(metavar="DIR", help="The folder for tables and charts.")]
"""Option ``--out`` of all experiments."""
Pages = Annotated[int | None, Option(metavar="N", help="Most pages of each site.", show_default="all")]
"""Option ``--pages`` of experiments that take all pages by default."""
PagesOfSite = Annotated[int, Option("--pages", metavar="N", help="Most pages of each site.")]
"""Option ``--pages`` of experiments that take a sample by default."""
Seed = Annotated[int, Option(metavar="N", help="Seed of all random choices.")]
"""Option ``--seed``."""
Methods = Annotated[
    str,
    Option(
        metavar="NAMES",
        help="Methods and peers, separated by commas; ours: all methods; all: the installed peers, too.",
    ),
]
"""Option ``--methods``."""


def names_in(text: str) -> list[str]:
    """Split names at commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def print_files(written: Iterable[Path]) -> None:
    """Print the names of written files, one a line."""
    for path in written:
        click.echo(str(path))
