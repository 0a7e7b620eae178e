"""Commands that are not in the package any more: each says where it went."""

from __future__ import annotations

from typing import NoReturn

import click

from detemplate.errors import UserError


def _moved(name: str, module: str) -> click.Command:
    """Make a hidden command that takes any arguments."""

    def say() -> NoReturn:
        raise UserError(
            f"'{name}' is part of the laboratory, which is not installed: "
            f"run python -m {module} from a checkout of the repository"
        )

    settings = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, settings, callback=say, hidden=True)


experiment = _moved("experiment", "lab.NAME")
render = _moved("render", "lab.layouts")
