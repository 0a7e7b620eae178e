r"""Formulas between delimiters in texts, as MathJax finds them: ``\(…\)``, ``\[…\]``, ``$$…$$`` and ``$…$``.

Plain text has them as they stand. In Markdown their signs would be escaped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from turbohtml import Element, Text

from detemplate.output.formulas import RAW_TEXT, raw

if TYPE_CHECKING:
    from collections.abc import Iterator

    import turbohtml

# What Markdown has of brackets around formulas if they were taken for text.
_ESCAPED: Final = ("\\\\(", "\\\\[")

# What Markdown with ``$`` has of formulas if they were taken for text, beside two backslashes.
_TEX_SIGNS: Final = ("$$", "^", "_{")

# A formula with its delimiters.
_FORMULA: Final = re.compile(
    r"\\\((?P<inline>(?:(?!\\\(|\\\)).){1,2000})\\\)"
    r"|\\\[(?P<display>(?:(?!\\\[|\\\]).){1,4000})\\\]"
    r"|\$\$(?P<dollars>[^$]{1,4000})\$\$"
    r"|(?<![\\$\w])\$(?P<dollar>(?!\s)[^$]{1,300}(?<!\s))\$(?![\d$])",
    re.DOTALL,
)

# What a regular expression has, whose brackets may be escaped, too.
_PATTERN: Final = re.compile(
    r"\.[*+]|\[\^|\[\w-\w|\\[.\"/?*+()-]|\\[dwsDWSb](?![A-Za-z])",
)

_TEX: Final = re.compile(r"\\[A-Za-z]|[\^_=]")  # what a formula between ``$$`` or brackets has

# What a formula between ``$`` has, and no two prices or variables of a program have between them.
_SURE_TEX: Final = re.compile(r"\\[A-Za-z]{2}|\^|_\{")

CODE: Final = frozenset(("code", "kbd", "pre", "samp", "tt", "script", "style", "textarea", RAW_TEXT))
"""Elements whose text has no formulas."""


def may_be_delimited(markdown: str) -> bool:
    """Tell whether Markdown may have formulas that were taken for text."""
    if "$" in markdown:
        return "\\\\" in markdown or any(sign in markdown for sign in _TEX_SIGNS)
    return any(sign in markdown for sign in _ESCAPED)


def _formulas(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the formulas of a text begin and end, and what Markdown has for them."""
    for found in _FORMULA.finditer(text):
        latex = " ".join(found[found.lastgroup or 0].split())
        if latex and "$" not in latex and _is_formula(latex, found.lastgroup):
            sign = "$" if found.lastgroup in ("inline", "dollar") else "$$"
            yield found.start(), found.end(), f"{sign}{latex}{sign}"


def write_delimited(document: turbohtml.Document) -> bool:
    """Replace the formulas between delimiters in the texts of a DOM: Markdown has them between dollar signs.

    Returns: whether there was any.
    """
    if not any(("\\" in text or "$" in text) and _FORMULA.search(text) for text in document.strings):
        return False
    texts = [
        node
        for node in document.descendants
        if isinstance(node, Text) and ("\\" in node.data or "$" in node.data) and _FORMULA.search(node.data)
    ]
    changed = False
    for text in texts:
        if any(isinstance(above, Element) and above.tag in CODE for above in text.ancestors):
            continue
        parts: list[turbohtml.Node] = []
        done = 0
        for begin, end, written in _formulas(text.data):
            parts += [Text(text.data[done:begin]), raw(written)]
            done = end
        if parts:
            for part in [*parts, Text(text.data[done:])]:
                text.insert_before(part)
            text.decompose()
            changed = True
    return changed


def _is_formula(latex: str, group: str | None) -> bool:
    """Tell whether what is between delimiters is a formula."""
    if _PATTERN.search(latex):
        return False
    needed = {"dollar": _SURE_TEX, "dollars": _TEX, "display": _TEX}.get(group or "")
    return needed is None or needed.search(latex) is not None
