"""Options of method ``pagelets``."""

from __future__ import annotations

import dataclasses

from detemplate.algorithms.recurrence import MOST_ENTRIES
from detemplate.detectors.base import Options
from detemplate.detectors.pagelets.templatefile import SETTINGS, known_templates
from detemplate.page.fingerprints import SKETCH, WIDTH
from detemplate.page.pagelets import LINKS


@dataclasses.dataclass(frozen=True, slots=True)
class PageletsOptions(Options):
    """Options of :class:`~detemplate.detectors.pagelets.detector.Pagelets`."""

    algorithm: str = dataclasses.field(
        default="local",
        metadata={
            "help": "local: shared by pages; global: shared by pages that links connect; known: learn "
            "nothing, only remove the known templates (the default with templates)"
        },
    )
    k: int = dataclasses.field(
        default=LINKS, metadata={"help": "an element with a child of at least k links is no pagelet"}
    )
    min_pages: int = dataclasses.field(
        default=2, metadata={"help": "a pagelet that at least this many pages share is template"}
    )
    width: int = dataclasses.field(default=WIDTH, metadata={"help": "w: words in a gram"})
    sketch: int = dataclasses.field(
        default=SKETCH,
        metadata={
            "help": "minima in a shingle; at resemblance r, pagelets share it with probability r^sketch"
        },
    )
    max_pagelets: int = dataclasses.field(
        default=1_000_000,
        metadata={"help": "most pagelets and links to remember per site; the oldest pages go first"},
    )
    templates: str = dataclasses.field(
        default="",
        metadata={
            "help": "file of known templates ('detemplate graph templates --states'); sets k, width, sketch",
            "file": True,
        },
    )

    def check(self) -> None:
        """Raise UserError if a value is out of range, or does not fit the template file."""
        self.require(
            self.algorithm in ("local", "global", "known"), "algorithm", "'local', 'global' or 'known'"
        )
        self.require(
            bool(self.templates) or self.algorithm != "known",
            "algorithm",
            "'local' or 'global', unless option templates names a file",
        )
        for name, least, most in (
            ("k", 1, 10_000), ("min_pages", 2, 10_000), ("width", 1, 100), ("sketch", 1, 100),
            ("max_pagelets", 1, MOST_ENTRIES),
        ):  # fmt: skip
            value: object = getattr(self, name)
            self.require(type(value) is int and least <= value <= most, name, f"from {least} to {most:,}")
        if self.templates:
            known = known_templates(self.templates)
            for name in SETTINGS:
                fits = getattr(self, name) == getattr(known, name)
                self.require(fits, name, f"{getattr(known, name)}, as in {self.templates}")
