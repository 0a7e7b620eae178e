r"""Formulas between delimiters in the text of a page: ``\(…\)``, ``\[…\]`` and ``$$…$$``, as MathJax finds them.

Plain text has them as they stand. In Markdown their signs would be escaped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from turbohtml import Element, Text

from detemplate.output.formulas import RAW_TEXT, raw

if TYPE_CHECKING:
    import turbohtml

_ESCAPED: Final = ("\\\\(", "\\\\[", "$$")
"""What Markdown has of delimiters if they were taken for text."""

_FORMULA: Final = re.compile(
    r"\\\((?P<inline>(?:(?!\\\(|\\\)).){1,2000})\\\)"
    r"|\\\[(?P<display>(?:(?!\\\[|\\\]).){1,4000})\\\]"
    r"|\$\$(?P<dollars>[^$]{1,4000})\$\$",
    re.DOTALL,
)
"""A formula with its delimiters."""

_PATTERN: Final = re.compile(r"\.[*+]|\[\^|\\[dwsDWSb](?![A-Za-z])")
"""What a regular expression has, whose brackets may be escaped, too."""

_TEX: Final = re.compile(r"\\[A-Za-z]|[\^_=]")
"""What a formula between ``$$`` has."""

_CODE: Final = frozenset(("code", "kbd", "pre", "samp", "tt", "script", "style", "textarea", RAW_TEXT))
"""Elements whose text has no formulas."""


def may_be_delimited(markdown: str) -> bool:
    """Tell whether Markdown may have formulas that were taken for text."""
    return any(sign in markdown for sign in _ESCAPED)


def write_delimited(document: turbohtml.Document) -> bool:
    """Replace the formulas between delimiters in the texts of a DOM: Markdown has them between dollar signs.

    Parameters
    ----------
    document
        The DOM.

    Returns
    -------
    bool
        Whether there was any.
    """
    texts = [
        node
        for node in document.descendants
        if isinstance(node, Text) and ("\\" in node.data or "$$" in node.data) and _FORMULA.search(node.data)
    ]
    changed = False
    for text in texts:
        if any(isinstance(above, Element) and above.tag in _CODE for above in text.ancestors):
            continue
        parts: list[turbohtml.Node] = []
        done = 0
        for found in _FORMULA.finditer(text.data):
            latex = " ".join((found["inline"] or found["display"] or found["dollars"]).split())
            is_formula = _TEX.search(latex) if found["dollars"] else not _PATTERN.search(latex)
            if not latex or "$" in latex or not is_formula:
                continue
            sign = "$" if found["inline"] else "$$"
            parts += [Text(text.data[done : found.start()]), raw(f"{sign}{latex}{sign}")]
            done = found.end()
        if parts:
            for part in [*parts, Text(text.data[done:])]:
                text.insert_before(part)
            text.decompose()
            changed = True
    return changed
