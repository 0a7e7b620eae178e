"""The steps of the work on a page, the same in one process and in workers.

Each step takes what the last one has made. So a step can be done on several pages before the next: a
processor that does the same again has its instructions at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from detemplate.run.limits import Clock, Made

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.detectors.base import Asked
    from detemplate.detectors.verdict import Verdict
    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.run.pagework import PageWork


@dataclass(slots=True)
class Begun:
    """An item after some of its steps.

    Attributes
    ----------
    item, given
        The item, and its record or page; None for an item that is only handed over.
    made
        What the last step has made, or the error with which it ended.
    seconds
        Time that all steps took.
    """

    item: Any
    given: Record | Page | None
    made: Any
    seconds: float = 0.0


class PageSteps:
    """The steps of the work on a page that need no other page.

    Parameters
    ----------
    work
        The work on a page.
    seconds
        Time that a page may take. It is checked when it is parsed, has asked, is judged and rendered.
    """

    def __init__(self, work: PageWork[Any], seconds: float) -> None:
        self._work = work
        self._blank = work.make()
        self._clock = Clock(seconds)

    def go_on(self, begun: Begun, step: Callable[[Any], Any]) -> None:
        """Do the next step of an item; none behind an error, and none of an item that is only handed over."""
        if begun.given is None or isinstance(begun.made, Exception):
            return
        self._clock.start(begun.seconds)
        try:
            begun.made = step(begun.made)
        except Exception as error:  # noqa: BLE001  # it is told, or raised, when the item is given back
            begun.made = error
        begun.seconds = self._clock.seconds

    def parse(self, given: Record | Page) -> Page:
        """Parse a page that is going to be rendered."""
        return self._in_time(self._work.page(given))

    def parse_to_learn(self, given: Record | Page) -> Page:
        """Parse a page that is only learnt."""
        return self._in_time(self._work.page(given, keep_document=False))

    def ask(self, page: Page) -> tuple[Page, Asked]:
        """Do what depends on the page alone."""
        return page, self._in_time(self._blank.ask(page))

    def ask_only(self, page: Page) -> tuple[Page, Asked]:
        """Do the same for a page that is not learnt."""
        return page, self._in_time(self._blank.ask_only(page))

    def _in_time(self, made: Made) -> Made:
        """Give what a step has made, if the page's time is not over."""
        self._clock.check()
        return made

    def query(self, page: Page) -> tuple[str, Any]:
        """Do what :meth:`ask` does for a page that is only learnt; give its site, and what it asks."""
        _, asked = self.ask(page)
        return page.site, asked.query

    def judge(self, answered: tuple[Page, Asked, Any]) -> tuple[Page, Verdict]:
        """Judge a page by the answer of its site."""
        page, asked, answer = answered
        return page, self._blank.judge(page, asked, answer)

    def render(self, judged: tuple[Page, Verdict]) -> Any:  # noqa: ANN401  # what the run hands over
        """Make of a page and its verdict what the run hands over."""
        return self._work.done(*judged, self._clock)
