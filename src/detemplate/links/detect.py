"""Template detection over the tables of a crawl: the local and the global algorithm.

Z. Bar-Yossef, S. Rajagopalan: Template Detection via Data Mining and its Applications (WWW 2002),
section 3.2, figures 4 and 5. A group is all pagelets with one shingle. In the local algorithm, a group on two
or more pages is a template. In the global algorithm, the links between the pages of a group split it into
connected components, and a component of two or more pages is a template. So sister sites that share a
navigation bar and link to each other have one template. Mirrors, and pages that happen to look alike, do not
link to each other: they have none.

The tables ``pages``, ``pagelets`` and ``links`` are those of the command ``tables``. Both algorithms make

- ``templates`` (template_id, pagelet_shingle, pages, pagelets, hosts). The ids count from 1: most pages
  first, then by shingle and least page key. Equal tables get equal ids.
- ``template_pagelets`` (template_id, page_key, pagelet_serial).

The paper counts occurrences of pagelets. A pagelet on one page only cannot be a template of two pages,
however often it occurs there; it is left out at the first step. A page with several pagelets of a template
counts once as a page; each of the pagelets counts as a pagelet. A pagelet without a shingle (it has no text)
never counts.

Connected components of many graphs at once are found by star contraction in SQL: R. Kiveris, S. Lattanzi,
V. Mirrokni, V. Rastogi, S. Vassilvitskii: Connected Components in MapReduce and Beyond (SoCC 2014), the
alternating algorithm. An edge is a pair (child, parent) with parent < child.

- *Large star*: the children of a node become children of its least parent.
- *Small star*: the other parents of a node, like the node, become children of its least parent.

Neither joins or splits components. When neither changes an edge, each component is a star around its least
node. Each is one aggregation and one join of the edges. The number of edges grows by at most the number of
nodes. The paper proves O(log² n) rounds for any graph of n nodes. A chain of n nodes takes O(log n) rounds;
passing the least label from neighbour to neighbour would take n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from detemplate.links.engine import numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.links.engine import TableEngine

    OnStep = Callable[[str], None]
    """Called with the name of a step before it begins."""

_ORIENTED: Final = (
    "(SELECT pagelet_shingle, greatest(one, other) AS child, least(one, other) AS parent FROM {edges} "
    "WHERE one <> other)"
)
"""The input's edges, each from the larger node to the smaller one."""

_LARGE: Final = """
SELECT e.pagelet_shingle AS pagelet_shingle, e.child AS child, coalesce(m.parent, e.parent) AS parent,
    CASE WHEN m.parent IS NULL THEN 0 ELSE 1 END AS changed
FROM {edges} e LEFT JOIN (
    SELECT pagelet_shingle, child, min(parent) AS parent FROM {edges} f GROUP BY pagelet_shingle, child
) m ON e.pagelet_shingle = m.pagelet_shingle AND e.parent = m.child"""
"""A large star. ``changed`` is 1 for an edge that it changed. The small star removes edges made twice."""

_SMALL: Final = """
SELECT pagelet_shingle, child, parent, max(moved) AS changed FROM (
    SELECT e.pagelet_shingle AS pagelet_shingle,
        CASE WHEN e.parent = m.parent THEN e.child ELSE e.parent END AS child,
        m.parent AS parent, CASE WHEN e.parent = m.parent THEN 0 ELSE 1 END AS moved
    FROM {edges} e JOIN (
        SELECT pagelet_shingle, child, min(parent) AS parent FROM {edges} f GROUP BY pagelet_shingle, child
    ) m ON e.pagelet_shingle = m.pagelet_shingle AND e.child = m.child
) joined GROUP BY pagelet_shingle, child, parent"""
"""A small star, with the same ``changed``."""

_LABELS: Final = """
SELECT pagelet_shingle, child AS node, parent AS component FROM {stars}
UNION ALL SELECT DISTINCT pagelet_shingle, parent AS node, parent AS component FROM {stars}"""
"""The component of each node, from finished stars."""


def connected_components(engine: TableEngine, edges: str, out: str) -> int:
    """Find the undirected connected components of each group's graph.

    ``engine``: holds the table of edges.
    ``edges``: a table (``pagelet_shingle``, ``one``, ``other``) of ``BIGINT`` without NULL: neighbours in the
        graph of a shingle. Edges have no direction; they may repeat, and may join a node to itself.
    ``out``: the table to make: (``pagelet_shingle``, ``node``, ``component``), with one row per node of a
        group that has another node as neighbour. ``component`` is the least node of the component.
    Returns: number of rounds, each a large and a small star. The last round changed nothing.
    """
    large, stars = f"{out}_large", f"{out}_stars"
    current = _ORIENTED.format(edges=edges)
    rounds = 0
    while True:
        engine.sql(large, _LARGE.format(edges=current))
        engine.sql(stars, _SMALL.format(edges=large))
        rounds += 1
        changed = f"SELECT changed FROM {large} UNION ALL SELECT changed FROM {stars}"
        [changes] = numbers(engine.rows(f"SELECT sum(changed) FROM ({changed}) c"))
        if changes == 0:
            break
        current = stars
    engine.sql(out, _LABELS.format(stars=stars))
    return rounds


NEEDED: Final = {
    "pages": {"page_key": "bigint", "site": "string", "page_shingle": "bigint"},
    "pagelets": {"page_key": "bigint", "pagelet_serial": "int", "pagelet_shingle": "bigint"},
    "links": {"src_page_key": "bigint", "src_pagelet_serial": "int", "dest_page_key": "bigint"},
}
"""Columns that the algorithms read, for :func:`~detemplate.links.engine.source_crawl`."""

_DISTINCT_PAGES: Final = """
SELECT min(page_key) AS page_key FROM pages WHERE page_shingle IS NOT NULL GROUP BY page_shingle
UNION ALL SELECT page_key FROM pages WHERE page_shingle IS NULL"""
"""Query: the pages without duplicates: of pages with equal shingles, the one with the least key."""

_KEPT: Final = """
SELECT p.page_key AS page_key, p.pagelet_serial AS pagelet_serial, p.pagelet_shingle AS pagelet_shingle
FROM pagelets p JOIN distinct_pages d ON p.page_key = d.page_key
WHERE p.pagelet_shingle IS NOT NULL"""

_SHINGLES: Final = """
SELECT pagelet_shingle, min(page_key) AS component FROM {pagelets}
WHERE pagelet_shingle IS NOT NULL
GROUP BY pagelet_shingle HAVING min(page_key) < max(page_key)"""
"""Query: the shingles on two or more pages; ``component`` is the least key of these pages."""

_CANDIDATES: Final = """
SELECT p.pagelet_shingle AS pagelet_shingle, p.page_key AS page_key, s.component AS component,
    count(*) AS pagelets
FROM {pagelets} p JOIN template_shingles s ON p.pagelet_shingle = s.pagelet_shingle
GROUP BY p.pagelet_shingle, p.page_key, s.component"""
"""Query: the number of pagelets of each page with each of these shingles."""

# Candidates ⋈ links ⋈ candidates is two statements, `_HOPS` and `_EDGES`: in one, an optimiser may join the
# candidates with each other first, which is quadratic in the size of a group.
_NEIGHBOURS: Final = """
SELECT DISTINCT least(src_page_key, dest_page_key) AS one, greatest(src_page_key, dest_page_key) AS other
FROM links WHERE src_page_key <> dest_page_key"""
"""Query: the pairs of linked pages, in either direction, the lesser key first."""

_HOPS: Final = """
SELECT c.pagelet_shingle AS pagelet_shingle, n.one AS one, n.other AS other
FROM template_neighbours n JOIN template_candidates c ON n.one = c.page_key"""
"""Query: the pairs of linked pages of which the first has a shingle."""

_EDGES: Final = """
SELECT h.pagelet_shingle AS pagelet_shingle, h.one AS one, h.other AS other
FROM template_hops h JOIN template_candidates c
ON h.other = c.page_key AND h.pagelet_shingle = c.pagelet_shingle"""
"""Query: the pairs of linked pages that both have a shingle: edges within the shingle's group."""

_LABELLED: Final = """
SELECT c.pagelet_shingle AS pagelet_shingle, c.page_key AS page_key, g.component AS component,
    c.pagelets AS pagelets
FROM template_candidates c JOIN template_components g
ON c.pagelet_shingle = g.pagelet_shingle AND c.page_key = g.node"""

# Grouped by host, then by template: counting distinct hosts at once would need a set per template.
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
"""Query: the templates, numbered from 1 by falling number of pages, with their counts."""

_TEMPLATES: Final = "SELECT template_id, pagelet_shingle, pages, pagelets, hosts FROM template_numbers"

_MEMBERS: Final = """
SELECT n.template_id AS template_id, p.page_key AS page_key, p.pagelet_serial AS pagelet_serial
FROM template_numbers n
JOIN {members} m ON n.pagelet_shingle = m.pagelet_shingle AND n.component = m.component
JOIN {pagelets} p ON p.page_key = m.page_key AND p.pagelet_shingle = m.pagelet_shingle"""


_LINKS: Final = """
SELECT count(*) FROM links l JOIN (SELECT DISTINCT page_key, pagelet_serial FROM template_pagelets) t
ON l.src_page_key = t.page_key AND l.src_pagelet_serial = t.pagelet_serial"""


class TemplateCounts(NamedTuple):
    """What an algorithm found.

    ``templates``: number of templates.
    ``pagelets``: number of pagelets that belong to a template.
    ``pages``: number of pages with such a pagelet.
    ``links``: number of links in such pagelets.
    ``all_pagelets``, ``all_pages``, ``all_links``: number of pagelets, pages and links of the crawl.
    ``rounds``: rounds of star contraction; 0 for the local algorithm.
    """

    templates: int
    pagelets: int
    pages: int
    links: int
    all_pagelets: int
    all_pages: int
    all_links: int
    rounds: int = 0


def local_templates(
    engine: TableEngine, *, min_pages: int = 2, on_step: OnStep = lambda _: None
) -> TemplateCounts:
    """Find templates by content alone, for a few pages of a larger web (figure 4).

    Pages with one shingle are duplicates: only the one with the least key counts. Then all pagelets with one
    shingle are one template if they are on at least two pages.

    ``engine``: holds the tables ``pages`` and ``pagelets``; ``templates`` and ``template_pagelets`` are
        added.
    ``min_pages``: leave out templates on fewer pages; at least 2.
    ``on_step``: called with the name of each step before it begins.
    Returns: what was found.
    """
    on_step("duplicate pages")
    engine.sql("distinct_pages", _DISTINCT_PAGES)
    engine.sql("distinct_pagelets", _KEPT)
    on_step("shingles")
    engine.sql("template_shingles", _SHINGLES.format(pagelets="distinct_pagelets"))
    on_step("candidates")
    engine.sql("template_candidates", _CANDIDATES.format(pagelets="distinct_pagelets"))
    return _write_templates(engine, "template_candidates", "distinct_pagelets", min_pages, on_step)


def global_templates(
    engine: TableEngine, *, min_pages: int = 2, on_step: OnStep = lambda _: None
) -> TemplateCounts:
    """Find templates by content and links, for a large part of the web (figure 5).

    The links between the pages of a group, in either direction, split it into connected components. Each
    component of two or more pages is a template. The paper loads one group after the other into memory; here
    the components of all groups are found together, on disk.

    ``engine``: as for :func:`local_templates`; it also holds the table ``links``.
    ``min_pages``, ``on_step``: as for :func:`local_templates`.
    Returns: what was found.
    """
    on_step("shingles")
    engine.sql("template_shingles", _SHINGLES.format(pagelets="pagelets"))
    on_step("candidates")
    engine.sql("template_candidates", _CANDIDATES.format(pagelets="pagelets"))
    on_step("neighbours")
    engine.sql("template_neighbours", _NEIGHBOURS)
    on_step("hops")
    engine.sql("template_hops", _HOPS)
    on_step("edges")
    engine.sql("template_edges", _EDGES)
    on_step("components")
    rounds = connected_components(engine, "template_edges", "template_components")
    on_step("members")
    engine.sql("template_labelled", _LABELLED)
    counts = _write_templates(engine, "template_labelled", "pagelets", min_pages, on_step)
    return counts._replace(rounds=rounds)


ALGORITHMS: Final = {"local": local_templates, "global": global_templates}
"""The algorithms by name."""


def _write_templates(
    engine: TableEngine, members: str, pagelets: str, min_pages: int, tell: OnStep
) -> TemplateCounts:
    """Make ``templates`` and ``template_pagelets`` of the pages of each group's components, and count."""
    tell("templates")
    engine.sql("template_numbers", _NUMBERED.format(members=members, min_pages=int(min_pages)))
    engine.sql("templates", _TEMPLATES)
    tell("template pagelets")
    engine.sql("template_pagelets", _MEMBERS.format(members=members, pagelets=pagelets))
    templates, occurrences = numbers(engine.rows("SELECT count(*), sum(pagelets) FROM templates"))
    [pages] = numbers(
        engine.rows("SELECT count(*) FROM (SELECT page_key FROM template_pagelets GROUP BY page_key) p")
    )
    [links] = numbers(engine.rows(_LINKS))
    every = (
        numbers(engine.rows(f"SELECT count(*) FROM {table}"))[0] for table in ("pagelets", "pages", "links")
    )
    return TemplateCounts(templates, occurrences, pages, links, *every)
