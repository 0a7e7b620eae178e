"""Ways of writing elements of an article as HTML, as sites, highlighters and typesetters do."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

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
