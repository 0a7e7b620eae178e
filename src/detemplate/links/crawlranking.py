"""Ranking the pages of a crawl for a query, in one configuration or in several."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from detemplate.links.baseset import base_set
from detemplate.links.clever import Clever
from detemplate.links.configurations import BEST, configuration_of
from detemplate.links.crawl import Crawl
from detemplate.links.ranking import rank
from detemplate.links.templatepagelets import check_way, template_share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from detemplate.links.ranking import Ranking


@dataclass(frozen=True, slots=True)
class RankingJob:
    """How a crawl is ranked.

    Attributes
    ----------
    configurations
        Names from :data:`~detemplate.links.configurations.CONFIGURATIONS`.
    clever
        The choice and weights of links.
    templates
        ``"local"`` or ``"stored"`` (:func:`~detemplate.links.templatepagelets.template_pagelets`).
    top, hubs
        Maximum number of authorities and of hubs of each ranking; None for all.
    root_size, in_links, uncrawled, seed
        As for :func:`~detemplate.links.baseset.base_set`.
    """

    configurations: Sequence[str] = (BEST,)
    clever: Clever = field(default_factory=Clever)
    templates: str = "local"
    top: int | None = 50
    hubs: int | None = 0
    root_size: int = 200
    in_links: int = 50
    uncrawled: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name in self.configurations:
            configuration_of(name)


@dataclass(frozen=True, slots=True)
class CrawlRanking:
    """The rankings of a crawl for a query.

    Attributes
    ----------
    pages, root, links
        Number of pages of the base set, of those found by their text, and of links between them.
    template_share
        Share of the pages that hold template pagelets.
    rankings
        A ranking for each configuration, by name.
    """

    pages: int
    root: int
    links: int
    template_share: float
    rankings: dict[str, Ranking]


def rank_crawl(crawl: str, query: str, job: RankingJob) -> CrawlRanking:
    """Find the base set of a query in a crawl, and rank it in each configuration.

    Parameters
    ----------
    crawl
        A directory of Parquet directories, as ``detemplate tables`` makes it.
    query
        Words that must all occur; quoted ones follow each other.
    job
        How.

    Raises
    ------
    UserError
        The crawl cannot be read, the query has no words, or the crawl has no stored templates.
    MissingExtra
        DuckDB or SciPy is not installed.
    """
    with Crawl.open(crawl) as opened:
        check_way(job.templates, opened.has_templates)
        base = base_set(
            opened,
            query,
            root_size=job.root_size,
            in_links=job.in_links,
            uncrawled=job.uncrawled,
            seed=job.seed,
        )
    rankings = {
        name: rank(base, name, job.clever, templates=job.templates, top=job.top, hubs=job.hubs)
        for name in job.configurations
    }
    share = template_share(base, job.templates)
    return CrawlRanking(len(base), len(base.root), len(base.sources), share, rankings)
