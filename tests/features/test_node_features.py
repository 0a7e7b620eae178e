"""The features of nodes, compared with an oracle that climbs the tree node by node."""

import math
import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from detemplate.features.node import NAMES, node_features, site_links
from detemplate.features.words import character_tables
from detemplate.layout.layout import Layout, estimated_layout
from detemplate.page.address import host
from detemplate.page.columns import ELEMENT, RAW
from detemplate.page.links import link_rows, page_links
from detemplate.page.page import Page
from detemplate.page.tags import IDS, IN_SVG
from tests.support.soup import HARD, parsed

URL = "http://e.org/dir/page.html"


def is_ideograph(character):
    """Planes 2 and 3 are reserved for ideographs, those not yet assigned, too."""
    return 0x20000 <= ord(character) < 0x40000


def is_single(character):
    name = unicodedata.name(character, "")
    kinds = (
        "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HANGUL SYLLABLE",
        "YI SYLLABLE",
    )  # fmt: skip
    return name.startswith((*kinds, "HALFWIDTH KATAKANA")) or character in "々〆〇" or is_ideograph(character)


def words_of(written):
    """Words of a text as the serialisation has it, character by character, in lower case."""
    found, open_ = [], False
    for character in re.sub("&(?:nbsp|lt|gt|amp);", " ", written):
        mark = character < "\u2000" and unicodedata.category(character) in ("Mn", "Mc")
        part = character.isalnum() or character == "_" or mark or is_ideograph(character)
        folded = next((c for c in (character.casefold(), character.lower()) if len(c) == 1), character)
        if part and open_ and not is_single(character):
            found[-1] += folded
        elif part:
            found.append(folded)
        open_ = part and not is_single(character)
    return found


def oracle(page, layout):
    """All features by their definitions: each text and link is counted in all its ancestors."""
    columns = page.columns
    nodes = len(columns)
    written = [page.canonical[a:b].decode() for a, b in zip(columns.start, columns.stop, strict=True)]
    ways = []
    for row in range(nodes):
        way, above = [], row
        while above >= 0:
            way.append(above)
            above = int(columns.parent[above])
        ways.append(way)
    titles = [
        row for row in range(nodes) if columns.kind[row] == ELEMENT and columns.tag[row] == IDS["title"]
    ]
    title = {
        word
        for row in range(nodes)
        if titles and columns.kind[row] == RAW and titles[0] in ways[row]
        for word in words_of(written[row])
    }
    led = page_links(page)
    stays = {row: host(url) == host(page.url) for row, url in zip(led.rows.tolist(), led.urls, strict=True)}
    links = set(link_rows(page).tolist())
    texts = [[] for _ in range(nodes)]
    anchors, below, images, children, held = ([0] * nodes for _ in range(5))
    of = [[] for _ in range(nodes)]
    for row in range(nodes):
        for above in ways[row]:
            below[above] += 1
            images[above] += columns.kind[row] == ELEMENT and columns.tag[row] in (
                IDS["img"],
                IDS["svg"] | IN_SVG,
            )
            if row in links:
                of[above].append(row)
        if columns.parent[row] >= 0 and columns.kind[row] == ELEMENT:
            children[columns.parent[row]] += 1
    total = 0
    for row in page.segments.tolist():
        its = words_of(written[row])
        total += int(columns.chars[row])
        for above in ways[row]:
            texts[above].append(its)
            held[above] += int(columns.chars[row])
            if links & set(ways[row]):
                anchors[above] += int(columns.chars[row])
    out = []
    for row in range(nodes):
        left, top, width, height = (
            float(lengths[row]) for lengths in (layout.left, layout.top, layout.width, layout.height)
        )
        across, down = max(layout.page_width, 1), max(layout.page_height, 1)
        if width > 0 or height > 0:
            margins = [
                left / across,
                (across - left - width) / across,
                top / down,
                (down - top - height) / down,
            ]
            centre = [
                abs(left + width / 2 - across / 2) / (across / 2),
                abs(top + height / 2 - down / 2) / (down / 2),
            ]
            margins = [min(max(distance, 0), 1) for distance in margins]
            centre = [min(distance, 1) for distance in centre]
        else:
            margins, centre = [0] * 4, [1, 1]
        words = [word for its in texts[row] for word in its]
        mine = of[row]
        if not mine and links & set(ways[row]):
            mine = [next(above for above in reversed(ways[row]) if above in links)]
        pages = [link for link in mine if link in stays]
        count = len(words)
        out.append(
            {
                "margin": min(margins),
                "margin_left": margins[0],
                "margin_right": margins[1],
                "margin_top": margins[2],
                "margin_bottom": margins[3],
                "centre": math.sqrt((centre[0] ** 2 + centre[1] ** 2) / 2),
                "centre_x": centre[0],
                "centre_y": centre[1],
                "width": min(width / across, 1),
                "height": min(height / down, 1),
                "area": min(width * height / across / down, 1),
                "log_area": math.log(1 + width * height),
                "log_words": math.log(1 + count),
                "log_words_a_text": math.log(1 + count / max(len(texts[row]), 1)),
                "text": held[row] / max(total, 1),
                "text_per_html": held[row] / max(len(written[row]), 1),
                "in_title": sum(word in title for word in words) / max(count, 1),
                "of_title": len(title & set(words)) / max(len(title), 1),
                "log_links": math.log(1 + len(mine)),
                "links_per_word": min(len(mine) / max(count, 1), 1),
                "anchor_text": anchors[row] / max(held[row], 1),
                "log_anchor_size": math.log(1 + anchors[row] / max(len(mine), 1)),
                "intra_site": sum(stays[link] for link in pages) / max(len(pages), 1),
                "log_images": math.log(1 + images[row]),
                "log_depth": math.log(len(ways[row])),
                "log_children": math.log(1 + children[row]),
                "log_nodes": math.log(1 + below[row]),
            }
        )
    return np.array([[values[name] for name in NAMES] for values in out]).reshape(nodes, len(NAMES))


def documented():
    """The ranges in the table of the documentation, by name."""
    text = (Path(__file__).parents[2] / "docs" / "features.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| (\d+) to (\d+) \|", text, re.MULTILINE)
    return {name: (float(least), float(most)) for name, least, most in rows}


def check_ranges(table):
    assert table.dtype == np.float32
    assert np.isfinite(table).all()
    for name, column in zip(NAMES, table.T, strict=True):
        least, most = documented()[name]
        assert not len(column) or (column.min() >= least and column.max() <= most), name


def check(page, layout=None):
    layout = layout or estimated_layout(page)
    table = node_features(page, layout)
    check_ranges(table)
    assert np.array_equal(np.flatnonzero(site_links(page)), link_rows(page))
    wanted = oracle(page, layout)
    assert table.shape == wanted.shape
    for name, column, other in zip(NAMES, table.T, wanted.T, strict=True):
        np.testing.assert_allclose(column, other, rtol=1e-5, atol=1e-6, err_msg=name)


def value(page, name, tag, number=0):
    """One feature of one element."""
    rows = np.flatnonzero((page.columns.kind == ELEMENT) & (page.columns.tag == IDS[tag]))
    return float(node_features(page, estimated_layout(page))[rows[number], NAMES.index(name)])


_PIECES = (
    "word", "Word ", " two words", "don't", "a_b 3.5", "東京タワー", "한국 어", "é\u0301 ÄÖ", "naïve", "—«x»", "&nbsp;x&amp;y",
    "&amp;nbsp;", "हिन्दी", "\U00020000\U0001f600", "İstanbul", "ΟΔΟΣ οδος", "<a href=/x>", "<a href='http://e.org/word'>",
    "<a href=//other.org/>", "<a href=mailto:a@e.org>", "<a href='#'>", "<a>", "</a>", "<area href=x>", "<img>", "<svg>",
    "</svg>", "<div>", "<div>", "</div>", "</div>", "<p>", "<ul><li>", "<li>", "</ul>", "<b>", "</b>", "<table><td>",
    "</table>", "<!-- c -->", "<script>word</script>", "<noscript><a href=y>word</a></noscript>", "<p hidden>", "<br>",
)  # fmt: skip
_titles = st.lists(
    st.sampled_from(("word", "Two", "東京", "οδος", "&amp;", "NAÏVE", "istanbul", "x x", "ä")), max_size=4
)
_bodies = st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)
_lengths = st.floats(-1e9, 1e9, width=32) | st.sampled_from([0.0, 1.0, 100.0, 1024.0])


@given(_titles, _bodies, st.text(max_size=60))
@example(["NAÏVE", "οδος"], "naïve ΟΔΟΣ ΟΔΟΣ \U00020020", "\U00020040")
def test_features_are_those_of_the_oracle(title, body, text):
    page = parsed(f"<title>{' '.join(title)} {text}</title>{body}<p>{text}</p>{text} word", URL)
    assert page is not None
    check(page)


@pytest.mark.parametrize("html", HARD)
def test_features_of_hard_pages(html):
    page = parsed(html, URL)
    if page is not None:
        check(page)


@given(st.data())
def test_any_layout(data):
    page = Page(URL, "<div><p>a</p><p>b <b>c</b></p></div>")
    nodes = len(page.columns)
    boxes = [data.draw(st.lists(_lengths, min_size=nodes, max_size=nodes)) for _ in range(4)]
    left, top, width, height = np.array(boxes, np.float32)
    size = st.floats(0, 1e9)
    check(page, Layout(left, top, np.abs(width), np.abs(height), data.draw(size), data.draw(size)))


def test_the_documentation_has_all_names_in_order():
    assert tuple(documented()) == NAMES


@pytest.mark.parametrize(
    ("href", "base", "url", "share"),
    [
        ("/x", "", URL, 1),
        ("#top", "", URL, 1),
        ("x/a:b", "", URL, 1),
        ("http://e.org:8080/", "", URL, 0),
        ("http://www.e.org/", "", URL, 0),
        ("//e.org/x", "", URL, 1),
        ("mailto:a@e.org", "", URL, None),
        ("/" + "x" * 10_000, "", URL, None),
        ("x", "http://other.org/", URL, 0),
        ("#top", "http://other.org/", URL, 0),
        ("http://e.org/", "http://other.org/", URL, 1),
        ("x", "", "", 1),
        ("http://xn--bcher-kva.example/", "", "http://Bücher.example/", 1),
    ],
)
def test_links_that_stay(href, base, url, share):
    """With a link that stays and one that does not; None: the link is not counted."""
    at = f"<base href='{base}'>" if base else ""
    alone = Page(url, f"{at}<p><a href='{href}'>x</a></p>")
    assert value(alone, "intra_site", "p") == (share or 0)
    assert value(alone, "log_links", "p") == pytest.approx(math.log(2))
    other = Page(url, f"{at}<p><a href='{href}'>x</a> <a href='http://away.net/'>y</a></p>")
    assert value(other, "intra_site", "p") == pytest.approx((share or 0) / (1 if share is None else 2))


def test_every_character():
    """The tables agree with the definition for every character."""
    kinds, folded = character_tables()
    for code in range(0x20000):
        character = chr(code)
        its = words_of(character)
        assert (kinds[code] > 0) == bool(its), hex(code)
        if its:
            assert chr(folded[code]) == its[0]
        if 0x3000 <= code < 0xFF00:  # beyond are marks of single words, which names do not tell
            assert (kinds[code] == 2) == (bool(its) and is_single(character)), hex(code)
