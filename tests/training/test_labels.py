"""Training labels, compared with a count of literal subtrees."""

from collections import Counter

import numpy as np
from hypothesis import given, strategies as st

from detemplate.page.columns import ELEMENT
from detemplate.page.page import Page
from detemplate.training.labels import Labelling, SiteLabels

TEXTS = st.sampled_from(["one", "two words", "three", "4"])
TREES = st.recursive(
    st.one_of(
        TEXTS, st.sampled_from(["<br>", '<img src="a">', '<img src="b">', "<script>x=1</script>", "<hr>"])
    ),
    lambda inner: st.tuples(
        st.sampled_from(["div", "b", "i"]), st.sampled_from(["", ' id="x"']), st.lists(inner, max_size=3)
    ).map(lambda made: f"<{made[0]}{made[1]}>{'<wbr>'.join(made[2])}</{made[0]}>"),
    max_leaves=8,
)
SITES = st.lists(TREES, min_size=1, max_size=8)


def slice_of(page, row):
    return page.canonical[page.columns.start[row] : page.columns.stop[row]]


def labels_of(pages, labelling):
    labels = SiteLabels(labelling)
    for page in pages:
        labels.learn(page)
    return labels


@given(SITES, st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75]), st.sampled_from([0.0, 0.4, 0.85, 1.0]))
def test_labels_are_those_of_a_literal_count(htmls, theta, share):
    pages = [Page(f"http://e.org/{number}", html) for number, html in enumerate(htmls)]
    labels = labels_of(pages, Labelling(theta, share))
    counts = Counter(
        literal for page in pages for literal in {slice_of(page, row) for row in range(len(page.columns))}
    )
    for page in pages:
        columns = page.columns
        often = [counts[slice_of(page, row)] > max(1, theta * len(pages)) for row in range(len(columns))]
        assert labels.recurring(page).tolist() == often
        inside = np.zeros(len(page.canonical), bool)
        for row in range(len(columns)):
            if often[row]:
                inside[columns.start[row] : columns.stop[row]] = True
        for row, got in enumerate(labels.template(page).tolist()):
            mean = inside[columns.start[row] : columns.stop[row]].mean()
            assert got == (often[row] or (columns.kind[row] == ELEMENT and mean > share))


def test_a_share_equal_to_theta_is_not_template():
    """10 % of 30 pages are 3, although 0.1 · 30 is above 3 in floats: a node on 4 pages is template."""
    for count, template in ((3, False), (4, True)):
        pages = [
            Page(f"http://e.org/{number}", f"<p>{'same' if number < count else number}</p>")
            for number in range(30)
        ]
        labels = labels_of(pages, Labelling())
        row = pages[0].segments[0]
        assert bool(labels.template(pages[0])[row]) == template
