"""Connected components of many graphs at once, by star contraction in SQL.

R. Kiveris, S. Lattanzi, V. Mirrokni, V. Rastogi, S. Vassilvitskii: Connected Components in MapReduce
and Beyond (SoCC 2014), the alternating algorithm. An edge is a pair (child, parent) with parent < child.

- *Large star*: the children of a node become children of its least parent.
- *Small star*: the other parents of a node, like the node, become children of its least parent.

Neither joins or splits components. When neither changes an edge, each component is a star around its least
node. Each is one aggregation and one join of the edges. The number of edges grows by at most the number of
nodes. The paper proves O(log² n) rounds for any graph of n nodes. A chain of n nodes takes O(log n) rounds;
passing the least label from neighbour to neighbour would take n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from detemplate.relations.engine import numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from detemplate.relations.engine import TableEngine

_ORIENTED: Final = (
    "(SELECT {group}, greatest(one, other) AS child, least(one, other) AS parent FROM {edges} "
    "WHERE one <> other)"
)
"""The input's edges, each from the larger node to the smaller one."""

_LARGE: Final = """
SELECT e.{group} AS {group}, e.child AS child, coalesce(m.parent, e.parent) AS parent,
    CASE WHEN m.parent IS NULL THEN 0 ELSE 1 END AS changed
FROM {edges} e LEFT JOIN (
    SELECT {group}, child, min(parent) AS parent FROM {edges} f GROUP BY {group}, child
) m ON e.{group} = m.{group} AND e.parent = m.child"""
"""A large star. ``changed`` is 1 for an edge that it changed. The small star removes edges made twice."""

_SMALL: Final = """
SELECT {group}, child, parent, max(moved) AS changed FROM (
    SELECT e.{group} AS {group}, CASE WHEN e.parent = m.parent THEN e.child ELSE e.parent END AS child,
        m.parent AS parent, CASE WHEN e.parent = m.parent THEN 0 ELSE 1 END AS moved
    FROM {edges} e JOIN (
        SELECT {group}, child, min(parent) AS parent FROM {edges} f GROUP BY {group}, child
    ) m ON e.{group} = m.{group} AND e.child = m.child
) joined GROUP BY {group}, child, parent"""
"""A small star, with the same ``changed``."""

_LABELS: Final = """
SELECT {group}, child AS node, parent AS component FROM {stars}
UNION ALL SELECT DISTINCT {group}, parent AS node, parent AS component FROM {stars}"""
"""The component of each node, from finished stars."""


def connected_components(
    engine: TableEngine,
    edges: str,
    out: str,
    *,
    group: str = "pagelet_shingle",
    on_round: Callable[[int], None] | None = None,
) -> int:
    """Find the undirected connected components of each group's graph.

    Parameters
    ----------
    engine
        Holds the table of edges.
    edges
        A table (``group``, ``one``, ``other``) of ``BIGINT`` without NULL: ``one`` and ``other`` are
        neighbours in the graph ``group``. Edges have no direction; they may repeat, and may join a node to
        itself.
    out
        The table to make: (``group``, ``node``, ``component``), with one row per node of a group that has
        another node as neighbour. ``component`` is the least node of the component.
    group
        Name of the column ``group``.
    on_round
        Called after each round with its number.

    Returns
    -------
    int
        Number of rounds, each a large and a small star. The last round changed nothing.
    """
    large, stars = f"{out}_large", f"{out}_stars"
    current = _ORIENTED.format(group=group, edges=edges)
    rounds = 0
    while True:
        engine.sql(large, _LARGE.format(group=group, edges=current))
        engine.sql(stars, _SMALL.format(group=group, edges=large))
        rounds += 1
        if on_round is not None:
            on_round(rounds)
        changed = f"SELECT changed FROM {large} UNION ALL SELECT changed FROM {stars}"
        [changes] = numbers(engine.rows(f"SELECT sum(changed) FROM ({changed}) c"))
        if changes == 0:
            break
        current = stars
    engine.sql(out, _LABELS.format(group=group, stars=stars))
    return rounds
