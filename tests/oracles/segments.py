"""The segment features: this defines what the kernel computes.

All sums are of float64; those of values that are no whole numbers add in the kernel's order.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from detemplate.features.segment_columns import (
    AROUND,
    GROUP,
    HEADING,
    INPUT,
    ITEM,
    LEVELS,
    LINK,
    MEDIA,
    NAMES,
    PROSE,
)
from detemplate.features.vocabulary import MIX, Vocabulary
from detemplate.page import tags
from detemplate.page.columns import CODE, TEXT
from detemplate.page.page import Page
from tests.oracles.segmentnear import blocks, headings, hidden, runs, targets
from tests.oracles.segmentnodes import Nodes, Values, read_nodes
from tests.oracles.startwords import OUTERMOST, read_starts, signature

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Hashes = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int32]
Table = npt.NDArray[np.float32]

NO_SLOT: Final = 7
"""Slot of a text without an element around it."""

SIBLING: Final = np.uint64(0x9E3779B97F4A7C15)
"""Odd multiplier of a parent's row in the key of a signature among its siblings."""


def segment_features(page: Page, vocabulary: Vocabulary) -> tuple[Table, Rows, Hashes, Hashes, Rows]:
    """Compute the fields of :class:`~detemplate.features.segment.SegmentFeatures`, in their order."""
    nodes, rows = read_nodes(page), page.segments.astype(np.int64)
    signatures, few = np.zeros((2, len(page.columns)), np.uint64)
    hiding = np.zeros(len(page.columns), np.int64)
    weights: dict[int, list[float]] = {}
    for row, words, of_all, of_few, flags in read_starts(page):
        signatures[row], hiding[row] = of_all, flags
        few[row] = of_few if nodes.depth[row] > OUTERMOST else signature(int(nodes.tag[row]), [])
        if words:
            numbers = [vocabulary.numbers[word] for word in words if word in vocabulary.numbers]
            weights[row] = vocabulary.weights[numbers].tolist()
    node_slots = _slots(nodes, few)
    slots = _slots(nodes, signatures)[rows]
    repeats = _repeats(nodes, signatures)
    chain = _chain(nodes, rows)
    cohorts = _cohorts(nodes, rows, slots)
    values: Values = {
        **_texts(nodes, rows),
        **hidden(nodes, rows, hiding),
        **_places(nodes, rows),
        **cohorts,
        **runs(nodes, rows),
        **_parents(nodes, rows, repeats),
        **_groups(nodes, chain, repeats),
        **targets(nodes, rows),
        **blocks(nodes, rows),
        **headings(nodes, rows),
        **_page(nodes, rows),
        "page_largest_slot_share": float(np.max(np.asarray(cohorts["slot_text_share"]), initial=0)),
        **_vocabulary(nodes, rows, weights),
    }
    table = np.empty((len(rows), len(NAMES)), np.float32)
    for number, name in enumerate(NAMES):
        table[:, number] = values[name]
    groups = np.stack(chain, 1).astype(np.int32)
    return table, groups, slots, node_slots, nodes.words[rows].astype(np.int32)


def word_hashes(page: Page) -> tuple[Rows, Hashes]:
    """Hash the words of a page's elements; see :func:`lab.auto.examples.word_hashes`."""
    pairs = [(row, word) for row, words, *_ in read_starts(page) for word in words]
    return np.array([row for row, _ in pairs], np.int32), np.array([word for _, word in pairs], np.uint64)


def _slots(nodes: Nodes, signatures: Hashes) -> Hashes:
    """Hash the signatures from the top down to each node."""
    slots: list[int] = []
    parents = nodes.parent.tolist()
    for row, (element, own) in enumerate(zip(nodes.element, signatures.tolist(), strict=True)):
        slot = slots[parents[row]] if parents[row] >= 0 else NO_SLOT
        slots.append((slot * int(MIX) & 0xFFFFFFFFFFFFFFFF) ^ own if element else slot)
    return np.array(slots, np.uint64)


def _repeats(nodes: Nodes, signatures: Hashes) -> Floats:
    """Count the siblings with an element's signature, itself included."""
    repeats = np.ones(len(signatures))
    keys = (nodes.parent.astype(np.uint64) * SIBLING) ^ signatures
    _, number, count = np.unique(keys[nodes.element], return_inverse=True, return_counts=True)
    repeats[nodes.element] = count[number]
    return repeats


def _chain(nodes: Nodes, rows: Ints) -> list[Ints]:
    """Find the groups around each text: one array a level, nearest first; -1 for none."""
    group, parents = nodes.flagged(GROUP).tolist(), nodes.parent.tolist()
    nearest_rows: list[int] = []
    for parent in parents:
        nearest_rows.append(-1 if parent < 0 else parent if group[parent] else nearest_rows[parent])
    nearest = np.array(nearest_rows, np.int64)
    chain = [nearest[rows]]
    while len(chain) < LEVELS:
        chain.append(np.where(chain[-1] >= 0, nearest[np.maximum(chain[-1], 0)], -1))
    return chain


def _texts(nodes: Nodes, rows: Ints) -> Values:
    """Compute features of a text itself, and count the elements around it."""
    own, words = nodes.own[rows], nodes.words[rows]
    some = np.maximum(own, 1)
    return {
        "chars": own,
        "words": words,
        **{f"in_{name}": nodes.count_around(nodes.named(name))[rows] for name in AROUND},
        "digit_share": nodes.digits[rows] / some,
        "capital_share": nodes.capitals[rows] / some,
        "sentence_marks": nodes.sentence_marks[rows],
        "chars_per_word": own / np.maximum(words, 1),
        "depth": nodes.depth[rows],
    }


def _places(nodes: Nodes, rows: Ints) -> Values:
    """Compute where on the page a text is."""
    before, number = nodes.before[rows], np.arange(len(rows))
    return {
        "position": before / nodes.total,
        "chars_before": before,
        "chars_to_end": nodes.total - before,
        "rank": number / max(len(rows), 1),
        "segments_before": number,
        "segments_to_end": len(rows) - number,
        "byte_position": nodes.page.columns.start[rows] / max(len(nodes.page.canonical), 1),
    }


def _cohorts(nodes: Nodes, rows: Ints, slots: Hashes) -> Values:
    """Compute features of the texts with the same path, and with the same slot; count a text's copies."""
    values: Values = {}
    segment, columns = np.arange(len(rows)), nodes.page.columns
    for name, keys in (("path", columns.path[rows]), ("slot", slots)):
        _, first, number, count = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        last = np.zeros(len(count), np.int64)
        last[number] = segment  # of several assignments the last one stays
        chars = np.bincount(number, nodes.own[rows], len(count))
        long = np.bincount(number, nodes.long[rows], len(count))
        sentence_marks = np.bincount(number, nodes.sentence_marks[rows], len(count))
        values |= {
            f"{name}_count": count[number],
            f"{name}_text_share": chars[number] / nodes.total,
            f"{name}_mean_chars": (chars / count)[number],
            f"{name}_long_share": long[number] / nodes.all_long,
            f"{name}_mean_sentence_marks": (sentence_marks / count)[number],
            f"{name}_spread": (last - first)[number] / max(len(rows), 1),
            f"{name}_segments_since_first": segment - first[number],
        }
    _, number, count = np.unique(columns.content[rows], return_inverse=True, return_counts=True)
    return values | {"copies": count[number]}


def _parents(nodes: Nodes, rows: Ints, repeats: Floats) -> Values:
    """Compute features of a text's parent and grandparent; 0 where there is none."""

    def at(values: npt.NDArray[np.generic], places: Ints) -> npt.NDArray[np.generic]:
        return np.where(places >= 0, values[np.maximum(places, 0)], 0)

    tag, parent = nodes.tag & tags.NUMBER, nodes.parent[rows]
    grandparent = np.where(parent >= 0, nodes.parent[np.maximum(parent, 0)], -1)
    return {
        "parent_tag": at(tag, parent),
        "parent_repeats": at(repeats, parent),
        "parent_chars": at(nodes.chars, parent),
        "grandparent_tag": at(tag, grandparent),
        "grandparent_repeats": at(repeats, grandparent),
    }


def _groups(nodes: Nodes, chain: list[Ints], repeats: Floats) -> Values:
    """Compute features of the groups around a text; -1 where there is none."""
    columns, inside = nodes.page.columns, nodes.sum_inside
    chars, some = nodes.chars, np.maximum(nodes.chars, 1)
    words = np.maximum(inside(nodes.words), 1)
    segments = inside(columns.kind == TEXT)
    prose, links = inside(nodes.prose), inside(nodes.flagged(LINK))
    parent = nodes.parent
    share_of_parent = np.where(parent >= 0, chars / np.maximum(chars[np.maximum(parent, 0)], 1), -1)
    features: Values = {
        "tag": nodes.tag & tags.NUMBER,
        "chars": chars,
        "text_share": chars / nodes.total,
        "link_density": inside(nodes.linked) / some,
        "links": links,
        "links_per_word": links / words,
        "text_per_byte": chars / np.maximum(columns.stop - columns.start, 1),
        "segments": segments,
        "chars_per_segment": chars / np.maximum(segments, 1),
        "prose_share": prose / some,
        "prose_chars": prose,
        "commas": inside(nodes.commas),
        "sentence_marks_per_word": inside(nodes.sentence_marks) / words,
        "digit_share": inside(nodes.digits) / some,
        "media": inside(nodes.flagged(MEDIA)),
        "inputs": inside(nodes.flagged(INPUT)),
        "headings": inside(nodes.flagged(HEADING)),
        "paragraphs": inside(nodes.flagged(PROSE)),
        "items": inside(nodes.flagged(ITEM)),
        "elements": inside(nodes.element),
        "start": nodes.before / nodes.total,
        "end": (nodes.before + chars) / nodes.total,
        "depth": nodes.depth,
        "children": columns.children,
        "share_of_parent": share_of_parent,
        "repeats": repeats,
        "long_share": inside(nodes.long) / nodes.all_long,
    }
    return {
        f"group{level}_{name}": np.where(group >= 0, np.asarray(values)[np.maximum(group, 0)], -1)
        for level, group in enumerate(chain)
        for name, values in features.items()
    }


def _page(nodes: Nodes, rows: Ints) -> Values:
    """Compute features of the whole page."""
    columns, total = nodes.page.columns, nodes.total
    code = columns.kind == CODE
    features = {
        "chars": nodes.own.sum(),
        "segments": len(rows),
        "link_density": nodes.linked.sum() / total,
        "prose_share": nodes.prose.sum() / total,
        "links": nodes.flagged(LINK).sum(),
        "media": nodes.flagged(MEDIA).sum(),
        "items": nodes.flagged(ITEM).sum(),
        "headings": nodes.flagged(HEADING).sum(),
        "text_per_byte": total / max(len(nodes.page.canonical), 1),
        "inputs": nodes.flagged(INPUT).sum(),
        "long_chars": nodes.long.sum(),
        "long_share": nodes.long.sum() / total,
        "sentence_marks_per_char": nodes.sentence_marks.sum() / total,
        "forms": nodes.named("form").sum(),
        "mains": nodes.named("main").sum(),
        "articles": nodes.named("article").sum(),
        "chars_per_word": total / max(float(nodes.words.sum()), 1.0),
        "digit_share": nodes.digits.sum() / total,
        "code_bytes": (columns.stop - columns.start)[code].sum(),
    }
    return {f"page_{name}": float(value) for name, value in features.items()}


def _vocabulary(nodes: Nodes, rows: Ints, weights: dict[int, list[float]]) -> Values:
    """Compute features of the weights of the known words around a text.

    ``weights`` has a row for each element with words: the weights of those that are known.
    """
    parents = nodes.parent.tolist()
    total, least, most, count = np.zeros((4, len(rows)))
    nearest = np.zeros((3, len(rows)))
    for number, row in enumerate(rows.tolist()):
        around, up = [], parents[row]
        while up >= 0:
            if up in weights:
                around.append(weights[up])
            up = parents[up]
        if around:
            sums = [sum(known) for known in around]
            total[number] = sum(reversed(sums))
            least[number] = min(min(known, default=0.0) for known in around)
            most[number] = max(max(known, default=0.0) for known in around)
            nearest[: len(sums), number] = sums[:3]
            count[number] = len(around)
    return {
        "vocabulary_sum": total,
        "vocabulary_least": least,
        "vocabulary_most": most,
        "vocabulary_nearest": nearest[0],
        "vocabulary_second": nearest[1],
        "vocabulary_third": nearest[2],
        "vocabulary_elements": count,
    }
