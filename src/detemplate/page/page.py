"""A page: parsed once, kept as its canonical serialisation and columns."""

from __future__ import annotations

import re
from functools import cached_property
from html import unescape
from typing import TYPE_CHECKING, Final

import numpy as np
import turbohtml

from detemplate.errors import PageError
from detemplate.page import tags
from detemplate.page.address import host
from detemplate.page.columns import RAW
from detemplate.page.scan import read_columns

if TYPE_CHECKING:
    import numpy.typing as npt

_TITLE: Final = tags.IDS["title"]
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
_SPACES: Final = re.compile(r"[ \t\n\r\f]+")
_NOSCRIPT: Final = tags.IDS["noscript"]
_UNSCRIPTED: Final = 2
_NOTICE: Final = 200
_NOSCRIPT_TAG: Final = r"(?i)(</?)noscript(?=[\s/>])"


class Page:
    """One web page, parsed once.

    Parameters
    ----------
    url
        Where the page is from. Any string; it names the site and the directory.
    html
        The markup, as text or as bytes.
    site
        The site's name; by default the host of ``url``.
    charset
        The encoding that the transport declared (an HTTP header); only for bytes. Without it, or
        where it names none, the page's own declaration and then its bytes decide.
    keep_document
        Keep the parser's DOM until the page is first rendered, which is then done without parsing
        it again. For pages that are cleaned at once; the columns are the same either way.

    Attributes
    ----------
    url, site : str
        As given.
    canonical : bytes
        The parser's serialisation of the page, UTF-8. All byte positions refer to it.
    columns : Columns
        The page's nodes, in document order.
    source : str or bytes
        The markup as given, for rendering what the library alone gives for this page. Where a page has
        more than twice as much inside ``noscript`` as it shows, and more than a notice, its scripts fetch
        what it says, and the ``noscript`` elements say it to everybody else (some forums' software writes
        such pages): they are read as ``div`` elements, here too.

    Raises
    ------
    PageError
        ``empty`` (nothing but white space), ``binary`` (no markup at all), ``too large`` (2 GiB) or
        ``unparsable``.
    """

    def __init__(
        self,
        url: str,
        html: str | bytes,
        *,
        site: str | None = None,
        charset: str | None = None,
        keep_document: bool = False,
    ) -> None:
        if not isinstance(html, str | bytes):
            raise TypeError(f"html must be str or bytes, not {type(html).__name__}")
        self.url = url
        self.charset = charset
        self.source: str | bytes = _checked(html, charset)
        self.site = host(url) if site is None else site
        document = self.parse_source()
        try:
            self.canonical, self.columns = read_columns(document)
        except UnicodeEncodeError:
            # Half of a surrogate pair is no character; only text that some program made holds one.
            self.source = str(self.source).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            document = self.parse_source()
            self.canonical, self.columns = read_columns(document)
        if self._unscripted():
            self.source = re.sub(_NOSCRIPT_TAG, r"\1div", self.canonical.decode())
            document = self.parse_source()
            self.canonical, self.columns = read_columns(document)
        self.document: turbohtml.Document | None = document if keep_document else None

    def __repr__(self) -> str:
        return f"Page({self.url!r}, {len(self.canonical)} bytes, {len(self.segments)} segments)"

    def parse_source(self) -> turbohtml.Document:
        """Parse the page as it came, the way its columns were made."""
        if isinstance(self.source, str):
            return turbohtml.parse(self.source, positions=False)
        try:
            return turbohtml.parse(self.source, encoding=self.charset, detect_encoding=True, positions=False)
        except (LookupError, UnicodeEncodeError):  # the header names no encoding
            return turbohtml.parse(self.source, detect_encoding=True, positions=False)

    def _unscripted(self) -> bool:
        """Tell whether most of what the page says is for browsers without scripts."""
        columns = self.columns
        elements = columns.tag == _NOSCRIPT  # of what is no element, it is 0
        rows = elements.nonzero()[0]
        held = int((columns.stop[rows] - columns.start[rows]).sum())
        if held <= _NOTICE:
            return False
        enough = max(_NOTICE, _UNSCRIPTED * int(columns.chars[columns.segments].sum()))
        if held <= enough:
            return False
        reach = np.maximum.accumulate(np.where(elements, columns.end, 0))
        texts = (columns.kind == RAW) & (np.arange(len(columns)) < reach)
        return int(np.sum(columns.stop[texts] - columns.start[texts])) > enough

    @property
    def segments(self) -> npt.NDArray[np.int32]:
        """Rows of the visible text nodes, in document order."""
        return self.columns.segments

    @property
    def segment_keys(self) -> npt.NDArray[np.uint64]:
        """One 64-bit identity a segment: its DOM path of tags and its text, white space collapsed.

        Wang et al. 2008, section 2: equal only when literally equal and at the same DOM path.
        """
        return self.columns.keys

    @cached_property
    def segment_chars(self) -> npt.NDArray[np.int32]:
        """Characters of each segment, white space collapsed."""
        return self.columns.chars[self.segments]

    @cached_property
    def blocks(self) -> npt.NDArray[np.int32]:
        """Number of the block that each segment belongs to: 0, 1, … without gaps."""
        return self.columns.block[self.segments]

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines of the canonical serialisation, without their line breaks."""
        return self.canonical.split(b"\n")

    def segment_text(self, index: int) -> str:
        """Text of the segment with this number, white space collapsed."""
        row = self.segments[index]
        return self.text_of(int(row))

    def text_of(self, row: int) -> str:
        """Text of a text node, white space collapsed."""
        columns = self.columns
        written = self.canonical[columns.start[row] : columns.stop[row]].decode()
        parent = columns.parent[row]
        tag = columns.tag[parent] if parent >= 0 else 0
        if not (tag < len(tags.NAMES) and tags.FLAGS[tag] & tags.RAW):
            written = unescape(written)
        return _SPACES.sub(" ", written).strip(" ")

    @property
    def title_row(self) -> int:
        """Row of the page's first ``title`` element; -1 if it has none."""
        rows = np.flatnonzero(self.columns.tag == _TITLE)  # of what is no element, it is 0
        return int(rows[0]) if len(rows) else -1

    @cached_property
    def title(self) -> str:
        """Text of the page's ``title`` element; empty if it has none."""
        columns, row = self.columns, self.title_row
        if row < 0:
            return ""
        return " ".join(
            self.text_of(inner) for inner in range(row + 1, columns.end[row]) if columns.kind[inner] == RAW
        )


def _checked(html: str | bytes, charset: str | None) -> str | bytes:
    """Refuse what is no markup at all.

    Raises
    ------
    PageError
        ``empty`` or ``binary``.
    """
    if not html or html.isspace():
        raise PageError("empty", "no markup")
    if isinstance(html, bytes):
        if html.startswith(_BINARY):
            raise PageError("binary", f"begins with {html[:5]!r}")
        # Text in one-byte and multi-byte encodings holds no NUL; UTF-16 and UTF-32 declare themselves.
        head = html[:4096]
        if head.count(0) > len(head) // 20 and not (
            html.startswith((b"\xff\xfe", b"\xfe\xff")) or (charset or "").lower().startswith("utf-16")
        ):
            raise PageError("binary", f"{head.count(0)} NUL bytes among the first {len(head)}")
    return html
