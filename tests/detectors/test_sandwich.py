"""Rowlands, Thomas, Wan 2009: on text, and on pages of a directory."""

import time

import pytest
from hypothesis import given, strategies as st
from rapidfuzz.distance import Levenshtein

from detemplate.algorithms import nearestname
from detemplate.algorithms.nearestname import NearestNames
from detemplate.detectors.sandwich import Sandwich, SandwichOptions
from detemplate.page.page import Page
from tests.support.helpers import removed, taught


def page(url, *lines):
    return Page(f"http://e.org/{url}", "\n".join(lines))


def learned(*pages, **options):
    return taught(Sandwich(SandwichOptions(**options)), pages)


def peer_of(detector, url):
    """Return the last part of the URL of a page's peer."""
    reason = detector.score(page(url, "<p>any")).explain(0)
    return None if reason == "no other page of this directory is known" else reason.rpartition("/")[2]


# Peers.


def test_the_last_page_of_the_directory():
    detector = learned(page("d/1", "<p>"), page("d/2", "<p>"), page("d/3", "<p>"), page("x/4", "<p>"))
    assert peer_of(detector, "d/9") == "3"
    assert peer_of(detector, "x/9") == "4"
    assert peer_of(detector, "d/e/9") is None
    assert peer_of(detector, "9") is None


def test_a_page_is_no_peer_of_its_own():
    for peer in ("last", "nearest"):
        detector = learned(page("d/1", "<p>x"), peer=peer)
        assert peer_of(detector, "d/1") is None
        detector.learn(page("d/2", "<p>x"))
        assert peer_of(detector, "d/2") == "1"
        assert peer_of(detector, "d/1") == "2"
        detector.learn(page("d/2", "<p>y"))
        assert peer_of(detector, "d/2") == "1"


def test_nearest_by_name_takes_the_lexicographically_first_of_equals():
    names = ("story12.html", "story99.html", "about.html", "story1.html", "zzz")
    detector = learned(*(page(f"d/{name}", "<p>") for name in names), peer="nearest")
    assert peer_of(detector, "d/story13.html") == "story1.html"  # at distance 1, as story12.html is
    assert peer_of(detector, "d/story12.html") == "story1.html"
    assert peer_of(detector, "d/story9.html") == "story1.html"
    assert peer_of(detector, "d/story98.html") == "story99.html"
    assert peer_of(detector, "d/abut.html") == "about.html"
    assert peer_of(detector, "d/zzzz") == "zzz"


@given(
    st.lists(st.tuples(st.text("ab1", max_size=5), st.sampled_from(["add", "remove", "ask"])), max_size=40),
    st.sampled_from([1, 100]),
)
def test_nearest_names_in_large_directories(steps, exact):
    """With all names as neighbours, and as small directories, they are those of the definition."""
    names, known = NearestNames(), set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearestname, "EXACT", exact)
        for name, step in steps:
            if step == "add" and name not in known:
                names.add(name, f"u/{name}")
                known.add(name)
            elif step == "remove" and name in known:
                names.remove(name, f"u/{name}")
                known.remove(name)
            others = known - {name}
            wanted = min(others, key=lambda other: (Levenshtein.distance(name, other), other), default=None)
            assert names.nearest(name, f"u/{name}") == (wanted if wanted is None else f"u/{wanted}")


def test_streaming_compares_with_the_page_before():
    detector = Sandwich(Sandwich.options({}, streaming=True))
    found = [
        detector.learn_and_score(
            page(f"d/{number}", "<div>", "<p>menu</p>", f"<p>{number}</p>", "</div>")
        ).template.tolist()
        for number in range(3)
    ]
    assert found == [[False, False], [True, False], [True, False]]


@pytest.mark.parametrize("peer", ["last", "nearest"])
def test_units_are_capped(peer):
    detector = learned(*(page(f"{name}/1", *["<br>"] * 30) for name in "abcdef"), max_units=100, peer=peer)
    assert [peer_of(detector, f"{name}/9") for name in "abcdef"] == [None, None, None, "1", "1", "1"]
    # Within the only directory, the page learned first goes.
    only = learned(
        *(page(f"d/{number}", *["<br>"] * 30) for number in range(5)), max_units=100, peer="nearest"
    )
    assert [peer_of(only, f"d/{number}") for number in (0, 1)] == ["2", "2"]
    assert only.nbytes < 8 * 100 + 3 * 700 + 1
    # The last page is held, however large.
    assert peer_of(learned(page("d/1", *["<br>"] * 500), max_units=100, peer=peer), "d/2") == "1"


def test_a_segments_score_is_the_share_of_its_characters_in_common_lines():
    detector = learned(page("d/1", "<pre>", "four", "  same", "new1", "</pre>"))
    verdict = detector.score(page("d/2", "<pre>", "four", "  same", "new22222", "</pre>"))
    assert verdict.scores.tolist() == [0.5]
    assert not verdict.template[0]
    assert verdict.explain(0) == "50% in lines shared with http://e.org/d/1"


def test_tokens():
    html = "<div><p>menu</p><p>{}</p><!-- a > b --></div>"
    pages = [page(f"d/{number}", html.format(number)) for number in range(2)]
    assert learned(*pages).score(pages[0]).template.tolist() == [False, False]
    assert learned(*pages, unit="token").score(pages[0]).template.tolist() == [True, False]
    verdict = learned(*pages, unit="token").score(pages[0])
    assert verdict.explain(0) == "100% in tokens shared with http://e.org/d/1"


# Lines of the markup as it came.


def raw(*markups, charset=None):
    return [Page(f"http://e.org/{n}", each, charset=charset) for n, each in enumerate(markups)]


def test_raw_lines_are_those_of_the_markup_and_not_of_the_tree():
    # The parser writes both menus alike. Their lines differ: in case, in quotes, in line breaks.
    one, two = raw("<P class=m>Menu\n<P>Foot\n<p>One", '<p class="m">Menu\n<P>Foot\n<p>Two')
    assert removed(learned(one, unit="line"), two) == ["Menu", "Foot"]
    assert removed(learned(one, unit="raw"), two) == ["Foot"]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", [None, "utf-8", "utf-8-sig", "utf-16", "cp1252", "shift_jis"])
def test_segments_are_found_on_their_raw_lines(encoding, ending):
    text = "caf\u00e9" if encoding == "cp1252" else "\u30cb\u30e5\u30fc\u30b9"
    lines = [
        "<!doctype html><body", f" class='x'><p>{text}", "<p>Menu &amp; more", "two", "<pre>", "a",
        "</pre>",
    ]  # fmt: skip
    markups = [
        ending.join([*lines, f"<table>moved <tr><td>{number}</table>", "<script>x", "</script>", "end"])
        for number in ("one", "other")
    ]
    given_pages = raw(*markups)
    if encoding is not None:
        given_pages = raw(*(each.encode(encoding) for each in markups), charset=encoding.removesuffix("-sig"))
    detector = learned(given_pages[0], unit="raw")
    assert removed(detector, given_pages[1]) == [text, "Menu & more two", "a", "end"]


@given(st.text(st.sampled_from("ab<>/dtp \n\r\t&;é"), max_size=60))
def test_raw_lines_never_fail(markup):
    given_page = Page("http://e.org/2", markup + "<p>x")
    detector = learned(*raw("<p>x", markup + "<p>y"), unit="raw")
    scores = detector.score(given_page).scores
    assert ((scores >= 0) & (scores <= 1)).all()


def test_the_directories_unused_for_longest_go_first():
    pages = [page(f"{name}/1", "<p>") for name in "abc"]
    detector = learned(*pages, page("a/2", "<p>"), page("d/1", "<p>"), max_directories=3)
    assert [peer_of(detector, f"{name}/9") for name in "abcd"] == ["2", None, "1", "1"]


def test_nearest_names_among_many_share_a_beginning_or_an_end(monkeypatch):
    monkeypatch.setattr(nearestname, "EXACT", 10)
    monkeypatch.setattr(nearestname, "NEIGHBOURS", 2)
    names = NearestNames()
    every = [f"{number:05}-{number * 7919 % 100_003:05}" for number in range(3000)]
    for number, name in enumerate(every):
        names.add(name, str(number))
    for name, number in (("01610-x", 1610), ("x" + every[77][3:], 77)):
        assert names.nearest(name, "") == str(number)
    assert names.nearest("quite another name", "") is not None


def test_raw_lines_of_a_hostile_page_take_bounded_time():
    # No text of the tree follows the one before: the parser moves all of them out of the table.
    rows = "".join(f"<tr>{n} moved<td>{n} kept" for n in range(20_000))
    one, two = raw(f"<table>\n{rows}", f"<table>\n{rows}\n<p>own")
    detector = learned(one, unit="raw")
    began = time.process_time()
    detector.score(two)
    assert time.process_time() - began < 20
