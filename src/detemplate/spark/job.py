"""What a run on Spark is to do: the arguments that every task gets."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from detemplate.detectors.registry import DEFAULT_METHOD, detector_class
from detemplate.errors import UserError
from detemplate.io.sources.base import DEFAULT_MAX_BAD, DEFAULT_VERSIONS, VERSIONS
from detemplate.io.sources.fields import FieldNames
from detemplate.output.choice import Choice
from detemplate.run.cleaner import Engine
from detemplate.run.job import Cleaning
from detemplate.run.pagework import RowOf
from detemplate.sites.learner import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.run.passes import Passes

_LEAST_SPLIT: Final = 1 << 10  # smallest size of a piece of a large file, in bytes


@dataclass(frozen=True)
class SparkJob(Cleaning):
    """How to clean, on every machine. Files of rules are read at once: other machines may not have them.

    ``method``, ``site_by``: as of :class:`~detemplate.run.job.Cleaning`, but with defaults.
    ``names``, ``kind``, ``max_bad``, ``versions``: how inputs are read.
    ``table``: columns of URLs and markup of a table, all of whose rows are written again; None: inputs are
        files.
    ``buckets``: number of partitions of the output; a site is in one of them.
    ``files_a_part``, ``split_size``: pieces of the input that one Spark job works on; stored bytes of a
        piece, 0: each file is one.
    Raises UserError: a value is unknown or out of range.
    """

    method: str = DEFAULT_METHOD
    site_by: str = "host"
    names: FieldNames = field(default_factory=FieldNames)
    kind: str | None = None
    max_bad: float = DEFAULT_MAX_BAD
    versions: str = DEFAULT_VERSIONS
    table: tuple[str | None, str | None] | None = None
    buckets: int = 64
    files_a_part: int = 512
    split_size: int = 0

    def __post_init__(self) -> None:
        for rule in ("keep", "drop"):
            rules = Choice.of(**{rule: getattr(self, rule)}).rules
            object.__setattr__(self, rule, tuple(map(str, rules)))
        self.cleaner().close()
        if not detector_class(self.method).merges:
            raise UserError(f"method {self.method} cannot join what tasks have learned: it needs one machine")
        if self.versions not in VERSIONS:
            raise UserError(f"--versions {self.versions!r} is unknown: choose {', '.join(VERSIONS)}")
        Cleaning.__post_init__(self)
        for what, value, least in (
            ("page limit in bytes", self.max_page_bytes, 1),
            ("number of buckets", self.buckets, 1),
            ("number of files a part", self.files_a_part, 1),
            ("size of a piece in bytes (0: no splitting)", self.split_size or _LEAST_SPLIT, _LEAST_SPLIT),
        ):
            if value < least:
                raise UserError(f"the {what} must be at least {least:,}, not {value:,}")

    def cleaner(self, store: str | None = None) -> Engine:
        """Return a cleaner with one worker, which keeps the limits of a page; with a store, by its sites."""
        given = {"keep": self.keep, "drop": self.drop, **asdict(self.rendering)}
        if store is not None:
            return Engine.load(store, workers=1, **given)
        given |= {name: getattr(self, name) for name in ("method", "site_by", "threshold")}
        return Engine(**given, streaming=False, workers=1, **self.options)

    @property
    def settings(self) -> Settings:
        """What sites are learned with."""
        own = self.method, self.options
        return Settings.of(*own, site_by=self.site_by, streaming=False, threshold=self.threshold)

    def passes(self, cleaner: Engine, record: Callable[[Any], Any]) -> Passes:
        """Return what goes over items; ``record`` gives the record of one, or None."""
        return cleaner.passes(record, RowOf(), self.limits, ahead=True)
