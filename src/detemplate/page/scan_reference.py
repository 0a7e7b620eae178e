"""What the columns of a page mean, by walking its DOM: the uncompiled reference of the scan.

It is written for reading, not for speed. Where no compiler was at hand it is what runs; where a
serialisation cannot be read back (``<plaintext>``, a script that ends inside ``<!-- <script>``), too.
Tests compare the compiled scan with it, node by node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import turbohtml
import xxhash
from turbohtml import Namespace

from detemplate.page import tags
from detemplate.page.columns import (
    CODE,
    COMMENT,
    DOCTYPE,
    ELEMENT,
    INSTRUCTION,
    RAW,
    TEXT,
    Columns,
    segment_keys,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

CHARS, CHILDREN, CONTENT, PATH = 7, 9, 10, 11
"""Places in a row that change after the row was made."""

_MASK: Final = (1 << 64) - 1
_P1: Final = 0x9E3779B185EBCA87
_P2: Final = 0xC2B2AE3D27D4EB4F
_P4: Final = 0x85EBCA77C2B2AE63
_SPACE: Final = " \t\n\r\f"
_BLANK: Final = _SPACE + "\xa0\u202f\u205f\u2060\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x2010)))
"""Characters that show nothing: white space of all widths, zero-width marks."""


_KEEP_NEWLINE: Final = tags.numbers("listing pre textarea")


def mix(accumulator: int, value: int) -> int:
    """Fold ``value`` into a running 64-bit hash; the order of the values matters."""
    mixed = accumulator ^ (value * _P2 & _MASK)
    return (((mixed << 27 | mixed >> 37) & _MASK) * _P1 + _P4) & _MASK


def collapse(text: str) -> str:
    """Collapse every run of HTML's white space to one space and drop it at both ends."""
    for space in _SPACE[1:]:
        text = text.replace(space, " ")
    return " ".join(part for part in text.split(" ") if part)


def _escape(text: str, *, quote: bool = False) -> str:
    text = text.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;") if quote else text


class _Walk:
    """One walk over one document."""

    def __init__(self) -> None:
        self.rows: list[list[int]] = []
        self.pieces: list[bytes] = []
        self.position = 0
        self.block = 0
        self.filled = False
        self.loose = 0

    def child(self, parent: int) -> None:
        """Count one more child of an element, or of the document."""
        if parent >= 0:
            self.rows[parent][CHILDREN] += 1
        else:
            self.loose += 1

    def put(self, markup: str) -> int:
        piece = markup.encode()
        self.pieces.append(piece)
        self.position += len(piece)
        return self.position

    def node(self, kind: int, parent: int, start: int, tag: int = 0, content: int = 0) -> list[int]:
        """Append a row: kind, tag, parent, end, start, stop, block, chars, place, children, content, path."""
        path = self.rows[parent][PATH] if parent >= 0 else 0
        place = (self.rows[parent][CHILDREN] if parent >= 0 else self.loose) - 1
        number = len(self.rows)
        row = [kind, tag, parent, number + 1, start, self.position, self.block, 0, place, 0, content, path]
        self.rows.append(row)
        return row

    def separate(self) -> None:
        """Begin a new block of segments, unless the present one is still empty."""
        if self.filled:
            self.block += 1
            self.filled = False

    def text(self, data: str, parent: int, flags: int, *, hidden: bool) -> None:
        """Write a text; it becomes a node if something of it shows, or if it is raw and unseen."""
        raw = bool(flags & tags.RAW)
        start = self.position
        if data.startswith("\n") and parent == len(self.rows) - 1 and self.rows[parent][1] in _KEEP_NEWLINE:
            self.put("\n")  # a parser drops one leading line break here, so serialisers write one more
        self.put(data if raw else _escape(data))
        if not data or not ((raw and hidden) or data.strip(_BLANK)):
            return
        content = data if raw and hidden else collapse(data)
        written = content if raw else _escape(content)
        kind = TEXT if not hidden else CODE if flags & tags.CODE else RAW
        row = self.node(kind, parent, start, 0, xxhash.xxh64_intdigest(written.encode()))
        if not hidden:
            row[CHARS] = len(content)
            self.filled = True
        if parent >= 0:
            self.rows[parent][CONTENT] = mix(self.rows[parent][CONTENT], row[CONTENT])
            self.rows[parent][7] += row[7]

    def open(self, element: turbohtml.Element, parent: int) -> tuple[int, int]:
        """Write a start tag; give the element's row number and its flags."""
        name, space = element.tag, element.namespace
        number = tags.IDS.get(name, 0)
        flags = int(tags.FLAGS[number])
        if space is Namespace.HTML:
            if flags & tags.BLOCK:
                self.separate()
        else:
            number |= tags.IN_SVG if space is Namespace.SVG else tags.IN_MATH
            flags = tags.UNSEEN if flags & tags.FOREIGN_UNSEEN else 0
        start = self.position
        attributes = "".join(
            f' {key}="{_escape(element.attr(key) or "", quote=True)}"' for key in element.attrs
        )
        markup = f"<{name}{attributes}>"
        self.put(markup)
        row = self.node(ELEMENT, parent, start, number, xxhash.xxh64_intdigest(markup.encode()))
        key = xxhash.xxh64_intdigest(name.encode())
        offset = 0 if space is Namespace.HTML else 1 if space is Namespace.SVG else 2
        row[PATH] = mix(row[PATH], (key + offset) & _MASK)
        return len(self.rows) - 1, flags

    def close(self, row: int, name: str, flags: int) -> None:
        """Write an end tag and fold the element into its parent."""
        here = self.rows[row]
        if not flags & tags.VOID:
            self.put(f"</{name}>")
            if flags & tags.BLOCK:
                self.separate()
        here[3], here[5] = len(self.rows), self.position
        if here[2] >= 0:
            parent = self.rows[here[2]]
            parent[CONTENT] = mix(parent[CONTENT], here[CONTENT])
            parent[CHARS] += here[CHARS]


def _children(node: turbohtml.Node) -> Iterator[turbohtml.Node | str]:
    """Give a node's children, neighbouring texts as one string, a template's content as its children."""
    text: list[str] = []
    for child in node.children:
        if isinstance(child, turbohtml.Text | turbohtml.CData):
            text.append(child.data)
            continue
        if text:
            yield "".join(text)
            text = []
        if isinstance(child, turbohtml.DocumentFragment):
            yield from _children(child)
        else:
            yield child
    if text:
        yield "".join(text)


def walk(document: turbohtml.Document) -> tuple[bytes, Columns]:
    """Serialise a document and describe its nodes, by walking its DOM.

    Parameters
    ----------
    document
        What :func:`turbohtml.parse` gave.

    Returns
    -------
    tuple of bytes and Columns
        The serialisation (UTF-8), equal to the library's own, and the columns of its nodes.
    """
    out = _Walk()
    # An entry an open element: its children still to come, row, tag name, flags, whether text is unseen.
    stack: list[tuple[Iterator[turbohtml.Node | str], int, str, int, bool]] = [
        (_children(document), -1, "", 0, False)
    ]
    while stack:
        children, row, name, flags, hidden = stack[-1]
        for child in children:
            out.child(row)
            if isinstance(child, str):
                out.text(child, row, flags, hidden=hidden)
            elif isinstance(child, turbohtml.Element):
                opened, its_flags = out.open(child, row)
                unseen = hidden or bool(its_flags & tags.UNSEEN)
                stack.append((_children(child), opened, child.tag, its_flags, unseen))
                break
            else:
                _write_other(out, child, row)
        else:
            stack.pop()
            if row >= 0:
                out.close(row, name, flags)
    table = np.array(out.rows, dtype=object).reshape(len(out.rows), PATH + 1).T
    columns: list[Any] = [column.astype(kind) for column, kind in zip(table, Columns.TYPES, strict=True)]
    kind, path, content = columns[0], columns[PATH], columns[CONTENT]
    segments = np.flatnonzero(kind == TEXT).astype(np.int32)
    keys = segment_keys(path[segments], content[segments])
    columns += [segments, keys]
    return b"".join(out.pieces), Columns(*columns)


def _write_other(out: _Walk, node: turbohtml.Node, parent: int) -> None:
    """Write a comment, a document type or a processing instruction."""
    start = out.position
    out.put(node.serialize())
    kind = DOCTYPE
    if isinstance(node, turbohtml.Comment):
        kind = COMMENT
    elif isinstance(node, turbohtml.ProcessingInstruction):
        kind = INSTRUCTION
    out.node(kind, parent, start)
