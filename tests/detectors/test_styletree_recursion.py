"""The style tree's verdicts against the paper's recursion on the DOM."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given, strategies as st

from detemplate.detectors.styletree import StyleTree, StyleTreeOptions
from detemplate.page.page import Page


@dataclass
class Node:
    look: str  # tag and presentation attributes
    children: list[Node] = field(default_factory=list)
    content: frozenset[str] = frozenset()
    html: str = ""


def _text(words):
    return Node("#text", [], frozenset(words), " ".join(words))


def _link(target, words):
    text = _text(words)
    text.content |= {f"link {target}"}
    return Node("a", [text], frozenset(), f"<a href={target}>{text.html}</a>")


def _image(target):
    return Node("img", [], frozenset({f"link {target}"}), f"<img alt=x src={target}>")


def _box(tag, align, children):
    shown = []
    html = ""
    texts_touch = False
    for child in children:
        if isinstance(child, str):  # an invisible node
            html += child
            texts_touch = False
            continue
        if child.look == "#text" and texts_touch:
            shown.append(Node("br"))
            html += "<br>"
        texts_touch = child.look == "#text"
        shown.append(child)
        html += child.html
    attribute = f" align={align}" if align else ""
    return Node(tag + attribute, shown, frozenset(), f"<{tag}{attribute}>{html}</{tag}>")


words = st.lists(st.sampled_from(["u", "v", "w", "grün", "x&amp;y"]), min_size=1, max_size=3)
targets = st.sampled_from(["1", "2"])
leaves = st.one_of(
    st.builds(_text, words),
    st.builds(_link, targets, words),
    st.builds(_image, targets),
    st.sampled_from(["<!-- c -->", "<script>s</script>", "<noscript><p>n</p></noscript>"]),
)
boxes = st.recursive(
    st.builds(_box, st.just("div"), st.just(""), st.lists(leaves, max_size=2)),
    lambda inner: st.builds(
        _box,
        st.sampled_from(["div", "span", "section"]),
        st.sampled_from(["", "left"]),
        st.lists(st.one_of(inner, leaves), max_size=3),
    ),
    max_leaves=6,
)
sites = st.lists(
    st.builds(_box, st.just("body"), st.just(""), st.lists(boxes, max_size=3)), min_size=1, max_size=6
)


@dataclass
class Style:
    elements: list[Element]
    pages: int = 0
    df: Counter[str] = field(default_factory=Counter)

    def importance(self, gamma):
        return _importance(self, gamma)


@dataclass
class Element:
    styles: dict[tuple[str, ...], Style] = field(default_factory=dict)

    def insert(self, node):
        looks = tuple(child.look for child in node.children)
        style = self.styles.setdefault(looks, Style([Element() for _ in looks]))
        style.pages += 1
        style.df.update(node.content)
        for element, child in zip(style.elements, node.children, strict=True):
            element.insert(child)

    def importance(self, gamma):
        m = sum(style.pages for style in self.styles.values())
        if list(self.styles) == [()]:
            return self.styles[()].importance(gamma)
        shares = [style.pages / m for style in self.styles.values()]
        node = -sum(p * math.log(p, m) for p in shares) if m > 1 else 1.0
        fade = gamma ** len(shares)
        below = sum(p * s.importance(gamma) for p, s in zip(shares, self.styles.values(), strict=True))
        return (1 - fade) * node + fade * below

    def noisy(self, gamma, threshold):
        return self.importance(gamma) < threshold and all(
            element.noisy(gamma, threshold) for style in self.styles.values() for element in style.elements
        )


def _importance(style, gamma):
    if style.elements:
        return sum(element.importance(gamma) for element in style.elements) / len(style.elements)
    if style.pages == 1:
        return 1.0
    if not style.df:
        return 0.0
    return 1 - sum(math.log(df, style.pages) for df in style.df.values()) / len(style.df)


def walk(element, node, noise, gamma, t):
    noise = noise or element.noisy(gamma, t)
    style = element.styles[tuple(child.look for child in node.children)]
    rows = [(node, element.importance(gamma), noise)]
    for inner, child in zip(style.elements, node.children, strict=True):
        rows += walk(inner, child, noise, gamma, t)
    return rows


def built(site, **options):
    root, detector = Element(), StyleTree(StyleTreeOptions(**options))
    pages = [Page("http://e.org/", f"<html><head></head>{body.html}</html>") for body in site]
    for body, each in zip(site, pages, strict=True):
        root.insert(Node("html", [body]))
        detector.learn(each)
    return root, detector, pages


@given(sites, st.sampled_from([0.9, 0.5]), st.sampled_from([0.25, 0.31, 0.77]))
def test_verdicts_are_those_of_the_papers_recursion(site, gamma, t):
    root, detector, pages = built(site, threshold=t)
    for body, each in zip(site, pages, strict=True):
        rows = walk(root, Node("html", [body]), False, gamma, t)
        leaves = [row for row in rows if row[0].look == "#text"]
        verdict = detector.score(each)
        assert verdict.scores == pytest.approx([1 - value for _, value, _ in leaves], abs=1e-6)
        # The paper's decision: whether the node is inside a noisy element.
        assert verdict.template.tolist() == [noise for _, _, noise in leaves]
