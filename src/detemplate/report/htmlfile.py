"""Files of HTML that need nothing but themselves: styles, scripts and data inside, and a strict policy."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from detemplate.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Sequence

    import jinja2

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
