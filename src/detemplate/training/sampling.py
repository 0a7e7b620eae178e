"""Settings of the training data: which sites, pages and nodes are taken, and when a node is template."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from detemplate.errors import UserError
from detemplate.io.sources.base import DEFAULT_MAX_PAGE_BYTES
from detemplate.layout.layout import SMALL
from detemplate.sites.naming import site_of
from detemplate.training.labels import Labelling

DEFAULT_MEMORY: Final = 4 << 30
"""Maximum memory of the pages of incomplete sites, in bytes."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which sites, pages and nodes are taken.

    ``labelling``: when a node is template.
    ``min_pages``: sites with fewer pages are left out. The paper has 100. The default is 20: a node on more
        than 10 % of 20 pages is on at least 3.
    ``pages_per_site``: maximum number of pages of a site; they are chosen at random (the paper: 200).
    ``nodes_per_page``: maximum number of visible nodes of a page; they are chosen at random.
    ``min_area``: smaller nodes, in square pixels, are left out (section 5.3).
    ``site_by``: how records without a site are assigned to one: ``"host"``, ``"domain"`` or ``"directory"``.
    ``max_page_bytes``, ``max_page_seconds``: pages that are larger or take longer are skipped.
    ``seed``: seed of all random choices.
    ``memory``: maximum memory of the pages of incomplete sites, in bytes.
    Raises UserError: a value is out of range.
    """

    labelling: Labelling = field(default_factory=Labelling)
    min_pages: int = 20
    pages_per_site: int = 200
    nodes_per_page: int = 100
    min_area: float = float(SMALL)
    site_by: str = "host"
    max_page_bytes: int = DEFAULT_MAX_PAGE_BYTES
    max_page_seconds: float = 20.0
    seed: int = 0
    memory: int = DEFAULT_MEMORY

    def __post_init__(self) -> None:
        site_of("", self.site_by)
        if not 2 <= self.min_pages <= self.pages_per_site:
            raise UserError(
                f"a site needs at least 2 and at most {self.pages_per_site} pages (--pages-per-site), "
                f"not {self.min_pages} (--min-pages)"
            )
        if self.nodes_per_page < 1:
            raise UserError(f"a page gives at least 1 node, not {self.nodes_per_page}")
        if not 0 <= self.seed < 2**32:
            raise UserError(f"the seed must be at least 0 and below 2**32, not {self.seed}")
        if not self.max_page_seconds > 0:
            raise UserError(f"the time for a page must be above 0 seconds, not {self.max_page_seconds:g}")
