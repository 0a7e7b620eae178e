"""The loop that every run over an input shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from detemplate.io.record import Skip

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.run.intake import Intake
    from detemplate.run.progress import Meter
    from detemplate.run.rejects import Rejects
    from detemplate.run.summary import Summary

Made = TypeVar("Made")


def run_pass(
    intake: Intake[Made],
    work: Callable[[Made], Skip | None],
    *,
    summary: Summary,
    rejects: Rejects,
    meter: Meter,
) -> None:
    """Work through an intake's items; count and record what is lost.

    Parameters
    ----------
    intake
        Gives the items.
    work
        Processes an item, and adds it to the summary. It gives a skip if the page was lost.
    summary
        Counts the skips.
    rejects
        Takes the pages that were lost.
    meter
        Shows how far the pass has come.

    Raises
    ------
    UserError
        Too many records were bad.
    """
    for item in intake:
        if isinstance(item, Skip):
            skip: Skip | None = item
        elif (skip := work(item)) is not None:
            intake.losses.swap(skip)
        if skip is not None:
            summary.skip(skip)
            rejects.write(skip)
        meter.advance(summary.pages, summary.sites)
