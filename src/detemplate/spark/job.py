"""What a run on Spark is to do: the arguments that every task gets."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from detemplate.detectors.registry import DEFAULT_METHOD, detector_class
from detemplate.errors import UserError
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.io.sources.selection import DEFAULT_MAX_BAD, DEFAULT_VERSIONS, VERSIONS
from detemplate.output.options import CHOICES
from detemplate.run.cleaner import Cleaner
from detemplate.run.limits import DEFAULT_MAX_PAGE_MEMORY, DEFAULT_MAX_PAGE_SECONDS, LEAST_PAGE_MEMORY
from detemplate.run.pagework import RowOf
from detemplate.run.workers.process import PageLimits
from detemplate.sites.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from detemplate.output.options import Images, Links, Tables
    from detemplate.run.passes import Passes

_LEAST_SPLIT: Final = 1 << 10
"""Smallest size of a piece of a large file, in bytes."""


@dataclass(frozen=True, kw_only=True)
class SparkJob:
    """How to clean, on every machine.

    Attributes
    ----------
    method, options, site_by, threshold, formats, keep_scripts, links, images, tables, explain
        As for :class:`~detemplate.run.job.Job`.
    metadata
        Whether rows have the pages' metadata.
    max_page_bytes, max_page_seconds, max_page_memory
        Limits of a page; pages beyond them are rejected.
    url, html, id, kind
        Names of the fields of a record, and the kind of all inputs; None: guessed.
    max_bad
        Share of bad records above which the run fails.
    versions
        Which of the records with one URL are taken: ``"first"``, ``"last"`` or ``"keep"`` (all).
    table
        Columns of URLs and of markup (None: guessed) of a table, all of whose rows are written again; None:
        the inputs are files of pages.
    buckets
        Number of partitions of the output; a site is in one of them.
    files_a_part
        Inputs, or pieces of them, that one Spark job works on.
    split_size
        Stored bytes of a piece of a large input, which one task reads; 0: inputs are not split.

    Raises
    ------
    UserError
        A value is unknown or out of range.
    """

    method: str = DEFAULT_METHOD
    options: Mapping[str, Any] = field(default_factory=dict)
    site_by: str = "host"
    threshold: float | None = None
    formats: tuple[str, ...] = ("text",)
    keep_scripts: bool = False
    links: Links | None = None
    images: Images | None = None
    tables: Tables | None = None
    explain: bool = False
    metadata: bool = True
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS
    max_page_memory: int = DEFAULT_MAX_PAGE_MEMORY
    url: str | None = None
    html: str | None = None
    id: str | None = None
    kind: str | None = None
    max_bad: float = DEFAULT_MAX_BAD
    versions: str = DEFAULT_VERSIONS
    table: tuple[str | None, str | None] | None = None
    buckets: int = 64
    files_a_part: int = 512
    split_size: int = 0

    def __post_init__(self) -> None:
        self.cleaner().close()
        if not detector_class(self.method).merges:
            raise UserError(f"method {self.method} cannot join what tasks have learnt: it needs one machine")
        if self.versions not in VERSIONS:
            raise UserError(f"--versions {self.versions!r} is unknown: choose {', '.join(VERSIONS)}")
        if not self.max_page_seconds > 0:
            raise UserError(f"the time for a page must be above 0 seconds, not {self.max_page_seconds:g}")
        if self.max_page_memory < LEAST_PAGE_MEMORY:
            raise UserError(f"the memory for a page must be at least {LEAST_PAGE_MEMORY:,} bytes")
        if self.max_page_bytes < 1:
            raise UserError(f"the page limit is {self.max_page_bytes} bytes; it must be at least 1 byte")
        for name, value in (("buckets", self.buckets), ("files a part", self.files_a_part)):
            if value < 1:
                raise UserError(f"the number of {name} must be at least 1, not {value}")
        if self.split_size and self.split_size < _LEAST_SPLIT:
            raise UserError(
                f"pieces of large files have at least {_LEAST_SPLIT:,} bytes, not {self.split_size:,}; "
                "0: files are not split"
            )

    def cleaner(self, store: str | None = None) -> Cleaner:
        """Return a cleaner with one worker, which keeps the limits of a page; with a store, by its sites."""
        given = {name: getattr(self, name) for name in ("keep_scripts", *CHOICES)}
        if store is not None:
            return Cleaner.load(store, workers=1, **given)
        given |= {name: getattr(self, name) for name in ("method", "site_by", "threshold")}
        return Cleaner(**given, streaming=False, workers=1, **self.options)

    @property
    def settings(self) -> Settings:
        """What sites are learnt with."""
        given = {"site_by": self.site_by, "streaming": False, "threshold": self.threshold}
        return Settings.of(self.method, self.options, **given)

    def passes(self, cleaner: Cleaner, record: Callable[[Any], Any]) -> Passes:
        """Return what goes over items; ``record`` gives the record of one, or None."""
        row = RowOf(self.formats, explain=self.explain, metadata=self.metadata)
        limits = PageLimits(self.max_page_seconds, self.max_page_memory)
        return cleaner.passes(record, row, limits, ahead=True)

    def identity(self) -> dict[str, object]:
        """Return what must be equal when a run goes on."""
        return {**dataclasses.asdict(self), "options": self.settings.options}
