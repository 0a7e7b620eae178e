"""Every method cleans damaged pages; the fuzzer finds broken rules."""

import dataclasses

import numpy as np
import pytest

from benchmarks import fuzz_pages
from detemplate import Cleaner, Page
from detemplate.detectors.registry import DETECTORS
from detemplate.output.result import Result

HTML = (
    b"<body><ul><li><a href=/>Home</a></ul><article><p>A text, with a comma, that says something.</article>"
)


@pytest.mark.parametrize("method", DETECTORS)
def test_damaged_pages(method):
    accepted, refused, size = fuzz_pages.fuzz(method, 300, 5, [HTML * 3])
    assert accepted + refused == 300
    assert accepted > 200
    assert size > 10_000


def broken(scores=None, text=None):
    """Make a result of method auto that breaks a rule."""
    cleaned = Cleaner("auto").learn_and_clean(Page("http://e.org/", HTML))
    verdict = cleaned.verdict
    if scores is not None:
        verdict = dataclasses.replace(verdict, scores=np.full(len(verdict), scores, np.float32))
    result = Result(cleaned.page, verdict, "auto")
    if text is not None:
        result.__dict__["text"] = text
    return result


def test_broken_rules_are_found():
    assert fuzz_pages.broken_rule(broken()) is None
    assert fuzz_pages.broken_rule(broken(scores=1.5)) == "a score in [0, 1] a segment"
    assert fuzz_pages.broken_rule(broken(scores=np.nan)) == "a score in [0, 1] a segment"
    assert fuzz_pages.broken_rule(broken(scores=1)) == "something is left"
    assert fuzz_pages.broken_rule(broken(text="\ud800")) == "what can be written"


def test_the_command(capsys):
    assert fuzz_pages.main(["--rounds", "50", "--methods", "segments,auto"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in printed] == ["segments", "auto"]
