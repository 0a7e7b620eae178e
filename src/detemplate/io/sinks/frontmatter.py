"""Front matter: the metadata of a page as YAML at the head of its Markdown file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from detemplate.files.jsonvalues import to_json, without_surrogates
from detemplate.io.sinks.base import METADATA

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON may hold as they are and YAML may not."""


def page_file(row: Mapping[str, object], format: str) -> bytes:  # noqa: A002
    """Give the content of a file with the text of one page, in UTF-8; Markdown begins with front matter."""
    head = front_matter(row) if format == "markdown" else ""
    return without_surrogates(head + str(row[format])).encode("utf-8")


def front_matter(row: Mapping[str, object]) -> str:
    """Write the metadata of a row as front matter.

    Each value is a JSON string, which YAML reads as a double-quoted scalar, whatever it holds.

    Parameters
    ----------
    row
        A result. Without metadata there is no front matter.

    Returns
    -------
    str
        Lines between two lines ``---``, and a blank line; ``""`` without metadata. Keys without a value are
        left out.
    """
    if not all(key in row for key in METADATA):
        return ""
    told = {"title": row.get("title"), "url": row["url"], **{key: row.get(key) for key in METADATA[1:]}}
    lines = [f"{key}: {_quoted(str(value))}\n" for key, value in told.items() if value]
    return f"---\n{''.join(lines)}---\n\n"


def _quoted(text: str) -> str:
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", to_json(without_surrogates(text)))
