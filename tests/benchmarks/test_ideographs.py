"""Pages rewritten with ideographs keep their structure, and their gold still fits."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import scripts
from benchmarks.support.ideographs import IdeographSet, html_in_ideographs, in_ideographs
from detemplate.errors import UserError
from detemplate.page.page import Page
from lab.labelled.datasets import load_sets
from lab.labelled.words import words

lines = st.text(st.sampled_from("abcXYZéß 0123.,!?;:-'\n漢字、<>&"), max_size=60)


def is_ideograph(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff"


def test_words_lose_their_letters_and_spaces():
    written = in_ideographs("Hello, wide world! It's 12 o'clock; see http://e.org.")
    assert not any(character.isascii() and character.isalpha() for character in written)
    hello, wide, world = (in_ideographs(word) for word in ("Hello", "wide", "world"))
    assert written.startswith(f"{hello}，{wide}{world}！")
    assert "12" in written


@pytest.mark.parametrize(
    ("word", "count"), [("a", 1), ("word", 1), ("letters", 2), ("characters", 3), ("x" * 40, 4)]
)
def test_lengths(word, count):
    written = in_ideographs(word)
    assert len(written) == count
    assert all(map(is_ideograph, written))


@given(st.lists(st.text(st.sampled_from("abcdefgh"), min_size=1, max_size=9), min_size=1, max_size=9))
def test_the_same_words_become_the_same_ideographs(parts):
    assert in_ideographs(" ".join(parts)) == "".join(map(in_ideographs, parts))
    assert in_ideographs(" ".join(parts).upper()) == in_ideographs(" ".join(parts))


@given(lines)
def test_other_scripts_and_digits_stay(text):
    stays = [character for character in text if is_ideograph(character) or character.isdigit()]
    left = Counter(in_ideographs(text))
    assert all(left[character] >= count for character, count in Counter(stays).items())


@given(lines)
def test_rewriting_twice_changes_nothing_more(text):
    once = in_ideographs(text)
    assert in_ideographs(once) == once


def test_only_visible_text_is_rewritten():
    html = html_in_ideographs(
        "<title>Words</title><p class='some words' title='more words'>Shown words<b> bold</b></p>"
        "<script>var words</script><style>words {}</style><!-- words -->"
    )
    page = Page("http://e.org/", html)
    assert 'class="some words" title="more words"' in html
    assert "<script>var words</script><style>words {}</style><!-- words -->" in html
    assert [page.segment_text(number) for number in range(2)] == [
        in_ideographs("Shown words"),
        in_ideographs("bold"),
    ]


def test_pages_keep_their_segments_and_gold_its_words(data_dir):
    labelled = load_sets(["cleanportaleval"], data_dir)[0]
    pairs = list(zip(labelled.pages(), IdeographSet.of(labelled).pages(), strict=True))
    assert len(pairs) == 71
    for before, after in pairs[::7]:
        one, other = (Page(page.url, page.html) for page in (before, after))
        assert abs(len(one.segments) - len(other.segments)) <= 2
        wanted = Counter(words(after.gold.text))
        shown = Counter(words(" ".join(other.segment_text(n) for n in range(len(other.segments)))))
        had = Counter(words(before.gold.text))
        there = Counter(words(" ".join(one.segment_text(n) for n in range(len(one.segments)))))
        assert (wanted & shown).total() >= 0.97 * wanted.total() * (had & there).total() / max(had.total(), 1)


def test_the_benchmark_writes_a_table(data_dir, monkeypatch, tmp_path):
    monkeypatch.setenv("DETEMPLATE_DATA", str(data_dir))
    out = tmp_path / "scripts.md"
    options = ["--sets", "cleanportaleval", "--methods", "sandwich,auto:evidence=page", "--peers", "none"]
    assert scripts.main([*options, "--out", str(out)]) == 0
    report = out.read_text("utf-8")
    assert "| cleanportaleval | sandwich | 0." in report
    assert "| cleanportaleval | auto evidence=page | 0." in report


def test_the_benchmark_takes_text_sets_only(data_dir, monkeypatch, tmp_path):
    monkeypatch.setenv("DETEMPLATE_DATA", str(data_dir))
    with pytest.raises(UserError, match="swde-22"):
        scripts.main(["--sets", "swde-22", "--peers", "none", "--out", str(tmp_path / "x.md")])
