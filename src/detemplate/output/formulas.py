"""Formulas as LaTeX, and raised and lowered characters.

turbohtml writes all copies of a formula (its MathML, the LaTeX it is from, its glyphs), and joins raised and
lowered characters with those before them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Final

from turbohtml import Element, Text

from detemplate.output.remains import FORMULA, MATH

if TYPE_CHECKING:
    from collections.abc import Callable

    import turbohtml

    MakeNode = Callable[[str], turbohtml.Node]


_TOKENS: Final = ("mi", "mn", "mo", "mtext", "ms")  # elements of MathML that hold text
_NOTES: Final = ("annotation", "annotation-xml")  # elements of MathML that say the same in another way

# LaTeX of an element of MathML, by its name and the number of its parts.
_SHAPES: Final = {
    ("mroot", 2): r"\sqrt[%s]{%s}",
    ("msup", 2): "%s^{%s}",
    ("msub", 2): "%s_{%s}",
    ("mover", 2): "%s^{%s}",
    ("munder", 2): "%s_{%s}",
    ("mfrac", 2): r"\frac{%s}{%s}",
    ("msubsup", 3): "%s_{%s}^{%s}",
    ("munderover", 3): "%s_{%s}^{%s}",
}

# What LaTeX puts between the parts of an element of MathML; a space between those of others.
_JOINTS: Final = {"mtr": " & ", "mtable": r" \\ "}

# Commands of what stands above and below a part, by element.
_ACCENTS: Final = {
    "mover": {
        **dict.fromkeys(("→", "⃗"), "vec"),
        **dict.fromkeys(("~", "˜"), "tilde"),
        **dict.fromkeys(("^", "ˆ"), "hat"),
        **dict.fromkeys(("¯", "‾", "―", "_"), "overline"),
        **{"˙": "dot", "¨": "ddot", "⏞": "overbrace"},
    },
    "munder": {**dict.fromkeys(("_", "‾", "―"), "underline"), "⏟": "underbrace"},
}

_TABLE: Final = r"\begin{matrix} "  # what begins a table
_TABLE_END: Final = r" \end{matrix}"  # what ends it

# Alignment of the columns of equations below each other.
_ALIGNED: Final = re.compile(r"\s*right(?:\s+(?:center\s+)?left(?:\s+right)?)*\s*")

# Commands of the styles of letters.
_VARIANTS: Final = {
    "normal": "mathrm",
    "bold": "mathbf",
    "bold-italic": "boldsymbol",
    "double-struck": "mathbb",
    "script": "mathcal",
    "bold-script": "mathcal",
    "fraktur": "mathfrak",
    "bold-fraktur": "mathfrak",
    "sans-serif": "mathsf",
    "monospace": "mathtt",
}

# Thickness of the line of a fraction that has none.
_NO_LINE: Final = re.compile(r"\s*[+-]?0*\.?0*[a-z%]*\s*")

# What begins such a fraction; between round brackets it is a binomial coefficient.
_STACK: Final = r"\genfrac{}{}{0pt}{}"

# Environments of tables between brackets.
_MATRICES: Final = {"()": "pmatrix", "[]": "bmatrix", "||": "vmatrix", "‖‖": "Vmatrix"}


def _words(text: str) -> list[str]:
    return text.split()


# LaTeX of characters.
_SIGNS: Final = dict(
    zip(
        "∑∏∫∮∂∞±∓×÷⋅·∗⋆≤≥≠≈≡∼∝∈∉⊂⊆∪∩∅∀∃¬∧∨→←↔⇒⇐⇔↦∇√…⋯⟨⟩‖ℝℕℤℚℂ%&#_{}$−′φϕεϵϑςϱϖ",
        _words(
            r"\sum \prod \int \oint \partial \infty \pm \mp \times \div \cdot \cdot \ast \star \leq \geq "
            r"\neq \approx \equiv \sim \propto \in \notin \subset \subseteq \cup \cap \emptyset \forall "
            r"\exists \neg \land \lor \to \leftarrow \leftrightarrow \Rightarrow \Leftarrow \Leftrightarrow "
            r"\mapsto \nabla \surd \ldots \cdots \langle \rangle \| \mathbb{R} \mathbb{N} \mathbb{Z} "
            r"\mathbb{Q} \mathbb{C} \% \& \# \_ \{ \} \$ - ' "
            r"\varphi \phi \varepsilon \epsilon \vartheta \varsigma \varrho \varpi"
        ),
        strict=True,
    )
)

# Names that LaTeX has commands for.
_FUNCTIONS: Final = frozenset(
    _words(
        "sin cos tan cot sinh cosh tanh arcsin arccos arctan log ln exp lim max min sup inf det gcd dim ker"
    )
)

# Capital Greek letters that LaTeX has commands for.
_CAPITALS: Final = frozenset(_words("Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"))

# Small Greek letters that LaTeX has commands for, without those that look in two ways.
_LETTERS: Final = frozenset(
    _words(
        "alpha beta gamma delta zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon chi psi "
        "omega"
    )
)

_OPENING: Final = ("(", "[", r"\{", "|", r"\langle", r"\|")  # brackets that open, in LaTeX
_CLOSING: Final = (")", "]", r"\}", "|", r"\rangle", r"\|")  # brackets that close
_INVISIBLE: Final = re.compile("[\u2061-\u2064\u200b]")  # signs that show nothing
_DEEPEST: Final = 60  # elements deeper than this in a formula are written without structure


def mathml_latex(formula: Element) -> str:
    """Write a formula in MathML as LaTeX: what it says of itself, else made of its elements.

    ``formula``: the element ``math``.
    Returns: the LaTeX, without signs around it.
    """
    for note in formula.iter_elements("annotation"):
        if "tex" in (note.attr("encoding") or "").lower() and note.text.strip():
            return note.text
    return formula.attr("alttext") or _made(formula, 0)


def _made(node: turbohtml.Node, depth: int) -> str:
    if isinstance(node, Text):
        return node.data
    if not isinstance(node, Element) or node.tag in ("script", "style"):
        return ""
    if depth > _DEEPEST:
        return node.text
    name = node.tag
    if name in _TOKENS:
        return _styled(node, _token(name, _INVISIBLE.sub("", " ".join(node.text.split()))))
    if name == "mlabeledtr":
        return _labelled(node, depth)
    parts: list[str] = []
    for child in node.children:
        if name == "semantics" and isinstance(child, Element) and child.tag in _NOTES:
            continue
        written = _made(child, depth + 1).strip()
        if written or (name in _JOINTS and isinstance(child, Element)):
            parts.append(written)
    return _composed(node, parts)


def _composed(node: Element, parts: list[str]) -> str:
    """Write an element whose parts are written."""
    name = node.tag
    if name == "mroot":
        parts = parts[::-1]
    joined = _JOINTS.get(name, " ").join(parts)
    accent = _ACCENTS.get(name, {}).get(_accent(node)) if len(parts) == 2 else None
    shape = _SHAPES.get((name, len(parts)))
    if accent:
        written = rf"\{accent}{{{parts[0]}}}"
    elif name == "msqrt":
        written = rf"\sqrt{{{joined}}}"
    elif name == "menclose" and node.attr("notation") == "top":
        written = rf"\overline{{{joined}}}"
    elif name == "mfrac" and len(parts) == 2 and _NO_LINE.fullmatch(node.attr("linethickness") or "1"):
        written = f"{_STACK}{{{parts[0]}}}{{{parts[1]}}}"
    elif name == "mtable" and len(parts) == 1 and r"\tag{" in joined:
        written = joined
    elif name == "mtable" and _ALIGNED.fullmatch(node.attr("columnalign") or ""):
        written = rf"\begin{{aligned}} {joined} \end{{aligned}}"
    elif name == "mtable":
        written = f"{_TABLE}{joined}{_TABLE_END}"
    elif shape is not None:
        written = shape % tuple(parts)
    else:
        written = " ".join(_with_fences(node, _with_matrices(parts))) if name not in _JOINTS else joined
    return written


def _with_fences(node: Element, parts: list[str]) -> list[str]:
    """Make the brackets around the content of a row as high as that, as MathML shows them."""
    if node.tag != "mrow" or len(parts) < 3 or parts[0] not in _OPENING or parts[-1] not in _CLOSING:
        return parts
    ends = [child for child in node.children if isinstance(child, Element)]
    if any(end.tag != "mo" or end.attr("stretchy") == "false" for end in (ends[0], ends[-1])):
        return parts
    return [rf"\left{parts[0]}", *parts[1:-1], rf"\right{parts[-1]}"]


def _styled(node: Element, written: str) -> str:
    """Write a letter in the style that it has."""
    variant = _VARIANTS.get(node.attr("mathvariant") or "")
    text = node.text.strip()
    if variant is None or node.tag not in ("mi", "mn") or not text.isalnum() or written.startswith("\\math"):
        return written
    if written.startswith("\\"):
        # Such as Greek letters, which the other alphabets do not have.
        return rf"\boldsymbol{{{written}}}" if variant in ("mathbf", "boldsymbol") else written
    return rf"\{variant}{{{written}}}"


def _labelled(row: Element, depth: int) -> str:
    """Write the row of a table that has a label: an equation with its number."""
    cells = [child for child in row.children if isinstance(child, Element)]
    label, *others = [_made(cell, depth + 1).strip() for cell in cells] or [""]
    equation = " & ".join(others)
    if label and cells:
        number = "".join(cells[0].text.split()).removeprefix("(").removesuffix(")")
        equation += rf" \tag{{{number}}}"
    return equation


def _with_matrices(parts: list[str]) -> list[str]:
    """Join tables with the brackets around them."""
    found: list[str] = []
    for part in parts:
        kind = _MATRICES.get(found[-2] + part) if len(found) > 1 and found[-1].endswith(_TABLE_END) else None
        if part == ")" and len(found) > 1 and found[-2] == "(" and found[-1].startswith(_STACK):
            found[-2:] = [rf"\binom{found[-1][len(_STACK) :]}"]
        elif kind and found[-1].startswith(_TABLE):
            inner = found.pop()[len(_TABLE) : -len(_TABLE_END)]
            found[-1] = rf"\begin{{{kind}}}{inner}\end{{{kind}}}"
        else:
            found.append(part)
    return found


def _accent(node: Element) -> str:
    """Give what stands above or below: the text of an element's last part."""
    last = next((child for child in node.children[::-1] if isinstance(child, Element)), None)
    return "" if last is None else last.text.strip()


def _token(name: str, text: str) -> str:
    """Write a name, a number, a sign or a text."""
    if name in ("mtext", "ms"):
        return rf"\text{{{text}}}" if any(each.isalpha() for each in text) else text
    if text in _FUNCTIONS:
        return f"\\{text}"
    if text.isascii() and text.isalnum():
        return text
    return " ".join(_sign(each) for each in text) if len(text) == 1 or not text.isascii() else text


@cache
def _sign(character: str) -> str:
    """Write a character: a Greek letter and a sign by its command."""
    if character in _SIGNS:
        return _SIGNS[character]
    kind, _, letter = unicodedata.name(character, "").replace("LAM", "LAMB").partition(" LETTER ")
    if kind == "GREEK SMALL" and letter.lower() in _LETTERS:
        return f"\\{letter.lower()}"
    if kind == "GREEK CAPITAL" and letter.capitalize() in _CAPITALS:
        return f"\\{letter.capitalize()}"
    return character


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

    ``present`` has the flags of its nodes (:mod:`detemplate.output.remains`).
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
