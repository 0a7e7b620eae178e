"""Files of HTML that need nothing but themselves: styles, scripts and data inside, and a strict policy."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import turbohtml
from turbohtml.clean import OnDisallowed, Policy, sanitize_node

from detemplate.errors import MissingExtra
from detemplate.page import tags

if TYPE_CHECKING:
    import jinja2

    from detemplate.page.page import Page


ASSETS: Final = Path(__file__).parent / "assets"
"""Templates, style sheets and scripts."""


def check_report() -> None:
    """Check that reports can be written, before a long run starts.

    Raises MissingExtra: jinja is not installed.
    """
    try:
        import jinja2  # noqa: F401
    except ImportError:
        raise MissingExtra("writing a report", "report") from None


def html_file(name: str, data: object = None, **values: object) -> str:
    """Write a file.

    ``name``: name of the template, of its style sheet and of its script, which are in :data:`ASSETS`.
    ``data``: JSON values for the script; None: there is no script.
    ``**values``: values for the template. They are escaped.
    Returns: the HTML. Its policy forbids all requests, and all scripts but the given one.
    Raises MissingExtra: jinja is not installed.
    """
    check_report()
    code = "" if data is None else asset(f"{name}.js")
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    scripts = f"script-src 'sha256-{digest}'; " if code else ""
    policy = (
        f"default-src 'none'; {scripts}style-src 'unsafe-inline'; img-src data:; "
        "font-src data:; base-uri 'none'; form-action 'none'"
    )
    style = "\n".join(map(asset, ("common.css", f"{name}.css")))
    template = _environment().get_template(f"{name}.html")
    return template.render(**values, policy=policy, style=style, script=code, data=script_json(data))


def script_json(data: object) -> str:
    """Write JSON that can stand inside an element ``script``, whatever texts are in it."""
    from jinja2.utils import htmlsafe_json_dumps

    written = htmlsafe_json_dumps(data, ensure_ascii=False, separators=(",", ":"))
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


# Pages as they look, as HTML that loads nothing, runs nothing and leads nowhere, with their segments marked.

_CUT: Final = frozenset(
    """
    applet area audio base bgsound canvas embed frame iframe link meta noembed noframes noscript object
    param plaintext script source template title track video xmp
    """.split()  # noqa: SIM905  # easier to read
)
"""Elements that are left out, with all that is in them."""

_KEPT: Final = frozenset(
    """
    abbr align alt bgcolor border cellpadding cellspacing checked class clear color cols colspan
    datetime dir disabled face headers height hidden high hspace id label lang low max min noshade
    nowrap open optimum placeholder readonly reversed role rows rowspan rules scope selected size span
    start style summary title type valign value vspace width wrap
    """.split()  # noqa: SIM905  # easier to read
)
"""Attributes of HTML that stay, beside ``data-…`` and ``aria-…``."""

_HTML: Final = frozenset(tags.NAMES)
_NAME: Final = re.compile(rb"<[^ \t\n\f\r/>]*")  # the start of a start tag, before its attributes
_UNWRAPPED: Final = tags.numbers("option optgroup select")  # with no elements inside
_CHANGING: Final = ("attributename", "to", "from", "values")  # attributes of animations
_PICTURE: Final = re.compile(r"data:image/(?:png|gif|jpeg|webp|svg\+xml)[;,]", re.IGNORECASE)
_LONGEST_PICTURE: Final = 100_000  # longest URL of a picture that stays, in characters
_PROPERTY: Final = re.compile(rb"(?<![\w-])[\w-]{1,60}+(?=\s*+:)")  # names in style sheets, and others
_OURS: Final = f"dt{secrets.token_hex(8)}-"  # begins our own values until pages are sanitised


def sanitised_html(page: Page, style: str, *, top: int | None = None) -> str:
    """Write a page, or one of its elements, as sanitised HTML.

    ``style``: style sheet that stands before the page's own.
    ``top``: row of the element that is written; None: the page.
    Returns: the HTML. Each segment is in an element ``dt-seg``, whose attribute ``i`` is its number; where
        none can be, the element around it has the numbers of its segments as ``data-dt-seg``.
    """
    document = turbohtml.parse(_marked(page, top), positions=False)
    policy = Policy(
        tags=frozenset({each.tag for each in document.iter_elements()} - _CUT),
        attributes={"*": frozenset("*")},
        attribute_filter=_quiet,
        url_schemes=frozenset({"data"}),
        allow_relative_urls=False,
        allow_fragment_urls=True,
        on_disallowed_tag=OnDisallowed.STRIP,
        remove_with_content=_CUT,
        css_properties=frozenset(name.decode().lower() for name in _PROPERTY.findall(page.canonical)),
        set_attributes={"a": {"data-dt-link": ""}},
    )
    body = sanitize_node(document, policy).html
    return f"<!DOCTYPE html><meta charset=utf-8><style>{style}</style>{body.replace(_OURS, '')}"


def _marked(page: Page, top: int | None) -> str:
    """Write a page, or an element, with its segments marked."""
    start, stop, parent, tag = page.columns.start, page.columns.stop, page.columns.parent, page.columns.tag
    marks: list[tuple[int, str]] = []
    holders: dict[int, list[str]] = {}
    for number in range(len(page.segments)) if top is None else page.segments_in(top):
        row = int(page.segments[number])
        above = int(parent[row])
        if above >= 0 and (tag[above] & tags.FOREIGN or tag[above] & tags.NUMBER in _UNWRAPPED):
            holders.setdefault(above, []).append(str(number))
        else:
            marks += [(int(start[row]), f'<dt-seg i="{_OURS}{number}">'), (int(stop[row]), "</dt-seg>")]
    for row, numbers in holders.items():
        if (name := _NAME.match(page.canonical, int(start[row]))) is not None:
            marks.append((name.end(), f' data-dt-seg="{_OURS}{" ".join(numbers)}"'))
    at, end = (0, len(page.canonical)) if top is None else (int(start[top]), int(stop[top]))
    parts = []
    for place, mark in [*sorted(marks, key=lambda each: each[0]), (end, "")]:
        parts += [page.canonical[at:place].decode("utf-8", "replace"), mark]
        at = place
    return "".join(parts)


def _quiet(tag: str, name: str, value: str) -> str | None:
    """Return the value with which an attribute stays; None if it goes."""
    if value.startswith(_OURS) or name == "data-dt-link":
        return value  # turbohtml asks twice where another attribute goes: the beginning stays till the end
    if name == "src":
        return value if tag == "img" and _PICTURE.match(value) and len(value) <= _LONGEST_PICTURE else None
    if name.startswith("data-dt") or tag == "dt-seg":
        return None
    if name in _KEPT or name.startswith(("data-", "aria-")):
        return value
    free = tag not in _HTML and name.lower() not in _CHANGING
    return value if free and (not name.endswith("href") or value.startswith("#")) else None
