"""What a run is to do: how pages are cleaned, and all else that ``clean`` is told."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import UserError
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.output.choice import Choice
from detemplate.output.options import DEFAULT, Rendering
from detemplate.run.checkpoint import Checkpoint
from detemplate.run.cleaner import Engine
from detemplate.run.limits import (
    DEFAULT_MAX_PAGE_MEMORY,
    DEFAULT_MAX_PAGE_SECONDS,
    LEAST_PAGE_MEMORY,
    Clock,
    PageLimits,
)
from detemplate.run.reader import Reader
from detemplate.sites.store import DEFAULT_BUDGET

if TYPE_CHECKING:
    from collections.abc import Mapping

    from detemplate.io.record import Record
    from detemplate.io.sources.base import Source
    from detemplate.run.progress import Meter

# Values of a job that do not touch its output.
_MAY_CHANGE: Final = ("rendering", "workers", "checkpoint", "identity", "memory", "log", "metrics")


@dataclass(frozen=True, slots=True)
class Cleaning:
    """How pages are cleaned, and what one may take.

    ``method``, ``options``, ``site_by``, ``threshold``, ``keep``, ``drop``: as for
        :class:`~detemplate.run.cleaner.Cleaner`; None: as in the store.
    ``rendering``: what a row has of each page, and how it is written.
    ``max_page_bytes``, ``max_page_seconds``, ``max_page_memory``: limits of a page; pages that are larger or
        need more are rejected. Memory is limited in workers.
    Raises UserError: a limit is out of range.
    """

    method: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    site_by: str | None = None
    threshold: float | None = None
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    rendering: Rendering = DEFAULT
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_page_seconds: float = DEFAULT_MAX_PAGE_SECONDS
    max_page_memory: int = DEFAULT_MAX_PAGE_MEMORY

    def __post_init__(self) -> None:
        Clock(self.max_page_seconds)  # refuses what is not above 0
        if self.max_page_memory < LEAST_PAGE_MEMORY:
            raise UserError(f"the memory for a page must be at least {LEAST_PAGE_MEMORY:,} bytes")

    @property
    def limits(self) -> PageLimits:
        """What one page may take."""
        return PageLimits(self.max_page_seconds, self.max_page_memory)


@dataclass(frozen=True, slots=True)
class Job(Cleaning):
    """How a run cleans.

    ``store``, ``frozen``: the store that the run goes on with, if it exists, and that is written at its end.
        A frozen run learns nothing, cleans in one pass, and leaves the store alone.
    ``stream``: clean each page as it arrives, in one pass. A source that cannot be read twice always is.
    ``show``: number of texts, those removed most often, that the summary lists.
    ``every_skip``: list every skip among the rejects: also duplicates, redirects and records of other media
        types.
    ``workers``, ``memory``: as for :class:`~detemplate.run.cleaner.Cleaner`.
    ``log``, ``metrics``: file in which the run tells how it goes, as JSON lines, and port on 127.0.0.1 for
        Prometheus.
    ``checkpoint``: directory in which the run notes how far it has come; the same run goes on from there.
    ``output``, ``identity``: name of the output, for messages; what else must be equal when a run goes on:
        the inputs and the output.
    Raises UserError: a value is out of range, or a frozen run has no store.
    """

    store: str | None = None
    frozen: bool = False
    stream: bool = False
    show: int = 0
    every_skip: bool = False
    workers: int = 0
    memory: int = DEFAULT_BUDGET
    log: str | None = None
    metrics: int | None = None
    checkpoint: str | None = None
    output: str = ""
    identity: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.frozen and self.store is None:
            raise UserError("a frozen run learns nothing: name what is known already with --store FILE")
        self.rendering.check()
        if self.show < 0:
            raise UserError(f"the number of texts to show must not be negative: {self.show}")
        if self.memory < 1:
            raise UserError(f"the memory for what is learned must be above 0, not {self.memory}")
        Cleaning.__post_init__(self)

    def streaming(self, source: Source) -> bool:
        """Tell whether the pages of a source are cleaned as they arrive, and learned."""
        return not self.frozen and (self.stream or not source.rereadable)

    def reader(self, source: Source, meter: Meter | None = None) -> Reader[Record]:
        """Make the reader for a source, which leaves records as they are: others parse them."""
        size, seconds = self.max_page_bytes, self.max_page_seconds
        return Reader(
            source, lambda record: record, max_page_bytes=size, max_page_seconds=seconds, meter=meter
        )

    def cleaner(self, *, streaming: bool) -> Engine:
        """Make the cleaner, for pages as they arrive or not; it goes on with the store, if there is one."""
        names = ("method", "options", "site_by", "threshold", "store", "frozen", "keep", "drop", "workers")
        given: dict[str, Any] = {name: getattr(self, name) for name in (*names, "memory")}
        return Engine(streaming=streaming, **given, **asdict(self.rendering))

    def opened_checkpoint(self, source: Source) -> Checkpoint | None:
        """Open the run's checkpoint, if it is to have one.

        Raises UserError if it cannot be used, or the source cannot be read again.
        """
        if self.checkpoint is None:
            return None
        if not source.rereadable:
            raise UserError("standard input cannot be read again: a run with --checkpoint needs files")
        own = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _MAY_CHANGE}
        rules = asdict(Choice.of(self.keep, self.drop))  # files of rules may have changed
        return Checkpoint(self.checkpoint, {**own, **asdict(self.rendering), **rules, **self.identity})
