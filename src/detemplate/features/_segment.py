# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The segment features, compiled; ``tests/oracles/segments.py`` states each number in NumPy.

One pass down the nodes, for what each has of its own and from above; one pass up, for the sums of subtrees;
then the rows of the table, one by one. What several texts have in common (their groups, their block, the
page) is computed once and copied. All is computed in double precision.

Columns are named in ``_segment_columns.pxd``, records in ``_segment_records.pxd``. Written in Cython's
pure-Python mode.
"""

import cython
from cython.cimports.detemplate.algorithms._arena import (
    Arena,
    Kept,
    bytes_for,
    close_arena,
    open_arena,
    piece,
)
from cython.cimports.detemplate.features import _segment_columns as col
from cython.cimports.detemplate.features import _segment_constants as const
from cython.cimports.detemplate.features._cohorts import bytes_for_cohorts, join, open_cohorts
from cython.cimports.detemplate.features._segment_records import (
    Block,
    Classes,
    Floats,
    Ints,
    Job,
    Meeting,
    Node,
    Segment,
    Weighed,
    Word,
)
from cython.cimports.detemplate.features._segmentrows import write_rows
from cython.cimports.detemplate.features._segmentsums import add_segments, add_up, meet, score
from cython.cimports.detemplate.features._startwords import weigh
from cython.cimports.detemplate.features._textcounts import count_bytes
from cython.cimports.detemplate.page._hiding import ARIA_HIDDEN, HIDDEN
from cython.cimports.detemplate.page._markup import CODE, ELEMENT, TEXT
from cython.cimports.libc.string import memset

# Memory that stays between the pages.
KEPT = cython.declare(Kept)

# Odd multipliers: of what a slot is hashed from, and of a parent's row in the key of a signature.
MIX = cython.declare(cython.ulonglong, 0x9E3779B185EBCA87)
SIBLING = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
# Slot of a text without an element around it.
NO_SLOT = cython.declare(cython.ulonglong, 7)


@cython.cfunc
@cython.exceptval(check=False)
def begin_node(job: cython.pointer[Job], row: cython.int) -> cython.void:
    """Fill in what a node has from above."""
    node: cython.pointer[Node] = job.node + row
    parent: cython.pointer[Node]
    up: cython.int = job.parent[row]
    node.before = job.before
    node.group = node.weighed = -1
    node.slot = node.site_slot = NO_SLOT
    if up >= 0:
        parent = job.node + up
        node.group = up if job.marks[job.tag[up]] & const.GROUP else parent.group
        node.weighed = parent.weighed
        node.slot = parent.slot
        node.site_slot = parent.site_slot
        node.depth = parent.depth
        node.hidden = parent.hidden
        node.aria_hidden = parent.aria_hidden
        node.hidden_depth = parent.hidden_depth


@cython.cfunc
@cython.exceptval(check=False)
def read_element(job: cython.pointer[Job], row: cython.int) -> cython.void:
    """Read an element: its mark, and the words and classes of its start tag."""
    node: cython.pointer[Node] = job.node + row
    flags: cython.int = job.marks[job.tag[row]]
    depth: cython.int = node.depth
    words: cython.int
    hidden: cython.int = 0
    classes = cython.declare(Classes)
    weighed: cython.pointer[Weighed] = job.weighed + job.weighed_count
    around: cython.pointer[Weighed]
    key: cython.ulonglong
    sibling: cython.ulonglong
    job.around[flags >> const.AROUND_BITS] += 1
    job.elements[flags >> const.AROUND_BITS] += 1
    node.depth = depth + 1
    node.elements = 1
    node.links = (flags & const.LINK) != 0
    node.media = (flags & const.MEDIA) != 0
    node.inputs = (flags & const.INPUT) != 0
    node.paragraphs = (flags & const.PROSE) != 0
    node.items = (flags & const.ITEM) != 0
    if flags & const.HEADING:
        node.headings = 1
        job.heading = row
        job.headings += 1
        if job.tag[row] == job.h1:
            job.h1s += 1
            if job.targets[const.FIRST_H1] < 0:
                job.targets[const.FIRST_H1] = row
    weighed.own = weighed.least = weighed.most = 0
    words = weigh(job, job.data + job.start[row], cython.address(classes), cython.address(hidden), weighed)
    if hidden & HIDDEN:
        node.hidden += 1
        node.hidden_depth = node.depth
    if hidden & ARIA_HIDDEN:
        node.aria_hidden += 1
    key = classes.sum * MIX + job.tag[row] + 1
    node.slot = (node.slot * MIX) ^ key
    sibling = cython.cast(cython.ulonglong, cython.cast(cython.longlong, job.parent[row])) * SIBLING
    node.sibling = join(cython.address(job.sibling), key ^ sibling, 0)
    if depth < const.OUTERMOST:
        key = cython.cast(cython.ulonglong, job.tag[row] + 1)
    elif classes.count > const.MOST_CLASSES:
        key = classes.first * MIX + job.tag[row] + 1
    node.site_slot = (node.site_slot * MIX) ^ key
    if words:
        weighed.above = node.weighed
        weighed.count = 1
        weighed.total = weighed.own
        if node.weighed >= 0:
            around = job.weighed + node.weighed
            weighed.least = min(weighed.least, around.least)
            weighed.most = max(weighed.most, around.most)
            weighed.total += around.total
            weighed.count += around.count
        node.weighed = job.weighed_count
        job.weighed_count += 1


@cython.cfunc
@cython.exceptval(check=False)
def read_text(job: cython.pointer[Job], row: cython.int) -> cython.void:
    """Read a text: its characters and words; a segment's place and the elements around it, too."""
    node: cython.pointer[Node] = job.node + row
    linked: cython.bint = job.around[const.AROUND_A] > 0
    node.texts = 1
    node.chars = job.chars[row]
    count_bytes(job.data + job.start[row], job.stop[row] - job.start[row], node)
    if linked:
        node.linked_chars = node.chars
    else:
        node.long_chars = node.chars if node.chars >= const.LONG_CHARS else 0
        node.prose_chars = node.chars if job.around[const.AROUND_P] > 0 else 0
    job.before += node.chars
    if node.hidden:
        job.hidden_chars += node.chars
    if job.found < job.segments and job.rows[job.found] == row:
        add_segment(job, row, linked)


@cython.cfunc
@cython.exceptval(check=False)
def add_segment(job: cython.pointer[Job], row: cython.int, linked: cython.bint) -> cython.void:
    """Note where a segment is."""
    number: cython.int = job.found
    node: cython.pointer[Node] = job.node + row
    segment: cython.pointer[Segment] = job.segment + number
    out: Floats = job.table + cython.cast(cython.Py_ssize_t, number) * col.WIDTH
    mark: cython.int
    segment.row = row
    segment.block = job.block_of[row]
    segment.heading = job.heading
    segment.headings = job.headings
    segment.path = join(cython.address(job.path), job.path_of[row], number)
    segment.slot = join(cython.address(job.slot), node.slot, number)
    segment.content = join(cython.address(job.content), job.content_of[row], number)
    segment.link_run = linked
    segment.short_run = node.words < const.SHORT_WORDS
    if number > 0:
        if segment.link_run:
            segment.link_run += (segment - 1).link_run
        if segment.short_run:
            segment.short_run += (segment - 1).short_run
    job.slots[number] = node.slot
    job.word_counts[number] = node.words
    for mark in range(col.AROUND_WIDTH):
        out[col.IN_A + mark] = job.around[const.AROUND_A + mark]
    out[col.IN_HIDDEN] = node.hidden
    out[col.IN_ARIA_HIDDEN] = node.aria_hidden
    out[col.HIDDEN_STEPS] = node.depth + 1 - node.hidden_depth if node.hidden else -1
    job.found += 1


@cython.cfunc
@cython.exceptval(check=False)
def compute(job: cython.pointer[Job]) -> cython.void:
    """Compute all features."""
    row: cython.int
    which: cython.int
    opened: cython.int = -1
    for row in range(job.nodes):
        while opened >= 0 and job.end[opened] <= row:
            job.around[job.marks[job.tag[opened]] >> const.AROUND_BITS] -= 1
            opened = job.parent[opened]
        begin_node(job, row)
        if job.kind[row] == ELEMENT:
            opened = row
            read_element(job, row)
        elif job.kind[row] == TEXT:
            read_text(job, row)
        elif job.kind[row] == CODE:
            job.code += job.stop[row] - job.start[row]
        job.node_slots[row] = job.node[row].site_slot
    if job.found == 0:
        return
    job.total = max(job.before, 1)
    add_up(job)
    job.long_chars = max(job.node[job.nodes].long_chars, 1)
    add_segments(job)
    score(job)
    for which in range(const.MEETINGS):
        meet(job, which)
    write_rows(job)


def segment_features(
    data: bytes,
    kind: cython.ushort[::1],
    tag: cython.ushort[::1],
    parent: cython.int[::1],
    end: cython.int[::1],
    start: cython.int[::1],
    stop: cython.int[::1],
    block: cython.int[::1],
    chars: cython.int[::1],
    children: cython.int[::1],
    content: cython.ulonglong[::1],
    path: cython.ulonglong[::1],
    rows: cython.int[::1],
    marks: cython.ushort[::1],
    h1: cython.int,
    vocabulary: cython.ulonglong[:, ::1],
    shift: cython.int,
    multiplier: cython.ulonglong,
    table: cython.float[:, ::1],
    groups: cython.int[:, ::1],
    slots: cython.ulonglong[::1],
    node_slots: cython.ulonglong[::1],
    words: cython.int[::1],
) -> None:
    """Fill ``table``, ``groups``, ``slots``, ``node_slots`` and ``words``.

    ``rows`` are the segments. ``marks`` and ``h1`` are those of detemplate.features.segment_columns.
    ``vocabulary`` and ``shift`` are a Vocabulary's table. ``multiplier`` is an odd number for the hash tables.
    """
    job = cython.declare(Job)
    arena = cython.declare(Arena)
    nodes: cython.Py_ssize_t = len(kind)
    segments: cython.Py_ssize_t = len(rows)
    row: cython.Py_ssize_t
    elements: cython.Py_ssize_t = 0
    if min(len(tag), len(parent), len(end), len(start), len(stop), len(block), len(chars)) < nodes:
        raise ValueError("the columns differ in length")
    if min(len(children), len(content), len(path)) < nodes or nodes >= 1 << 30 or len(data) >= 1 << 31:
        raise ValueError("the columns differ in length")
    if len(marks) < 1 << 16:
        raise ValueError("the tables are too short")
    if not 32 < shift < 64 or len(vocabulary) < (1 << (64 - shift)) + 1 or vocabulary.shape[1] != 2:
        raise ValueError("the vocabulary is no table")
    if vocabulary[len(vocabulary) - 1, 1] != 0:
        raise ValueError("the vocabulary is full")
    if min(table.shape[0], groups.shape[0], len(words), len(slots)) < segments or len(node_slots) < nodes:
        raise ValueError("the arrays have too few rows")
    if table.shape[1] != col.WIDTH or groups.shape[1] != col.LEVELS:
        raise ValueError("the arrays have other columns")
    if nodes == 0:
        return
    memset(cython.address(job), 0, cython.sizeof(Job))
    for row in range(nodes):
        if not -1 <= parent[row] < row or not row < end[row] <= nodes:
            raise ValueError("the columns do not describe a tree")
        if not 0 <= start[row] <= stop[row] <= len(data) or not 0 <= block[row] <= nodes:
            raise ValueError("the columns do not describe this text")
        elements += kind[row] == ELEMENT
    for row in range(segments):
        if not (0 if row == 0 else rows[row - 1] + 1) <= rows[row] < nodes or kind[rows[row]] != TEXT:
            raise ValueError("the segments are no texts")
        job.blocks = max(job.blocks, block[rows[row]] + 1)
    job.data = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    job.size = len(data)
    job.nodes = cython.cast(cython.int, nodes)
    job.segments = cython.cast(cython.int, segments)
    job.kind = cython.address(kind[0])
    job.tag = cython.address(tag[0])
    job.parent = cython.address(parent[0])
    job.end = cython.address(end[0])
    job.start = cython.address(start[0])
    job.stop = cython.address(stop[0])
    job.block_of = cython.address(block[0])
    job.chars = cython.address(chars[0])
    job.children = cython.address(children[0])
    job.content_of = cython.address(content[0])
    job.path_of = cython.address(path[0])
    job.marks = cython.address(marks[0])
    job.h1 = h1
    job.words = cython.cast(cython.pointer[Word], cython.address(vocabulary[0, 0]))
    job.shift = shift
    job.node_slots = cython.address(node_slots[0])
    if segments:
        job.rows = cython.address(rows[0])
        job.table = cython.address(table[0, 0])
        job.groups = cython.address(groups[0, 0])
        job.slots = cython.address(slots[0])
        job.word_counts = cython.address(words[0])
    job.heading = job.targets[const.FIRST_H1] = -1
    node_bytes: cython.size_t = (nodes + 1) * cython.sizeof(Node)
    block_bytes: cython.size_t = (job.blocks + 1) * cython.sizeof(Block)
    weighed_bytes: cython.size_t = (elements + 1) * cython.sizeof(Weighed)
    segment_bytes: cython.size_t = (segments + 1) * cython.sizeof(Segment)
    meeting_bytes: cython.size_t = (segments * const.MEETINGS + 1) * cython.sizeof(Meeting)
    above_bytes: cython.size_t = nodes * cython.sizeof(cython.int)
    needed: cython.size_t = bytes_for(node_bytes) + bytes_for(block_bytes) + bytes_for(weighed_bytes)
    needed += bytes_for(segment_bytes) + bytes_for(meeting_bytes) + bytes_for(above_bytes)
    needed += bytes_for_cohorts(elements) + 3 * bytes_for_cohorts(segments)
    if not open_arena(cython.address(arena), cython.address(KEPT), needed):
        raise MemoryError
    job.node = cython.cast(cython.pointer[Node], piece(cython.address(arena), node_bytes))
    job.block = cython.cast(cython.pointer[Block], piece(cython.address(arena), block_bytes))
    job.weighed = cython.cast(cython.pointer[Weighed], piece(cython.address(arena), weighed_bytes))
    job.segment = cython.cast(cython.pointer[Segment], piece(cython.address(arena), segment_bytes))
    job.meeting = cython.cast(cython.pointer[Meeting], piece(cython.address(arena), meeting_bytes))
    job.above = cython.cast(Ints, piece(cython.address(arena), above_bytes))
    memset(job.node, 0, node_bytes)
    memset(job.block, 0, block_bytes)
    open_cohorts(cython.address(job.sibling), elements, multiplier, cython.address(arena))
    open_cohorts(cython.address(job.path), segments, multiplier, cython.address(arena))
    open_cohorts(cython.address(job.slot), segments, multiplier, cython.address(arena))
    open_cohorts(cython.address(job.content), segments, multiplier, cython.address(arena))
    try:
        compute(cython.address(job))
    finally:
        close_arena(cython.address(arena))
