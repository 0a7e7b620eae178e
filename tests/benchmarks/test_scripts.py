"""Pages rewritten with ideographs keep their structure, and their gold still fits."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from benchmarks import scripts
from benchmarks.scripts import IdeographSet, html_in_ideographs, in_ideographs
from detemplate.errors import UserError
from detemplate.page.page import Page
from lab.labelled.datasets import load_sets
from lab.labelled.words import words

if TYPE_CHECKING:
    from pathlib import Path


def test_words_lose_their_letters_and_spaces() -> None:
    written = in_ideographs("Hello, wide world! It's 12 o'clock; see http://e.org.")
    assert not any(character.isascii() and character.isalpha() for character in written)
    hello, wide, world = (in_ideographs(word) for word in ("Hello", "wide", "world"))
    assert written.startswith(f"{hello}，{wide}{world}！")
    assert "12" in written
    assert [len(in_ideographs(word)) for word in ("a", "letters", "characters", "x" * 40)] == [1, 2, 3, 4]


def test_only_visible_text_is_rewritten() -> None:
    html = html_in_ideographs(
        "<title>Words</title><p class='some words' title='more words'>Shown words<b> bold</b></p>"
        "<script>var words</script><style>words {}</style><!-- words -->"
    )
    page = Page("http://e.org/", html)
    assert 'class="some words" title="more words"' in html
    assert "<script>var words</script><style>words {}</style><!-- words -->" in html
    shown = [page.segment_text(number) for number in range(2)]
    assert shown == [in_ideographs("Shown words"), in_ideographs("bold")]


def test_pages_keep_their_segments_and_gold_its_words(data_dir: Path) -> None:
    labelled = load_sets(["cleanportaleval"], data_dir)[0]
    pairs = list(zip(labelled.pages(), IdeographSet.of(labelled).pages(), strict=True))
    for before, after in pairs[::14]:
        one, other = (Page(page.url, page.html) for page in (before, after))
        assert abs(len(one.segments) - len(other.segments)) <= 2
        shares = []
        for page, parsed in ((before, one), (after, other)):
            assert page.gold is not None
            gold = Counter(words(page.gold.text))
            shown = Counter(words(" ".join(map(parsed.segment_text, range(len(parsed.segments))))))
            shares.append((gold & shown).total() / max(gold.total(), 1))
        assert shares[1] >= 0.97 * shares[0]


def test_the_benchmark_writes_a_table(
    labelled_data: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DETEMPLATE_DATA", str(labelled_data))
    out = ["--peers", "none", "--out", str(tmp_path / "scripts.md")]
    assert scripts.main(["--sets", "zh-web", "--methods", "segments,auto:evidence=page", *out]) == 0
    report = (tmp_path / "scripts.md").read_text("utf-8")
    assert "| zh-web | segments | " in report
    assert "| zh-web | auto evidence=page | " in report
    with pytest.raises(UserError, match="swde-22"):
        scripts.main(["--sets", "swde-22", *out])
