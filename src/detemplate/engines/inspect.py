"""Looking into an input without cleaning it: its sites, its pages, what would be skipped and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from detemplate.engines.intake import Clock, Intake
from detemplate.io.record import Skip

if TYPE_CHECKING:
    from detemplate.engines.run import Job, Progress
    from detemplate.io.sources.base import Source


@dataclass(slots=True)
class Inspection:
    """What is in an input.

    Attributes
    ----------
    pages, bytes, segments
        Pages, and the sizes of their canonical serialisations in bytes and text segments.
    sites
        Pages by site.
    skipped
        What is no page to clean, by reason.
    details
        What is no page to clean, by reason and detail, for example ``("http status", "404")``.
    """

    pages: int = 0
    bytes: int = 0
    segments: int = 0
    sites: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    details: Counter[tuple[str, str]] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, object]:
        """Give everything as what JSON can hold."""
        return {
            "pages": self.pages,
            "bytes": self.bytes,
            "segments": self.segments,
            "sites": dict(self.sites.most_common()),
            "skipped": dict(self.skipped.most_common()),
        }


MOST_DETAILS = 1000


def inspect(source: Source, job: Job, progress: Progress | None = None) -> Inspection:
    """Go through an input as a cleaning run would, and count.

    Parameters
    ----------
    source
        The input.
    job
        Gives the rules by which pages are rejected and sites named.
    progress
        Is told how far it has come.
    """
    found = Inspection()
    cleaner = job.cleaner(source)
    intake = Intake(source, cleaner, max_page_bytes=job.max_page_bytes, clock=Clock(job.max_page_seconds))
    if progress is not None:
        progress.begin("inspecting", source.total_bytes)
    for item in intake:
        if isinstance(item, Skip):
            found.skipped[item.reason] += 1
            if len(found.details) < MOST_DETAILS or (item.reason, item.detail) in found.details:
                found.details[item.reason, item.detail] += 1
            continue
        page = item[1]
        found.pages += 1
        found.bytes += len(page.canonical)
        found.segments += len(page.segments)
        found.sites[page.site] += 1
        if progress is not None and found.pages % 16 == 0:
            progress.advance(found.pages, len(found.sites), source.bytes_read)
    if progress is not None:
        progress.end()
    return found
