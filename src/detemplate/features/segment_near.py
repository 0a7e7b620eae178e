"""What is near a text, uncompiled: the nodes that the content may be, blocks and headings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from detemplate.features.segment_nodes import GROUP, H1, HEADING, PLAIN, WINDOWS, Nodes

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.features.segment_nodes import Found

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

_RUNNING: Final = 25
"""Characters of a text that speaks for what is around it, as in Readability."""


def _climb(nodes: Nodes, rows: Ints, target: int) -> tuple[Floats, Floats]:
    """Give the steps up from a node to what is around both it and a text, and its share of the page.

    -1 and -1 where nothing is around both.
    """
    steps, shares = np.full(len(rows), -1.0), np.full(len(rows), -1.0)
    step = 0
    while target >= 0:
        met = (steps < 0) & (rows >= target) & (rows < nodes.end[target])
        steps[met], shares[met] = step, nodes.chars[target] / nodes.total
        target, step = int(nodes.parent[target]), step + 1
    return steps, shares


def _scores(nodes: Nodes) -> Floats:
    """Score groups by the running text near below, less their links', as Readability does."""
    texts = np.flatnonzero((nodes.own >= _RUNNING) & (nodes.linked == 0))
    given = np.minimum(nodes.own[texts] / 100, 3) + 1 + nodes.commas[texts]
    scores, up = np.zeros(len(nodes.own)), texts
    for factor in (0.3, 1.0, 0.5):
        up = np.where(up >= 0, nodes.parent[up], -1)
        np.add.at(scores, up[up >= 0], factor * given[up >= 0])
    linked = nodes.inside(nodes.linked) / np.maximum(nodes.chars, 1)
    return np.where(nodes.marked(GROUP), scores * (1 - linked), 0)


def targets(nodes: Nodes, rows: Ints) -> Found:
    """Give where a text is from three nodes that the page's content may be.

    They are the group of the highest score, and the deepest elements with at least 0.5 and 0.8 of the long
    text; of equals the first, and the first node where there is none.
    """
    scores, long = _scores(nodes), nodes.inside(nodes.long)
    best = int(np.argmax(scores))
    targets = [best]
    for share in (0.5, 0.8):
        most = np.flatnonzero(nodes.element & (long >= share * nodes.all_long))
        targets.append(int(most[np.argmax(nodes.depth[most])]) if len(most) else 0)
    found: Found = {}
    before = nodes.before[rows]
    for number, target in enumerate(targets):
        within = (rows >= target) & (rows < nodes.end[target])
        start = nodes.before[target]
        after = (before - start - nodes.chars[target]) / nodes.total + 2
        outside = np.where(rows < target, (start - before) / nodes.total, after)
        steps, shares = _climb(nodes, rows, target)
        found |= {
            f"t{number}in": within,
            f"t{number}before": np.where(within, 0, outside),
            f"t{number}lca": steps,
            f"t{number}lch": shares,
        }
    linked = float(nodes.inside(nodes.linked)[best])
    return found | {
        "t0share": float(nodes.chars[best]) / nodes.total,
        "t0ad": linked / max(float(nodes.chars[best]), 1.0),
        "t0dep": nodes.depth[rows] - nodes.depth[best],
        "t0slot": float(scores[best]) / max(float(scores.sum()), 1e-9),
    }


def blocks(nodes: Nodes, rows: Ints) -> Found:
    """Give what a text's block, the ones beside it and those in windows around it have."""
    block = nodes.page.blocks.astype(np.int64)
    blocks = int(block.max(initial=-1)) + 1
    chars, linked, words, stops, texts = (
        np.bincount(block, values[rows], blocks)
        for values in (nodes.own, nodes.linked, nodes.words, nodes.stops, nodes.own * 0 + 1)
    )
    found: Found = {}
    for shift in (0, 1, -1):
        for name, values in (("chars", chars), ("ad", linked / np.maximum(chars, 1))):
            padded = np.concatenate([[-1.0], values, [-1.0]])
            found[f"b{shift}{name}"] = padded[block + 1 - shift]
    found |= {"b0dot": stops[block], "bw": words[block], "bn": texts[block]}
    long = np.where((chars >= 80) & (linked < 0.5 * chars), chars, 0)
    plain_upto, long_upto = (
        np.concatenate([[0.0], np.cumsum(values)]) for values in (chars - 2 * linked, long)
    )
    nth = np.arange(blocks)
    for window in WINDOWS:
        low, high = np.maximum(nth - window, 0), np.minimum(nth + window + 1, blocks)
        found[f"win{window}"] = ((plain_upto[high] - plain_upto[low]) / (high - low))[block]
        if window >= WINDOWS[2]:
            found[f"wl{window}"] = ((long_upto[high] - long_upto[low]) / (high - low))[block]
    return found | {"lbefore": (long_upto[:-1] / max(float(long_upto[-1]), 1.0))[block]}


def headings(nodes: Nodes, rows: Ints) -> Found:
    """Give the heading before a text, and how far it is and the first ``h1`` is."""
    headings = np.flatnonzero(nodes.marked(HEADING))
    number = np.searchsorted(headings, rows, "right") - 1
    some = number >= 0
    row = np.concatenate([headings, [0]])[number]  # the last one stands for none
    before, linked = nodes.before[rows], nodes.inside(nodes.linked)
    firsts = np.flatnonzero(nodes.element & (nodes.tag == H1))
    first = int(firsts[0]) if len(firsts) else -1
    steps, shares = _climb(nodes, rows, first)
    return {
        "hlev": np.where(some, nodes.tag[row] & PLAIN, 0),
        "hdist": np.where(some, before - nodes.before[row], -1),
        "hnum": number,
        "hinlink": np.where(some, linked[row] / np.maximum(nodes.chars[row], 1), -1),
        "h1d": (before - nodes.before[first]) / nodes.total if first >= 0 else -2.0,
        "nh1": float(len(firsts)),
        "h1lca": steps,
        "h1lch": shares,
    }
