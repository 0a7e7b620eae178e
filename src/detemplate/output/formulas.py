"""Formulas as LaTeX, and raised and lowered characters.

turbohtml writes all copies of a formula (its MathML, the LaTeX it is from, its glyphs), and joins raised and
lowered characters with those before them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from turbohtml import Element, Text

from detemplate.output.mathml import mathml_latex
from detemplate.output.roles import FORMULA, MATH

if TYPE_CHECKING:
    from collections.abc import Callable

    import turbohtml

    MakeNode = Callable[[str], turbohtml.Node]

RAW_TEXT: Final = "detemplate-raw"
"""Tag of a text in a DOM that Markdown has as it is: a formula, a link to a note."""

_RAISED: Final = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")  # raised characters of Unicode
_LOWERED: Final = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")  # lowered characters of Unicode
_ALL_RAISED: Final = re.compile(r"[-0-9+−=()n]+")  # characters that Unicode has raised
_ALL_LOWERED: Final = re.compile(r"[-0-9+−=()]+")  # characters that Unicode has lowered
_LONGEST: Final = 12  # most raised or lowered characters that are an exponent or an index
_ENDINGS: Final = "oaer"  # letters that are raised at the end of words

# What may have an exponent or an index, beside letters and digits.
_BASES: Final = (")", "]", "}", "|", "∑", "∫", "∏")

# Elements that may be in an exponent or an index.
_LEVEL_PARTS: Final = frozenset(("b", "bdi", "em", "font", "i", "small", "span", "strong", "var", "big"))

# Classes of elements that hold all copies of one formula.
_CONTAINERS: Final = re.compile(
    r"(?:^|\s)"
    r"(?:katex(?:-display|-mathml)?|mwe-math-element|mwe-math-mathml-\S+|MathJax(?:_\w+)?|mjx-\S+)"
    r"(?:\s|$)"
)

# Classes of what MathJax puts before the script with a formula.
_COPIES: Final = re.compile(r"(?:^|\s)(?:MathJax(?:_\w+)?|mjx-\S+|MJXc-\S+)(?:\s|$)")

# Classes of images of formulas, whose descriptions are LaTeX.
_IMAGES: Final = re.compile(r"(?:^|\s)(?:latex|tex|math|mwe-math-\S+|ql-img-\S+)(?:\s|$)", re.IGNORECASE)

_ATTRIBUTE: Final = "[data-math]"  # selects elements that have a formula as an attribute

# Selects these, and scripts and images with formulas.
_MARKED: Final = (
    f'{_ATTRIBUTE}, script[type^="math/tex"], img.latex, img.tex, img.math, '
    'img[class^="mwe-math-"], img[class^="ql-img-"]'
)

# A formula that sets its own style (group 1: without it).
_DISPLAY: Final = re.compile(r"\{\\(?:display|text)style\s+(.*)\}", re.DOTALL)

_HIGHEST: Final = 8  # so many elements above a formula may hold copies of it


def has_formulas(document: turbohtml.Document, present: int) -> bool:
    """Tell whether a DOM has formulas: in MathML, scripts of MathJax, attributes, or images.

    ``present`` has the flags of its nodes (:mod:`detemplate.output.roles`).
    """
    if present & MATH:
        return True
    return document.select_one(_MARKED if present & FORMULA else _ATTRIBUTE) is not None


def write_formulas(document: turbohtml.Document, *, markdown: bool) -> None:
    """Replace each formula of a DOM by its LaTeX between dollar signs.

    It is the LaTeX that the page has it from, else it is made of the MathML.
    """
    make: MakeNode = raw if markdown else Text
    _replace_scripts(document, make)
    for place in document.select(_ATTRIBUTE):
        if place.text.strip():
            display = "block" in (place.attr("class") or "")
            _replace(place, place.attr("data-math") or "", make, display=display)
    for formula in list(document.iter_elements("math")):
        place, display = formula, formula.attr("display") == "block"
        for above, _ in zip(formula.ancestors, range(_HIGHEST), strict=False):
            if not isinstance(above, Element):
                break
            if above.tag == "mjx-container" or _CONTAINERS.search(above.attr("class") or ""):
                place = above
                display |= above.attr("display") == "true" or "-display" in (above.attr("class") or "")
            elif above.tag not in ("mjx-assistive-mml", "span"):
                break
        if place.parent is not None:
            _replace(place, mathml_latex(formula), make, display=display)
    for image in list(document.iter_elements("img")):
        said = image.attr("alt")
        if said and _IMAGES.search(image.attr("class") or ""):
            _replace(image, said, make, display=False)


def _replace_scripts(document: turbohtml.Document, make: MakeNode) -> None:
    """Replace the scripts in which MathJax has formulas, and what it has made of them."""
    for script in list(document.iter_elements("script")):
        kind = script.attr("type") or ""
        if not kind.startswith("math/tex"):
            continue
        before = script.previous_sibling
        while isinstance(before, Element) and _COPIES.search(before.attr("class") or ""):
            before.decompose()
            before = script.previous_sibling
        _replace(script, script.text, make, display="mode=display" in kind)


def raw(text: str) -> turbohtml.Node:
    """Give a node that Markdown has as it is."""
    return Element(RAW_TEXT, {"written": text}, [Text(text)])


def raw_written(element: Element, _: str) -> str:
    """Write such a node."""
    return element.attr("written") or ""


def _replace(place: Element, latex: str, make: MakeNode, *, display: bool) -> None:
    latex = " ".join(latex.split())
    styled = _DISPLAY.fullmatch(latex)
    if styled:
        latex = styled[1].strip()
    if latex.startswith("$"):
        latex = latex.strip("$")
    if not latex:
        place.decompose()
        return
    sign = "$$" if display else "$"
    place.replace_with(make(f"{sign}{latex}{sign}"))


def write_levels(document: turbohtml.Document) -> None:
    """Replace exponents and indices of a DOM by characters of Unicode, else put ``^`` and ``_`` before them.

    What is no exponent stays as it is: the letters of ``1st`` and ``Mme``, links to notes, long texts.
    """
    for element in list(document.iter_elements(("sup", "sub"))):
        written = element.text
        if len(written.strip()) > _LONGEST or any(
            each.tag not in _LEVEL_PARTS for each in element.iter_elements()
        ):
            continue
        before = element.previous_sibling
        base = before.text if isinstance(before, Element | Text) else ""
        found = _level_written(written, base[-1:], element.tag == "sup")
        if found is not None:
            element.replace_with(Text(found))


def _level_written(written: str, base: str, raised: bool) -> str | None:
    """Write an exponent or an index."""
    text = written.strip()
    if not text or len(text) > _LONGEST:
        return None
    if (_ALL_RAISED if raised else _ALL_LOWERED).fullmatch(text):
        level = text.translate(_RAISED if raised else _LOWERED)
    elif not _has_base(base, text, raised=raised):
        return None
    else:
        sign = "^" if raised else "_"
        level = f"{sign}{text}" if len(text) == 1 or (not raised and text.isalnum()) else f"{sign}({text})"
    return written.replace(text, level)


def _has_base(base: str, text: str, *, raised: bool) -> bool:
    """Tell whether characters are an exponent or index of the one before, rather than a part of the word."""
    if not (base.isalnum() or base in _BASES):
        return False
    if not raised:
        return True
    if text.isalpha():
        return len(text) == 1 and base.isalpha() and text not in _ENDINGS
    return not _is_mark(text)


def _is_mark(text: str) -> bool:
    """Tell whether raised characters are a mark: ``®``, ``*``, ``[1]``, ``†``."""
    return not any(each.isalnum() for each in text) or text[0] in "[("
