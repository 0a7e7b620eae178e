"""Files of HTML that need nothing but themselves: styles, scripts and data inside, and a strict policy."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra
from detemplate.page import tags
from detemplate.page.columns import CODE, ELEMENT, RAW, TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import jinja2

    from detemplate.page.page import Page


ASSETS: Final = Path(__file__).parent / "assets"
"""Templates, style sheets and scripts."""

_ESCAPES: Final = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""What JSON inside HTML writes in another way: nothing in it ends the element around it."""


def check_report() -> None:
    """Check that reports can be written, before a long run starts.

    Raises MissingExtra: jinja is not installed.
    """
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingExtra("writing a report", "report") from None


def html_file(
    template: str, styles: Sequence[str], script: str | None, data: object, **values: object
) -> str:
    """Write a file.

    ``template``, ``styles``, ``script``: names of files in :data:`ASSETS`; None: there is no script.
    ``data``: JSON values for the script.
    ``**values``: values for the template. They are escaped.
    Returns: the HTML. Its policy forbids all requests, and all scripts but the given one.
    Raises MissingExtra: jinja is not installed.
    """
    check_report()
    code = "" if script is None else asset(script)
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    scripts = "" if script is None else f"script-src 'sha256-{digest}'; "
    policy = (
        f"default-src 'none'; {scripts}style-src 'unsafe-inline'; img-src data:; "
        "font-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        _environment()
        .get_template(template)
        .render(
            **values,
            policy=policy,
            style="\n".join(map(asset, styles)),
            script=code,
            data=script_json(data),
        )
    )


def script_json(data: object) -> str:
    """Write JSON that can stand inside an element ``script``, whatever texts are in it."""
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character, escaped in _ESCAPES.items():
        written = written.replace(character, escaped)
    # Half of a surrogate pair is no character, and cannot be written.
    return written.encode("utf-8", "replace").decode()


@lru_cache(maxsize=16)
def asset(name: str) -> str:
    """Read a file of :data:`ASSETS`."""
    return (ASSETS / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    import jinja2

    made: Any = jinja2.Environment(
        loader=jinja2.FileSystemLoader(ASSETS),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["count"] = lambda number: f"{number:,}"
    made.filters["percent"] = lambda share: f"{share:.0%}"
    return made  # type: ignore[no-any-return]


SEGMENT: Final = "dt-seg"
"""Name of the element around each segment; its attribute ``i`` is the segment's number."""

HOLDER: Final = "data-dt-seg"
"""Attribute of an element whose text cannot be wrapped: numbers of its segments, separated by spaces."""

_CUT: Final = tags.numbers(
    "applet area audio base bgsound canvas embed frame iframe link meta noembed noframes noscript object "
    "param script source template title track video"
)
"""Numbers of the tags whose elements are left out, with all that is in them."""

_PLAIN: Final = tags.numbers("listing plaintext xmp")
"""Numbers of the tags whose elements are written as ``pre``: their text follows rules of its own."""

_UNWRAPPED: Final = tags.numbers("option optgroup select")
"""Numbers of the tags in which parsers ignore other elements."""

_KEPT: Final = frozenset(
    """
    abbr align alt bgcolor border cellpadding cellspacing checked class clear color cols colspan
    datetime dir disabled face headers height hidden high hspace id label lang low max min noshade
    nowrap open optimum placeholder readonly reversed role rows rowspan rules scope selected size span
    start style summary title type valign value vspace width wrap
    """.split()  # noqa: SIM905  # easier to read
)
"""Names of attributes of HTML that stay, beside ``data-…`` and ``aria-…``."""

_START: Final = re.compile(rb'<([^\s/>]+)((?:[ \t\n\f\r]+=?[^ \t\n\f\r=/>]*="[^"]*")*+)[ \t\n\f\r]*/?>')
"""A canonical start tag: its name and its attributes."""

_ATTRIBUTE: Final = re.compile(rb'[ \t\n\f\r]+(=?[^ \t\n\f\r=/>]*)="([^"]*)"')
"""An attribute as the canonical serialisation writes it: name, value."""

_NAME: Final = re.compile(r"[a-z][a-z0-9:_-]*", re.IGNORECASE)  # names of attributes that are written

_PICTURE: Final = re.compile(r"data:image/(?:png|gif|jpeg|webp|svg\+xml)[;,]", re.IGNORECASE)
"""Start of a URL that holds a picture."""

_LONGEST_PICTURE: Final = 100_000  # longest URL of a picture that stays, in characters
_IMPORT: Final = re.compile(r"@import[^;]*;?", re.IGNORECASE)  # a rule that fetches another style sheet

_FETCH: Final = re.compile(
    r"(?:url\(\s*+[\"']?+(?!data:image/)[^)]*\)?|image-set\([^)]*\)?|src\([^)]*\)?)", re.IGNORECASE
)
"""What fetches something in a style sheet."""

_ESCAPED: Final = re.compile(r"\\0{0,4}([46][1-9a-f]|[57][0-9a])[ \t\n\f\r]?", re.IGNORECASE)
"""Letters, mostly, that are written as escapes."""

_STYLE: Final = tags.IDS["style"]  # number of the tag ``style``


def sanitised_html(page: Page, style: str, *, rows: range | None = None) -> str:
    """Write a page, or some of its nodes, as sanitised HTML.

    ``style``: style sheet that stands before the page's own.
    ``rows``: rows of ``page.columns`` that are written; None: all. They are whole subtrees.
    Returns: the HTML. Each segment is in an element :data:`SEGMENT`, or marked by :data:`HOLDER`.
    """
    writer = _Writer(page)
    columns = page.columns
    first = 0 if rows is None else int(columns.start[rows.start])
    last = len(page.canonical) if rows is None else int(columns.stop[rows.stop - 1])
    if rows is not None:
        last = max(int(columns.stop[row]) for row in _tops(page, rows))
    body = writer.written(rows or range(len(columns)), first, last)
    return f"<!DOCTYPE html><meta charset=utf-8><style>{style}</style>{body}"


def _tops(page: Page, rows: range) -> list[int]:
    """Return the rows of a range that no other row of the range holds."""
    tops, row = [], rows.start
    while row < rows.stop:
        tops.append(row)
        row = int(page.columns.end[row])
    return tops


class _Writer:
    """Writes parts of one page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._numbers = {row: number for number, row in enumerate(page.segments.tolist())}

    def written(self, rows: range, first: int, last: int) -> str:
        """Write the bytes from ``first`` to ``last``, whose nodes are ``rows``."""
        page, columns = self._page, self._page.columns
        kind, tag, end = columns.kind.data, columns.tag.data, columns.end.data
        start, stop = columns.start.data, columns.stop.data
        pieces: list[str] = []
        at, row = first, rows.start
        while row < rows.stop:
            pieces.append(page.canonical[at : start[row]].decode("utf-8", "replace"))
            if kind[row] == ELEMENT:
                number = tag[row] & tags.NUMBER
                match = _START.match(page.canonical, start[row])
                if match is None or number in _CUT:
                    at, row = stop[row], end[row]
                    continue
                if number in _PLAIN:
                    pieces.append(self._plain(row))
                    at, row = stop[row], end[row]
                    continue
                pieces.append(self._start_tag(row, match))
                at, row = match.end(), row + 1
                continue
            if kind[row] == TEXT:
                pieces.append(self._text(row))
            elif kind[row] in (CODE, RAW):
                pieces.append(self._unseen(row))
            # Comments go, and so does the document type: there is one already.
            at, row = stop[row], end[row]
        pieces.append(page.canonical[at:last].decode("utf-8", "replace"))
        return "".join(pieces)

    def _wraps(self, row: int) -> bool:
        """Tell whether a text of an element can stand in an element of its own."""
        tag = int(self._page.columns.tag[row]) if row >= 0 else 0
        return not tag & tags.FOREIGN and tag & tags.NUMBER not in _UNWRAPPED

    def _text(self, row: int) -> str:
        page = self._page
        written = page.canonical[page.columns.start[row] : page.columns.stop[row]].decode("utf-8", "replace")
        number = self._numbers.get(row)
        if number is None or not self._wraps(int(page.columns.parent[row])):
            return written
        return f'<{SEGMENT} i="{number}">{written}</{SEGMENT}>'

    def _unseen(self, row: int) -> str:
        page, parent = self._page, int(self._page.columns.parent[row])
        written = page.canonical[page.columns.start[row] : page.columns.stop[row]].decode("utf-8", "replace")
        tag = int(page.columns.tag[parent]) if parent >= 0 else 0
        if tag & tags.NUMBER != _STYLE:
            return written
        return escape(quiet_style(unescape(written))) if tag & tags.FOREIGN else quiet_style(written)

    def _plain(self, row: int) -> str:
        inside = range(row + 1, int(self._page.columns.end[row]))
        parts = [
            f'<{SEGMENT} i="{self._numbers[each]}">{escape(self._page.text_of(each))}</{SEGMENT}>'
            for each in inside
            if each in self._numbers
        ]
        return f"<pre>{''.join(parts)}</pre>"

    def _start_tag(self, row: int, match: re.Match[bytes]) -> str:
        columns = self._page.columns
        foreign = bool(columns.tag[row] & tags.FOREIGN)
        name = match[1].decode("utf-8", "replace")
        kept = []
        for attribute in _ATTRIBUTE.finditer(match[2]):
            key = attribute[1].decode("utf-8", "replace").lower() if not foreign else attribute[1].decode()
            value = unescape(attribute[2].decode("utf-8", "replace"))
            quiet = _quiet(name.lower(), key, value, foreign=foreign)
            if quiet is not None:
                kept.append(f' {key}="{escape(quiet)}"')
        if name.lower() == "a":
            kept.append(" data-dt-link")
        if not self._wraps(row):
            own = [
                self._numbers[each]
                for each in range(row + 1, int(columns.end[row]))
                if each in self._numbers and columns.parent[each] == row
            ]
            if own:
                kept.append(f' {HOLDER}="{" ".join(map(str, own))}"')
        return f"<{name}{''.join(kept)}>"


def _quiet(tag: str, name: str, value: str, *, foreign: bool) -> str | None:
    """Return the value with which an attribute stays; None if it goes."""
    lower = name.lower()
    if not _NAME.fullmatch(name) or lower.startswith(("on", "data-dt")):
        return None
    if lower == "style":
        return quiet_style(value)
    if tag == "img" and lower == "src":
        return value if _PICTURE.match(value) and len(value) <= _LONGEST_PICTURE else None
    if foreign:
        local = lower.endswith("href") and value.startswith("#")
        free = not lower.endswith("href") and lower not in {"src", "attributename", "to", "from", "values"}
        return quiet_style(value) if local or free else None
    if lower in _KEPT or lower.startswith(("data-", "aria-")):
        return value
    return None


def quiet_style(style: str) -> str:
    """Leave out of a style sheet what fetches something; what the policy would stop is not tried either."""
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), style)
    return _FETCH.sub("none", _IMPORT.sub("", plain)).replace("</", "<\\/")
