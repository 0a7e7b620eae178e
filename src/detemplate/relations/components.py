"""Connected components in SQL, by star contraction, for many graphs at once.

R. Kiveris, S. Lattanzi, V. Mirrokni, V. Rastogi, S. Vassilvitskii: Connected Components in MapReduce
and Beyond (SoCC 2014), the alternating algorithm. An edge is kept as (child, parent), parent < child.

- *Large star*: the children of a node become children of its least parent.
- *Small star*: the other parents of a node, like the node, become children of its least parent.

Neither joins or parts components. When neither changes anything, every component is a star around its
least node. Both need one aggregation and one join of the edges, which never grow in number by more than
the nodes; the paper proves O(log² n) rounds for the worst graph of n nodes. Distance does not matter:
a chain takes O(log n), where handing on the least label from neighbour to neighbour takes n.
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
# `changed` tells what a step changed. Edges that a large star makes twice the small star makes one.
_LARGE: Final = """
SELECT e.{group} AS {group}, e.child AS child, coalesce(m.parent, e.parent) AS parent,
    CASE WHEN m.parent IS NULL THEN 0 ELSE 1 END AS changed
FROM {edges} e LEFT JOIN (
    SELECT {group}, child, min(parent) AS parent FROM {edges} f GROUP BY {group}, child
) m ON e.{group} = m.{group} AND e.parent = m.child"""
_SMALL: Final = """
SELECT {group}, child, parent, max(moved) AS changed FROM (
    SELECT e.{group} AS {group}, CASE WHEN e.parent = m.parent THEN e.child ELSE e.parent END AS child,
        m.parent AS parent, CASE WHEN e.parent = m.parent THEN 0 ELSE 1 END AS moved
    FROM {edges} e JOIN (
        SELECT {group}, child, min(parent) AS parent FROM {edges} f GROUP BY {group}, child
    ) m ON e.{group} = m.{group} AND e.child = m.child
) joined GROUP BY {group}, child, parent"""
_LABELS: Final = """
SELECT {group}, child AS node, parent AS component FROM {stars}
UNION ALL SELECT DISTINCT {group}, parent AS node, parent AS component FROM {stars}"""


def connected_components(
    engine: TableEngine,
    edges: str,
    out: str,
    *,
    group: str = "pagelet_shingle",
    told: Callable[[int], None] | None = None,
) -> int:
    """Find the undirected connected components of every group's graph.

    Parameters
    ----------
    engine
        Holds the tables.
    edges
        A table (``group``, ``one``, ``other``), all ``BIGINT`` and none NULL: in the graph ``group``,
        the nodes ``one`` and ``other`` are neighbours. Direction does not matter; edges may be there
        twice, and from a node to itself.
    out
        The table to make: (``group``, ``node``, ``component``), one row for each node of a group that
        has a neighbour other than itself. ``component`` is the least node of its component.
    group
        The name of the column with the group.
    told
        Called after each round with its number.

    Returns
    -------
    int
        Rounds: a large and a small star each. The last one found nothing to change.
    """
    large, stars = f"{out}_large", f"{out}_stars"
    step_from = _ORIENTED.format(group=group, edges=edges)
    rounds = 0
    while True:
        engine.sql(large, _LARGE.format(group=group, edges=step_from))
        engine.sql(stars, _SMALL.format(group=group, edges=large))
        rounds += 1
        if told is not None:
            told(rounds)
        changed = f"SELECT changed FROM {large} UNION ALL SELECT changed FROM {stars}"
        [changes] = numbers(engine.rows(f"SELECT sum(changed) FROM ({changed}) c"))
        if changes == 0:
            break
        step_from = stars
    engine.sql(out, _LABELS.format(group=group, stars=stars))
    return rounds
