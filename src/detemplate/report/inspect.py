"""Counting the pages and sites of an input, and what a run would skip and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from detemplate.io.record import Skip
from detemplate.run.progress import Meter
from detemplate.run.reader import Reader, page_parser

if TYPE_CHECKING:
    from detemplate.io.sources.base import Source
    from detemplate.page.page import Page
    from detemplate.run.job import Job
    from detemplate.run.progress import Progress


MOST_DETAILS: Final = 1000
"""Different details that are counted, over all reasons."""


@dataclass(slots=True)
class Inspection:
    """The counts of an input.

    ``pages``, ``bytes``, ``segments``: pages, bytes of their canonical serialisations, and their text
        segments.
    ``sites``: number of pages by site.
    ``skipped``: number of skips by reason.
    ``details``: number of skips by reason and detail, for example ``("http status", "404")``.
    """

    pages: int = 0
    bytes: int = 0
    segments: int = 0
    sites: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    details: Counter[tuple[str, str]] = field(default_factory=Counter)

    def count(self, page: Page) -> None:
        """Count a page."""
        self.pages += 1
        self.bytes += len(page.canonical)
        self.segments += len(page.segments)
        self.sites[page.site] += 1

    def skip(self, skip: Skip) -> None:
        """Count a skip."""
        self.skipped[skip.reason] += 1
        if len(self.details) < MOST_DETAILS or (skip.reason, skip.detail) in self.details:
            self.details[skip.reason, skip.detail] += 1

    def as_dict(self) -> dict[str, object]:
        """Return the counts as a JSON object."""
        return {
            "pages": self.pages,
            "bytes": self.bytes,
            "segments": self.segments,
            "sites": dict(self.sites.most_common()),
            "skipped": dict(self.skipped.most_common()),
        }


def inspect(source: Source, job: Job, progress: Progress | None = None) -> Inspection:
    """Go through an input as a cleaning run would, and count.

    ``job``: its limits and its rule for naming sites count.
    ``progress``: shows how far the pass has come.
    """
    found = Inspection()
    with Meter(progress, source) as meter:
        reader = Reader(
            source,
            page_parser(job.site_by or "host"),
            max_page_bytes=job.max_page_bytes,
            max_page_seconds=job.max_page_seconds,
            max_bad=1.0,  # whatever is wrong is to be shown
            meter=meter,
        )
        meter.begin("inspecting")
        for item in reader:
            if isinstance(item, Skip):
                found.skip(item)
            else:
                found.count(item[1])
            meter.advance(found.pages, len(found.sites))
    return found
