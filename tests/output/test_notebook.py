"""What notebooks show of results and verdicts, and their tables."""

import importlib.util
import json
import xml.etree.ElementTree as ET

import narwhals as nw
import numpy as np
import pytest

from detemplate import Cleaner, UserError, Verdict
from detemplate.detectors import segmentframe

BAD = "<script>alert(1)</script><img src=x onerror=1>\"'&"


def result():
    cleaner = Cleaner("segments", min_df=2)
    pages = [
        (f"http://e.org/{n}", f"<title>T{n}</title><nav>Home <b>Menu</b></nav><p>About &lt;script&gt; {n}")
        for n in range(3)
    ]
    return [cleaner.learn_and_clean(page) for page in pages][-1]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(library):
    made = result()
    frame = nw.from_native(made.to_frame(library), eager_only=True)
    assert frame.implementation.name.lower() == library
    assert frame["text"].to_list() == ["Home", "Menu", "About <script> 2"]
    assert frame["url"].to_list() == ["http://e.org/2"] * 3
    assert frame["template"].to_list() == [True, True, False]
    assert frame["score"].to_list() == [1.0, 1.0, 0.0]
    assert frame["cause"].to_list() == ["repeated", "repeated", "block"]
    assert frame["reason"][0] == "on 3 of 3 pages of this site"
    assert json.loads(frame["causes"][0]) == [{"cause": "repeated", "weight": 1.0, "pages": 3, "of": 3}]
    alone = nw.from_native(made.verdict.to_frame(library), eager_only=True)
    assert alone.columns == ["segment", "score", "template", "reason", "cause", "causes"]
    empty = Verdict(np.zeros(0, np.float32)).to_frame(library)
    assert nw.from_native(empty, eager_only=True).shape == (0, 6)


def test_a_frame_needs_a_library(monkeypatch):
    with pytest.raises(UserError, match="unknown library 'excel'"):
        result().to_frame("excel")
    find = importlib.util.find_spec
    monkeypatch.setattr(
        segmentframe.importlib.util, "find_spec", lambda name: None if name == "pandas" else find(name)
    )
    with pytest.raises(UserError, match="pip install pandas"):
        result().to_frame("pandas")
    assert type(result().to_frame()).__module__.startswith("polars")


def test_html_of_a_result_is_well_formed_and_says_why():
    shown = result()._repr_html_()
    spans = ET.fromstring(shown).findall(".//div/div/div/span")
    texts = {span.text: span.get("title") for span in ET.fromstring(shown).iter("span") if span.get("title")}
    assert texts["Home"] == "goes, score 1.00: on 3 of 3 pages of this site"
    assert texts["About <script> 2"].startswith("stays, score 0.00: on 1 of 3 pages")
    assert "border-bottom" in next(
        s for s in spans or ET.fromstring(shown).iter("span") if s.text == "Home"
    ).get("style")


def test_html_of_a_hostile_result_holds_no_markup_of_the_page():
    page = (
        f"http://e.org/{BAD}",
        f"<title>{BAD}</title><p>&lt;script&gt;alert(2)&lt;/script&gt; {BAD}" + "<p>x" * 400,
    )
    shown = Cleaner("sandwich").learn_and_clean(page)._repr_html_()
    tree = ET.fromstring(shown)
    assert {each.tag for each in tree.iter()} <= {"div", "b", "span", "svg", "rect", "line", "title"}
    assert not any(name.startswith("on") for each in tree.iter() for name in each.attrib)
    assert "more texts" in shown
    assert len(shown) < 120_000


def test_html_of_a_verdict_counts_its_scores():
    shown = Verdict(np.array([0, 0.02, 0.97], np.float32), 0.5)._repr_html_()
    assert "3 segments, 1 template" in shown
    titles = [title.text for title in ET.fromstring(f"<div>{shown}</div>").iter("title")]
    assert len(titles) == 20
    assert titles[0].startswith("2 texts")
    assert titles[19].startswith("1 texts")
