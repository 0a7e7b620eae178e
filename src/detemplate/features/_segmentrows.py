# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The rows of the table of segment features, one by one: a part of :mod:`detemplate.features._segment`.

Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.features import _segment_columns as col
from cython.cimports.detemplate.features import _segment_constants as const
from cython.cimports.detemplate.features._cohorts import Cohort
from cython.cimports.detemplate.features._segment_records import (
    Block,
    Floats,
    Ints,
    Job,
    Meeting,
    Node,
    Segment,
    Weighed,
    link_density,
)
from cython.cimports.detemplate.page._markup import ELEMENT
from cython.cimports.detemplate.page._tags import NUMBER
from cython.cimports.libc.string import memcpy

# Bytes of columns that are copied. They are variables: for a size that is known when it compiles, the compiler
# puts an instruction in the place of memcpy that is slower here.
GROUP_BYTES = cython.declare(cython.size_t, col.GROUP_WIDTH * cython.sizeof(cython.float))
GROUPS_BYTES = cython.declare(cython.size_t, col.LEVELS * col.GROUP_WIDTH * cython.sizeof(cython.float))
BLOCK_BYTES = cython.declare(cython.size_t, col.BLOCK_WIDTH * cython.sizeof(cython.float))
PAGE_BYTES = cython.declare(cython.size_t, col.PAGE_WIDTH * cython.sizeof(cython.float))


@cython.cfunc
@cython.exceptval(check=False)
def write_group(job: cython.pointer[Job], row: cython.int, out: Floats) -> cython.void:
    """Write the features of a group."""
    node: cython.pointer[Node] = job.node + row
    parent: cython.int = job.parent[row]
    chars: cython.double = node.chars
    some: cython.double = max(chars, 1.0)
    words: cython.double = max(node.words, 1)
    total: cython.double = job.total
    out[col.GROUP_TAG] = job.tag[row] & NUMBER
    out[col.GROUP_CHARS] = chars
    out[col.GROUP_TEXT_SHARE] = chars / total
    out[col.GROUP_LINK_DENSITY] = node.linked_chars / some
    out[col.GROUP_LINKS] = node.links
    out[col.GROUP_LINKS_PER_WORD] = node.links / words
    out[col.GROUP_TEXT_PER_BYTE] = chars / max(job.stop[row] - job.start[row], 1)
    out[col.GROUP_SEGMENTS] = node.texts
    out[col.GROUP_CHARS_PER_SEGMENT] = chars / max(node.texts, 1)
    out[col.GROUP_PROSE_SHARE] = node.prose_chars / some
    out[col.GROUP_PROSE_CHARS] = node.prose_chars
    out[col.GROUP_COMMAS] = node.commas
    out[col.GROUP_SENTENCE_MARKS_PER_WORD] = node.sentence_marks / words
    out[col.GROUP_DIGIT_SHARE] = node.digits / some
    out[col.GROUP_MEDIA] = node.media
    out[col.GROUP_INPUTS] = node.inputs
    out[col.GROUP_HEADINGS] = node.headings
    out[col.GROUP_PARAGRAPHS] = node.paragraphs
    out[col.GROUP_ITEMS] = node.items
    out[col.GROUP_ELEMENTS] = node.elements
    out[col.GROUP_START] = node.before / total
    out[col.GROUP_END] = (node.before + chars) / total
    out[col.GROUP_DEPTH] = node.depth
    out[col.GROUP_CHILDREN] = job.children[row]
    out[col.GROUP_SHARE_OF_PARENT] = chars / max(job.node[parent].chars, 1) if parent >= 0 else -1
    out[col.GROUP_REPEATS] = job.sibling.cohort[node.sibling].count
    out[col.GROUP_LONG_SHARE] = node.long_chars / job.long_chars


@cython.cfunc
@cython.exceptval(check=False)
def write_cohort(
    job: cython.pointer[Job], cohort: cython.pointer[Cohort], number: cython.int, out: Floats
) -> cython.void:
    """Write the features of a segment's cohort."""
    count: cython.double = cohort.count
    out[col.COHORT_COUNT] = count
    out[col.COHORT_TEXT_SHARE] = cohort.chars / job.total
    out[col.COHORT_MEAN_CHARS] = cohort.chars / count
    out[col.COHORT_LONG_SHARE] = cohort.long_chars / job.long_chars
    out[col.COHORT_MEAN_SENTENCE_MARKS] = cohort.sentence_marks / count
    out[col.COHORT_SPREAD] = cython.cast(cython.double, cohort.last - cohort.first) / job.segments
    out[col.COHORT_SEGMENTS_SINCE_FIRST] = number - cohort.first


@cython.cfunc
@cython.exceptval(check=False)
def write_near_block(job: cython.pointer[Job], number: cython.int, out: Floats) -> cython.void:
    """Write the size and the link density of a block; -1 if there is none."""
    block: cython.pointer[Block] = job.block + number
    out[0] = out[1] = -1
    if 0 <= number < job.blocks:
        out[0] = block.chars
        out[1] = link_density(block.linked_chars, block.chars)


@cython.cfunc
@cython.exceptval(check=False)
def write_window(
    job: cython.pointer[Job], number: cython.int, window: cython.int, out: Floats, long_text: cython.bint
) -> cython.void:
    """Write the means of a window around a block: of net characters, and of those of long text."""
    low: cython.pointer[Block] = job.block + max(number - window, 0)
    high: cython.pointer[Block] = job.block + min(number + window + 1, job.blocks)
    width: cython.double = high - low
    out[0] = (high.net_before - low.net_before) / width
    if long_text:
        out[1] = (high.long_before - low.long_before) / width


@cython.cfunc
@cython.exceptval(check=False)
def write_block(job: cython.pointer[Job], number: cython.int, out: Floats) -> cython.void:
    """Write the features of a block, its neighbours and the windows around it."""
    block: cython.pointer[Block] = job.block + number
    long_chars: cython.double = job.block[job.blocks].long_before
    write_near_block(job, number, out + col.BLOCK_CHARS)
    write_near_block(job, number - 1, out + col.PREVIOUS_BLOCK_CHARS)
    write_near_block(job, number + 1, out + col.NEXT_BLOCK_CHARS)
    out[col.BLOCK_SENTENCE_MARKS] = block.sentence_marks
    out[col.BLOCK_WORDS] = block.words
    out[col.BLOCK_SEGMENTS] = block.texts
    write_window(job, number, 3, out + col.WINDOW3_NET_CHARS, False)
    write_window(job, number, 8, out + col.WINDOW8_NET_CHARS, False)
    write_window(job, number, 20, out + col.WINDOW20_NET_CHARS, True)
    write_window(job, number, 60, out + col.WINDOW60_NET_CHARS, True)
    out[col.LONG_TEXT_BEFORE] = block.long_before / max(long_chars, 1.0)


@cython.cfunc
@cython.exceptval(check=False)
def write_text(job: cython.pointer[Job], number: cython.int, out: Floats) -> cython.void:
    """Write the features of a text, its place, its cohorts and its parents. The elements around it stand already."""
    segment: cython.pointer[Segment] = job.segment + number
    row: cython.int = segment.row
    node: cython.pointer[Node] = job.node + row
    chars: cython.double = node.chars
    some: cython.double = max(chars, 1.0)
    up: cython.int
    out[col.CHARS] = chars
    out[col.WORDS] = node.words
    out[col.DIGIT_SHARE] = node.digits / some
    out[col.CAPITAL_SHARE] = node.capitals / some
    out[col.SENTENCE_MARKS] = node.sentence_marks
    out[col.CHARS_PER_WORD] = chars / max(node.words, 1)
    out[col.DEPTH] = node.depth
    out[col.POSITION] = node.before / job.total
    out[col.CHARS_BEFORE] = node.before
    out[col.CHARS_TO_END] = job.total - node.before
    out[col.RANK] = cython.cast(cython.double, number) / job.segments
    out[col.SEGMENTS_BEFORE] = number
    out[col.SEGMENTS_TO_END] = job.segments - number
    out[col.BYTE_POSITION] = cython.cast(cython.double, job.start[row]) / max(job.size, 1)
    write_cohort(job, job.path.cohort + segment.path, number, out + col.PATH)
    write_cohort(job, job.slot.cohort + segment.slot, number, out + col.SLOT)
    out[col.COPIES] = job.content.cohort[segment.content].count
    out[col.LINK_RUN] = segment.link_run
    out[col.SHORT_RUN] = segment.short_run
    up = job.parent[row]
    out[col.PARENT_TAG] = job.tag[up] & NUMBER if up >= 0 else 0
    out[col.PARENT_REPEATS] = repeats(job, up) if up >= 0 else 0
    out[col.PARENT_CHARS] = job.node[up].chars if up >= 0 else 0
    up = job.parent[up] if up >= 0 else -1
    out[col.GRANDPARENT_TAG] = job.tag[up] & NUMBER if up >= 0 else 0
    out[col.GRANDPARENT_REPEATS] = repeats(job, up) if up >= 0 else 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def repeats(job: cython.pointer[Job], row: cython.int) -> cython.int:
    """Count the siblings with an element's signature, itself included."""
    return job.sibling.cohort[job.node[row].sibling].count if job.kind[row] == ELEMENT else 1


@cython.cfunc
@cython.exceptval(check=False)
def write_groups(job: cython.pointer[Job], number: cython.int, out: Floats) -> cython.void:
    """Write the features of the groups around a text; those that stand in the table already are copied."""
    groups: Ints = job.groups + number * col.LEVELS
    level: cython.int
    column: cython.int
    place: cython.int
    group: cython.int = job.node[job.segment[number].row].group
    node: cython.pointer[Node]
    source: Floats
    out += col.GROUPS
    if number > 0 and (groups - col.LEVELS)[0] == group:
        memcpy(groups, groups - col.LEVELS, col.LEVELS * cython.sizeof(cython.int))
        memcpy(out, out - col.WIDTH, GROUPS_BYTES)
        return
    for level in range(col.LEVELS):
        groups[level] = group
        if group < 0:
            for column in range(col.GROUP_WIDTH):
                out[column] = -1
        else:
            node = job.node + group
            if node.filled > 0:
                place = node.filled - 1
                source = job.table + cython.cast(cython.Py_ssize_t, place // col.LEVELS) * col.WIDTH
                source += col.GROUPS + place % col.LEVELS * col.GROUP_WIDTH
                memcpy(out, source, GROUP_BYTES)
            else:
                write_group(job, group, out)
                node.filled = number * col.LEVELS + level + 1
            group = node.group
        out += col.GROUP_WIDTH


@cython.cfunc
@cython.exceptval(check=False)
def write_targets(job: cython.pointer[Job], number: cython.int, out: Floats) -> cython.void:
    """Write the distances of a text to the targets, and what the first of them is."""
    which: cython.int
    target: cython.int
    row: cython.int = job.segment[number].row
    before: cython.double = job.node[row].before
    start: cython.double
    meeting: cython.pointer[Meeting]
    its: Floats
    for which in range(col.TARGETS):
        target = job.targets[which]
        start = job.node[target].before
        meeting = job.meeting + (number * const.MEETINGS + which)
        its = out + (col.TARGET + which * col.TARGET_WIDTH)
        its[col.TARGET_INSIDE] = 0
        if row < target:
            its[col.TARGET_DISTANCE] = (start - before) / job.total
        elif row < job.end[target]:
            its[col.TARGET_INSIDE] = 1
            its[col.TARGET_DISTANCE] = 0
        else:
            its[col.TARGET_DISTANCE] = (before - start - job.node[target].chars) / job.total + 2
        its[col.TARGET_STEPS] = meeting.steps
        its[col.TARGET_MEETING_SHARE] = meeting_share(job, meeting)
    target = job.targets[0]
    out[col.TARGET0_TEXT_SHARE] = job.node[target].chars / job.total
    out[col.TARGET0_LINK_DENSITY] = link_density(job.node[target].linked_chars, job.node[target].chars)
    out[col.TARGET0_DEPTH_BELOW] = job.node[row].depth - job.node[target].depth
    out[col.TARGET0_SCORE_SHARE] = job.share


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def meeting_share(job: cython.pointer[Job], meeting: cython.pointer[Meeting]) -> cython.float:
    """Compute the share of the page's characters that is inside of a meeting's node; -1 if there is none."""
    return job.node[meeting.row].chars / job.total if meeting.row >= 0 else -1.0


@cython.cfunc
@cython.exceptval(check=False)
def write_heading(job: cython.pointer[Job], number: cython.int, out: Floats) -> cython.void:
    """Write the features of the last heading, and the distance to the first of the page's ``h1``."""
    segment: cython.pointer[Segment] = job.segment + number
    before: cython.double = job.node[segment.row].before
    row: cython.int = segment.heading
    first: cython.int = job.targets[const.FIRST_H1]
    meeting: cython.pointer[Meeting] = job.meeting + (number * const.MEETINGS + const.FIRST_H1)
    out[col.HEADING_TAG] = 0
    out[col.HEADING_DISTANCE] = out[col.HEADING_LINK_DENSITY] = -1
    if row >= 0:
        out[col.HEADING_TAG] = job.tag[row] & NUMBER
        out[col.HEADING_DISTANCE] = before - job.node[row].before
        out[col.HEADING_LINK_DENSITY] = link_density(job.node[row].linked_chars, job.node[row].chars)
    out[col.HEADING_NUMBER] = segment.headings - 1
    out[col.H1_DISTANCE] = (before - job.node[first].before) / job.total if first >= 0 else -2.0
    out[col.H1_COUNT] = job.h1s
    out[col.H1_STEPS] = meeting.steps
    out[col.H1_MEETING_SHARE] = meeting_share(job, meeting)


@cython.cfunc
@cython.exceptval(check=False)
def write_page(job: cython.pointer[Job], out: Floats) -> cython.void:
    """Write the features of the page."""
    node: cython.pointer[Node] = job.node + job.nodes
    largest: cython.int = 0
    number: cython.int
    for number in range(job.slot.count):
        largest = max(largest, job.slot.cohort[number].chars)
    out[col.PAGE_CHARS] = node.chars
    out[col.PAGE_SEGMENTS] = job.segments
    out[col.PAGE_LINK_DENSITY] = node.linked_chars / job.total
    out[col.PAGE_PROSE_SHARE] = node.prose_chars / job.total
    out[col.PAGE_LINKS] = node.links
    out[col.PAGE_MEDIA] = node.media
    out[col.PAGE_ITEMS] = node.items
    out[col.PAGE_HEADINGS] = node.headings
    out[col.PAGE_TEXT_PER_BYTE] = job.total / max(job.size, 1)
    out[col.PAGE_INPUTS] = node.inputs
    out[col.PAGE_LONG_CHARS] = node.long_chars
    out[col.PAGE_LONG_SHARE] = node.long_chars / job.total
    out[col.PAGE_LARGEST_SLOT_SHARE] = largest / job.total
    out[col.PAGE_SENTENCE_MARKS_PER_CHAR] = node.sentence_marks / job.total
    out[col.PAGE_FORMS] = job.elements[const.AROUND_FORM]
    out[col.PAGE_MAINS] = job.elements[const.AROUND_MAIN]
    out[col.PAGE_ARTICLES] = job.elements[const.AROUND_ARTICLE]
    out[col.PAGE_CHARS_PER_WORD] = job.total / max(node.words, 1)
    out[col.PAGE_DIGIT_SHARE] = node.digits / job.total
    out[col.PAGE_CODE_BYTES] = job.code
    out[col.PAGE_HIDDEN_SHARE] = job.hidden_chars / job.total


@cython.cfunc
@cython.exceptval(check=False)
def write_vocabulary(job: cython.pointer[Job], number: cython.int, out: Floats) -> cython.void:
    """Write the features of the weights of the known words around a text."""
    place: cython.int = job.node[job.segment[number].row].weighed
    weighed: cython.pointer[Weighed]
    column: cython.int
    for column in range(col.VOCABULARY_SUM, col.VOCABULARY_SUM + col.VOCABULARY_WIDTH):
        out[column] = 0
    if place < 0:
        return
    weighed = job.weighed + place
    out[col.VOCABULARY_SUM] = weighed.total
    out[col.VOCABULARY_LEAST] = weighed.least
    out[col.VOCABULARY_MOST] = weighed.most
    out[col.VOCABULARY_ELEMENTS] = weighed.count
    for column in range(col.VOCABULARY_NEAREST, col.VOCABULARY_THIRD + 1):
        out[column] = weighed.own
        if weighed.above < 0:
            break
        weighed = job.weighed + weighed.above


@cython.cfunc
@cython.exceptval(check=False)
def write_rows(job: cython.pointer[Job]) -> cython.void:
    """Write the rows of the table, but for the elements around each text, which stand there already."""
    number: cython.int
    out: Floats = job.table
    write_page(job, out)
    for number in range(job.segments):
        write_text(job, number, out)
        write_groups(job, number, out)
        write_targets(job, number, out)
        write_heading(job, number, out)
        write_vocabulary(job, number, out)
        if number > 0:
            memcpy(out + col.PAGE_CHARS, job.table + col.PAGE_CHARS, PAGE_BYTES)
        if number > 0 and job.segment[number].block == job.segment[number - 1].block:
            memcpy(out + col.BLOCK_CHARS, out + col.BLOCK_CHARS - col.WIDTH, BLOCK_BYTES)
        else:
            write_block(job, job.segment[number].block, out)
        out += col.WIDTH
