"""From records to pages: what cannot be a page is skipped with a reason, and the run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from detemplate.io.record import Record, Skip
from detemplate.page.page import Page
from detemplate.run.limits import Clock, attempted
from detemplate.run.losses import Losses
from detemplate.run.versions import Versions
from detemplate.sites.naming import site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from detemplate.io.sources.base import Source
    from detemplate.run.progress import Meter

Made = TypeVar("Made")


class Intake(Generic[Made]):
    """Parses the records of a source, in the source's order; gives skips for everything else.

    Of records with the same URL, those that the source says are taken (:class:`Versions`).

    ``source``, ``parse``: where the records come from, and what makes a page (or a document, or whatever a
        run works on) of one. It may raise :class:`~detemplate.errors.PageError`: the record becomes a skip.
    ``max_page_bytes``, ``max_page_seconds``: larger pages, and those that take longer, are lost.
    ``max_bad``: share of bad records above which a pass fails, in [0, 1]; None: as the source says.
    ``meter``: shows the pass over all URLs, where the source's last versions are taken.
    ``clock``, ``losses``: the time of the present page; the pages and the bad records of the present pass.
    Raises UserError: ``max_page_seconds`` is not above 0; the source's versions cannot be chosen. At the end
        of a pass: too many records were bad.
    """

    def __init__(
        self,
        source: Source,
        parse: Callable[[Record], Made],
        *,
        max_page_bytes: int,
        max_page_seconds: float,
        max_bad: float | None = None,
        meter: Meter | None = None,
    ) -> None:
        self._source = source
        self._versions = Versions(source, meter)
        self._parse = parse
        self._limit = max_page_bytes
        self.clock = Clock(max_page_seconds)
        self._max_bad = max_bad
        self.losses = Losses.of(source, max_bad)

    def __iter__(self) -> Iterator[Made | Skip]:
        """Go through the source once; each pass makes the same choices."""
        yield from self.items()
        self.losses.check()

    def items(self) -> Iterator[Made | Skip]:
        """Go through the source once; whoever asks for the items checks :attr:`losses` after the last one."""
        self.losses = Losses.of(self._source, self._max_bad)
        for item in self._versions:
            made = item if isinstance(item, Skip) else self._attempt(item)
            if isinstance(made, Skip):
                self.losses.lose(made)
            else:
                self.losses.pages += 1
            yield made

    def through(
        self, each: Callable[[Iterator[Made | Skip]], Iterator[tuple[Any, Any]]]
    ) -> Iterator[tuple[Any, Skip | None, Any]]:
        """Have a pass go over the items; give each, why it is lost, if it is, and what became of it."""
        for item, outcome in each(self.items()):
            yield item, self.losses.skip_of(item, outcome), outcome
        self.losses.check()

    def _attempt(self, record: Record) -> Made | Skip:
        return attempted(record, lambda: self._parse(record), max_page_bytes=self._limit, clock=self.clock)


def page_parser(site_by: str) -> Callable[[Record], tuple[Record, Page]]:
    """Return a parse function for :class:`Intake`: it gives a record and its page, with its parsed document.

    Raises UserError if there is no such way to name sites (:func:`~detemplate.sites.naming.site_of`).
    """
    site_of("", site_by)

    def parse(record: Record) -> tuple[Record, Page]:
        return record, record_page(record, site_by, keep_document=True)

    return parse


def record_page(record: Record, site_by: str, *, keep_document: bool) -> Page:
    """Parse a record's page; its site is the one that the record names, else that which ``site_by`` tells."""
    site = record.site
    if site is None and site_by != "host":
        site = site_of(record.url, site_by)
    return Page(
        record.url,
        record.html,
        site=site,
        charset=record.charset,
        media_type=record.media_type,
        keep_document=keep_document,
    )


def record_in(item: object) -> Record | None:
    """Return an item that is a record; None for any other."""
    return item if isinstance(item, Record) else None
