"""Segment features of what is near a text: targets, blocks, headings, runs of segments, what hides it."""

from typing import Final

import numpy as np
import numpy.typing as npt

from detemplate.features.segment_columns import GROUP, H1, HEADING, LINK, LONG_WINDOWS, WINDOWS
from detemplate.page import tags
from tests.oracles.hiding import ARIA_HIDDEN, HIDDEN
from tests.oracles.segmentnodes import LONG, Nodes, Values

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SCORED: Final = 25
"""Characters of a text that adds to the scores of the elements around it, at least (Readability's value)."""

_FACTORS: Final = (0.3, 1.0, 0.5)
"""Factors of a text's score for its parent, its grandparent and the element around that."""

_LONG_SHARES: Final = (0.5, 0.8)
"""Shares of the page's long text that targets 1 and 2 hold at least."""


SHORT_WORDS: Final = 8
"""A short segment has fewer words."""


def _meetings(nodes: Nodes, rows: Ints, target: int) -> tuple[Floats, Floats]:
    """Find the lowest node around each text that is, or is around, a target.

    Returns
    -------
    steps : array of float64
        Steps up from the target to that node; -1 where there is none.
    shares : array of float64
        Share of the page's characters inside of that node; -1 where there is none.
    """
    steps, shares = np.full(len(rows), -1.0), np.full(len(rows), -1.0)
    step = 0
    while target >= 0:
        meets = (steps < 0) & (rows >= target) & (rows < nodes.end[target])
        steps[meets], shares[meets] = step, nodes.chars[target] / nodes.total
        target, step = int(nodes.parent[target]), step + 1
    return steps, shares


def _scores(nodes: Nodes) -> Floats:
    """Score groups by the running text near below them, less the share in links, as Readability does."""
    texts = np.flatnonzero((nodes.own >= SCORED) & (nodes.linked == 0))
    added = np.minimum(nodes.own[texts] / 100, 3) + 1 + nodes.commas[texts]
    scores, up = np.zeros(len(nodes.own)), texts
    for factor in _FACTORS:
        up = np.where(up >= 0, nodes.parent[up], -1)
        np.add.at(scores, up[up >= 0], factor * added[up >= 0])
    linked = nodes.sum_inside(nodes.linked) / np.maximum(nodes.chars, 1)
    return np.where(nodes.flagged(GROUP), scores * (1 - linked), 0)


def targets(nodes: Nodes, rows: Ints) -> Values:
    """Compute the distances of texts to three nodes that may hold the page's content, the targets.

    Target 0 is the group with the highest score. Targets 1 and 2 are the deepest elements with at least 0.5
    and 0.8 of the long text. Ties go to the first node in document order. Where no node qualifies, the
    target is the page's first node.
    """
    scores, long = _scores(nodes), nodes.sum_inside(nodes.long)
    best = int(np.argmax(scores))
    targets = [best]
    for share in _LONG_SHARES:
        candidates = np.flatnonzero(nodes.element & (long >= share * nodes.all_long))
        targets.append(int(candidates[np.argmax(nodes.depth[candidates])]) if len(candidates) else 0)
    values: Values = {}
    before = nodes.before[rows]
    for number, target in enumerate(targets):
        inside = (rows >= target) & (rows < nodes.end[target])
        start = nodes.before[target]
        behind = (before - start - nodes.chars[target]) / nodes.total + 2
        outside = np.where(rows < target, (start - before) / nodes.total, behind)
        steps, shares = _meetings(nodes, rows, target)
        values |= {
            f"target{number}_inside": inside,
            f"target{number}_distance": np.where(inside, 0, outside),
            f"target{number}_steps": steps,
            f"target{number}_meeting_share": shares,
        }
    linked = float(nodes.sum_inside(nodes.linked)[best])
    return values | {
        "target0_text_share": float(nodes.chars[best]) / nodes.total,
        "target0_link_density": linked / max(float(nodes.chars[best]), 1.0),
        "target0_depth_below": nodes.depth[rows] - nodes.depth[best],
        "target0_score_share": float(scores[best]) / max(float(scores.sum()), 1e-9),
    }


def blocks(nodes: Nodes, rows: Ints) -> Values:
    """Compute features of a text's block, of the blocks beside it, and of windows of blocks around it."""
    block = nodes.page.blocks.astype(np.int64)
    count = int(block.max(initial=-1)) + 1
    chars, linked, words, sentence_marks, segments = (
        np.bincount(block, values[rows], count)
        for values in (nodes.own, nodes.linked, nodes.words, nodes.sentence_marks, np.ones(len(nodes.own)))
    )
    values: Values = {}
    for name, shift in (("block", 0), ("previous_block", -1), ("next_block", 1)):
        for column, sums in (("chars", chars), ("link_density", linked / np.maximum(chars, 1))):
            padded = np.concatenate([[-1.0], sums, [-1.0]])
            values[f"{name}_{column}"] = padded[block + 1 + shift]
    values |= {
        "block_sentence_marks": sentence_marks[block],
        "block_words": words[block],
        "block_segments": segments[block],
    }
    long = np.where((chars >= LONG) & (linked < 0.5 * chars), chars, 0)
    net_before, long_before = (
        np.concatenate([[0.0], np.cumsum(sums)]) for sums in (chars - 2 * linked, long)
    )
    number = np.arange(count)
    for window in WINDOWS:
        low, high = np.maximum(number - window, 0), np.minimum(number + window + 1, count)
        values[f"window{window}_net_chars"] = ((net_before[high] - net_before[low]) / (high - low))[block]
        if window in LONG_WINDOWS:
            means = (long_before[high] - long_before[low]) / (high - low)
            values[f"window{window}_long_chars"] = means[block]
    shares = long_before[:-1] / max(float(long_before[-1]), 1.0)
    return values | {"long_text_before": shares[block]}


def headings(nodes: Nodes, rows: Ints) -> Values:
    """Compute features of the last heading before or around a text, and the distance to the first ``h1``."""
    headings = np.flatnonzero(nodes.flagged(HEADING))
    number = np.searchsorted(headings, rows, "right") - 1
    exists = number >= 0
    row = np.concatenate([headings, [0]])[number]  # number -1 takes the 0, which is not used
    before, linked = nodes.before[rows], nodes.sum_inside(nodes.linked)
    h1s = np.flatnonzero(nodes.element & (nodes.tag == H1))
    first = int(h1s[0]) if len(h1s) else -1
    steps, shares = _meetings(nodes, rows, first)
    return {
        "heading_tag": np.where(exists, nodes.tag[row] & tags.NUMBER, 0),
        "heading_distance": np.where(exists, before - nodes.before[row], -1),
        "heading_number": number,
        "heading_link_density": np.where(exists, linked[row] / np.maximum(nodes.chars[row], 1), -1),
        "h1_distance": (before - nodes.before[first]) / nodes.total if first >= 0 else -2.0,
        "h1_count": float(len(h1s)),
        "h1_steps": steps,
        "h1_meeting_share": shares,
    }


def _run(chosen: Bools) -> Ints:
    """Count the chosen segments in a row that each chosen segment is one of; 0 for the others."""
    number = np.cumsum(np.diff(chosen, prepend=False))
    lengths: Ints = np.where(chosen, np.bincount(number, minlength=1)[number], 0)
    return lengths


def runs(nodes: Nodes, rows: Ints) -> Values:
    """Compute the lengths of the runs of segments in links, and of short segments, that a text is in."""
    return {
        "link_run": _run(nodes.count_around(nodes.flagged(LINK))[rows] > 0),
        "short_run": _run(nodes.words[rows] < SHORT_WORDS),
    }


def hidden(nodes: Nodes, rows: Ints, flags: Ints) -> Values:
    """Compute features of the hidden elements around a text; ``flags`` say how each node is hidden."""
    is_hidden = (flags & HIDDEN) > 0
    around = nodes.count_around(is_hidden)
    nearest: list[float] = []  # depth of the nearest hidden element, or 0
    depths = zip(is_hidden, nodes.parent.tolist(), nodes.depth.tolist(), strict=True)
    for its, parent, depth in depths:
        nearest.append(depth if its else nearest[parent] if parent >= 0 else 0)
    return {
        "in_hidden": around[rows],
        "in_aria_hidden": nodes.count_around((flags & ARIA_HIDDEN) > 0)[rows],
        "hidden_steps": np.where(around > 0, nodes.depth + 1 - np.array(nearest), -1)[rows],
        "page_hidden_share": float(nodes.own[around > 0].sum()) / nodes.total,
    }
