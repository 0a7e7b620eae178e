"""Made pages with known structure: headings, lists, tables, code, formulas and notes in a template.

Every element is written in one of the ways that sites, highlighters and typesetters use. The truth is known
as it is drawn, not read from the markup.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

from benchmarks.support.structure import Code, Structure, StructurePage, squeeze, squeeze_formula

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PAGES: Final = 120  # number of made pages that are measured
_SEED: Final = 20261  # seed of the first made page
_NOUNS: Final = (
    "river", "valley", "engine", "report", "garden", "harbour", "station", "teacher", "method", "signal",
    "market", "forest", "bridge", "library", "winter", "village", "machine", "letter", "museum", "painter",
    "planet", "result",
)  # fmt: skip
_VERBS: Final = (
    "follows", "explains", "changes", "reaches", "measures", "supports", "replaces", "describes",
    "protects", "joins",
)  # fmt: skip
_ADJECTIVES: Final = (
    "early", "quiet", "northern", "simple", "careful", "broken", "famous", "local", "heavy", "recent",
    "distant",
)  # fmt: skip
_ENDINGS: Final = (
    "before the end of the year", "although nobody expected it", "in most of the cases we know",
    "and the numbers agree with that", "when the weather allows it", "which took longer than planned",
)  # fmt: skip
_TARGETS: Final = (
    "/about/{}", "more/{}.html", "../{}", "https://other.example/{}?a=1&b=2", "//cdn.example/{}",
)  # fmt: skip
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
    """Make pages; page n is drawn with seed + n."""
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
            blocks.append(notes(self.rng, self.notes))
            self.words += self.notes
            self.truth.items += [(1, note) for note in self.notes]
        self.truth.text = squeeze(" ".join(self.words))
        html = around(self.rng, title, "\n".join(blocks), folder)
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
        return heading(self.rng, level, text)

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
                parts.append(note_mark(len(self.notes)))
            elif chance < 0.45:
                latex = self._latex()
                parts.append(f"Here {formula(self.rng, latex, display=False)} holds.")
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
            blocks.append(formula(self.rng, latex, display=True))
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
        return table(self.rng, rows, caption)

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
        return code(self.rng, text, name)

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


# Ways of writing elements.

_WORD: Final = re.compile(r"[A-Za-z_]+|\d+|[^\w\s]+|\s+")
"""Parts of code that a highlighter marks by themselves."""


def heading(rng: random.Random, level: int, text: str) -> str:
    """Write a heading: plain, or with a link to itself before or behind the text."""
    name = text.lower().replace(" ", "-")
    way = rng.randrange(4)
    if way == 0:
        inner = f'{text}<a class="headerlink" href="#{name}" title="Link to this heading">¶</a>'
    elif way == 1:
        inner = f'<a class="anchor" aria-hidden="true" href="#{name}">#</a> {text}'
    elif way == 2:
        inner = f'<a href="#{name}">{text}</a>'
    else:
        inner = text
    return f'<h{level} id="{name}">{inner}</h{level}>'


def table(rng: random.Random, rows: Sequence[Sequence[tuple[str, int]]], caption: str) -> str:
    """Write a table of cells (text, columns), the first row its header: with ``thead`` or without."""

    def written(row: Sequence[tuple[str, int]], tag: str) -> str:
        cells = (
            f'<{tag} colspan="{span}">{escape(text)}</{tag}>'
            if span > 1
            else f"<{tag}>{escape(text)}</{tag}>"
            for text, span in row
        )
        return f"<tr>{''.join(cells)}</tr>"

    header, body = written(rows[0], "th"), "\n".join(written(row, "td") for row in rows[1:])
    if rng.random() < 0.5:
        header, body = f"<thead>{header}</thead>", f"<tbody>{body}</tbody>"
    title = f"<caption>{caption}</caption>" if caption else ""
    whole = f"<table>{title}\n{header}\n{body}\n</table>"
    return f'<div class="table-wrapper">{whole}</div>' if rng.random() < 0.5 else whole


def _marked(rng: random.Random, line: str) -> str:
    """Write a line of code with highlighter markup."""
    return "".join(
        escape(part)
        if part.isspace() or rng.random() < 0.4
        else f'<span class="{rng.choice(("k", "n", "s1", "p"))}">{escape(part)}</span>'
        for part in _WORD.findall(line)
    )


def code(rng: random.Random, text: str, language: str) -> str:
    """Write a block of code as one of nine highlighters do, with their line numbers and buttons."""
    lines = [_marked(rng, line) for line in text.split("\n")]
    whole = "\n".join(lines)
    numbers = range(1, len(lines) + 1)
    gutter = "\n".join(map(str, numbers))
    named = f'class="language-{language}"'
    ways = (
        f"<pre><code {named}>{escape(text)}</code></pre>",
        f'<div class="highlight-{language} notranslate"><div class="highlight">'
        f"<pre><span></span>{whole}\n</pre></div></div>",
        '<div class="highlight"><table class="highlighttable"><tr>'
        f'<td class="linenos"><div class="linenodiv"><pre>{gutter}</pre></div></td>'
        f'<td class="code"><div><pre><code {named}>{whole}\n</code></pre></div></td>'
        "</tr></table></div>",
        f'<pre><code class="hljs language-{language}">{whole}</code></pre>',
        f'<div class="code-toolbar"><pre class="language-{language} line-numbers"><code {named}>{whole}'
        f'<span aria-hidden="true" class="line-numbers-rows">{"<span></span>" * len(lines)}</span>'
        '</code></pre><div class="toolbar"><button>Copy</button></div></div>',
        f'<div class="language-{language} highlighter-rouge"><div class="highlight">'
        f'<pre class="highlight"><code>{whole}\n</code></pre></div></div>',
        f'<pre class="shiki" data-language="{language}"><code>'
        + "\n".join(f'<span class="line">{line}</span>' for line in lines)
        + "</code></pre>",
        f'<div class="highlight highlight-source-{language}"><pre>{whole}</pre>'
        '<clipboard-copy aria-label="Copy"></clipboard-copy></div>',
        f'<pre tabindex="0" class="chroma"><code {named} data-lang="{language}">'
        + "".join(
            f'<span class="line"><span class="ln">{number}</span><span class="cl">{line}\n</span></span>'
            for number, line in zip(numbers, lines, strict=True)
        )
        + "</code></pre>",
    )
    return rng.choice(ways)


def _mathml(latex: str, inner: str, attributes: str = "") -> str:
    return (
        f'<math xmlns="http://www.w3.org/1998/Math/MathML"{attributes}><semantics><mrow>{inner}</mrow>'
        f'<annotation encoding="application/x-tex">{escape(latex)}</annotation></semantics></math>'
    )


def formula(rng: random.Random, latex: str, *, display: bool) -> str:
    """Write a formula as KaTeX, MathJax 2, MathML (plain, LaTeXML's, Wikipedia's) or delimited LaTeX."""
    letters = re.findall(r"(?<![\\a-z])[a-z](?![a-z])|\d+", latex)
    inner = "".join(f"<mi>{letter}</mi>" for letter in letters)
    shown = "".join(f'<span class="mord">{letter}</span>' for letter in letters)
    block = ' display="block"' if display else ""
    mode = "; mode=display" if display else ""
    alternative = f' alttext="{escape(latex)}"'
    katex = (
        f'<span class="katex"><span class="katex-mathml">{_mathml(latex, inner, block)}</span>'
        f'<span class="katex-html" aria-hidden="true"><span class="base">{shown}</span></span></span>'
    )
    ways = (
        f'<span class="katex-display">{katex}</span>' if display else katex,
        '<span class="MathJax_Preview"></span>'
        f'<span class="MathJax" role="presentation"><nobr aria-hidden="true">{shown}</nobr></span>'
        f'<script type="math/tex{mode}">{latex}</script>',
        _mathml(latex, inner, block),
        f'<math class="ltx_Math"{alternative}{block}><mrow>{inner}</mrow></math>',
        '<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;">'
        f"{_mathml(latex, inner, alternative)}</span>"
        '<img src="https://math.example/render.svg" class="mwe-math-fallback-image-inline" '
        f'aria-hidden="true" alt="{escape(latex)}"></span>',
        rf"\[{escape(latex)}\]" if display else rf"\({escape(latex)}\)",
    )
    return rng.choice(ways)


def note_mark(number: int) -> str:
    """Write the mark of a note."""
    return f'<sup id="fnref{number}"><a href="#fn{number}" class="footnote-ref">{number}</a></sup>'


def notes(rng: random.Random, texts: Sequence[str]) -> str:
    """Write the notes of an article."""
    back = rng.choice(("↩", "^", "↩︎"))
    items = (
        f'<li id="fn{number}"><p>{text} <a href="#fnref{number}" class="footnote-back">{back}</a></p></li>'
        for number, text in enumerate(texts, 1)
    )
    return f'<section class="footnotes"><hr><ol>{"".join(items)}</ol></section>'


def around(rng: random.Random, title: str, content: str, base: str) -> str:
    """Write a page with a template around its content."""
    menu = "".join(
        f'<li><a href="/{name.lower()}">{name}</a></li>'
        for name in ("Home", "News", "Archive", "About", "Contact")
    )
    container = rng.choice(
        ("<article>{}</article>", "<main><article>{}</article></main>", '<div id="content">{}</div>')
    )
    aside = (
        '<aside class="sidebar"><h3>Categories</h3><ul><li><a href="/c/1">Travel</a></li>'
        '<li><a href="/c/2">Science</a></li><li><a href="/c/3">Software</a></li></ul>'
        '<h3>Newsletter</h3><form><input name="mail"><button>Subscribe</button></form></aside>'
    )
    before, after = ("", aside) if rng.random() < 0.5 else (aside, "")
    head = f'<base href="{base}">' if base else ""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"{head}<title>{title} - Example Notes</title></head><body>\n"
        f'<header><a class="logo" href="/">Example Notes</a><nav><ul>{menu}</ul></nav></header>\n'
        f"{before}\n{container.format(content)}\n{after}\n"
        "<footer><p>© 2026 Example Notes. All rights reserved.</p><ul>"
        '<li><a href="/privacy">Privacy policy</a></li><li><a href="/terms">Terms of use</a></li>'
        "</ul></footer>\n"
        '<div class="cookie-notice">We use cookies to improve your experience. '
        "<button>Accept</button></div></body></html>"
    )
