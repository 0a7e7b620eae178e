"""Related pages by co-citation (Dean & Henzinger 1999), counted within pagelets.

Bar-Yossef & Rajagopalan 2002, section 4, case 3: co-citations count within a pagelet only, or
more heavily there, and citations in template pagelets are ignored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from detemplate.errors import UserError
from detemplate.links.ranking import check_way
from detemplate.page.urls import canonical_url

if TYPE_CHECKING:
    from detemplate.links.crawl import Crawl

WITHIN: Final = ("pagelet", "page", "weighted")
"""Units within which co-citations count; ``"weighted"``: pages, and pagelets more heavily."""

WEIGHT: Final = 3
"""Default of what a co-citation within a pagelet counts, beside one within a page."""

WAYS: Final = ("local", "stored", "none")
"""Ways to know template pagelets; ``"none"`` ignores no citations."""


@dataclass(frozen=True, slots=True)
class Related:
    """A page that is cited together with the given page.

    ``url``, ``title``: URL and title of the page; the title is empty if the page was not crawled.
    ``count``: number of pagelets (or pages) that cite both pages, or their weighted sum.
    """

    url: str
    title: str
    count: int


def related(
    crawl: Crawl,
    url: str,
    *,
    within: str = "pagelet",
    templates: str = "local",
    weight: int | None = None,
    top: int | None = 20,
) -> list[Related]:
    """Find the pages that are most often cited together with a page.

    Duplicates among the citing pages count once. A pagelet (or page) counts once, even if it cites the two
    pages several times.

    ``url``: the page's URL, as in the crawl or in another spelling. The page need not have been crawled.
    ``within``: ``"pagelet"``: pages cited by the same pagelet; links outside of pagelets do not count.
        ``"page"``: pages cited by the same page, as in Dean and Henzinger. ``"weighted"``: a page counts 1,
        and each of its pagelets that cites both ``weight - 1`` more, so that one pagelet makes ``weight`` in
        all.
    ``templates``: the template pagelets, whose links do not count. ``"local"``: pagelets whose shingle is on
        two or more of the citing pages, duplicates counted once. ``"stored"``: pagelets in the crawl's table
        ``template_pagelets``. ``"none"``: all links count.
    ``weight``: for ``"weighted"``, at least 1; None: :data:`WEIGHT`.
    ``top``: maximum number of pages; None for all.
    Returns: the highest counts first; equal counts by URL.
    Raises UserError: the crawl does not have the URL, ``within`` or ``templates`` is unknown, or ``weight``
        is out of range or given for another way to count.
    """
    if within not in WITHIN:
        raise UserError(f"cannot count co-citations within {within!r}: take one of {', '.join(WITHIN)}")
    if weight is not None and (within != "weighted" or weight < 1):
        raise UserError(f"a weight of {weight} is for co-citations within 'weighted', and must be at least 1")
    check_way(templates, crawl.has_templates, WAYS)
    key = _key_of(crawl, url)
    crawl.run(_CITING, key)
    crawl.run(_TEMPLATE[templates])
    if within != "weighted":
        return _counted(crawl, key, within, top)
    more = (WEIGHT if weight is None else weight) - 1
    closer = {one.url: one.count for one in _counted(crawl, key, "pagelet", None)}
    found = [
        replace(one, count=one.count + more * closer.get(one.url, 0))
        for one in _counted(crawl, key, "page", None)
    ]
    return sorted(found, key=lambda one: (-one.count, one.url))[:top]


def _counted(crawl: Crawl, key: int, within: str, top: int | None) -> list[Related]:
    """Count the pages that are cited by the same pagelets, or pages, as a page."""
    unit = "page_key, serial" if within == "pagelet" else "page_key"
    in_pagelet = "AND serial >= 0" if within == "pagelet" else ""
    limit = "" if top is None else f"LIMIT {top:d}"
    query = _COUNT.format(unit=unit, in_pagelet=in_pagelet, limit=limit)
    return [Related(*row) for row in crawl.rows(query, key, key)]


def _key_of(crawl: Crawl, url: str) -> int:
    """Return the key of a page, crawled or only linked to; raises UserError if there is none."""
    for address in dict.fromkeys((url, canonical_url(url) or url)):
        for known in (
            "SELECT page_key FROM pages WHERE url = ? ORDER BY 1 LIMIT 1",
            "SELECT dest_page_key FROM links WHERE dest_url = ? ORDER BY 1 LIMIT 1",
        ):
            for (key,) in crawl.rows(known, address):
                return int(key)
    raise UserError(f"{crawl.name} has no page {url}, and no link to it")


_CITING: Final = """CREATE OR REPLACE TEMP TABLE _citing AS
    SELECT min(page_key) AS page_key FROM pages
    WHERE page_key IN (SELECT src_page_key FROM links WHERE dest_page_key = ?)
    GROUP BY page_shingle, CASE WHEN page_shingle IS NULL THEN page_key END"""
"""Makes the pages that link to a page, one of each set of duplicates. Parameter: the page's key."""

_PLACES: Final = "SELECT page_key, pagelet_serial AS serial FROM"

_TEMPLATE: Final = {
    "local": f"""CREATE OR REPLACE TEMP TABLE _template AS
        WITH near AS (FROM pagelets SEMI JOIN _citing USING (page_key))
        {_PLACES} near WHERE pagelet_shingle IN (
            SELECT pagelet_shingle FROM near WHERE pagelet_shingle IS NOT NULL
            GROUP BY pagelet_shingle HAVING count(DISTINCT page_key) >= 2)""",
    "stored": f"""CREATE OR REPLACE TEMP TABLE _template AS
        {_PLACES} template_pagelets SEMI JOIN _citing USING (page_key)""",
    "none": f"CREATE OR REPLACE TEMP TABLE _template AS {_PLACES} pagelets WHERE false",
}

_COUNT: Final = """
    WITH citations AS (
        SELECT src_page_key AS page_key, coalesce(src_pagelet_serial, -1) AS serial, dest_page_key, dest_url
        FROM links WHERE src_page_key IN (SELECT page_key FROM _citing)),
    counted AS (FROM citations ANTI JOIN _template USING (page_key, serial)),
    units AS (SELECT DISTINCT {unit} FROM counted WHERE dest_page_key = ? {in_pagelet}),
    pairs AS (
        SELECT {unit}, dest_page_key, min(dest_url) AS dest_url
        FROM counted SEMI JOIN units USING ({unit}) WHERE dest_page_key <> ? GROUP BY ALL),
    sums AS (
        SELECT dest_page_key, min(dest_url) AS dest_url, count(*) AS times FROM pairs GROUP BY dest_page_key)
    SELECT coalesce(url, dest_url, '') AS address, coalesce(title, ''), times
    FROM sums LEFT JOIN pages ON page_key = dest_page_key
    ORDER BY times DESC, address, dest_page_key {limit}"""
"""Counts the pages that are cited in the same unit as a page. Parameters: the page's key, twice."""
