# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled evidence of a page; :mod:`detemplate.features.segment_reference` defines each number.

Down the nodes once, for what each has of its own and from above; up once, for the sums of subtrees; then
row by row of the table. What texts share (their groups, their block, their family) is laid out once and
copied. All is computed in double precision. Written in Cython's pure-Python mode.
"""

import cython
from cython.cimports.detemplate.page._markup import CODE, ELEMENT, TEXT
from cython.cimports.libc.stdlib import calloc, free, malloc
from cython.cimports.libc.string import memchr, memcmp, memcpy

# As in detemplate.features.segment_nodes.
LINK = cython.declare(cython.int, 1)
PROSE = cython.declare(cython.int, 2)
ITEM = cython.declare(cython.int, 4)
MEDIA = cython.declare(cython.int, 8)
INPUT = cython.declare(cython.int, 16)
HEADING = cython.declare(cython.int, 32)
GROUP = cython.declare(cython.int, 64)
IN_LINK = cython.declare(cython.int, 1)
IN_PROSE = cython.declare(cython.int, 2)
IN_MAIN = cython.declare(cython.int, 8)
IN_ARTICLE = cython.declare(cython.int, 9)
IN_FORM = cython.declare(cython.int, 10)
PLAIN = cython.declare(cython.int, 0x3FFF)

WIDTH = cython.declare(cython.int, 281)
LEVELS = cython.declare(cython.int, 6)
GROUP_WIDTH = cython.declare(cython.int, 27)
GROUPS_AT = cython.declare(cython.int, 52)
GROUPS_WIDTH = cython.declare(cython.int, 162)
BLOCK_WIDTH = cython.declare(cython.int, 16)
WHOLE_WIDTH = cython.declare(cython.int, 20)
TARGETS = cython.declare(cython.int, 4)

BASIS = cython.declare(cython.ulonglong, 0xCBF29CE484222325)
PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
MIX = cython.declare(cython.ulonglong, 0x9E3779B185EBCA87)
SIBLING = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
TOP = cython.declare(cython.ulonglong, 7)

MOST_WORDS = cython.declare(cython.int, 20)
LONGEST = cython.declare(cython.int, 60)
TOKENS = cython.declare(cython.int, 2048)  # six attributes of 20 words of at most 16 hashes
ONE_WORD = cython.declare(cython.int, 32)

LEAD_BIT = cython.declare(cython.ulonglong, 1 << 61)
SUMS = cython.declare(cython.ulonglong, (1 << 60) - 1)
FIELD = cython.declare(cython.int, 0xFFF)
BYTES_A_FIELD = cython.declare(cython.Py_ssize_t, 4000)

# What a byte of a text counts as, in fields of 12 bits: commas, digits, capitals, stops, above the lowest, in
# which words are counted; the uppermost bits are set for white space, for a byte that begins a wide
# character, and for one that begins any of which count_wide knows something.
COUNTS = cython.declare(cython.ulonglong[256])
# What a byte of an attribute is: 1 white space, 2 a digit, 4 a letter, 8 a capital.
CLASSES = cython.declare(cython.uchar[256])

for _byte in range(256):
    COUNTS[_byte] = (
        (1 << 12 if _byte == 44 else 0)
        | (1 << 24 if 48 <= _byte <= 57 else 0)
        | (1 << 36 if 65 <= _byte <= 90 else 0)
        | (1 << 48 if _byte in (33, 46, 58, 59, 63) else 0)
        | (1 << 63 if _byte in (9, 10, 12, 13, 32) else 0)
        | (1 << 62 if 0xE3 <= _byte <= 0xED else 0)
        | (1 << 61 if _byte in (0xC3, 0xCE, 0xD0, 0xD8, 0xDB, 0xE0) or 0xE3 <= _byte <= 0xEF else 0)
    )
    CLASSES[_byte] = (
        (1 if 9 <= _byte <= 13 or _byte == 32 else 0)
        | (2 if 48 <= _byte <= 57 else 0)
        | (4 if 97 <= _byte <= 122 else 0)
        | (12 if 65 <= _byte <= 90 else 0)
    )

Shorts = cython.typedef(cython.pointer[cython.ushort])
Ints = cython.typedef(cython.pointer[cython.int])
Hashes = cython.typedef(cython.pointer[cython.ulonglong])
Floats = cython.typedef(cython.pointer[cython.float])

# A node: its sums, which become its subtree's; and what it has from above.
Node = cython.struct(
    words=cython.int, linked=cython.int, links=cython.int, texts=cython.int,
    prose=cython.int, commas=cython.int, stops=cython.int, digits=cython.int,
    long=cython.int, media=cython.int, inputs=cython.int, headings=cython.int,
    paragraphs=cython.int, items=cython.int, elements=cython.int, before=cython.int,
    depth=cython.int, group=cython.int, sibling=cython.int, laid=cython.int,
    named=cython.int, capitals=cython.int, chars=cython.int,
    slot=cython.ulonglong,
    score=cython.double,
)  # fmt: skip

# What texts of the same key have together.
Family = cython.struct(
    key=cython.ulonglong, count=cython.int, chars=cython.int, long=cython.int, stops=cython.int,
    first=cython.int, last=cython.int,
)  # fmt: skip

# All of them, in the order in which they were met: ``place`` finds them, one more than their number each.
Families = cython.struct(
    place=Ints, family=cython.pointer[Family], count=cython.int, bits=cython.int, multiplier=cython.ulonglong,
)  # fmt: skip

# What the known words of an element weigh, and of those above.
Named = cython.struct(
    above=cython.int, count=cython.int, own=cython.double, total=cython.double, least=cython.double,
    most=cython.double,
)  # fmt: skip

Block = cython.struct(
    chars=cython.int, linked=cython.int, words=cython.int, stops=cython.int, texts=cython.int,
    plain=cython.longlong, long=cython.longlong,
)  # fmt: skip

# Where a text is from a target: the steps up from this to what is around both, and its row; or -1 and -1.
Meeting = cython.struct(steps=cython.int, row=cython.int)

# A segment: its places in the tables of families, its block and the heading before it.
Segment = cython.struct(
    row=cython.int, block=cython.int, path=cython.int, slot=cython.int, content=cython.int, heading=cython.int,
    headings=cython.int,
)  # fmt: skip

# A page, as long as it is read.
Job = cython.struct(
    data=cython.p_uchar,
    size=cython.Py_ssize_t,
    nodes=cython.int,
    segments=cython.int,
    kind=Shorts,
    tag=Shorts,
    parent=Ints,
    end=Ints,
    start=Ints,
    stop=Ints,
    chars=Ints,
    children=Ints,
    node=cython.pointer[Node],
    named=cython.pointer[Named],
    sibling=Families,
    segment=cython.pointer[Segment],
    meeting=cython.pointer[Meeting],
    path=Families,
    slot=Families,
    content=Families,
    block=cython.pointer[Block],
    total=cython.double,
    long=cython.double,
)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def single(value: cython.double) -> cython.float:
    return cython.cast(cython.float, value)


@cython.cfunc
@cython.exceptval(check=False)
def read_start(p: cython.p_uchar, end: cython.p_uchar, tokens: Hashes, signature: Hashes) -> cython.int:
    """Read a start tag: lay out the hashes of its words, set the sum of its classes', give how many."""
    q: cython.p_uchar = p
    name: cython.p_uchar
    past: cython.p_uchar
    count: cython.int = 0
    words: cython.int
    length: cython.Py_ssize_t
    letters: cython.int
    word: cython.int
    kind: cython.int
    before: cython.int
    byte: cython.ulonglong
    prefix: cython.ulonglong
    whole: cython.ulonglong
    part: cython.ulonglong
    style: cython.ulonglong
    signature[0] = 0
    while q < end and q[0] != 32 and q[0] != 62:
        q += 1
    while q < end and q[0] == 32:
        q += 1
        name = q
        if q < end and q[0] == 61:
            q += 1
        while q < end and q[0] != 32 and q[0] != 61:
            q += 1
        if end - q < 3 or q[0] != 61 or q[1] != 34:
            break
        length = q - name
        q += 2
        past = cython.cast(cython.p_uchar, memchr(q, 34, end - q))
        if past == cython.NULL:
            break
        if length == 5 and memcmp(name, b"class", 5) == 0:
            kind = 1
        elif (
            (length == 2 and memcmp(name, b"id", 2) == 0)
            or (length == 4 and memcmp(name, b"role", 4) == 0)
            or (length == 3 and memcmp(name, b"rel", 3) == 0)
            or (length == 8 and (memcmp(name, b"itemprop", 8) == 0 or memcmp(name, b"itemtype", 8) == 0))
        ):
            kind = 0
        else:
            q = past + 1
            continue
        prefix = (((((BASIS ^ name[0]) * PRIME) ^ name[1]) * PRIME) ^ 58) * PRIME
        words = 0
        while words < MOST_WORDS:
            while q < past and CLASSES[q[0]] & 1:
                q += 1
            if q == past:
                break
            # The word's hash goes before those of its letters, so its place is kept.
            words += 1
            word = count
            count += 1
            if count > TOKENS - ONE_WORD:
                return word
            name = q
            whole = prefix
            part = style = BASIS
            letters = 0
            before = 0
            while q < past:
                byte = q[0]
                if CLASSES[byte] & 1:
                    break
                # A run of digits is one 0 of the signature.
                if not CLASSES[byte] & 2:
                    style = (style ^ byte) * PRIME
                elif not before & 2:
                    style = (style ^ 48) * PRIME
                before = CLASSES[byte]
                if before & 8:
                    byte |= 32
                whole = (whole ^ byte) * PRIME
                if before & 4:
                    part = (part ^ byte) * PRIME
                    letters += 1
                elif letters:
                    if letters > 2 and q - name < LONGEST:
                        tokens[count] = part
                        count += 1
                    part = BASIS
                    letters = 0
                q += 1
            if kind:
                signature[0] += style
            if q - name <= LONGEST:
                tokens[word] = whole
                if letters > 2:
                    tokens[count] = part
                    count += 1
            else:
                count = word
        q = past + 1
    return count


@cython.cfunc
@cython.exceptval(check=False)
def count_bytes(p: cython.p_uchar, size: cython.Py_ssize_t, node: cython.pointer[Node]) -> cython.void:
    """Count what a text's bytes are."""
    at: cython.Py_ssize_t = 0
    upto: cython.Py_ssize_t
    sums: cython.ulonglong
    one: cython.ulonglong
    before: cython.ulonglong = 0
    ever: cython.ulonglong = 0
    node.words = 1
    if size > 0:
        node.words -= cython.cast(cython.int, (COUNTS[p[0]] >> 62) & 1)  # wide ones are counted later
    while at < size:
        upto = min(size, at + BYTES_A_FIELD)
        sums = 0
        while at < upto:
            one = COUNTS[p[at]]
            # A word begins where white space has ended and no wide character begins.
            sums += (one & SUMS) + ((before & ~one & ~(one << 1)) >> 63)
            before = one
            ever |= one
            at += 1
        node.words += cython.cast(cython.int, sums & FIELD)
        node.commas += cython.cast(cython.int, (sums >> 12) & FIELD)
        node.digits += cython.cast(cython.int, (sums >> 24) & FIELD)
        node.capitals += cython.cast(cython.int, (sums >> 36) & FIELD)
        node.stops += cython.cast(cython.int, (sums >> 48) & FIELD)
    if ever & LEAD_BIT:
        count_wide(p, size, node)


@cython.cfunc
@cython.exceptval(check=False)
def count_wide(p: cython.p_uchar, size: cython.Py_ssize_t, node: cython.pointer[Node]) -> cython.void:
    """Count what a text's characters beyond ASCII are; as in detemplate.features.scripts."""
    at: cython.Py_ssize_t
    byte: cython.int
    second: cython.int
    third: cython.int
    wide: cython.int = 0
    for at in range(size):
        byte = p[at]
        if byte < 0xC3:
            continue
        second = p[at + 1] if at + 1 < size else 0
        third = p[at + 2] if at + 2 < size else 0
        if 0xE3 <= byte <= 0xED:
            wide += 1
            node.chars += 2 if 0xE4 <= byte <= 0xE9 else 1
            if byte == 0xE3 and second == 0x80:
                node.commas += third == 0x81
                node.stops += third == 0x82
        elif byte == 0xEF:
            if second == 0xBC:
                node.commas += third == 0x8C
                node.stops += third == 0x81 or third == 0x8E or 0x9A <= third <= 0x9B or third == 0x9F
        elif byte == 0xC3:
            node.capitals += 0x80 <= second <= 0x9E and second != 0x97
        elif byte == 0xCE:
            node.capitals += 0x91 <= second <= 0xAB
        elif byte == 0xD0:
            node.capitals += 0x80 <= second <= 0xAF
        elif byte == 0xD8:
            node.commas += second == 0x8C
            node.stops += second == 0x9B or second == 0x9F
        elif byte == 0xDB:
            node.stops += second == 0x94
        elif byte == 0xE0:
            node.stops += second == 0xA5 and third == 0xA4
    node.words += (wide + 1) // 2


@cython.cfunc
@cython.exceptval(check=False)
def open_families(
    families: cython.pointer[Families], most: cython.Py_ssize_t, multiplier: cython.ulonglong
) -> cython.bint:
    """Make room for this many families; half of the places at least stay empty. Give whether there is room."""
    families.bits = 1
    while (cython.cast(cython.Py_ssize_t, 1) << families.bits) < 2 * most + 1:
        families.bits += 1
    families.count = 0
    families.multiplier = multiplier
    families.place = cython.cast(
        Ints, calloc(cython.cast(cython.size_t, 1) << families.bits, cython.sizeof(cython.int))
    )
    families.family = cython.cast(cython.pointer[Family], malloc((most + 1) * cython.sizeof(Family)))
    return families.place != cython.NULL and families.family != cython.NULL


@cython.cfunc
@cython.exceptval(check=False)
def close_families(families: cython.pointer[Families]) -> cython.void:
    free(families.place)
    free(families.family)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def join(families: cython.pointer[Families], key: cython.ulonglong, number: cython.int) -> cython.int:
    """Count one more member of the family with this key; give which it is."""
    mask: cython.ulonglong = (cython.cast(cython.ulonglong, 1) << families.bits) - 1
    at: cython.ulonglong = (key * families.multiplier) >> (64 - families.bits)
    family: cython.pointer[Family]
    while families.place[at] != 0:
        family = families.family + (families.place[at] - 1)
        if family.key == key:
            family.count += 1
            return families.place[at] - 1
        at = (at + 1) & mask
    family = families.family + families.count
    family.key = key
    family.count = 1
    family.first = number
    family.chars = family.long = family.stops = 0
    families.count += 1
    families.place[at] = families.count
    return families.count - 1


@cython.cfunc
@cython.exceptval(check=False)
def weigh(
    tokens: Hashes,
    count: cython.int,
    slots: cython.ulonglong[:, ::1],
    numbers: cython.uint[:, ::1],
    weights: cython.float[:, ::1],
    shift: cython.int,
    seen: cython.uchar[::1],
    named: cython.pointer[Named],
) -> cython.void:
    """Sum the weights of an element's known words; their least and their most, 0 if there is none."""
    number: cython.int
    at: cython.ulonglong
    weight: cython.double
    left: cython.int = 0
    room: cython.uint = len(seen)
    found: cython.bint = False
    # Words whose row is free are not known. Without branches, the rows of all come from memory at once.
    for number in range(count):
        at = (tokens[number] * MIX) >> shift
        tokens[left] = tokens[number]
        left += numbers[at, 2] != 0
    for number in range(left):
        at = (tokens[number] * MIX) >> shift
        while numbers[at, 2] != 0 and slots[at, 0] != tokens[number]:
            at += 1
        if not 0 < numbers[at, 2] <= room:
            continue
        seen[numbers[at, 2] - 1] = 1
        weight = weights[at, 3]
        named.own += weight
        if not found or weight < named.least:
            named.least = weight
        if not found or weight > named.most:
            named.most = weight
        found = True


@cython.cfunc
@cython.exceptval(check=False)
def meet(job: cython.pointer[Job], which: cython.int, target: cython.int, above: Ints) -> cython.void:
    """Tell where each text meets a target (-1: nowhere). ``above`` has room for all nodes.

    Towards the target the elements around both get smaller, behind it larger: two fingers find them.
    """
    number: cython.int
    depth: cython.int = 0
    at: cython.int
    row: cython.int
    met: cython.pointer[Meeting]
    within: cython.bint
    at = target
    while at >= 0:
        above[depth] = at
        depth += 1
        at = job.parent[at]
    at = depth
    for number in range(job.segments):
        row = job.segment[number].row
        met = job.meeting + (number * TARGETS + which)
        if row < target:
            while at > 0 and above[at - 1] <= row:
                at -= 1
        else:
            if number == 0 or job.segment[number - 1].row < target:
                at = 0
            while at < depth and row >= job.end[above[at]]:
                at += 1
        within = at < depth
        met.steps = at if within else -1
        met.row = above[at] if within else -1


@cython.cfunc
@cython.exceptval(check=False)
def lay_group(job: cython.pointer[Job], row: cython.int, o: Floats) -> cython.void:
    """Lay out what a group has."""
    node: cython.pointer[Node] = job.node + row
    up: cython.int = job.parent[row]
    chars: cython.double = job.node[row].chars
    some: cython.double = max(chars, 1.0)
    words: cython.double = max(node.words, 1)
    total: cython.double = job.total
    o[0] = single(job.tag[row] & PLAIN)
    o[1] = single(chars)
    o[2] = single(chars / total)
    o[3] = single(node.linked / some)
    o[4] = single(node.links)
    o[5] = single(node.links / words)
    o[6] = single(chars / max(job.stop[row] - job.start[row], 1))
    o[7] = single(node.texts)
    o[8] = single(chars / max(node.texts, 1))
    o[9] = single(node.prose / some)
    o[10] = single(node.prose)
    o[11] = single(node.commas)
    o[12] = single(node.stops / words)
    o[13] = single(node.digits / some)
    o[14] = single(node.media)
    o[15] = single(node.inputs)
    o[16] = single(node.headings)
    o[17] = single(node.paragraphs)
    o[18] = single(node.items)
    o[19] = single(node.elements)
    o[20] = single(node.before / total)
    o[21] = single((node.before + chars) / total)
    o[22] = single(node.depth)
    o[23] = single(job.children[row])
    o[24] = single(chars / max(job.node[up].chars, 1) if up >= 0 else -1)
    o[25] = single(job.sibling.family[node.sibling].count)
    o[26] = single(node.long / job.long)


@cython.cfunc
@cython.exceptval(check=False)
def lay_family(
    job: cython.pointer[Job], family: cython.pointer[Family], number: cython.int, o: Floats
) -> cython.void:
    """Lay out what the texts like a text have together."""
    count: cython.double = family.count
    o[0] = single(count)
    o[1] = single(family.chars / job.total)
    o[2] = single(family.chars / count)
    o[3] = single(family.long / job.long)
    o[4] = single(family.stops / count)
    o[5] = single(cython.cast(cython.double, family.last - family.first) / job.segments)
    o[6] = single(number - family.first)


@cython.cfunc
@cython.exceptval(check=False)
def lay_block(blocks: cython.pointer[Block], count: cython.int, number: cython.int, o: Floats) -> cython.void:
    """Lay out what a block, its neighbours and the windows around it have. One more block ends the sums."""
    shift: cython.int
    near: cython.int
    low: cython.int
    high: cython.int
    window: cython.int
    at: cython.int = 9
    wide: cython.double
    block: cython.pointer[Block]
    for shift in range(3):
        near = number if shift == 0 else number - 1 if shift == 1 else number + 1
        block = blocks + near
        o[2 * shift] = single(block.chars if 0 <= near < count else -1)
        o[2 * shift + 1] = single(
            cython.cast(cython.double, block.linked) / max(block.chars, 1) if 0 <= near < count else -1.0
        )
    o[6] = single(blocks[number].stops)
    o[7] = single(blocks[number].words)
    o[8] = single(blocks[number].texts)
    for shift in range(4):
        window = 3 if shift == 0 else 8 if shift == 1 else 20 if shift == 2 else 60
        low = max(number - window, 0)
        high = min(number + window + 1, count)
        wide = high - low
        o[at] = single((blocks[high].plain - blocks[low].plain) / wide)
        at += 1
        if shift >= 2:
            o[at] = single((blocks[high].long - blocks[low].long) / wide)
            at += 1
    o[15] = single(blocks[number].long / max(cython.cast(cython.double, blocks[count].long), 1.0))


@cython.cfunc
@cython.exceptval(check=False)
def add_up(job: cython.pointer[Job]) -> cython.void:
    """Sum what subtrees have; one more node is the whole page."""
    row: cython.int
    node: cython.pointer[Node]
    up: cython.pointer[Node]
    for row in range(job.nodes - 1, -1, -1):
        node = job.node + row
        up = job.node + (job.parent[row] if job.parent[row] >= 0 else job.nodes)
        up.chars += node.chars
        up.words += node.words
        up.linked += node.linked
        up.links += node.links
        up.texts += node.texts
        up.prose += node.prose
        up.commas += node.commas
        up.stops += node.stops
        up.digits += node.digits
        up.long += node.long
        up.media += node.media
        up.inputs += node.inputs
        up.headings += node.headings
        up.paragraphs += node.paragraphs
        up.items += node.items
        up.elements += node.elements


@cython.cfunc
@cython.exceptval(check=False)
def score(job: cython.pointer[Job], marks: Shorts, targets: Ints, share: cython.p_double) -> cython.void:
    """Find the three nodes that the content may be, and the share of all scores that the first has."""
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
            if own < 25 or job.node[row].linked:
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
        if marks[job.tag[row]] & GROUP:
            own = node.score * (1 - node.linked / max(cython.cast(cython.double, job.node[row].chars), 1.0))
            total += own
            if own > best:
                best = own
                targets[0] = row
        if node.long >= 0.5 * job.long and node.depth > half:
            half = node.depth
            targets[1] = row
        if node.long >= 0.8 * job.long and node.depth > most:
            most = node.depth
            targets[2] = row
    share[0] = best / max(total, 1e-9)


@cython.cfunc
@cython.exceptval(check=False)
def gather(job: cython.pointer[Job], blocks: cython.int) -> cython.void:
    """Sum what the texts of a family and of a block have together."""
    number: cython.int
    which: cython.int
    segment: cython.pointer[Segment]
    node: cython.pointer[Node]
    family: cython.pointer[Family]
    block: cython.pointer[Block]
    chars: cython.int
    plain: cython.longlong = 0
    long: cython.longlong = 0
    for number in range(job.segments):
        segment = job.segment + number
        node = job.node + segment.row
        chars = job.node[segment.row].chars
        for which in range(2):
            family = job.path.family + segment.path if which == 0 else job.slot.family + segment.slot
            family.chars += chars
            family.long += node.long
            family.stops += node.stops
            family.last = number
        block = job.block + segment.block
        block.chars += chars
        block.linked += node.linked
        block.words += node.words
        block.stops += node.stops
        block.texts += 1
    for number in range(blocks + 1):
        block = job.block + number
        block.plain = plain
        block.long = long
        plain += block.chars - 2 * block.linked
        if block.chars >= 80 and block.linked < 0.5 * block.chars:
            long += block.chars


@cython.cfunc
@cython.exceptval(check=False)
def lay_text(job: cython.pointer[Job], number: cython.int, o: Floats) -> cython.void:
    """Lay out what a text is, where, how many are like it, and what its parents are."""
    segment: cython.pointer[Segment] = job.segment + number
    row: cython.int = segment.row
    node: cython.pointer[Node] = job.node + row
    chars: cython.double = job.node[row].chars
    some: cython.double = max(chars, 1.0)
    up: cython.int
    o[0] = single(chars)
    o[1] = single(node.words)
    o[20] = single(node.digits / some)
    o[21] = single(node.capitals / some)
    o[22] = single(node.stops)
    o[23] = single(chars / max(node.words, 1))
    o[24] = single(node.depth)
    o[25] = single(node.before / job.total)
    o[26] = single(node.before)
    o[27] = single(job.total - node.before)
    o[28] = single(cython.cast(cython.double, number) / job.segments)
    o[29] = single(number)
    o[30] = single(job.segments - number)
    o[31] = single(cython.cast(cython.double, job.start[row]) / max(job.size, 1))
    lay_family(job, job.path.family + segment.path, number, o + 32)
    lay_family(job, job.slot.family + segment.slot, number, o + 39)
    o[46] = single(job.content.family[segment.content].count)
    up = job.parent[row]
    o[47] = single(job.tag[up] & PLAIN if up >= 0 else 0)
    o[48] = single(repeats(job, up) if up >= 0 else 0)
    o[49] = single(job.node[up].chars if up >= 0 else 0)
    up = job.parent[up] if up >= 0 else -1
    o[50] = single(job.tag[up] & PLAIN if up >= 0 else 0)
    o[51] = single(repeats(job, up) if up >= 0 else 0)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def repeats(job: cython.pointer[Job], row: cython.int) -> cython.int:
    """Count the siblings with an element's signature, itself included."""
    return job.sibling.family[job.node[row].sibling].count if job.kind[row] == ELEMENT else 1


@cython.cfunc
@cython.exceptval(check=False)
def lay_groups(
    job: cython.pointer[Job], number: cython.int, first: Floats, o: Floats, groups: Ints
) -> cython.void:
    """Lay out what the groups around a text have; what is laid out already is copied."""
    level: cython.int
    column: cython.int
    group: cython.int = job.node[job.segment[number].row].group
    node: cython.pointer[Node]
    if number > 0 and (groups - LEVELS)[0] == group:
        memcpy(groups, groups - LEVELS, LEVELS * cython.sizeof(cython.int))
        memcpy(o, o - WIDTH, GROUPS_WIDTH * cython.sizeof(cython.float))
        return
    for level in range(LEVELS):
        groups[level] = group
        if group < 0:
            for column in range(GROUP_WIDTH):
                o[column] = -1
        else:
            node = job.node + group
            if node.laid > 0:
                # In some row at some level, counted from the first row's first level.
                memcpy(
                    o,
                    first
                    + cython.cast(cython.Py_ssize_t, (node.laid - 1) // LEVELS) * WIDTH
                    + ((node.laid - 1) % LEVELS) * GROUP_WIDTH,
                    GROUP_WIDTH * cython.sizeof(cython.float),
                )
            else:
                lay_group(job, group, o)
                node.laid = number * LEVELS + level + 1
            group = node.group
        o += GROUP_WIDTH


@cython.cfunc
@cython.exceptval(check=False)
def lay_targets(
    job: cython.pointer[Job], number: cython.int, targets: Ints, share: cython.double, o: Floats
) -> cython.void:
    """Lay out where a text is from the nodes that the content may be."""
    which: cython.int
    target: cython.int
    row: cython.int = job.segment[number].row
    before: cython.double = job.node[row].before
    start: cython.double
    met: cython.pointer[Meeting]
    for which in range(3):
        target = targets[which]
        start = job.node[target].before
        met = job.meeting + (number * TARGETS + which)
        o[0] = 1 if target <= row < job.end[target] else 0
        if o[0] != 0:
            o[1] = 0
        elif row < target:
            o[1] = single((start - before) / job.total)
        else:
            o[1] = single((before - start - job.node[target].chars) / job.total + 2)
        o[2] = single(met.steps)
        o[3] = single(job.node[met.row].chars / job.total if met.row >= 0 else -1.0)
        o += 4
    target = targets[0]
    o[0] = single(job.node[target].chars / job.total)
    o[1] = single(job.node[target].linked / max(cython.cast(cython.double, job.node[target].chars), 1.0))
    o[2] = single(job.node[row].depth - job.node[target].depth)
    o[3] = single(share)


@cython.cfunc
@cython.exceptval(check=False)
def lay_heading(
    job: cython.pointer[Job], number: cython.int, first: cython.int, firsts: cython.int, o: Floats
) -> cython.void:
    """Lay out the heading before a text, and where the first ``h1`` is."""
    segment: cython.pointer[Segment] = job.segment + number
    before: cython.double = job.node[segment.row].before
    row: cython.int = segment.heading
    met: cython.pointer[Meeting] = job.meeting + (number * TARGETS + 3)
    o[0] = 0
    o[1] = o[3] = -1
    if row >= 0:
        o[0] = single(job.tag[row] & PLAIN)
        o[1] = single(before - job.node[row].before)
        o[3] = single(job.node[row].linked / max(cython.cast(cython.double, job.node[row].chars), 1.0))
    o[2] = single(segment.headings - 1)
    o[4] = single((before - job.node[first].before) / job.total if first >= 0 else -2.0)
    o[5] = single(firsts)
    o[6] = single(met.steps)
    o[7] = single(job.node[met.row].chars / job.total if met.row >= 0 else -1.0)


@cython.cfunc
@cython.exceptval(check=False)
def lay_whole(
    job: cython.pointer[Job], o: Floats, chars: cython.int, ever: Ints, code: cython.double
) -> cython.void:
    """Lay out what the page is."""
    node: cython.pointer[Node] = job.node + job.nodes
    most: cython.int = 0
    number: cython.int
    for number in range(job.slot.count):
        most = max(most, job.slot.family[number].chars)
    o[0] = single(chars)
    o[1] = single(job.segments)
    o[2] = single(node.linked / job.total)
    o[3] = single(node.prose / job.total)
    o[4] = single(node.links)
    o[5] = single(node.media)
    o[6] = single(node.items)
    o[7] = single(node.headings)
    o[8] = single(job.total / max(job.size, 1))
    o[9] = single(node.inputs)
    o[10] = single(node.long)
    o[11] = single(node.long / job.total)
    o[12] = single(most / job.total)
    o[13] = single(node.stops / job.total)
    o[14] = single(ever[IN_FORM])
    o[15] = single(ever[IN_MAIN])
    o[16] = single(ever[IN_ARTICLE])
    o[17] = single(job.total / max(node.words, 1))
    o[18] = single(node.digits / job.total)
    o[19] = single(code)


@cython.cfunc
@cython.exceptval(check=False)
def lay_named(job: cython.pointer[Job], number: cython.int, o: Floats) -> cython.void:
    """Lay out what the known words of the elements around a text weigh."""
    row: cython.int = job.node[job.segment[number].row].named
    named: cython.pointer[Named]
    column: cython.int
    for column in range(7):
        o[column] = 0
    if row < 0:
        return
    named = job.named + row
    o[0] = single(named.total)
    o[1] = single(named.least)
    o[2] = single(named.most)
    o[6] = single(named.count)
    for column in range(3, 6):
        o[column] = single(named.own)
        if named.above < 0:
            break
        named = job.named + named.above


@cython.cfunc
@cython.exceptval(check=False)
def fill(
    job: cython.pointer[Job],
    marks: Shorts,
    h1: cython.int,
    vocabulary: cython.ulonglong[:, ::1],
    numbers: cython.uint[:, ::1],
    weights: cython.float[:, ::1],
    shift: cython.int,
    content: cython.ulonglong[::1],
    path: cython.ulonglong[::1],
    block: cython.int[::1],
    rows: cython.int[::1],
    table: cython.float[:, ::1],
    groups: cython.int[:, ::1],
    slots: cython.ulonglong[::1],
    words: cython.int[::1],
    seen: cython.uchar[::1],
    blocks: cython.int,
    above: Ints,
) -> cython.void:
    row: cython.int
    up: cython.int
    number: cython.int = 0
    count: cython.int
    flags: cython.int
    kind: cython.int
    opened: cython.int = -1
    depth: cython.int
    before: cython.int = 0
    heading: cython.int = -1
    headings: cython.int = 0
    first: cython.int = -1
    firsts: cython.int = 0
    names: cython.int = 0
    code: cython.double = 0
    own: cython.int
    key: cython.ulonglong
    data: cython.p_uchar = job.data
    past: cython.p_uchar = job.data + job.size
    node: cython.pointer[Node]
    named: cython.pointer[Named]
    segment: cython.pointer[Segment]
    o: Floats
    around = cython.declare(cython.int[19])
    ever = cython.declare(cython.int[19])
    tokens = cython.declare(cython.ulonglong[2048])
    targets = cython.declare(cython.int[4])
    share: cython.double = 0
    for row in range(19):
        around[row] = 0
        ever[row] = 0
    for row in range(job.nodes):
        while opened >= 0 and job.end[opened] <= row:
            around[marks[job.tag[opened]] >> 8] -= 1
            opened = job.parent[opened]
        node = job.node + row
        up = job.parent[row]
        node.before = before
        node.group = -1
        node.named = -1
        node.slot = TOP
        depth = 0
        if up >= 0:
            node.group = up if marks[job.tag[up]] & GROUP else job.node[up].group
            node.named = job.node[up].named
            node.slot = job.node[up].slot
            depth = job.node[up].depth
        node.depth = depth
        kind = job.kind[row]
        if kind == ELEMENT:
            opened = row
            flags = marks[job.tag[row]]
            around[flags >> 8] += 1
            ever[flags >> 8] += 1
            node.depth = depth + 1
            node.elements = 1
            node.links = (flags & LINK) != 0
            node.media = (flags & MEDIA) != 0
            node.inputs = (flags & INPUT) != 0
            node.paragraphs = (flags & PROSE) != 0
            node.items = (flags & ITEM) != 0
            if flags & HEADING:
                node.headings = 1
                heading = row
                headings += 1
                if job.tag[row] == h1:
                    firsts += 1
                    if first < 0:
                        first = row
            key = 0
            count = read_start(data + job.start[row], past, tokens, cython.address(key))
            key = key * MIX + job.tag[row] + 1
            node.slot = (node.slot * MIX) ^ key
            key ^= cython.cast(cython.ulonglong, cython.cast(cython.longlong, up)) * SIBLING
            node.sibling = join(cython.address(job.sibling), key, 0)
            if count:
                named = job.named + names
                named.above = node.named
                named.count = 1
                named.own = named.least = named.most = 0
                weigh(tokens, count, vocabulary, numbers, weights, shift, seen, named)
                named.total = named.own
                if node.named >= 0:
                    named.least = min(named.least, job.named[node.named].least)
                    named.most = max(named.most, job.named[node.named].most)
                    named.total += job.named[node.named].total
                    named.count += job.named[node.named].count
                node.named = names
                names += 1
        elif kind == TEXT:
            node.texts = 1
            node.chars = job.chars[row]
            count_bytes(data + job.start[row], job.stop[row] - job.start[row], node)
            own = node.chars
            if around[IN_LINK] > 0:
                node.linked = own
            else:
                node.long = own if own >= 80 else 0
                node.prose = own if around[IN_PROSE] > 0 else 0
            before += own
            if number < job.segments and rows[number] == row:
                segment = job.segment + number
                segment.row = row
                segment.block = block[row]
                segment.heading = heading
                segment.headings = headings
                segment.path = join(cython.address(job.path), path[row], number)
                segment.slot = join(cython.address(job.slot), node.slot, number)
                segment.content = join(cython.address(job.content), content[row], number)
                slots[number] = node.slot
                words[number] = node.words
                o = cython.address(table[number, 0])
                for count in range(18):
                    o[2 + count] = single(around[1 + count])
                number += 1
        elif kind == CODE:
            code += job.stop[row] - job.start[row]
    job.total = max(before, 1)
    add_up(job)
    job.long = max(job.node[job.nodes].long, 1)
    gather(job, blocks)
    score(job, marks, targets, cython.address(share))
    targets[3] = first
    for count in range(TARGETS):
        meet(job, count, targets[count], above)
    whole = cython.declare(cython.float[20])
    lay_whole(job, whole, before, ever, code)
    for number in range(job.segments):
        o = cython.address(table[number, 0])
        lay_text(job, number, o)
        lay_groups(
            job,
            number,
            cython.address(table[0, 0]) + GROUPS_AT,
            o + GROUPS_AT,
            cython.address(groups[number, 0]),
        )
        lay_targets(job, number, targets, share, o + 214)
        if number > 0 and job.segment[number].block == job.segment[number - 1].block:
            memcpy(o + 230, o + 230 - WIDTH, BLOCK_WIDTH * cython.sizeof(cython.float))
        else:
            lay_block(job.block, blocks, job.segment[number].block, o + 230)
        lay_heading(job, number, first, firsts, o + 246)
        memcpy(o + 254, whole, WHOLE_WIDTH * cython.sizeof(cython.float))
        lay_named(job, number, o + 274)


def read(
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
    numbers: cython.uint[:, ::1],
    weights: cython.float[:, ::1],
    shift: cython.int,
    multiplier: cython.ulonglong,
    table: cython.float[:, ::1],
    groups: cython.int[:, ::1],
    slots: cython.ulonglong[::1],
    words: cython.int[::1],
    seen: cython.uchar[::1],
) -> None:
    """Fill ``table``, ``groups``, ``slots`` and ``words``, and mark in ``seen`` the words that are known.

    ``marks`` says of each number of a tag what it is; ``vocabulary`` and ``shift`` are a Vocabulary's table,
    and ``numbers`` and ``weights`` the table's memory as such; ``multiplier`` is odd and lays out the tables
    in which equal keys are found.
    """
    job = cython.declare(Job)
    nodes: cython.Py_ssize_t = len(kind)
    segments: cython.Py_ssize_t = len(rows)
    row: cython.Py_ssize_t
    elements: cython.Py_ssize_t = 0
    blocks: cython.int = 0
    above: Ints = cython.NULL
    if min(len(tag), len(parent), len(end), len(start), len(stop), len(block), len(chars)) < nodes:
        raise ValueError("the columns differ in length")
    if min(len(children), len(content), len(path)) < nodes or nodes >= 1 << 30 or len(data) >= 1 << 31:
        raise ValueError("the columns differ in length")
    if len(marks) < 1 << 16:
        raise ValueError("the tables are too short")
    if min(len(numbers), len(weights)) < len(vocabulary) or not numbers.shape[1] == weights.shape[1] == 4:
        raise ValueError("the vocabulary is no table")
    if not 32 < shift < 64 or len(vocabulary) < (1 << (64 - shift)) + 1 or vocabulary.shape[1] != 2:
        raise ValueError("the vocabulary is no table")
    if numbers[len(vocabulary) - 1, 2] != 0:
        raise ValueError("the vocabulary is full")
    if min(table.shape[0], groups.shape[0], len(slots), len(words)) < segments:
        raise ValueError("the arrays have too few rows")
    if table.shape[1] != WIDTH or groups.shape[1] != LEVELS:
        raise ValueError("the arrays have other columns")
    if nodes == 0:
        return
    for row in range(nodes):
        if not -1 <= parent[row] < row or not row < end[row] <= nodes:
            raise ValueError("the columns do not describe a tree")
        if not 0 <= start[row] <= stop[row] <= len(data) or not 0 <= block[row] <= nodes:
            raise ValueError("the columns do not describe this text")
        elements += kind[row] == ELEMENT
    for row in range(segments):
        if not (0 if row == 0 else rows[row - 1] + 1) <= rows[row] < nodes or kind[rows[row]] != TEXT:
            raise ValueError("the segments are no texts")
        blocks = max(blocks, block[rows[row]] + 1)
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
    job.chars = cython.address(chars[0])
    job.children = cython.address(children[0])
    job.node = cython.cast(cython.pointer[Node], calloc(nodes + 1, cython.sizeof(Node)))
    job.block = cython.cast(cython.pointer[Block], calloc(blocks + 1, cython.sizeof(Block)))
    job.named = cython.cast(cython.pointer[Named], malloc((elements + 1) * cython.sizeof(Named)))
    job.segment = cython.cast(cython.pointer[Segment], malloc((segments + 1) * cython.sizeof(Segment)))
    job.meeting = cython.cast(
        cython.pointer[Meeting], malloc((segments * TARGETS + 1) * cython.sizeof(Meeting))
    )
    above = cython.cast(Ints, malloc(nodes * cython.sizeof(cython.int)))
    room: cython.bint = open_families(cython.address(job.sibling), elements, multiplier)
    room = open_families(cython.address(job.path), segments, multiplier) and room
    room = open_families(cython.address(job.slot), segments, multiplier) and room
    room = open_families(cython.address(job.content), segments, multiplier) and room
    try:
        if not room or job.node == cython.NULL or job.block == cython.NULL or job.named == cython.NULL:
            raise MemoryError
        if job.segment == cython.NULL or job.meeting == cython.NULL or above == cython.NULL:
            raise MemoryError
        fill(
            cython.address(job), cython.address(marks[0]), h1, vocabulary, numbers, weights, shift, content,
            path, block, rows, table, groups, slots, words, seen, blocks, above,
        )  # fmt: skip
    finally:
        free(job.node)
        free(job.named)
        close_families(cython.address(job.sibling))
        close_families(cython.address(job.path))
        close_families(cython.address(job.slot))
        close_families(cython.address(job.content))
        free(job.segment)
        free(job.meeting)
        free(job.block)
        free(above)


def read_words(
    data: bytes,
    start: cython.int[::1],
    elements: cython.int[::1],
    rows: cython.int[::1],
    hashes: cython.ulonglong[::1],
) -> int:
    """Lay out the row and the hash of each word of some elements; give how many there are."""
    base: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, data))
    size: cython.Py_ssize_t = len(data)
    number: cython.Py_ssize_t
    row: cython.Py_ssize_t
    filled: cython.Py_ssize_t = 0
    count: cython.int
    place: cython.int
    classes: cython.ulonglong = 0
    tokens = cython.declare(cython.ulonglong[2048])
    for number in range(len(elements)):
        row = elements[number]
        if not 0 <= row < len(start) or not 0 <= start[row] < size:
            raise ValueError("the columns do not describe this text")
        count = read_start(base + start[row], base + size, tokens, cython.address(classes))
        if filled + count > len(rows) or filled + count > len(hashes):
            raise ValueError("the arrays are too short")
        for place in range(count):
            rows[filled] = cython.cast(cython.int, row)
            hashes[filled] = tokens[place]
            filled += 1
    return filled
