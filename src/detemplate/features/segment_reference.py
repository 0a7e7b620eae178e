"""The evidence of a page, uncompiled: :mod:`detemplate.features.segment` says what it is.

All is of float64. The order of sums that are no whole numbers is the kernel's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from detemplate.features.segment_near import blocks, headings, targets
from detemplate.features.segment_nodes import (
    AROUND,
    GROUP,
    HEADING,
    INPUT,
    ITEM,
    LEVELS,
    LINK,
    MEDIA,
    PLAIN,
    PROSE,
    Nodes,
    read_nodes,
)
from detemplate.features.vocabulary import MIX, read_starts
from detemplate.page.columns import CODE, TEXT

if TYPE_CHECKING:
    import numpy.typing as npt

    from detemplate.features.segment_nodes import Found
    from detemplate.features.vocabulary import Vocabulary
    from detemplate.page.page import Page

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]
    Hashes = npt.NDArray[np.uint64]
    Rows = npt.NDArray[np.int32]


def reference_features(page: Page, vocabulary: Vocabulary) -> tuple[Found, Rows, Hashes, Rows, Rows]:
    """Give the columns of evidence by name (those of the whole page as numbers), and what else there is."""
    nodes, rows = read_nodes(page), page.segments.astype(np.int64)
    signatures = np.zeros(len(page.columns), np.uint64)
    weights: dict[int, list[float]] = {}
    known: set[int] = set()
    for row, words, signature in read_starts(page):
        signatures[row] = signature
        if words:
            numbers = [vocabulary.numbers[word] for word in words if word in vocabulary.numbers]
            weights[row] = vocabulary.weights[numbers].tolist()
            known.update(numbers)
    slots = _slots(nodes, signatures)[rows]
    repeats = _repeats(nodes, signatures)
    chain = _chain(nodes, rows)
    found: Found = {
        **_texts(nodes, rows),
        **_places(nodes, rows),
        **_families(nodes, rows, slots),
        **_parents(nodes, rows, repeats),
        **_groups(nodes, chain, repeats),
        **targets(nodes, rows),
        **blocks(nodes, rows),
        **headings(nodes, rows),
        **_whole(nodes, rows),
        **_named(nodes, rows, weights),
    }
    found["Pmaxslot"] = float(np.max(np.asarray(found["slot_share"]), initial=0))
    groups = np.stack(chain, 1).astype(np.int32)
    return found, groups, slots, nodes.words[rows].astype(np.int32), np.array(sorted(known), np.int32)


def _slots(nodes: Nodes, signatures: Hashes) -> Hashes:
    """Hash the signatures from the top down to each node."""
    slots: list[int] = []
    above = nodes.parent.tolist()
    for row, (element, signature) in enumerate(zip(nodes.element, signatures.tolist(), strict=True)):
        slot = slots[above[row]] if above[row] >= 0 else 7
        slots.append((slot * int(MIX) & 0xFFFFFFFFFFFFFFFF) ^ signature if element else slot)
    return np.array(slots, np.uint64)


def _repeats(nodes: Nodes, signatures: Hashes) -> Floats:
    """Count the siblings with an element's signature, itself included."""
    repeats = np.ones(len(signatures))
    keys = (nodes.parent.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) ^ signatures
    _, number, count = np.unique(keys[nodes.element], return_inverse=True, return_counts=True)
    repeats[nodes.element] = count[number]
    return repeats


def _chain(nodes: Nodes, rows: Ints) -> list[Ints]:
    """Give the groups around each text, nearest first; -1 for none."""
    group, above = nodes.marked(GROUP).tolist(), nodes.parent.tolist()
    nearest: list[int] = []
    for up in above:
        nearest.append(-1 if up < 0 else up if group[up] else nearest[up])
    up_from, chain = np.array(nearest, np.int64), [np.array(nearest, np.int64)[rows]]
    while len(chain) < LEVELS:
        chain.append(np.where(chain[-1] >= 0, up_from[np.maximum(chain[-1], 0)], -1))
    return chain


def _texts(nodes: Nodes, rows: Ints) -> Found:
    """Give what a text is, and what elements are around it."""
    own, words = nodes.own[rows], nodes.words[rows]
    some = np.maximum(own, 1)
    found: Found = {"chars": own, "words": words}
    found |= {f"in_{name}": nodes.around(nodes.named(name))[rows] for name in AROUND}
    return found | {
        "dig": nodes.digits[rows] / some,
        "up": nodes.capitals[rows] / some,
        "dot": nodes.stops[rows],
        "wlen": own / np.maximum(words, 1),
        "depth": nodes.depth[rows],
    }


def _places(nodes: Nodes, rows: Ints) -> Found:
    """Give where on the page a text is."""
    before, nth = nodes.before[rows], np.arange(len(rows))
    return {
        "pos": before / nodes.total,
        "posabs": before,
        "fromend": nodes.total - before,
        "rpos": nth / max(len(rows), 1),
        "seg": nth,
        "segend": len(rows) - nth,
        "bpos": nodes.page.columns.start[rows] / max(len(nodes.page.canonical), 1),
    }


def _families(nodes: Nodes, rows: Ints, slots: Hashes) -> Found:
    """Give what the texts of the same path, and of the same slot, have together; and a text's copies."""
    found: Found = {}
    nth, columns = np.arange(len(rows)), nodes.page.columns
    for name, keys in (("path", columns.path[rows]), ("slot", slots)):
        _, first, number, count = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        last = np.zeros(len(count), np.int64)
        last[number] = nth  # the last one stays
        chars = np.bincount(number, nodes.own[rows], len(count))
        found |= {
            f"{name}_n": count[number],
            f"{name}_share": chars[number] / nodes.total,
            f"{name}_avg": (chars / count)[number],
            f"{name}_long": np.bincount(number, nodes.long[rows], len(count))[number] / nodes.all_long,
            f"{name}_dot": (np.bincount(number, nodes.stops[rows], len(count)) / count)[number],
            f"{name}_spread": (last - first)[number] / max(len(rows), 1),
            f"{name}_first": nth - first[number],
        }
    _, number, count = np.unique(columns.content[rows], return_inverse=True, return_counts=True)
    return found | {"dup": count[number]}


def _parents(nodes: Nodes, rows: Ints, repeats: Floats) -> Found:
    """Give what a text's parent and grandparent are; 0 where there is none."""

    def at(values: npt.NDArray[np.generic], places: Ints) -> npt.NDArray[np.generic]:
        return np.where(places >= 0, values[np.maximum(places, 0)], 0)

    plain, up = nodes.tag & PLAIN, nodes.parent[rows]
    upper = np.where(up >= 0, nodes.parent[np.maximum(up, 0)], -1)
    return {
        "ptag": at(plain, up),
        "prep": at(repeats, up),
        "ppchars": at(nodes.chars, up),
        "gptag": at(plain, upper),
        "grep": at(repeats, upper),
    }


def _groups(nodes: Nodes, chain: list[Ints], repeats: Floats) -> Found:
    """Give what the groups around a text have; -1 where there is none."""
    columns, inside = nodes.page.columns, nodes.inside
    chars, some = nodes.chars, np.maximum(nodes.chars, 1)
    words = np.maximum(inside(nodes.words), 1)
    texts = inside(columns.kind == TEXT)
    prose, links = inside(nodes.prose), inside(nodes.marked(LINK))
    above = nodes.parent
    of_parent = np.where(above >= 0, chars / np.maximum(chars[np.maximum(above, 0)], 1), -1)
    table: Found = {
        "tag": nodes.tag & PLAIN,
        "chars": chars,
        "share": chars / nodes.total,
        "ad": inside(nodes.linked) / some,
        "links": links,
        "lpw": links / words,
        "dens": chars / np.maximum(columns.stop - columns.start, 1),
        "segs": texts,
        "cps": chars / np.maximum(texts, 1),
        "pch": prose / some,
        "pc": prose,
        "comma": inside(nodes.commas),
        "dot": inside(nodes.stops) / words,
        "dig": inside(nodes.digits) / some,
        "img": inside(nodes.marked(MEDIA)),
        "inp": inside(nodes.marked(INPUT)),
        "h": inside(nodes.marked(HEADING)),
        "pn": inside(nodes.marked(PROSE)),
        "li": inside(nodes.marked(ITEM)),
        "els": inside(nodes.element),
        "start": nodes.before / nodes.total,
        "endpos": (nodes.before + chars) / nodes.total,
        "depth": nodes.depth,
        "kids": columns.children,
        "ofpar": of_parent,
        "rep": repeats,
        "long": inside(nodes.long) / nodes.all_long,
    }
    return {
        f"g{level}{name}": np.where(group >= 0, np.asarray(values)[np.maximum(group, 0)], -1)
        for level, group in enumerate(chain)
        for name, values in table.items()
    }


def _whole(nodes: Nodes, rows: Ints) -> Found:
    """Give what the page is, whatever the text."""
    columns, total = nodes.page.columns, nodes.total
    code = columns.kind == CODE
    sums = {
        "chars": nodes.own.sum(),
        "segs": len(rows),
        "ad": nodes.linked.sum() / total,
        "pc": nodes.prose.sum() / total,
        "links": nodes.marked(LINK).sum(),
        "img": nodes.marked(MEDIA).sum(),
        "li": nodes.marked(ITEM).sum(),
        "h": nodes.marked(HEADING).sum(),
        "dens": total / max(len(nodes.page.canonical), 1),
        "inp": nodes.marked(INPUT).sum(),
        "long": nodes.long.sum(),
        "longsh": nodes.long.sum() / total,
        "dot": nodes.stops.sum() / total,
        "form": nodes.named("form").sum(),
        "main": nodes.named("main").sum(),
        "art": nodes.named("article").sum(),
        "cw": total / max(float(nodes.words.sum()), 1.0),
        "dig": nodes.digits.sum() / total,
        "code": (columns.stop - columns.start)[code].sum(),
    }
    return {f"P{name}": float(value) for name, value in sums.items()}


def _named(nodes: Nodes, rows: Ints, weights: dict[int, list[float]]) -> Found:
    """Give what the known words of the elements around a text weigh.

    Only elements with words count, and those without a known one weigh 0.
    """
    above = nodes.parent.tolist()
    table = np.zeros((len(rows), 7))
    for line, row in zip(table, rows.tolist(), strict=True):
        around, up = [], above[row]
        while up >= 0:
            if up in weights:
                around.append(weights[up])
            up = above[up]
        if around:
            sums = [sum(its) for its in around]
            line[0] = sum(reversed(sums))
            line[1] = min(min(its, default=0.0) for its in around)
            line[2] = max(max(its, default=0.0) for its in around)
            line[3 : 3 + min(3, len(sums))] = sums[:3]
            line[6] = len(around)
    return dict(zip(("vsum", "vmin", "vmax", "v0", "v1", "v2", "vn"), table.T, strict=True))
