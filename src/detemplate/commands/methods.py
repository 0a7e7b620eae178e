"""``detemplate methods``."""

from __future__ import annotations

import click

from detemplate.commands.shared import AsJson


def methods(
    as_json: AsJson = False,
) -> None:
    """List the methods: how they work, where they are from, what they can do, their options.

    \b
    Example:
      detemplate methods
    """
    import json

    from detemplate.detectors.registry import DEFAULT_METHOD, DETECTORS, describe

    described = [describe(kind) for kind in DETECTORS.values()]
    if as_json:
        click.echo(json.dumps(described, indent=2, ensure_ascii=False))
        return
    for entry in described:
        default = " (default)" if entry["name"] == DEFAULT_METHOD else ""
        click.echo(f"{entry['name']}{default}: {entry['summary']}")
        click.echo(f"  paper: {entry['paper']}")
        able = ", ".join(
            f"{what}: {'yes' if entry[what] else 'no'}" for what in ("stream", "merge", "ordered")
        )
        click.echo(f"  {able}, needs: {entry['needs']}")
        for option in entry["options"]:
            click.echo(f"  --set {option['name']}={option['default']}  {option['help']}")
        click.echo("")
