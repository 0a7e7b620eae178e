"""The second level: idioms of many collections."""

import pytest
from hypothesis import given, strategies as st

from detemplate.expressions.collections import amount, count_collections, idiom_limit, without_idioms
from detemplate.expressions.files import Expression


def expressions(name, patterns):
    return [Expression(pattern, None, 5, 4, 1, name) for pattern in patterns]


@given(st.lists(st.sets(st.sampled_from("abcdefgh")), max_size=8), st.integers(1, 9))
def test_what_many_collections_have_is_dropped(collections, limit):
    mined = [expressions(str(n), "".join(sorted(each))) for n, each in enumerate(collections)]
    counts = count_collections(mined)
    for own, patterns in zip(mined, collections, strict=True):
        kept = without_idioms(own, counts, limit)
        wanted = {p for p in patterns if sum(p in other for other in collections) < limit}
        assert {each.pattern for each in kept} == wanted
        assert all(each.collections == sum(each.pattern in c for c in collections) for each in kept)
        assert [e.pattern for e in without_idioms(own, counts, None)] == sorted(patterns)


@pytest.mark.parametrize(
    ("value", "collections", "limit"),
    [
        (None, 2, None),
        (2, 2, None),
        (None, 3, 3),
        (None, 30, 3),
        (None, 31, 4),
        (2, 3, 2),
        (0.5, 5, 3),
        (1.0, 9, 9),
    ],
)
def test_the_limit(value, collections, limit):
    assert idiom_limit(value, collections) == limit


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("0.5", 0.5), ("50%", 0.5), ("1.0", 1.0), ("100%", 1.0)]
)
def test_amounts(text, value):
    read = amount(text, "--cut")
    assert read == value
    assert type(read) is type(value)
