"""A focused crawler over a web in memory: which page is fetched next, and how many of them are relevant."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from detemplate.links.focus import Distiller, priorities, template_scores
from detemplate.page.links import page_links
from detemplate.page.pagelets import pagelet_of, pagelets

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import numpy.typing as npt

    from detemplate.detectors.verdict import Verdict
    from detemplate.page.links import Links
    from detemplate.page.page import Page

    Reals = npt.NDArray[np.float64]
    Scorer = Callable[[Sequence[str]], Reals]
    """Returns how much each text is about the topic, in [0, 1]."""

BREADTH_FIRST: Final = "breadth-first"  # pages in the order in which links to them are found
PAGE: Final = "page"  # links of pages about the topic first
PAGELET: Final = "page + pagelet"  # links of pages, and of pagelets, about the topic first
ORACLE: Final = "oracle"  # links to relevant pages first. No crawler knows these


class Strategy(NamedTuple):
    """How links are ranked: one of this module's four ways, with or without knowledge of templates.

    `judge` learns a page and returns the verdict on it: template text does not count, and links in template
    pagelets get a lower priority. With `distil`, what good hubs link to is raised: hubs are pages where links
    are ranked by page, else pagelets.
    """

    rank: str
    judge: Callable[[Page], Verdict] | None = None
    distil: bool = False


def crawl(
    fetch: Callable[[str], Page | None],
    seeds: Sequence[str],
    strategy: Strategy,
    scorer: Scorer,
    relevant: Collection[str],
    *,
    budget: int,
) -> list[str]:
    """Fetch up to `budget` pages, the greatest priority (best link) next; return their URLs in order."""
    queue = [(-np.inf, place, url) for place, url in enumerate(seeds)]
    found = len(queue)
    fetched: dict[str, None] = {}
    distiller = Distiller() if strategy.distil else None
    while queue and len(fetched) < budget:
        _, _, url = heapq.heappop(queue)
        if url in fetched:
            continue
        page = fetch(url)
        if page is None:
            continue
        fetched[url] = None
        links, base, template = ranked_links(page, strategy, scorer, relevant)
        ranks = priorities(template, base)
        wanted = list(zip(links.urls, ranks.tolist(), strict=True))
        if distiller is not None:
            none = np.zeros(len(links), np.int64)
            hubs = none if strategy.rank == PAGE else pagelet_of(page, pagelets(page), links.rows)
            distiller.add(url, links, pagelets=hubs, relevance=base, template=template, priorities=ranks)
            if distiller.due:
                wanted += [(raised.url, raised.priority) for raised in distiller.distil()]
        for target, rank in wanted:
            if target not in fetched:
                heapq.heappush(queue, (-rank, found, target))
                found += 1
    return list(fetched)


def ranked_links(
    page: Page, strategy: Strategy, scorer: Scorer, relevant: Collection[str]
) -> tuple[Links, Reals, Reals]:
    """Return a page's links, their relevance (page's score, plus pagelet's), and their template shares."""
    links = page_links(page)
    verdict = strategy.judge(page) if strategy.judge is not None else None
    base = np.zeros(len(links))
    if strategy.rank == ORACLE:
        base += [url in relevant for url in links.urls]
    elif strategy.rank in (PAGE, PAGELET) and len(links):
        kept = np.ones(len(page.segments), np.bool_) if verdict is None else ~verdict.template
        base += scorer([_text(page, range(len(kept)), kept)])[0]
        if strategy.rank == PAGELET:
            base += _context_scores(page, links.rows, kept, scorer)
    template = np.zeros(len(links)) if verdict is None else template_scores(page, verdict, links.rows)
    return links, base, template


def _context_scores(
    page: Page, rows: npt.NDArray[np.int32], kept: npt.NDArray[np.bool_], scorer: Scorer
) -> Reals:
    """Return the score of each link's pagelet; 0 for a link in none."""
    regions = pagelets(page)
    serial = pagelet_of(page, regions, rows)
    scores = np.zeros(len(regions) + 1)  # the last entry stands for no pagelet
    used = [number for number in np.unique(serial).tolist() if number >= 0]
    scores[used] = scorer([_text(page, page.segments_in(int(regions[number])), kept) for number in used])
    return scores[serial]


def _text(page: Page, segments: range, kept: npt.NDArray[np.bool_]) -> str:
    return " ".join(page.segment_text(number) for number in segments if kept[number])


def harvest(fetched: Sequence[str], relevant: Collection[str], depths: Sequence[int]) -> list[float]:
    """Compute the share of relevant pages among the first ones, at each depth; missing ones are not."""
    hits = np.cumsum([url in relevant for url in fetched])
    return [float(hits[min(depth, len(hits)) - 1]) / depth if len(hits) else 0.0 for depth in depths]
