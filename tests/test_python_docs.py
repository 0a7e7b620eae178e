"""The Python examples of the README and of docs/python.md do what stands there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np

from detemplate.engines import cleaner, cleaning

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_of_the_python_api() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(page)
    assert len(blocks) == page.count("\n```python\n") > 5
    # One after the other: later examples use names of earlier ones.
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", None, 0)
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert runner.summarize().failed == 0
    assert runner.tries > 20


def test_the_examples_of_the_readme() -> None:
    first, second = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    pages = [(f"http://e.org/{number}", f"<p>Page {number}") for number in range(3)]
    exec(first, {"pages": pages, "crawl": pages, "lines": ["a", "b"], "peer_lines": ["b"]})
    given = {"parent": np.array([-1, 0, 0]), "scores": np.array([0.5, 0.2, 0.9]), "penalty": 0.1}
    exec(second, {"detemplate": __import__("detemplate"), "weight": np.ones(3), **given})


def test_the_examples_of_the_docstrings() -> None:
    for module, examples in ((cleaner, 3), (cleaning, 1)):
        results = doctest.testmod(module)
        assert (results.failed, results.attempted) == (0, examples), module.__name__
