"""Classification: problems never train and test on one site, naive Bayes follows its formula."""

import math
from collections import Counter

import numpy as np
import pytest

from lab.classification.__main__ import Problem, accuracies, one_site_each
from lab.classification.pages import ClassPage
from tests.support.made_sites import types_set

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")


def pages_of(layout):
    """Make pages ``LABEL SITE`` from a text such as ``"a1 a2 b1"``."""
    return [
        ClassPage(one[1], one[0], f"https://{one[1]}/{n}", f"<p>{one}")
        for n, one in enumerate(layout.split())
    ]


def test_each_class_is_learned_from_one_site():
    pages = pages_of("a1 a1 a2 b1 b2 b3")
    problems = one_site_each(pages)
    learned = {(pages[p.train[0][0]].site, pages[p.train[1][0]].site) for p in problems}
    assert learned == {("1", "2"), ("1", "3"), ("2", "1"), ("2", "3")}
    for problem in problems:
        for of_class, label, train in zip(problem.test, problem.classes, problem.train, strict=True):
            [site] = {pages[number].site for number in train}
            rest = {n for n, page in enumerate(pages) if page.label == label and page.site != site}
            assert set(of_class) == rest
            assert {pages[number].label for number in train} == {label}


def test_naive_bayes_by_hand():
    texts = ["x x y", "y z", "x y unseen", "z z"]
    problem = Problem(("a", "b"), ((0,), (1,)), ((2,), (3, 2)))

    def log_probability(text, of_class):
        counts, vocabulary = Counter(of_class.split()), {"x", "y", "z"}
        total = sum(counts.values()) + len(vocabulary)
        return sum(math.log((counts[word] + 1) / total) for word in text.split() if word in vocabulary)

    in_a = [log_probability(text, texts[0]) > log_probability(text, texts[1]) for text in texts]
    expected = (np.mean([in_a[2]]) + np.mean([not in_a[3], not in_a[2]])) / 2
    assert accuracies(texts, [problem]) == [expected] == [0.75]


def test_all_in_one(made_sites, tmp_path, results):
    data = tmp_path / "data"
    data.mkdir()
    (data / "sites").symlink_to(made_sites / "sites")
    types_set(data / "swde-22", "xyz", ("auto", "job"))
    types_set(data / "webkb", "uv", ("course", "staff"))
    methods = "sitelevel,sitelevel:equality=exact,pagelevel:variant=basic"
    words = ("--data", data, "--pages", 4, "--methods", methods, "--seed", 3)
    record, table = results("classification", *words, charts=["accuracy"])
    assert set(record["tasks"]) == {"made pages", "made pages, 100 words", "swde-22", "webkb"}
    assert record["tasks"]["webkb"]["problems"] == [
        ["course", "staff", ["v"], ["v"]],
        ["course", "staff", ["u"], ["u"]],
    ]
    accuracy = {(row["task"], row["method"]): row["accuracy"] for row in record["rows"]}
    assert accuracy["swde-22", "sitelevel"] == [1, 1, 1]
    assert "| sitelevel | – |" in table
    assert "| sitelevel equality=exact | 43.5 % |" in table
    assert "| pagelevel variant=basic | 43.6 % |" in table
    pairs = "| classes | full text | sitelevel equality=exact | pagelevel variant=basic | sitelevel |"
    assert pairs in table
