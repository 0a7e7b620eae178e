"""Draws docs/pictures/idea-METHOD.svg: how each method works, in one scheme.

Run it as ``python docs/make_ideas.py [METHOD …]``. Hatched, red: goes; filled, green: stays.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FOLDER: Final = Path(__file__).parent / "pictures"
WIDTH: Final = 640
"""Width of a picture, in pixels."""

STYLE: Final = (
    ".idea{--fg:var(--md-default-fg-color,#2b2b2b);--soft:var(--md-default-fg-color--light,#666);"
    "--line:#8a8a8a;--gone:var(--picture-gone,#b3261e);--kept:var(--picture-kept,#00796b)}"
    "@media (prefers-color-scheme:dark){.idea{--fg:var(--md-default-fg-color,#e4e4e4);"
    "--soft:var(--md-default-fg-color--light,#b0b0b0);--gone:var(--picture-gone,#ff8a80);"
    "--kept:var(--picture-kept,#4db6ac)}}"
    ".idea text{font:13px var(--md-text-font-family,sans-serif);fill:var(--fg)}"
    ".idea .soft{fill:var(--soft)}.idea .head{font-weight:600}.idea .code{font-family:monospace}"
    ".idea .mid{text-anchor:middle}.idea .end{text-anchor:end}"
    ".idea .box{fill:none;stroke:var(--line)}.idea .arrow,.idea .link{stroke:var(--line);fill:none}"
    ".idea .gone{fill:url(#idea-hatch);stroke:var(--gone)}.idea .kept{fill:var(--kept);stroke:var(--kept);"
    "fill-opacity:.3}"
    ".idea text.gone{fill:var(--gone);stroke:none;text-decoration:line-through}"
    ".idea text.kept{fill:var(--kept);stroke:none;fill-opacity:1}"
    ".idea .cut{stroke:var(--fg);stroke-dasharray:4 3}.idea .tip{fill:var(--line)}"
    ".idea .hatch{stroke:var(--gone);stroke-opacity:.4;stroke-width:1.6}"
)
"""Colours of the page that a picture stands in, and others where it stands alone."""

DEFINED: Final = (
    '<defs><pattern id="idea-hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)">'
    '<line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern>'
    '<marker id="idea-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto">'
    '<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>'
)


class Drawing:
    """Collects the elements of a picture."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def text(self, x: float, y: float, text: str, kind: str = "") -> None:
        """Write a text; ``kind`` is one or more classes."""
        self.lines.append(f'<text x="{x:g}" y="{y:g}" class="{kind}">{escape(text, quote=False)}</text>')

    def box(self, x: float, y: float, width: float, height: float, kind: str = "box", text: str = "") -> None:  # noqa: PLR0917  # as rectangles are written
        """Draw a box, with a text or several lines in its middle."""
        self.lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" class="{kind}"/>'
        )
        rows = text.split("\n") if text else []
        for number, row in enumerate(rows):
            self.text(x + width / 2, y + height / 2 + 4.5 + 16 * (number - (len(rows) - 1) / 2), row, "mid")

    def arrow(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw an arrow."""
        self.lines.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="arrow" '
            'marker-end="url(#idea-tip)"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "link") -> None:
        """Draw a line."""
        self.lines.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="{kind}"/>')

    def page(self, x: float, y: float, width: float, rows: str, *, name: str = "", high: float = 12) -> None:
        """Draw a page, a row a letter: ``g`` goes, ``k`` stays, ``-`` is unknown."""
        height = high * len(rows) + 10
        self.box(x, y, width, height)
        for number, row in enumerate(rows):
            if row != " ":
                kind = {"g": "gone", "k": "kept", "-": "box"}[row]
                self.box(x + 6, y + 6 + high * number, width - 12, high - 3, kind)
        if name:
            self.text(x + width / 2, y + height + 16, name, "mid soft")

    def tree(self, x: float, y: float, kinds: str, texts: Sequence[str], *, step: float = 40) -> None:
        """Draw a root with children; ``kinds`` as of :meth:`page`, the root's first."""
        count = len(kinds) - 1
        for number, (kind, text) in enumerate(zip(kinds[1:], texts[1:], strict=True)):
            at = x + step * (number - (count - 1) / 2)
            self.line(x, y + 12, at, y + 48)
            self.node(at, y + 60, kind, text)
        self.node(x, y, kinds[0], texts[0])

    def node(self, x: float, y: float, kind: str, text: str, wide: float = 36) -> None:
        """Draw a node of a tree."""
        style = {"g": "gone", "k": "kept", "-": "box"}[kind]
        self.box(x - wide / 2, y - 12, wide, 24, style, text)

    def written(self, told: str, height: float) -> str:
        """Give the picture as SVG, with a legend below it."""
        self.box(10, height + 4, 22, 12, "gone")
        self.text(38, height + 14, "goes: template", "soft")
        self.box(150, height + 4, 22, 12, "kept")
        self.text(178, height + 14, "stays: content", "soft")
        head = (
            f'<svg class="idea" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height + 24:g}" '
            'role="img">'
            f"<title>{escape(told, quote=False)}</title>"
        )
        return "\n".join((head, f"<style>{STYLE}</style>", DEFINED, *self.lines, "</svg>\n"))


def auto(draw: Drawing) -> float:
    """Show two stages, the slots, smoothing and the cut."""
    draw.page(10, 40, 90, "ggkkkg", name="the page")
    for shift in (8, 4, 0):
        draw.box(10 + shift, 172 - shift, 82, 62)
    draw.text(51, 200, "other pages", "mid soft")
    draw.text(51, 216, "of the site", "mid soft")
    draw.box(150, 30, 150, 56, text="1 · the page alone:\n288 features, trees")
    draw.box(150, 164, 150, 56, text="2 · the site: same text,\nsame box, same slot?")
    draw.arrow(102, 66, 148, 58)
    draw.arrow(104, 196, 148, 192)
    draw.arrow(225, 88, 225, 110)
    draw.arrow(225, 162, 225, 138)
    draw.box(175, 112, 100, 24, text="probability")
    draw.text(376, 22, "3 · smoothed over the tree", "mid head")
    draw.tree(376, 56, "---", ["", ".2", ".8"], step=58)
    draw.arrow(277, 118, 318, 84)
    draw.text(376, 152, "neighbours move together", "mid soft")
    draw.text(560, 22, "4 · cut where the expected", "mid head")
    draw.text(560, 39, "F1 is greatest", "mid head")
    for number, share in enumerate((0.97, 0.9, 0.82, 0.66, 0.3, 0.12, 0.05)):
        draw.box(494, 52 + 20 * number, 120 * share, 13, "kept" if number < 4 else "gone")
    draw.line(484, 129, 634, 129, "cut")
    draw.arrow(446, 96, 486, 96)
    draw.text(494, 210, "stays above the line,", "soft")
    draw.text(494, 226, "goes below it", "soft")
    return 250


def segments(draw: Drawing) -> float:
    """Show the counts of texts, the blocks' ratio, and forgetting."""
    draw.text(10, 18, "1 · count each text once a page", "head")
    for number, own in enumerate(("rain", "snow", "wind")):
        x = 10 + 74 * number
        draw.box(x, 28, 66, 92)
        for row, (text, kind) in enumerate(
            (("Home", "gone"), ("About", "gone"), (own, "kept"), ("© Acme", "gone"))
        ):
            draw.text(x + 8, 48 + 20 * row, text, "" if kind == "gone" else "kept")
    draw.text(10, 140, "a text = its path of tags + its words", "soft")
    draw.text(262, 18, "2 · pages that have it", "head")
    for row, (text, pages) in enumerate((("Home", 3), ("About", 3), ("© Acme", 3), ("rain", 1))):
        draw.text(262, 46 + 22 * row, text)
        draw.box(314, 35 + 22 * row, 28 * pages, 14, "gone" if pages > 1 else "kept")
        draw.text(320 + 28 * pages, 46 + 22 * row, str(pages), "soft")
    draw.line(360, 28, 360, 118, "cut")
    draw.text(360, 134, "min_df", "mid soft code")
    draw.text(450, 18, "3 · a block goes as a whole", "head")
    draw.box(450, 30, 130, 18, "gone")
    draw.box(580, 30, 24, 18, "kept")
    draw.line(557, 24, 557, 54, "cut")
    draw.text(557, 70, "ratio 0.7", "mid soft")
    draw.text(450, 92, "its share of characters in", "soft")
    draw.text(450, 108, "texts of many pages", "soft")
    draw.text(
        10, 176, "4 · forget what does not come back: the more pages had it, the longer it lives", "head"
    )
    draw.arrow(10, 232, 630, 232)
    draw.text(630, 250, "pages", "end soft")
    for x in (30, 74, 118, 162):
        draw.box(x, 200, 10, 10, "gone")
        draw.box(x, 216, 10, 10, "kept") if x == 74 else None
    draw.line(172, 205, 470, 205, "link")
    draw.text(478, 210, "seen on 4: lives long", "soft")
    draw.line(84, 221, 190, 221, "link")
    draw.text(198, 226, "seen on 1: dropped soon", "soft")
    return 258


def sandwich(draw: Drawing) -> float:
    """Show the longest common subsequence of two pages' lines."""
    left = ("<html>", "Menu: Home, About", "Rain today", "Take an umbrella", "© Acme", "</html>")
    right = ("<html>", "Menu: Home, About", "Snow at last", "© Acme", "</html>")
    draw.text(110, 20, "the page", "mid head")
    draw.text(360, 20, "its peer", "mid head")
    draw.text(545, 20, "left of the page", "mid head")
    for number, line in enumerate(left):
        draw.box(10, 32 + 30 * number, 200, 24, "gone" if line in right else "kept", line)
    for number, line in enumerate(right):
        draw.box(280, 32 + 30 * number, 160, 24, "gone" if line in left else "box", line)
        if line in left:
            draw.line(210, 44 + 30 * left.index(line), 280, 44 + 30 * number)
    for number, line in enumerate(line for line in left if line not in right):
        draw.box(480, 92 + 30 * number, 130, 24, "kept", line)
    draw.text(
        10,
        234,
        "Bread: lines that both have, in the same order (longest common subsequence). Filling: the rest.",
        "soft",
    )
    return 246


def sitelevel(draw: Drawing) -> float:
    """Show equal subtrees on many pages."""
    for number, own in enumerate(("rain", "snow", "wind")):
        x = 90 + 165 * number
        draw.text(x, 18, f"page {number + 1}", "mid soft")
        draw.tree(x, 44, "-gkg", ["body", "nav", own, "foot"], step=48)
    draw.text(
        10, 150, "Each element with its subtree has a hash. On what share of the site's pages is it?", "head"
    )
    for row, (name, share, kind) in enumerate(
        (("nav", 1.0, "gone"), ("foot", 1.0, "gone"), ("rain", 0.33, "kept"))
    ):
        draw.text(10, 178 + 22 * row, f"{name} with its subtree")
        draw.box(160, 167 + 22 * row, 300 * share, 14, kind)
        draw.text(
            168 + 300 * share,
            178 + 22 * row,
            f"{round(3 * share)} of 3 pages" + (": too few" if share < 1 else ""),
            "soft",
        )
    draw.line(190, 162, 190, 230, "cut")
    draw.text(194, 244, "at least θ = 10 % of the pages, and at least 2", "soft")
    return 254


def styletree(draw: Drawing) -> float:
    """Show pages merged into one tree, and its importances."""
    draw.text(110, 18, "two pages", "mid head")
    draw.tree(60, 46, "-gk", ["body", "nav", "a b"], step=48)
    draw.tree(172, 46, "-gk", ["body", "nav", "c d e"], step=48)
    draw.arrow(226, 76, 266, 76)
    draw.text(420, 18, "merged: how do pages differ at each place?", "mid head")
    draw.node(420, 46, "-", "body", 60)
    draw.line(420, 58, 340, 94)
    draw.line(420, 58, 500, 94)
    draw.node(340, 106, "g", "nav", 60)
    draw.node(500, 106, "k", "div", 60)
    draw.line(340, 118, 340, 142)
    draw.line(500, 118, 460, 142)
    draw.line(500, 118, 545, 142)
    draw.node(340, 154, "g", "ul: 2 of 2", 90)
    draw.node(455, 154, "k", "p p: 1 of 2", 96)
    draw.node(562, 154, "k", "p p p: 1 of 2", 106)
    draw.text(316, 190, "one style, equal content:", "mid soft")
    draw.text(316, 206, "importance near 0, goes", "mid soft")
    draw.text(520, 190, "many styles, content of its own:", "mid soft")
    draw.text(520, 206, "importance near 1, stays", "mid soft")
    return 218


def shingles(draw: Drawing) -> float:
    """Show a block, its grams, the minima of hashes, and the pages of the shingle."""
    draw.text(10, 18, "1 · a block of text", "head")
    draw.box(10, 28, 170, 26, "box", "Home News Sport About us")
    draw.text(10, 90, "2 · its grams of words", "head")
    for row, gram in enumerate(("Home News Sport", "News Sport About", "Sport About us")):
        draw.box(10, 100 + 28 * row, 170, 22, "box", gram)
    draw.arrow(95, 56, 95, 74)
    draw.text(230, 18, "3 · the least hash, four times", "head")
    for row, least in enumerate(("07", "12", "03", "21")):
        draw.text(230, 50 + 34 * row, f"hash {row + 1}", "soft")
        draw.box(280, 33 + 34 * row, 60, 24, "box", f"min {least}")
        draw.line(182, 111 + 28 * min(row, 2), 228, 46 + 34 * row)
        draw.line(342, 45 + 34 * row, 378, 96)
    draw.box(380, 82, 88, 28, "gone", "07 12 03 21")
    draw.text(424, 128, "the shingle", "mid soft")
    draw.text(424, 144, "nearly equal blocks", "mid soft")
    draw.text(424, 160, "share it", "mid soft")
    draw.text(510, 18, "4 · pages with it", "head")
    for number in range(5):
        draw.page(510 + 24 * number, 62, 20, "g-", high=14)
    draw.arrow(470, 96, 506, 82)
    draw.text(510, 118, "5 or more:", "soft")
    draw.text(510, 134, "the block goes", "soft")
    return 190


def pagelets(draw: Drawing) -> float:
    """Show a partition by links, equal pagelets, and links among their pages."""
    draw.text(10, 18, "1 · partition by links", "head")
    draw.box(10, 28, 180, 150)
    draw.box(20, 38, 160, 26, "gone", "menu: 6 links")
    draw.box(20, 70, 100, 98, "kept", "article:\n1 link")
    draw.box(126, 70, 54, 98, "gone", "box:\n4 links")
    draw.text(10, 196, "opened while a child has k links", "soft")
    draw.text(230, 18, "2 · equal by shingle", "head")
    for number in range(3):
        y = 30 + 52 * number
        draw.box(230, y, 110, 42)
        draw.box(236, y + 6, 98, 10, "gone")
        draw.box(236, y + 20, 60, 16, "kept")
        draw.box(300, y + 20, 34, 16, "gone" if number < 2 else "kept")
    draw.text(230, 196, "here: the menu on 3 pages", "soft")
    draw.text(400, 18, "3 · global: do its pages link?", "head")
    places = ((440, 60), (560, 60), (500, 130))
    for x, y in places:
        draw.page(x - 22, y - 16, 44, "gk")
    draw.arrow(464, 58, 536, 58)
    draw.arrow(548, 82, 520, 112)
    draw.arrow(480, 112, 452, 82)
    draw.page(592, 118, 40, "gk")
    draw.text(400, 180, "linked: one template", "soft")
    draw.text(632, 180, "alone: none", "end soft")
    draw.text(400, 196, "local asks for equality only", "soft")
    return 208


def expressions(draw: Drawing) -> float:
    """Show how tokens that most documents share become regular expressions."""
    draw.text(10, 18, "1 · documents as strings of tokens", "head")
    shared, own = ("Home", "Latest", "news", "12"), ("rain", "snow", "wind")
    for row in range(3):
        words = [*shared[:3], str(12 + row), own[row], "again"]
        x = 10.0
        for number, word in enumerate(words):
            wide = 18 + 8 * len(word)
            draw.box(x, 30 + 32 * row, wide, 24, "gone" if number < 4 else "kept", word)
            x += wide + 4
    draw.text(10, 142, "suffix array: strings that recur, however long", "soft")
    draw.text(380, 18, "2 · in what share of the documents?", "head")
    heights = (72, 44, 22, 10, 5, 3, 2, 3, 8, 26)
    for number, height in enumerate(heights):
        draw.box(380 + 24 * number, 116 - height, 20, height, "gone" if number > 6 else "kept")
    draw.line(546, 34, 546, 122, "cut")
    draw.text(380, 134, "few", "soft")
    draw.text(616, 134, "all", "end soft")
    draw.text(540, 50, "cut-off", "end soft")
    draw.text(10, 178, "3 · one expression for them, with what varies as a pattern", "head")
    draw.box(10, 188, 400, 30)
    draw.text(22, 208, r"(?:^|\s)Home\s+Latest\s+news\s+[0-9]{2}(?:\s|$)", "code")
    draw.arrow(414, 203, 446, 203)
    for number in range(3):
        draw.page(454 + 58 * number, 186, 50, "gk")
    draw.text(10, 238, "It works verbatim in Python, RE2 and PCRE.", "soft")
    return 248


def pagelevel(draw: Drawing) -> float:
    """Show layout, scores, smoothing and the cut."""
    draw.text(10, 18, "1 · where nodes stand", "head")
    draw.box(10, 28, 130, 130)
    draw.box(16, 34, 118, 20, "gone")
    draw.box(16, 60, 82, 92, "kept")
    draw.box(104, 60, 30, 92, "gone")
    draw.text(10, 176, "position, area, text, links", "soft")
    draw.arrow(146, 92, 176, 92)
    draw.text(184, 18, "2 · each node a score", "head")
    draw.tree(258, 50, "-gkg", [".4", ".9", ".2", ".7"], step=46)
    draw.text(184, 150, "four regressions, by area;", "soft")
    draw.text(184, 166, "trained without labels", "soft")
    draw.arrow(346, 92, 376, 92)
    draw.text(376, 18, "3 · smoothed over the tree", "head")
    draw.tree(452, 50, "-gkg", [".3", ".9", ".3", ".7"], step=46)
    draw.text(384, 150, "no node above its children,", "soft")
    draw.text(384, 166, "few sections, least change", "soft")
    draw.arrow(530, 92, 556, 92)
    draw.text(636, 34, "4 · cut at 0.5", "end head")
    draw.page(564, 46, 68, "gkkkg")
    return 188


IDEAS: Final[dict[str, tuple[Callable[[Drawing], float], str]]] = {
    "auto": (
        auto,
        "The page alone and the site's other pages each give a probability; it is smoothed and cut",
    ),
    "segments": (segments, "Texts are counted, blocks of frequent texts go, and rare texts are forgotten"),
    "sandwich": (sandwich, "Lines that the page and its peer share go; the others stay"),
    "sitelevel": (sitelevel, "Elements whose whole subtree is on many pages go"),
    "styletree": (styletree, "Pages are merged into one tree; places that hardly vary go"),
    "shingles": (
        shingles,
        "A block's word grams are hashed to a shingle; blocks whose shingle is on many pages go",
    ),
    "pagelets": (pagelets, "Pages are cut into pagelets; those that several linked pages share go"),
    "expressions": (expressions, "Token strings that most documents share become regular expressions"),
    "pagelevel": (pagelevel, "Each node of one page is laid out, scored, smoothed over the tree and cut"),
}
"""By method: what draws its picture and gives the height, and what the picture tells."""


def drawing(method: str) -> str:
    """Draw the idea of a method, as SVG."""
    draw, (make, told) = Drawing(), IDEAS[method]
    height = make(draw)
    return draw.written(told, height)


def main(methods: Sequence[str]) -> None:
    """Draw the ideas of methods, or of all."""
    for method in methods or IDEAS:
        (FOLDER / f"idea-{method}.svg").write_text(drawing(method), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
