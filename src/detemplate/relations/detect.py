"""Templates by frequent item sets: the local and the global algorithm, over tables.

Z. Bar-Yossef, S. Rajagopalan: Template Detection via Data Mining and its Applications (WWW 2002),
section 3.2, Figures 4 and 5. Both start from pagelets that share a shingle. The local algorithm takes
every such group for a template; the global one takes the parts of a group whose pages link to each
other, over any number of pages of the same group. So sister sites with one navigation bar are one
template, and mirrors or pages that happen to look alike, which do not link to each other, are none.

The tables ``pages``, ``pagelets`` and ``links`` are those of the command ``tables``. Both algorithms make

- ``templates`` (template_id, pagelet_shingle, pages, pagelets, hosts), numbered from 1: most pages
  first, then by shingle and least page key, so that the same tables always get the same numbers;
- ``template_pagelets`` (template_id, page_key, pagelet_serial).

The paper counts occurrences of pagelets. A pagelet that only one page has, however often, is no
template of two pages in either algorithm and is left out at the first step. A page that repeats a
pagelet of a template counts once as a page, and all its occurrences count as pagelets. A pagelet
without a shingle (it has no text) never counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.relations.components import connected_components
from detemplate.relations.engine import numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.relations.engine import TableEngine

    Told = Callable[[str], None]

NEEDED: Final = {
    "pages": {"page_key": "bigint", "site": "string", "page_shingle": "bigint"},
    "pagelets": {"page_key": "bigint", "pagelet_serial": "int", "pagelet_shingle": "bigint"},
    "links": {"src_page_key": "bigint", "dest_page_key": "bigint"},
}
"""The columns that the algorithms read, for :func:`~detemplate.relations.engine.source_crawl`."""

_DISTINCT_PAGES: Final = """
SELECT min(page_key) AS page_key FROM pages WHERE page_shingle IS NOT NULL GROUP BY page_shingle
UNION ALL SELECT page_key FROM pages WHERE page_shingle IS NULL"""
_KEPT: Final = """
SELECT p.page_key AS page_key, p.pagelet_serial AS pagelet_serial, p.pagelet_shingle AS pagelet_shingle
FROM pagelets p JOIN distinct_pages d ON p.page_key = d.page_key
WHERE p.pagelet_shingle IS NOT NULL"""
_SHINGLES: Final = """
SELECT pagelet_shingle, min(page_key) AS component FROM {pagelets}
WHERE pagelet_shingle IS NOT NULL
GROUP BY pagelet_shingle HAVING min(page_key) < max(page_key)"""
_CANDIDATES: Final = """
SELECT p.pagelet_shingle AS pagelet_shingle, p.page_key AS page_key, s.component AS component,
    count(*) AS pagelets
FROM {pagelets} p JOIN template_shingles s ON p.pagelet_shingle = s.pagelet_shingle
GROUP BY p.pagelet_shingle, p.page_key, s.component"""
# The join of candidates, links and candidates goes by way of `hops`, made before the second join: as one
# statement, an optimiser may join the candidates with each other first.
_NEIGHBOURS: Final = """
SELECT DISTINCT least(src_page_key, dest_page_key) AS one, greatest(src_page_key, dest_page_key) AS other
FROM links WHERE src_page_key <> dest_page_key"""
_HOPS: Final = """
SELECT c.pagelet_shingle AS pagelet_shingle, n.one AS one, n.other AS other
FROM template_neighbours n JOIN template_candidates c ON n.one = c.page_key"""
_EDGES: Final = """
SELECT h.pagelet_shingle AS pagelet_shingle, h.one AS one, h.other AS other
FROM template_hops h JOIN template_candidates c
ON h.other = c.page_key AND h.pagelet_shingle = c.pagelet_shingle"""
_LABELLED: Final = """
SELECT c.pagelet_shingle AS pagelet_shingle, c.page_key AS page_key, g.component AS component,
    c.pagelets AS pagelets
FROM template_candidates c JOIN template_components g
ON c.pagelet_shingle = g.pagelet_shingle AND c.page_key = g.node"""
# Grouped by host first and then by template: counting distinct hosts at once needs a set for each template.
_NUMBERED: Final = """
SELECT CAST(row_number() OVER (ORDER BY pages DESC, pagelet_shingle, component) AS BIGINT) AS template_id,
    pagelet_shingle, component, pages, pagelets, hosts
FROM (
    SELECT pagelet_shingle, component, CAST(sum(pages) AS BIGINT) AS pages,
        CAST(sum(pagelets) AS BIGINT) AS pagelets, count(*) AS hosts
    FROM (
        SELECT m.pagelet_shingle AS pagelet_shingle, m.component AS component, p.site AS site,
            count(*) AS pages, sum(m.pagelets) AS pagelets
        FROM {members} m JOIN pages p ON m.page_key = p.page_key
        GROUP BY m.pagelet_shingle, m.component, p.site
    ) by_host GROUP BY pagelet_shingle, component
) by_template WHERE pages >= {min_pages}"""
_TEMPLATES: Final = "SELECT template_id, pagelet_shingle, pages, pagelets, hosts FROM template_numbers"
_MEMBERS: Final = """
SELECT n.template_id AS template_id, p.page_key AS page_key, p.pagelet_serial AS pagelet_serial
FROM template_numbers n
JOIN {members} m ON n.pagelet_shingle = m.pagelet_shingle AND n.component = m.component
JOIN {pagelets} p ON p.page_key = m.page_key AND p.pagelet_shingle = m.pagelet_shingle"""


class Found(NamedTuple):
    """What an algorithm has found."""

    templates: int
    pagelets: int
    """Pagelets that belong to a template."""
    pages: int
    """Pages that have such a pagelet."""
    rounds: int = 0
    """Rounds of star contraction; 0 for the local algorithm."""


def local_templates(engine: TableEngine, *, min_pages: int = 2, told: Told | None = None) -> Found:
    """Find templates by content alone, for a few pages of a larger web (Figure 4).

    Pages with the same shingle are duplicates: the one with the least key stays, the others and their
    pagelets do not count and do not come out. Then all pagelets that share a shingle are one template if
    they are on at least two pages.

    Parameters
    ----------
    engine
        Holds the tables ``pages`` and ``pagelets``; gets ``templates`` and ``template_pagelets``.
    min_pages
        Leave out templates on fewer pages; at least 2.
    told
        Called with a step's name before it begins.

    Returns
    -------
    Found
        How much it found.
    """
    tell = told or _nobody
    tell("duplicate pages")
    engine.sql("distinct_pages", _DISTINCT_PAGES)
    engine.sql("distinct_pagelets", _KEPT)
    tell("shingles")
    engine.sql("template_shingles", _SHINGLES.format(pagelets="distinct_pagelets"))
    tell("candidates")
    engine.sql("template_candidates", _CANDIDATES.format(pagelets="distinct_pagelets"))
    return _numbered(engine, "template_candidates", "distinct_pagelets", min_pages, tell)


def global_templates(engine: TableEngine, *, min_pages: int = 2, told: Told | None = None) -> Found:
    """Find templates by content and links, for a large part of the web (Figure 5).

    The pages whose pagelets share a shingle are a group. The links between pages of a group, in either
    direction, part it into connected components; every component of more than one page is a template.
    Instead of loading one group after the other into memory, as the paper does, the components of all
    groups are found at once, on disk.

    Parameters
    ----------
    engine
        Holds the tables ``pages``, ``pagelets`` and ``links``; gets ``templates`` and
        ``template_pagelets``.
    min_pages
        Leave out templates on fewer pages; at least 2.
    told
        Called with a step's name before it begins.

    Returns
    -------
    Found
        How much it found.
    """
    tell = told or _nobody
    tell("shingles")
    engine.sql("template_shingles", _SHINGLES.format(pagelets="pagelets"))
    tell("candidates")
    engine.sql("template_candidates", _CANDIDATES.format(pagelets="pagelets"))
    tell("neighbours")
    engine.sql("template_neighbours", _NEIGHBOURS)
    tell("hops")
    engine.sql("template_hops", _HOPS)
    tell("edges")
    engine.sql("template_edges", _EDGES)
    tell("components")
    rounds = connected_components(engine, "template_edges", "template_components")
    tell("members")
    engine.sql("template_labelled", _LABELLED)
    found = _numbered(engine, "template_labelled", "pagelets", min_pages, tell)
    return found._replace(rounds=rounds)


ALGORITHMS: Final = {"local": local_templates, "global": global_templates}


def _numbered(engine: TableEngine, members: str, pagelets: str, min_pages: int, tell: Told) -> Found:
    tell("templates")
    engine.sql("template_numbers", _NUMBERED.format(members=members, min_pages=int(min_pages)))
    engine.sql("templates", _TEMPLATES)
    tell("template pagelets")
    engine.sql("template_pagelets", _MEMBERS.format(members=members, pagelets=pagelets))
    templates, occurrences = numbers(engine.rows("SELECT count(*), sum(pagelets) FROM templates"))
    [pages] = numbers(
        engine.rows("SELECT count(*) FROM (SELECT page_key FROM template_pagelets GROUP BY page_key) p")
    )
    return Found(templates, occurrences, pages)


def _nobody(step: str) -> None:
    """Tell nobody."""
