"""A page: parsed once, kept as its canonical serialisation and columns."""

from __future__ import annotations

from functools import cached_property
from html import unescape
from typing import TYPE_CHECKING, Final

import numpy as np
import turbohtml

from detemplate.errors import PageError
from detemplate.page import tags
from detemplate.page.address import host, shortened, site_name
from detemplate.page.columns import RAW
from detemplate.page.encoding import is_misdeclared
from detemplate.page.jsonld import Document, documents
from detemplate.page.reread import RULES, says_xhtml, self_closed
from detemplate.page.scan import read_columns, readable
from detemplate.page.title import title_candidates
from detemplate.page.whitespace import collapse

if TYPE_CHECKING:
    import re

    import numpy.typing as npt

    from detemplate.page.columns import Landmarks

# First bytes of formats that are no markup: PDF, PNG, GIF, JPEG, ZIP, gzip, WebAssembly, ELF.
_BINARY: Final = (
    b"%PDF-",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\x00asm",
    b"\x7fELF",
)

_HEAD_BYTES: Final = 4096  # first bytes of a page in which NULs are counted
_NUL_SHARE: Final = 20  # data with more than one NUL in so many bytes is binary
_TITLE: Final = tags.IDS["title"]
_XMP: Final = tags.IDS["xmp"]

# What an unpickled page lacks until it is parsed.
_OF_NODES: Final = frozenset(("canonical", "columns", "landmarks", "document"))

# glibc gives free memory at the end of the heap back to the system, and each DOM would take it anew: up to a
# quarter of the time of method ``segments``. It keeps twice the size of the largest block that was ever freed
# (``mallopt(3)``, ``M_MMAP_THRESHOLD``), so one of 8 MiB is freed here, untouched.
np.empty(1 << 23, np.uint8)


class Page:
    """One web page, parsed once.

    Parameters
    ----------
    url
        Where the page is from. Any string; it names the site and the directory.
    html
        The markup, text or bytes.
    site
        The site's name; by default the host of ``url``. The end of one of over 1,000 characters is hashed.
    charset
        The encoding that an HTTP header declares; only for bytes. Without it, or if it names no encoding,
        the page's own declaration decides, then its bytes. Bytes that are valid UTF-8, and not ASCII, are
        UTF-8 whatever encoding of one byte a character is declared.
    media_type
        The media type that an HTTP header declares, if any: ``"application/xhtml+xml"`` makes a difference
        for pages that are XHTML (:func:`detemplate.page.reread.says_xhtml`).
    keep_document
        Keep the parser's DOM, so that the first rendering need not parse again. For pages that are
        cleaned at once; the columns are the same either way.

    Attributes
    ----------
    url, site : str
        As given.
    canonical : bytes
        The parser's serialisation of the page, in UTF-8. All byte positions refer to it.
    columns : Columns
        The page's nodes, in document order.
    landmarks : dict
        Rows of the elements that rules look for, by the numbers of their tags
        (:meth:`detemplate.page.columns.Columns.landmarks`).
    source : str or bytes
        The markup, as given. One exception: pages whose text stands where browsers show none, in
        ``noscript``, in an ``object`` without end or behind ``<iframe/>``, are read again with it shown, and
        so are XHTML pages whose text stands behind ``<script/>``
        (:mod:`detemplate.page.reread`), and pages whose serialisation cannot be read back
        (:func:`detemplate.page.scan.readable`). Here and in ``canonical`` is then what was read last.
    document : turbohtml.Document or None
        The parser's DOM, if it is kept.
    recoded : bool
        Whether the page was read as UTF-8 although another encoding is declared.

    Raises
    ------
    PageError
        ``empty`` (only white space), ``binary`` (no markup), ``too large`` (2 GiB) or ``unparsable``; with
        the URL.
    TypeError
        ``html`` is neither str nor bytes.

    Notes
    -----
    A pickled page is its markup. An unpickled page is parsed when it is first asked for its nodes.
    """

    def __init__(
        self,
        url: str,
        html: str | bytes,
        *,
        site: str | None = None,
        charset: str | None = None,
        media_type: str | None = None,
        keep_document: bool = False,
    ) -> None:
        if not isinstance(html, str | bytes):
            raise TypeError(f"html must be str or bytes, not {type(html).__name__}")
        self.url = url
        self.charset = charset
        self.recoded = False
        self.site = site_name(host(url) if site is None else site)
        try:
            self.source: str | bytes = _checked(html, charset)
            document = self._read(media_type)
        except PageError as error:
            raise PageError(error.reason, error.detail, url) from None
        self.document: turbohtml.Document | None = document if keep_document else None

    def _read(self, media_type: str | None) -> turbohtml.Document:
        """Parse the markup, again by the rules for pages whose text stands where browsers show none."""
        try:
            document = self._scan()
        except UnicodeEncodeError:
            # Text with half of a surrogate pair, which is no character.
            self.source = str(self.source).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            document = self._scan()
        for rule in (self_closed, *RULES) if says_xhtml(self.canonical, media_type) else RULES:
            again = rule(self.canonical, self.columns, self.landmarks)
            if again is not None:
                self.source = again
                document = self._scan()
        return document

    def _scan(self) -> turbohtml.Document:
        """Parse the markup and describe its nodes."""
        document = self.parse_source()
        self.canonical, columns = read_columns(document, len(self.source))
        marks: Landmarks = {} if columns is None else columns.landmarks()
        if columns is None or _XMP in marks:
            self.source = readable(document)
            document = self.parse_source()
            self.canonical, columns = read_columns(document)
            if columns is None:
                raise PageError("unparsable", "the serialisation does not describe the document")
            marks = columns.landmarks()
        self.columns, self.landmarks = columns, marks
        return document

    def __repr__(self) -> str:
        return f"Page({shortened(self.url)}, {len(self.canonical)} bytes, {len(self.segments)} segments)"

    def __getstate__(self) -> dict[str, object]:
        names = ("url", "charset", "site", "source", "recoded")
        return {name: self.__dict__[name] for name in names} | {"_keep": self.document is not None}

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            # Only an unpickled page lacks these. Its markup is what was read last: no rule applies again.
            if name not in _OF_NODES or "source" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            document = self._scan()
            self.document = document if self._keep else None
            return self.__dict__[name]

    def parse_source(self) -> turbohtml.Document:
        """Parse ``source`` in the way in which the columns were made."""
        if isinstance(self.source, str):
            return _parse(self.source)
        try:
            document = _parse(self.source, encoding=self.charset, detect_encoding=True)
        except (LookupError, UnicodeEncodeError):  # charset names no encoding
            document = _parse(self.source, detect_encoding=True)
        if is_misdeclared(self.source, document.encoding or ""):
            self.charset, self.recoded = "utf-8", True
            document = _parse(self.source, encoding="utf-8")
        return document

    @property
    def segments(self) -> npt.NDArray[np.int32]:
        """Rows of the visible text nodes, in document order."""
        return self.columns.segments

    def segments_in(self, row: int) -> range:
        """Give the numbers of the segments in the subtree of a row of ``columns``."""
        return self.columns.segments_in(row)

    @property
    def segment_keys(self) -> npt.NDArray[np.uint64]:
        """A 64-bit identity of each segment: its path of tags and its text, white space collapsed.

        Wang et al. 2008, section 2: segments are equal if their texts and their DOM paths are.
        """
        return self.columns.keys

    @cached_property
    def segment_chars(self) -> npt.NDArray[np.int32]:
        """Characters of each segment, white space collapsed. int32."""
        return self.columns.chars[self.segments]

    @cached_property
    def blocks(self) -> npt.NDArray[np.int32]:
        """Number of each segment's block: 0, 1, … without gaps. int32."""
        return self.columns.block[self.segments]

    @cached_property
    def linked(self) -> list[Document]:
        """The page's JSON-LD documents."""
        return documents(self.canonical, self.columns, self.landmarks)

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines of the canonical serialisation, without their line breaks."""
        return self.canonical.split(b"\n")

    def written(self, rows: npt.NDArray[np.integer]) -> list[bytes]:
        """Return these nodes as they stand in the canonical serialisation: of a text, its bytes."""
        columns = self.columns
        bounds = zip(columns.start[rows].tolist(), columns.stop[rows].tolist(), strict=True)
        return [self.canonical[start:stop] for start, stop in bounds]

    def rows_with(self, pattern: re.Pattern[bytes]) -> npt.NDArray[np.intp]:
        """Return the row in which each match of a pattern in the canonical serialisation begins."""
        places = [match.start() for match in pattern.finditer(self.canonical)]
        return self.columns.start.searchsorted(np.array(places, np.int32), "right") - 1

    def segment_text(self, index: int) -> str:
        """Text of the segment with this number, white space collapsed."""
        return self.text_of(int(self.segments[index]))

    def text_of(self, row: int) -> str:
        """Text of the text node in this row, white space collapsed."""
        columns = self.columns
        written = self.canonical[columns.start[row] : columns.stop[row]].decode()
        if "&" in written:
            parent = columns.parent[row]
            tag = columns.tag[parent] if parent >= 0 else 0
            if not (tag < len(tags.NAMES) and tags.FLAGS[tag] & tags.RAW):
                written = unescape(written)
        return collapse(written)

    @property
    def title_row(self) -> int:
        """Row of the page's first ``title`` element; -1 if it has none."""
        titles = self.landmarks.get(_TITLE)
        return titles[0] if titles else -1

    @cached_property
    def titles(self) -> list[list[int]]:
        """Segments that show a part of the page's title, the longest part first (``page/title.py``)."""
        return title_candidates(self.url, self.canonical, self.columns, self.landmarks)

    @property
    def title_segments(self) -> list[int]:
        """Numbers of the segments that show the page's title, ascending; empty if none does."""
        return self.titles[0] if self.titles else []

    @cached_property
    def title(self) -> str:
        """Text of the page's ``title`` element; empty if it has none."""
        columns, row = self.columns, self.title_row
        if row < 0:
            return ""
        return " ".join(
            self.text_of(inner) for inner in range(row + 1, columns.end[row]) if columns.kind[inner] == RAW
        )


def _parse(
    html: str | bytes, encoding: str | None = None, *, detect_encoding: bool = False
) -> turbohtml.Document:
    """Parse markup; shadow roots stay elements, for the serialisation would lack them."""
    return turbohtml.parse(
        html,
        encoding=encoding,
        detect_encoding=detect_encoding,
        positions=False,
        allow_declarative_shadow_roots=False,
    )


def _checked(html: str | bytes, charset: str | None) -> str | bytes:
    """Refuse data that is no markup; give it back otherwise."""
    if not html or html.isspace():
        raise PageError("empty", "no markup")
    if isinstance(html, bytes):
        if html.startswith(_BINARY):
            raise PageError("binary", f"begins with {html[:5]!r}")
        # UTF-16 and UTF-32 have NULs, and declare themselves. Other encodings have none.
        head = html[:_HEAD_BYTES]
        if head.count(0) > len(head) // _NUL_SHARE and not (
            html.startswith((b"\xff\xfe", b"\xfe\xff")) or (charset or "").lower().startswith("utf-16")
        ):
            raise PageError("binary", f"{head.count(0)} NUL bytes among the first {len(head)}")
    return html
