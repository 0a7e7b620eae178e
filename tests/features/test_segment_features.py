"""Segment features: the compiled kernel against the oracle in NumPy."""

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.features.segment import NAMES, SegmentFeatures, Vocabulary, segment_features
from detemplate.features.vocabulary import hashed
from detemplate.page.page import Page
from detemplate.page.tags import IDS, IN_SVG
from lab.auto.examples import word_hashes
from tests.oracles import segments as oracle
from tests.support.soup import HARD, parsed

NOTHING = Vocabulary(np.array([], np.uint64), np.array([], np.float32))
RATIOS = re.compile(
    r"_share|_density|_per_|mean_|spread|position|rank|chars_to_end|window|(target\d|h1)_distance|long_|"
    r"^group\d_(start|end)$|^vocabulary_"
)
"""Names of the features that may be fractions; all others are whole numbers."""


def vocabulary_of(page, *, seed=0):
    """Half of a page's words, and one of none."""
    rng = np.random.default_rng(seed)
    hashes = np.unique(word_hashes(page)[1])
    hashes = np.append(hashes[rng.random(len(hashes)) < 0.5], np.uint64(1 + seed))
    return Vocabulary(hashes, rng.normal(size=len(hashes)).astype(np.float32))


def check(page):
    vocabulary = vocabulary_of(page)
    found, listed = segment_features(page, vocabulary), word_hashes(page)
    wanted = SegmentFeatures(*oracle.segment_features(page, vocabulary))
    wanted_list = oracle.word_hashes(page)
    for one, other in zip((*found, *listed), (*wanted, *wanted_list), strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
    for one, other in zip((*found[1:], *listed), (*wanted[1:], *wanted_list), strict=True):
        np.testing.assert_array_equal(one, other)
    assert found.table.shape == (len(page.segments), len(NAMES))
    assert found.table.flags.c_contiguous
    assert np.isfinite(found.table).all()
    for name, one, other in zip(NAMES, found.table.T, wanted.table.T, strict=True):
        if RATIOS.search(name):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-7, err_msg=name)
        else:
            np.testing.assert_array_equal(one, other, err_msg=name)
    return found


_names = st.sampled_from(
    ("main", "Main-Content", "nav2", "nav17", "a b", "x" * 61, "y" * 60, "abc.de-fgh_ij", "é", "postMeta", "HTMLBody2colsXYZ", "abcDef" * 10,
     "AbcDEFGhi" * 20, "aBCdEfgh abCDEf", "Abc-Def", "abcDefé", "a>b", " w1\n w2\tw3 ")
) | st.lists(st.text("abZ019-_ é", min_size=1, max_size=5), max_size=25).map(" ".join)  # fmt: skip
_attributes = st.lists(
    st.tuples(st.sampled_from(("class", "id", "role", "rel", "itemprop", "itemtype", "title", "CLASS", "href")), _names), max_size=3
).map(lambda pairs: "".join(f' {name}="{value}"' for name, value in pairs))  # fmt: skip
_hiding = st.sampled_from(
    (
        " hidden",
        " hidden=until-found",
        " aria-hidden=true",
        " aria-hidden=TRUE",
        " aria-hidden=false",
        " style='display:none'",
        " style='color:red;\tDisplay :\n NONE ; top:0'",
        " style='visibility: hidden!important'",
        " style='backface-visibility:hidden'",
        " style='display:nonesuch;visibility:hiddenly'",
    )
)
_attributes = st.one_of(_attributes, _attributes, _hiding, st.tuples(_hiding, _attributes).map("".join))
_texts = st.sampled_from(
    (
        "word",
        "Two words, here. ",
        "漢字",
        "한국어 text",
        "很好，漢字、かな。 A？ 是！ × ÉÀé",
        "Ёлка или ёЯ; Αθήνα, Ω",
        "سلام، جيد؟ ۔ नमस्ते।",
        "12 x 3!",
        "long running text, with commas, here. " * 3,
        "a&amp;b;",
    )
)
_tags = st.sampled_from((
    "div", "p", "a", "span", "ul", "li", "h1", "h2", "section", "table", "td", "form", "img", "svg",
    "option", "b", "nav", "figcaption",
))  # fmt: skip
_starts = st.tuples(_tags, _attributes).map(lambda parts: f"<{parts[0]}{parts[1]}>")
_pages = st.lists(
    st.one_of(
        _starts, _starts, _texts, _texts, _tags.map(lambda tag: f"</{tag}>"), st.just("<script>a<b</script>")
    ),
    max_size=40,
).map("".join)


@given(_pages)
def test_kernel_and_oracle_agree(html):
    page = parsed(html)
    if page is not None:
        check(page)


@pytest.mark.parametrize("html", HARD)
def test_features_of_hard_pages(html):
    page = parsed(html)
    if page is not None:
        check(page)


def test_words_of_start_tags():
    page = Page(
        "",
        '<div id="Top-Bar2" title="a>b" class="x  Left\tnav>item" data-class="no"></div>'
        f'<svg class="in-svg"><path id="é"/></svg><p class="{"z" * 61} {"q" * 60}" rel="{" ".join("abcdefghijklmnopqrstuvwxyz")}">t',
    )
    rows, hashes = word_hashes(page)
    wanted = {
        "div": ["id:top-bar2", "top", "bar", "cl:x", "cl:left", "left", "cl:nav&gt;item", "nav", "item"],
        "svg": ["cl:in-svg", "svg"],
        "path": ["id:é"],
        "p": ["cl:" + "q" * 60, "q" * 60, *(f"re:{letter}" for letter in "abcdefghijklmnopqrst")],
    }
    tags = {"div": IDS["div"], "svg": IDS["svg"] | IN_SVG, "path": IDS["path"] | IN_SVG, "p": IDS["p"]}
    for tag, words in wanted.items():
        row = int(np.flatnonzero(page.columns.tag == tags[tag])[0])
        assert hashes[rows == row].tolist() == [hashed(word.encode()) for word in words]
    assert len(rows) == sum(map(len, wanted.values()))
    assert (np.diff(rows) >= 0).all()
    assert hashed(b"") == 0xCBF29CE484222325
    assert hashed(b"foobar") == 0x85944171F73967E8  # of the authors' test vectors


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("<body class='page-home wide'><p>x", "<body class=page-about><p>x", True),
        ("<html class=a><p>x", "<html class=b><p>x", True),
        ("<body class=a><p>x", "<body class=a><div>x", False),
        ("<body><p class=a>x", "<body><p class=b>x", False),
        ("<p class='post a b c'>x", "<p class='post d e f g'>x", True),
        ("<p class='post a b c'>x", "<p class=post>x", True),
        ("<p class='post a b c'>x", "<p class='a post b c'>x", False),
        ("<p class='post a b'>x", "<p class='post a c'>x", False),
        ("<p class='post-1 a b c'>x", "<p class='post-23 a b c'>x", True),
    ],
)
def test_slots_of_nodes_forget_classes_that_name_the_page(one, other, same):
    pages = [Page("", html) for html in (one, other)]
    for page in pages:
        check(page)
    found = [segment_features(page, NOTHING).node_slots[page.segments[0]] for page in pages]
    assert (found[0] == found[1]) == same


@pytest.mark.parametrize(
    ("attribute", "hidden", "aria"),
    [
        ("hidden", 1, 0),
        ("hidden=''", 1, 0),
        ("aria-hidden=true", 0, 1),
        ("aria-hidden='true '", 0, 0),
        ("hidden aria-hidden=True style='display:none'", 1, 1),
        ("style='display:none'", 1, 0),
        ("style='DISPLAY\t:\n None !important; color: red'", 1, 0),
        ("style='color: red;; visibility :hidden;'", 1, 0),
        ("style='display:block;visibility:hidden'", 1, 0),
        ("style='display:none-such'", 0, 0),
        ("style='-x-display:none; backface-visibility:hidden'", 0, 0),
        ("style='visibility:none; display:hidden'", 0, 0),
        ("title='display:none'", 0, 0),
    ],
)
def test_hidden_elements(attribute, hidden, aria):
    page = Page("", f"<p>seen</p><div {attribute}><b>four</b></div>")
    for found in (segment_features, oracle.segment_features):
        value = dict(zip(NAMES, found(page, NOTHING)[0].T.tolist(), strict=True))
        assert value["in_hidden"] == [0, hidden]
        assert value["in_aria_hidden"] == [0, aria]
        assert value["hidden_steps"] == [-1, 2 if hidden else -1]
        assert value["page_hidden_share"] == [0.5 * hidden] * 2


def test_runs_of_segments():
    page = Page("", "<a>x<p>y</p></a>one<ul><li><a>z</a><li><a>z</a><li><a>z</a></ul>" + "many words " * 4)
    value = dict(zip(NAMES, check(page).table.T.tolist(), strict=True))
    assert value["link_run"] == [2, 2, 0, 3, 3, 3, 0]
    assert value["short_run"] == [6, 6, 6, 6, 6, 6, 0]


def test_memory_that_stays_between_pages_changes_nothing():
    """The kernel keeps memory for pages of up to some 40,000 nodes; larger ones get their own."""
    small = Page("http://e.org/", "<div class=a><p>one, two<p>three <a href=/>four</a></div><p>five")
    large = Page(
        "http://e.org/", "<ul class=b>" + "<li>six <b>seven</b>" * 400 + "</ul>" + "<p>Eight. " * 200
    )
    huge = Page("http://e.org/", "<p>nine <i>ten</i>" * 20_000)
    assert len(huge.columns) > 60_000
    for page in (small, large, small, huge, small):
        check(page)
