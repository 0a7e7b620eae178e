"""Small pages, each a kind of fault."""

import json

from benchmarks.support.cases import CASES, faults, measure_cases


def test_a_case_holds_or_says_what_fails(labelled_data):
    assert measure_cases(labelled_data / CASES).means["held"].mean == 1
    case = labelled_data / CASES / "title"
    assert not faults(case)
    expected = json.loads((case / "expected.json").read_text())
    expected["checks"] = [
        {"must": ["five"], "must_not": ["One"], "re": ["six"], "not_re": ["t.o"], "count": {"One two": 2}}
    ]
    expected["metadata"] = {"title": "Three"}
    (case / "expected.json").write_text(json.dumps(expected))
    assert faults(case) == [
        "missing 'five'", "kept 'One'", "no match 'six'", "match 't.o'", "1 times 'One two', not 2",
        "title is 'One two', not 'Three'",
    ]  # fmt: skip
    assert measure_cases(labelled_data / CASES).means["held"].mean == 0
