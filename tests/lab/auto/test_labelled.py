"""Examples of labelled folders: what is learnt from gold of values."""

from __future__ import annotations

import numpy as np

from lab.auto.labelled import VALUES_WEIGHT, read_examples
from tests.support.auto_sites import write_labelled

HTML = (
    "<title>Soup</title><nav><a href=/>Home</a></nav><p>All about the soup</p>"
    "<ul><li>2 cups of rice</li><li>1 cup of milk</li></ul><p>Mix the rice and the milk.</p><p>Imprint</p>"
)


def test_values_are_content_and_all_else_is_unknown(tmp_path):
    record = {"id": "a", "url": "http://a.org/1", "site": "a.org", "html": HTML}
    gold = {
        "id": "a",
        "type": "recipe",
        "values": ["2 cups of rice", "1 cup of milk", "Mix the rice and the milk."],
    }
    folder = write_labelled(tmp_path / "recipes", [record], [gold])
    (example,), sources = read_examples([str(folder)], [], 0)
    texts = [example.page.segment_text(number) for number in range(len(example.label))]
    content = [text for text, label in zip(texts, example.label, strict=True) if label == 1]
    assert content == list(gold["values"])
    np.testing.assert_array_equal(np.unique(example.label), [-1, 1])
    assert example.weight == VALUES_WEIGHT
    assert sources[example.number][1].id == "a"
