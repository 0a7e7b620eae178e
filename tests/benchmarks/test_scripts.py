"""Pages rewritten with ideographs keep their structure, and their gold still fits."""

import pytest

from benchmarks import scripts
from benchmarks.scripts import in_ideographs
from detemplate.errors import UserError


def test_words_lose_their_letters_and_spaces():
    written = in_ideographs("Hello, wide world! It's 12 o'clock; see http://e.org.")
    assert not any(character.isascii() and character.isalpha() for character in written)
    hello, wide, world = (in_ideographs(word) for word in ("Hello", "wide", "world"))
    assert written.startswith(f"{hello}，{wide}{world}！")
    assert "12" in written
    assert [len(in_ideographs(word)) for word in ("a", "letters", "characters", "x" * 40)] == [1, 2, 3, 4]


def test_the_benchmark_writes_a_table(measured, tmp_path):
    out = ["--peers", "none", "--out", str(tmp_path / "scripts.md")]
    assert scripts.main(["--sets", "zh-web", "--methods", "segments,auto:evidence=page", *out]) == 0
    report = (tmp_path / "scripts.md").read_text("utf-8")
    assert "| zh-web | segments | " in report
    assert "| zh-web | auto evidence=page | " in report
    with pytest.raises(UserError, match="swde-22"):
        scripts.main(["--sets", "swde-22", *out])
