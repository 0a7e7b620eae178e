"""What the owner of a run asks of a worker, and the steps in which the worker does it."""

from __future__ import annotations

import enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from detemplate.errors import PageError, UserError
from detemplate.run.limits import failure
from detemplate.run.steps import Begun, PageSteps

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.detectors.base import Asked
    from detemplate.io.record import Record
    from detemplate.page.page import Page
    from detemplate.run.pagework import PageWork
    from detemplate.sites.store import FrozenSites

    Step = Callable[[Any], Any]

STEPS: Final = 5
"""Steps of a task: parse, ask, answer, judge, render. Most tasks lack some of them."""


class Kind(enum.IntEnum):
    """What a message asks of a worker."""

    LEARN = 0
    """Parse a record and ask, to learn it."""
    ASK = 1
    """Parse a record and ask; keep the page."""
    JUDGE = 2
    """Judge and render a page that was kept, by the answer."""
    REDO = 3
    """Parse a record again, whose worker was lost; judge and render it by the answer."""
    CLEAN = 4
    """Clean a record's page by what its site has learnt before the worker was started."""
    FORGET = 5
    """Keep a page no longer that was kept: it is lost."""


class Reply(enum.IntEnum):
    """What a worker answers."""

    ASKED = 0
    """The page's site, and what the page asks it."""
    DONE = 1
    """What the run hands over."""
    LOST = 2
    """The reason and the detail for which the page is lost."""
    BROKEN = 3
    """The whole run cannot go on: the message of a UserError."""
    BYE = 4
    """The worker ends; its other pages are to be done by another one."""


class Task(NamedTuple):
    """A message, and what was done of it.

    Attributes
    ----------
    kind, number
        What is asked, and the number of the page.
    begun
        What the steps have made so far.
    steps
        The :data:`STEPS` steps in their order; None for one that is not needed.
    """

    kind: Kind
    number: int
    begun: Begun
    steps: tuple[Step | None, ...]


class Worker:
    """Knows the steps of each task, and what the owner is told in the end.

    Parameters
    ----------
    work
        The work on a page.
    sites
        The detectors of all sites, which learn nothing more; None: another process has them.
    seconds
        Time that one page may take.
    """

    def __init__(self, work: PageWork[Any], sites: FrozenSites | None, seconds: float) -> None:
        self.steps = PageSteps(work, seconds)
        self._sites = sites
        self._kept: dict[int, tuple[Page, Asked, float]] = {}

    def task(self, kind: int, number: int, content: Any) -> Task:  # noqa: ANN401
        """Make a task of a message; what is only to be forgotten is forgotten at once."""
        kind, do, begun = Kind(kind), self.steps, Begun(number, content, content)
        steps: tuple[Step | None, ...] = (None,) * STEPS
        if kind == Kind.LEARN:
            steps = do.parse_to_learn, do.query, None, None, None
        elif kind == Kind.ASK:
            steps = do.parse, do.ask, None, None, None
        elif kind == Kind.CLEAN:
            steps = do.parse, do.ask_only, partial(self._answer, content), do.judge, do.render
        elif kind == Kind.REDO:
            record, answer = content
            begun.given = begun.made = record
            steps = do.parse, do.ask_only, lambda read: (*read, answer), do.judge, do.render
        else:
            page, asked, begun.seconds = self._kept.pop(number)
            begun.given, begun.made = page, (page, asked, content)
            if kind == Kind.JUDGE:
                steps = None, None, None, do.judge, do.render
        return Task(kind, number, begun, steps)

    def _answer(self, given: Record | Page, read: tuple[Page, Asked]) -> tuple[Page, Asked, Any]:
        page, asked = read
        assert self._sites is not None
        return page, asked, self._sites.answer(given, page.site, asked.query)

    def reply(self, task: Task) -> tuple[int, int, Any]:
        """Give the answer to a message when its steps are done; a page that is to be judged is kept."""
        kind, number, begun, _ = task
        made = begun.made
        if isinstance(made, UserError):
            return int(Reply.BROKEN), number, str(made)
        if isinstance(made, Exception):
            lost = made if isinstance(made, PageError) else failure(made)
            return int(Reply.LOST), number, (lost.reason, lost.detail)
        if kind == Kind.LEARN:
            return int(Reply.ASKED), number, made
        if kind == Kind.ASK:
            page, asked = made
            self._kept[number] = page, asked, begun.seconds
            return int(Reply.ASKED), number, (page.site, asked.query)
        return int(Reply.DONE), number, None if kind == Kind.FORGET else made
