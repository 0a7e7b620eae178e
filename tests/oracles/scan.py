"""The columns of a page by a walk over its DOM: what the scan of its serialisation must give."""

from __future__ import annotations

from dataclasses import dataclass
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
)
from detemplate.page.whitespace import BLANK, collapse

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

_BITS_64: Final = (1 << 64) - 1  # mask of the low 64 bits
_P1: Final = 0x9E3779B185EBCA87  # first prime of XXH64
_P2: Final = 0xC2B2AE3D27D4EB4F  # second prime of XXH64
_P4: Final = 0x85EBCA77C2B2AE63  # fourth prime of XXH64

# Elements whose first line break a parser drops, so that serialisers write one more.
_KEEP_NEWLINE: Final = tags.numbers("listing pre textarea")

# An element's namespace is added to the hash of its name by its place here.
_NAMESPACES: Final = (Namespace.HTML, Namespace.SVG, Namespace.MATHML)


def _mix(accumulator: int, value: int) -> int:
    """Fold a value into a running 64-bit hash. The order of the values matters."""
    mixed = accumulator ^ (value * _P2 & _BITS_64)
    return (((mixed << 27 | mixed >> 37) & _BITS_64) * _P1 + _P4) & _BITS_64


def segment_keys(path: npt.NDArray[np.uint64], content: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the identities of segments, from their columns ``path`` and ``content``."""
    return (path * np.uint64(_P1)) ^ content


def _escape(text: str, *, quote: bool = False) -> str:
    text = text.replace("&", "&amp;").replace("\xa0", "&nbsp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;") if quote else text


@dataclass(slots=True)
class _Node:
    """A row of the columns, in their order."""

    kind: int
    tag: int
    parent: int
    end: int
    start: int
    stop: int
    block: int
    chars: int
    place: int
    children: int
    content: int
    path: int


class _Walk:
    """One walk over one document.

    ``nodes``: the rows so far.
    ``pieces``: the serialisation so far.
    ``position``: its length in bytes.
    ``block``: number of the present block of segments.
    ``filled``: whether that block has a segment.
    ``loose``: children of the document so far.
    """

    def __init__(self) -> None:
        self.nodes: list[_Node] = []
        self.pieces: list[bytes] = []
        self.position = 0
        self.block = 0
        self.filled = False
        self.loose = 0

    def count_child(self, parent: int) -> None:
        """Count one more child of an element, or of the document."""
        if parent >= 0:
            self.nodes[parent].children += 1
        else:
            self.loose += 1

    def put(self, markup: str) -> None:
        """Write a piece of the serialisation."""
        piece = markup.encode()
        self.pieces.append(piece)
        self.position += len(piece)

    def node(self, kind: int, parent: int, start: int, tag: int = 0, content: int = 0) -> _Node:
        """Append a row for what was written from ``start`` on."""
        above = self.nodes[parent] if parent >= 0 else None
        node = _Node(
            kind=kind,
            tag=tag,
            parent=parent,
            end=len(self.nodes) + 1,
            start=start,
            stop=self.position,
            block=self.block,
            chars=0,
            place=(above.children if above else self.loose) - 1,
            children=0,
            content=content,
            path=above.path if above else 0,
        )
        self.nodes.append(node)
        return node

    def separate(self) -> None:
        """Begin a new block of segments, unless the present one is still empty."""
        if self.filled:
            self.block += 1
            self.filled = False

    def text(self, data: str, parent: int, flags: int, *, hidden: bool) -> None:
        """Write a text; it becomes a node if something of it shows, or if it is raw and unseen."""
        raw = bool(flags & tags.RAW)
        start = self.position
        first = parent == len(self.nodes) - 1
        if first and data.startswith("\n") and self.nodes[parent].tag in _KEEP_NEWLINE:
            self.put("\n")
        self.put(data if raw else _escape(data))
        if not data or not ((raw and hidden) or data.strip(BLANK)):
            return
        content = data if raw and hidden else collapse(data)
        written = content if raw else _escape(content)
        kind = TEXT if not hidden else CODE if flags & tags.CODE else RAW
        node = self.node(kind, parent, start, 0, xxhash.xxh64_intdigest(written.encode()))
        if not hidden:
            node.chars = len(content)
            self.filled = True
        if parent >= 0:
            self.fold(node, parent)

    def fold(self, node: _Node, parent: int) -> None:
        """Add a node's hash and characters to its parent's."""
        above = self.nodes[parent]
        above.content = _mix(above.content, node.content)
        above.chars += node.chars

    def open(self, element: turbohtml.Element, parent: int) -> tuple[int, int]:
        """Write a start tag; give the element's row and its flags."""
        name, namespace = element.tag, element.namespace
        number = tags.IDS.get(name, 0)
        flags = int(tags.FLAGS[number])
        if namespace is Namespace.HTML:
            if flags & tags.BLOCK:
                self.separate()
        else:
            number |= tags.IN_SVG if namespace is Namespace.SVG else tags.IN_MATH
            flags = tags.UNSEEN if flags & tags.FOREIGN_UNSEEN else 0
        start = self.position
        attributes = "".join(
            f' {key}="{_escape(element.attr(key) or "", quote=True)}"' for key in element.attrs
        )
        markup = f"<{name}{attributes}>"
        self.put(markup)
        node = self.node(ELEMENT, parent, start, number, xxhash.xxh64_intdigest(markup.encode()))
        key = xxhash.xxh64_intdigest(name.encode()) + _NAMESPACES.index(namespace)
        node.path = _mix(node.path, key & _BITS_64)
        return len(self.nodes) - 1, flags

    def close(self, row: int, name: str, flags: int) -> None:
        """Write an end tag and fold the element into its parent."""
        node = self.nodes[row]
        if not flags & tags.VOID:
            self.put(f"</{name}>")
            if flags & tags.BLOCK:
                self.separate()
        node.end, node.stop = len(self.nodes), self.position
        if node.parent >= 0:
            self.fold(node, node.parent)

    def other(self, node: turbohtml.Node, parent: int) -> None:
        """Write a comment, a document type or a processing instruction."""
        start = self.position
        self.put(node.serialize())
        kind = DOCTYPE
        if isinstance(node, turbohtml.Comment):
            kind = COMMENT
        elif isinstance(node, turbohtml.ProcessingInstruction):
            kind = INSTRUCTION
        self.node(kind, parent, start)

    def columns(self) -> Columns:
        """Give all rows as columns."""
        arrays: list[Any] = [
            np.array([getattr(node, name) for node in self.nodes], dtype)
            for name, dtype in zip(_Node.__slots__, Columns.TYPES, strict=True)
        ]
        kind, *_, content, path = arrays
        segments = np.flatnonzero(kind == TEXT).astype(np.int32)
        arrays += [segments, segment_keys(path[segments], content[segments])]
        return Columns(*arrays)


def _children(node: turbohtml.Node) -> Iterator[turbohtml.Node | str]:
    """Give a node's children: neighbouring texts as one string, a template's content as its children."""
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

    ``document``: what :func:`turbohtml.parse` gave.
    Returns: the serialisation (UTF-8), equal to the library's own, and the columns of its nodes.
    """
    out = _Walk()
    # Open elements: their children still to come, row, tag name, flags, and whether their text is unseen.
    stack: list[tuple[Iterator[turbohtml.Node | str], int, str, int, bool]] = [
        (_children(document), -1, "", 0, False)
    ]
    while stack:
        children, row, name, flags, hidden = stack[-1]
        for child in children:
            out.count_child(row)
            if isinstance(child, str):
                out.text(child, row, flags, hidden=hidden)
            elif isinstance(child, turbohtml.Element):
                opened, its_flags = out.open(child, row)
                unseen = hidden or bool(its_flags & tags.UNSEEN)
                stack.append((_children(child), opened, child.tag, its_flags, unseen))
                break
            else:
                out.other(child, row)
        else:
            stack.pop()
            if row >= 0:
                out.close(row, name, flags)
    return b"".join(out.pieces), out.columns()
