# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sums over subtrees, cohorts and blocks, and the targets: a part of :mod:`detemplate.features._segment`.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.features import _segment_constants as const
from cython.cimports.detemplate.features._cohorts import Cohort
from cython.cimports.detemplate.features._segment_records import (
    Block,
    Ints,
    Job,
    Meeting,
    Node,
    Segment,
    link_density,
)
from cython.cimports.detemplate.page._markup import ELEMENT


@cython.cfunc
@cython.exceptval(check=False)
def add_up(job: cython.pointer[Job]) -> cython.void:
    """Sum over subtrees; the node behind the last one gets the sums of the page."""
    row: cython.int
    node: cython.pointer[Node]
    up: cython.pointer[Node]
    for row in range(job.nodes - 1, -1, -1):
        node = job.node + row
        up = job.node + (job.parent[row] if job.parent[row] >= 0 else job.nodes)
        up.chars += node.chars
        up.words += node.words
        up.linked_chars += node.linked_chars
        up.links += node.links
        up.texts += node.texts
        up.prose_chars += node.prose_chars
        up.commas += node.commas
        up.sentence_marks += node.sentence_marks
        up.digits += node.digits
        up.long_chars += node.long_chars
        up.media += node.media
        up.inputs += node.inputs
        up.headings += node.headings
        up.paragraphs += node.paragraphs
        up.items += node.items
        up.elements += node.elements


@cython.cfunc
@cython.exceptval(check=False)
def add_to_cohort(
    cohort: cython.pointer[Cohort], node: cython.pointer[Node], number: cython.int
) -> cython.void:
    """Add a text to the sums of its cohort."""
    cohort.chars += node.chars
    cohort.long_chars += node.long_chars
    cohort.sentence_marks += node.sentence_marks
    cohort.last = number


@cython.cfunc
@cython.exceptval(check=False)
def add_segments(job: cython.pointer[Job]) -> cython.void:
    """Sum over cohorts and over blocks; give all segments of a run the length of the run."""
    number: cython.int
    segment: cython.pointer[Segment]
    node: cython.pointer[Node]
    block: cython.pointer[Block]
    net: cython.longlong = 0
    long_chars: cython.longlong = 0
    for number in range(job.segments):
        segment = job.segment + number
        node = job.node + segment.row
        add_to_cohort(job.path.cohort + segment.path, node, number)
        add_to_cohort(job.slot.cohort + segment.slot, node, number)
        block = job.block + segment.block
        block.chars += node.chars
        block.linked_chars += node.linked_chars
        block.words += node.words
        block.sentence_marks += node.sentence_marks
        block.texts += 1
    for number in range(job.segments - 2, -1, -1):
        segment = job.segment + number
        if segment.link_run and segment[1].link_run:
            segment.link_run = segment[1].link_run
        if segment.short_run and segment[1].short_run:
            segment.short_run = segment[1].short_run
    for number in range(job.blocks + 1):
        block = job.block + number
        block.net_before = net
        block.long_before = long_chars
        net += block.chars - 2 * block.linked_chars
        if block.chars >= const.LONG_CHARS and block.linked_chars < 0.5 * block.chars:
            long_chars += block.chars


@cython.cfunc
@cython.exceptval(check=False)
def score(job: cython.pointer[Job]) -> cython.void:
    """Find the three targets, and the share of all scores that the first has."""
    targets: Ints = job.targets
    number: cython.int
    step: cython.int
    up: cython.int
    row: cython.int
    own: cython.double
    factor: cython.double
    best: cython.double = 0
    total: cython.double = 0
    half: cython.int = -1
    most: cython.int = -1
    node: cython.pointer[Node]
    for step in range(1, 4):
        factor = 0.3 if step == 1 else 1.0 if step == 2 else 0.5
        for number in range(job.segments):
            row = job.segment[number].row
            own = job.node[row].chars
            if own < const.SCORED_CHARS or job.node[row].linked_chars:
                continue
            up = job.parent[row]
            if up >= 0 and step >= 2:
                up = job.parent[up]
            if up >= 0 and step == 3:
                up = job.parent[up]
            if up >= 0:
                job.node[up].score += factor * (min(own / 100, 3.0) + 1 + job.node[row].commas)
    targets[0] = targets[1] = targets[2] = 0
    for row in range(job.nodes):
        if job.kind[row] != ELEMENT:
            continue
        node = job.node + row
        if job.marks[job.tag[row]] & const.GROUP:
            own = node.score * (1 - link_density(node.linked_chars, node.chars))
            total += own
            if own > best:
                best = own
                targets[0] = row
        if node.long_chars >= 0.5 * job.long_chars and node.depth > half:
            half = node.depth
            targets[1] = row
        if node.long_chars >= 0.8 * job.long_chars and node.depth > most:
            most = node.depth
            targets[2] = row
    job.share = best / max(total, 1e-9)


@cython.cfunc
@cython.exceptval(check=False)
def meet(job: cython.pointer[Job], which: cython.int) -> cython.void:
    """Find each text's meeting with a target (-1: with none).

    From text to text, the lowest node around both moves down towards the target before it, and up behind it.
    So one pass over the texts and the nodes around the target is enough.
    """
    number: cython.int
    depth: cython.int = 0
    at: cython.int
    row: cython.int
    meeting: cython.pointer[Meeting]
    within: cython.bint
    above: Ints = job.above
    target: cython.int = job.targets[which]
    at = target
    while at >= 0:
        above[depth] = at
        depth += 1
        at = job.parent[at]
    at = depth
    for number in range(job.segments):
        row = job.segment[number].row
        meeting = job.meeting + (number * const.MEETINGS + which)
        if row < target:
            while at > 0 and above[at - 1] <= row:
                at -= 1
        else:
            if number == 0 or job.segment[number - 1].row < target:
                at = 0
            while at < depth and row >= job.end[above[at]]:
                at += 1
        within = at < depth
        meeting.steps = at if within else -1
        meeting.row = above[at] if within else -1
