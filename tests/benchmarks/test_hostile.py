"""The benchmark of hostile pages: what it calls slow, and its pages."""

from benchmarks import hostile


def test_the_command(tmp_path):
    out = tmp_path / "hostile.md"
    options = ["--methods", "segments,sitelevel", "--kilobytes", "1", "--out", str(out)]
    assert hostile.main([*options, "--kinds", "one word, links"]) == 0
    report = out.read_text()
    assert "of 1 and of 4 thousand characters" in report
    assert "\n| one word |" in report
    assert "\n| links |" in report
    assert report.endswith("reached.\n")
