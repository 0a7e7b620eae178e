"""Made pages with known structure: headings, lists, tables, code, formulas and notes in a template.

Every element is written in one of the ways of writing it that sites, highlighters and typesetters use
(:mod:`benchmarks.support.structure_markup`). The truth is known as it is drawn, not read from the markup.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from benchmarks.support import structure_markup as markup
from benchmarks.support.structure import Code, Structure, StructurePage, squeeze, squeeze_formula

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PAGES: Final = 120
"""Number of made pages that are measured."""

_SEED: Final = 20261
"""Seed of the first made page."""

_NOUNS: Final = (
    "river", "valley", "engine", "report", "garden", "harbour", "station", "teacher", "method", "signal",
    "market", "forest", "bridge", "library", "winter", "village", "machine", "letter", "museum", "painter",
    "planet", "result",
)  # fmt: skip
"""Nouns of made sentences."""
_VERBS: Final = (
    "follows", "explains", "changes", "reaches", "measures", "supports", "replaces", "describes",
    "protects", "joins",
)  # fmt: skip
"""Verbs of made sentences."""
_ADJECTIVES: Final = (
    "early", "quiet", "northern", "simple", "careful", "broken", "famous", "local", "heavy", "recent",
    "distant",
)  # fmt: skip
"""Adjectives of made sentences."""
_ENDINGS: Final = (
    "before the end of the year", "although nobody expected it", "in most of the cases we know",
    "and the numbers agree with that", "when the weather allows it", "which took longer than planned",
)  # fmt: skip
"""Ends of made sentences."""
_TARGETS: Final = (
    "/about/{}", "more/{}.html", "../{}", "https://other.example/{}?a=1&b=2", "//cdn.example/{}",
)  # fmt: skip
"""Targets of made links; a number is drawn."""
_CODE: Final = {
    "python": "def {a}({b}):\n    for {c} in {b}:\n        if {c} < {n} and {c} != 0:\n"
    "            yield {c} * {n}\n\n"
    'print(list({a}([{n}, 2, 3])))  # "{b}"',
    "javascript": "const {a} = ({b}) => {{\n  return {b}.map(({c}) => {c} + {n});\n}};\n\n"
    "console.log({a}([1, 2]) && '{c}');",
    "rust": "fn {a}({b}: &[u32]) -> u32 {{\n    {b}.iter().filter(|{c}| **{c} > {n}).sum()\n}}",
    "bash": "for {a} in *.txt; do\n  grep -c '{b}' \"${a}\" > {c}.log\ndone",
    "sql": "SELECT {a}, COUNT(*) AS {b}\nFROM {c}\nWHERE {a} >= {n}\nGROUP BY {a};",
    "yaml": "{a}:\n  - name: {b}\n    count: {n}\n  - name: {c}",
}
"""Code by language; names in braces are drawn."""
_FORMULAS: Final = (
    r"\frac{{{a}_{{{n}}}}}{{{b}+{n}}}",
    r"\sum_{{{a}=1}}^{{{n}}} {b}_{{{a}}}^2",
    r"\int_0^{{{n}}} {a}({b})\,d{b}",
    r"{a}^{{{n}}} + \sqrt{{{b}}} \leq {n}{c}",
    r"\lim_{{{a} \to \infty}} \frac{{{n}}}{{{a}^2}} = 0",
)
"""Formulas; names in braces are drawn."""


def made_pages(count: int = PAGES, seed: int = _SEED) -> Iterator[StructurePage]:
    """Make pages.

    Parameters
    ----------
    count
        Number of pages.
    seed
        Seed of the first page; page n has seed + n. Equal seeds give equal pages.

    Yields
    ------
    StructurePage
        A page.
    """
    for number in range(count):
        yield _Maker(random.Random(seed + number), number).page()


def _spread(row: Sequence[tuple[str, int]]) -> tuple[str, ...]:
    """Give the cells of a row, and empty cells for further columns of a cell."""
    return tuple(part for text, span in row for part in (text, *[""] * (span - 1)))


@dataclass(slots=True)
class _Maker:
    """Draws one page: markup and truth grow together."""

    rng: random.Random
    number: int
    truth: Structure = field(default_factory=Structure)
    words: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def page(self) -> StructurePage:
        url = f"https://site{self.number % 7}.example/notes/{self.number}.html"
        folder = "https://files.example/base/" if self.rng.random() < 0.15 else ""
        base = folder or url
        title = self._name().capitalize()
        blocks = [self._heading(1, title), self._paragraph(base)]
        kinds: list[Callable[[str], str]] = [
            self._list, self._table, self._code, self._formulas, self._definitions, self._image, self._quote,
        ]  # fmt: skip
        self.rng.shuffle(kinds)
        level = 2
        for kind in kinds[: self.rng.randint(4, 7)]:
            blocks += [self._heading(level, self._name().capitalize()), self._paragraph(base), kind(base)]
            blocks += [self._paragraph(base) for _ in range(self.rng.randint(0, 2))]
            level = min(max(2, level + self.rng.choice((-1, 0, 0, 1))), 4)
        if self.notes:
            blocks.append(markup.notes(self.rng, self.notes))
            self.words += self.notes
            self.truth.items += [(1, note) for note in self.notes]
        self.truth.text = squeeze(" ".join(self.words))
        html = markup.around(self.rng, title, "\n".join(blocks), folder)
        return StructurePage(str(self.number), url, html, self.truth)

    def _sentence(self) -> str:
        pick = self.rng.choice
        return (
            f"The {pick(_ADJECTIVES)} {pick(_NOUNS)} {pick(_VERBS)} the {pick(_NOUNS)} of "
            f"the {pick(_ADJECTIVES)} "
            f"{pick(_NOUNS)}, {pick(_ENDINGS)}."
        )

    def _name(self) -> str:
        pick = self.rng.choice
        return f"{pick(_ADJECTIVES)} {pick(_NOUNS)} and {pick(_NOUNS)}"

    def _identifiers(self) -> dict[str, str]:
        names = self.rng.sample(_NOUNS, 3)
        return {"a": names[0], "b": names[1], "c": names[2], "n": str(self.rng.randint(3, 99))}

    def _heading(self, level: int, text: str) -> str:
        self.truth.headings.append((level, text))
        self.words.append(text)
        return markup.heading(self.rng, level, text)

    def _link(self, base: str) -> str:
        target = self.rng.choice(_TARGETS).format(self.rng.randint(1, 10**6))
        text = self._name()
        self.truth.links.append((text, urljoin(base, target)))
        return f'<a href="{escape(target)}">{text}</a>'

    def _paragraph(self, base: str) -> str:
        parts = []
        for _ in range(self.rng.randint(2, 5)):
            sentence = self._sentence()
            self.words.append(sentence)
            first, *others = sentence.split(" ")
            style = self.rng.choice(("", "", "em", "strong", "code"))
            others[0] = f"<{style}>{others[0]}</{style}>" if style else others[0]
            parts.append(" ".join((first, *others)))
            chance = self.rng.random()
            if chance < 0.3:
                parts.append(f"See {self._link(base)}.")
                self.words.append(f"See {self.truth.links[-1][0]}.")
            elif chance < 0.37:
                self.notes.append(self._sentence())
                parts.append(markup.note_mark(len(self.notes)))
            elif chance < 0.45:
                latex = self._latex()
                parts.append(f"Here {markup.formula(self.rng, latex, display=False)} holds.")
                self.words += ["Here", squeeze_formula(latex), "holds."]
        return f"<p>{' '.join(parts)}</p>"

    def _latex(self) -> str:
        names = dict(zip("abc", self.rng.sample("xyzuvwkmpq", 3), strict=True))
        latex = self.rng.choice(_FORMULAS).format(n=self.rng.randint(2, 99), **names)
        self.truth.formulas.append(squeeze_formula(latex))
        return latex

    def _formulas(self, _base: str) -> str:
        blocks = []
        for _ in range(self.rng.randint(1, 3)):
            latex = self._latex()
            self.words.append(squeeze_formula(latex))
            blocks.append(markup.formula(self.rng, latex, display=True))
        return "\n".join(f"<p>{block}</p>" for block in blocks)

    def _list(self, base: str, depth: int = 1) -> str:
        paragraphs = self.rng.random() < 0.3
        items = []
        for _ in range(self.rng.randint(2, 5)):
            text = self._sentence() if self.rng.random() < 0.5 else self._name()
            own = len(self.truth.items)
            self.truth.items.append((depth, text))
            self.words.append(text)
            inner = f"<p>{text}</p>" if paragraphs else text
            if self.rng.random() < 0.2:
                inner = inner.removesuffix("</p>") + " " + self._link(base) + ("</p>" if paragraphs else "")
                self.words.append(self.truth.links[-1][0])
                self.truth.items[own] = (depth, f"{text} {self.truth.links[-1][0]}")
            if depth < 3 and self.rng.random() < 0.3:
                inner += "\n" + self._list(base, depth + 1)
            items.append(f"<li>{inner}</li>")
        tag = self.rng.choice(("ul", "ol"))
        return f"<{tag}>\n" + "\n".join(items) + f"\n</{tag}>"

    def _table(self, _base: str) -> str:
        columns = self.rng.randint(2, 5)
        spans = self.rng.random() < 0.3
        rows: list[list[tuple[str, int]]] = [[(self.rng.choice(_NOUNS), 1) for _ in range(columns)]]
        for _ in range(self.rng.randint(2, 7)):
            row: list[tuple[str, int]] = []
            while sum(span for _, span in row) < columns:
                room = columns - sum(span for _, span in row)
                span = self.rng.randint(1, min(2, room)) if spans else 1
                row.append((self._cell(), span))
            rows.append(row)
        self.truth.tables.append(tuple(_spread(row) for row in rows))
        caption = self._name() if self.rng.random() < 0.3 else ""
        self.words += [caption, *(text for row in rows for text, _ in row)]
        return markup.table(self.rng, rows, caption)

    def _cell(self) -> str:
        pick = self.rng.random()
        if pick < 0.5:
            return str(self.rng.randint(1, 10**5))
        return f"{self.rng.choice(_NOUNS)} | {self.rng.choice(_NOUNS)}" if pick < 0.55 else self._name()

    def _code(self, _base: str) -> str:
        name = self.rng.choice(sorted(_CODE))
        text = _CODE[name].format(**self._identifiers())
        self.truth.code.append(Code.of(text, name))
        self.words.append(text)
        return markup.code(self.rng, text, name)

    def _definitions(self, _base: str) -> str:
        parts = []
        for _ in range(self.rng.randint(2, 4)):
            term, meaning = self._name(), self._sentence()
            self.words += [term, meaning]
            self.truth.definitions += [term, meaning]
            parts.append(f"<dt>{term}</dt><dd>{meaning}</dd>")
        return f"<dl>{''.join(parts)}</dl>"

    def _image(self, base: str) -> str:
        caption = self._sentence()
        self.words.append(caption)
        source = escape(urljoin(base, f"images/{self.rng.randint(1, 999)}.jpg"))
        return f'<figure><img src="{source}" alt="{self._name()}"><figcaption>{caption}</figcaption></figure>'

    def _quote(self, base: str) -> str:
        return f"<blockquote>{self._paragraph(base)}</blockquote>"
