"""What a run on Spark is to do: the arguments that every task gets."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from detemplate.detectors.registry import DEFAULT_METHOD, options_of
from detemplate.errors import UserError
from detemplate.run.cleaner import Cleaner
from detemplate.run.limits import DEFAULT_MAX_PAGE_MEMORY, DEFAULT_MAX_PAGE_SECONDS, LEAST_PAGE_MEMORY
from detemplate.run.pagework import PageWork, RowOf
from detemplate.run.workers.process import PageLimits
from detemplate.spark.forms import Form, form_of
from detemplate.spark.pieces import check_split
from detemplate.spark.reads import Reads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.output.options import Images, Links, Tables

CHUNK: Final = 1 << 16
"""Pages of a site whose keys one group of Spark may hold."""

FILES_A_PART: Final = 512
"""Inputs that one Spark job works on; a run that was killed goes on after its last whole job."""


@dataclass(frozen=True)
class SparkJob(Reads):
    """How to clean, on every machine.

    Attributes
    ----------
    method, options, site_by, threshold, formats, keep_scripts, links, images, tables, explain, metadata
        As for :class:`~detemplate.run.job.Job`.
    max_page_seconds, max_page_memory
        Limits of a page; slower ones, and those that need more bytes, are rejected.
    buckets
        Number of partitions of the output; a site is in one of them.
    files_a_part
        Inputs, or pieces of them, that one Spark job works on.
    split_size
        Stored bytes of a piece of a large input, which one task reads; 0: inputs are not split.
    chunk
        Pages of a site whose keys one group of Spark may hold.
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
    max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS
    max_page_memory: int = DEFAULT_MAX_PAGE_MEMORY
    buckets: int = 64
    files_a_part: int = FILES_A_PART
    split_size: int = 0
    chunk: int = CHUNK

    def __post_init__(self) -> None:
        super().__post_init__()
        form_of(self.method, self.options)
        self.work()
        if not self.max_page_seconds > 0:
            raise UserError(f"the time for a page must be above 0 seconds, not {self.max_page_seconds:g}")
        if self.max_page_memory < LEAST_PAGE_MEMORY:
            raise UserError(f"the memory for a page must be at least {LEAST_PAGE_MEMORY:,} bytes")
        for name, value in (("buckets", self.buckets), ("files a part", self.files_a_part)):
            if value < 1:
                raise UserError(f"the number of {name} must be at least 1, not {value}")
        check_split(self.split_size)
        if self.chunk < 2 * CONTEXT:
            raise UserError(f"a chunk must have at least {2 * CONTEXT} pages, not {self.chunk}")

    @property
    def form(self) -> Form:
        """What the method asks and is answered, as rows."""
        return form_of(self.method, self.options)

    @property
    def limits(self) -> PageLimits:
        """What one page may take."""
        return PageLimits(self.max_page_seconds, self.max_page_memory)

    def work(self) -> PageWork[Any]:
        """Return the work on a page, which makes output rows.

        Raises
        ------
        UserError
            For an unknown option, or a value out of range.
        """
        cleaner = Cleaner(
            self.method,
            site_by=self.site_by,
            threshold=self.threshold,
            streaming=False,
            keep_scripts=self.keep_scripts,
            links=self.links,
            images=self.images,
            tables=self.tables,
            **self.options,
        )
        cleaner.close()
        row = RowOf(self.formats, explain=self.explain, metadata=self.metadata)
        work: PageWork[Any] = cleaner.work
        return dataclasses.replace(work, finish=row)

    def identity(self) -> dict[str, object]:
        """Return what must be equal when a run goes on."""
        settings = dataclasses.asdict(options_of(self.method, self.options, streaming=False))
        return {**dataclasses.asdict(self), "options": settings}


CONTEXT: Final = 200
"""Pages before a page that may say what it repeats; method ``auto`` looks back so far."""
