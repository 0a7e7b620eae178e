"""What is learned of a site, against counting by hand: shares, copies, joined parts, saved states."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.detectors.auto.reasons import logit
from detemplate.detectors.auto.site import COLUMNS, SHARE_NAMES, UNKNOWN, Query, Site, SiteShares, SlotTree
from detemplate.detectors.auto.stages import PageStage
from detemplate.page.page import Page
from tests.support.auto_sites import found, likeness, pages

_STOCK = (
    "<ul class=menu><li><a href=/>Home</a><li><a href=/a>About the site</a></ul>",
    "<ul class=menu><li><a href=/>Home</a><li>Here</ul>",
    "<p>Home</p>",
    "<div class=x><p>one text that is common</p><p>and one more</p></div>",
    "<div class=x><p>a text of its own, of some more words</p></div>",
    "<section><div><p>nested</p></div></section>",
    "bare",
    "<footer>Copyright, all rights reserved</footer>",
    "<article><h1>A title</h1><p>What the article says in its first text.</p></article>",
)

stock_pages = st.lists(st.sampled_from(_STOCK), min_size=1, max_size=6).map(
    lambda parts: Page("http://e.org/", "".join(parts))
)
sites = st.lists(stock_pages, min_size=1, max_size=8)


@dataclass
class Asking:
    """A page with what it asks, and the same as sets."""

    page: Page
    content: np.ndarray | None = None
    stage: PageStage = field(init=False)
    tree: SlotTree = field(init=False)
    query: Query = field(init=False)

    def __post_init__(self):
        columns = self.page.columns
        self.stage = PageStage.of(
            self.page, found(self.page), likeness(self.page) if self.content is None else self.content
        )
        self.tree = SlotTree.of(columns.parent, columns.segments, self.stage.features.node_slots)
        self.query = self.stage.query(self.page, self.tree, logit(self.stage.content))
        hashes = columns.content.tolist()
        self.texts = [hashes[row] for row in columns.segments.tolist()]
        self.groups = [
            [hashes[row] if row >= 0 else None for row in around]
            for around in self.stage.features.groups.tolist()
        ]
        self.slots = self.tree.keys[self.tree.own].tolist()
        self.placed = set(zip(self.slots, self.texts, strict=True))
        self.votes = set()
        for slot in set(self.slots):
            own = [i for i, other in enumerate(self.slots) if other == slot]
            weight = [int(self.stage.features.words[i]) + 0.3 for i in own]
            if sum(self.stage.content[i] * w for i, w in zip(own, weight, strict=True)) > 0.5 * sum(weight):
                self.votes.add(slot)

    def is_copy(self, other):
        return bool({*self.query.signatures.tolist()} & {*other.query.signatures.tolist()})

    def shares(self, learned):
        answer = learned.answer(self.query)
        return answer and SiteShares.of(self.query, answer, self.stage.around.group)


def learned(asking, most=1 << 20):
    site = Site(np.array([-1]), most)
    for each in asking:
        site.learn(each.query)
    return site


def place_of(page, segment):
    return page.slots[segment], page.texts[segment]


def shares_by_hand(target, site):
    """Count over the pages of a site that has learned the target."""
    # A page has two signatures, for lengths near each other: it has as many copies as share the commoner one.
    copies = max(
        sum(name in other.query.signatures.tolist() for other in site)
        for name in target.query.signatures.tolist()
    )
    others = len(site) - copies
    if others <= 0:
        return None

    def on(holds):
        return max(sum(1 for other in site if holds(other)) - copies, 0)

    table = []
    for i in range(len(target.slots)):
        slot, own = target.slots[i], on(lambda other, place=i: place_of(target, place) in other.placed)
        having = [other for other in site if slot in other.tree.keys.tolist()]
        slots = len(having) - 1
        votes = sum(slot in other.votes for other in having) - (slot in target.votes)
        texts_in = [text for other in site for where, text in other.placed if where == slot]
        own_in = [text for where, text in target.placed if where == slot]
        new = len(set(texts_in)) - sum(texts_in.count(text) <= copies for text in own_in)
        texts = on(lambda other, key=target.texts[i]: key in other.texts)
        row = {
            "segment pages": own,
            "segment share": own / others,
            "text share": texts / others,
        }
        for level, key in enumerate(target.groups[i]):
            held = on(lambda other, key=key: any(key in around for around in other.groups)) if key else 0
            row[f"group share level {level}"] = held / others
        row |= {
            "slot share": slots / (len(site) - 1), "slot pages": slots,
            "slot content": votes / slots if slots else UNKNOWN, "slot news": new / slots if slots else UNKNOWN,
            "slot variety": new / max(len(texts_in) - len(own_in), 1) if slots else UNKNOWN,
        }  # fmt: skip
        table.append(
            {name: row[name] if name.endswith("pages") else min(row[name], 1.0) for name in SHARE_NAMES}
        )
    return table


@given(st.one_of(stock_pages, pages), sites)
def test_shares_equal_counting_by_hand(target, others):
    asking = [Asking(page) for page in (target, *others)]
    got, wanted = asking[0].shares(learned(asking)), shares_by_hand(asking[0], asking)
    if wanted is None or got is None:
        assert got is wanted is None
        return
    assert got.table.shape == (len(target.segments), len(SHARE_NAMES))
    np.testing.assert_allclose(got.table, [[row[name] for name in SHARE_NAMES] for row in wanted])


def test_the_words_of_a_slot_are_the_mean_over_the_site():
    asking = [Asking(Page("", f"<p class=a>{'word ' * count}<p class=b>one two")) for count in (2, 4, 9)]
    site = learned(asking)
    for each in asking:
        assert site.answer(each.query).slot_words[each.query.own] == pytest.approx([5, 2], abs=1e-4)


def test_the_rarest_slots_are_dropped():
    common = Asking(Page("http://e.org/", "<p class=common>Home"))
    site = learned(
        [common, common, *(Asking(Page("http://e.org/", f"<p class=c{number}>x")) for number in range(20))], 8
    )
    assert len(site.dump()["slots"]) <= 8
    assert site.answer(common.query).total[-1, 0] >= 2  # on most pages, so it is still known


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("keys", np.array([7, 7], np.uint64)), ("slots", np.zeros(3, np.uint64)),
        *((f"slot {name}", np.full(3, -1)) for name in COLUMNS if name not in {"odds", "words", "content", "words inside", "content inside"}),
        ("slot last", np.zeros(3, np.int64)), ("slot odds", np.zeros(2, np.int64)), ("slot new", np.full(3, 9)),
    ],
)  # fmt: skip
def test_columns_that_contradict_each_other_are_refused(name, column):
    whole = learned([Asking(Page("http://e.org/", "<p>one"))])
    columns = whole.dump()
    assert len(columns["slots"]) == 3
    learned([]).load(whole.numbers, columns)
    with pytest.raises(ValueError):  # noqa: PT011  # by any of the columns
        learned([]).load(whole.numbers, {**columns, name: column})
    for number, wrong in (("learned", 0), ("prose", -1)):
        with pytest.raises(ValueError):  # noqa: PT011
            learned([]).load({**whole.numbers, number: wrong}, columns)


def test_a_page_that_was_not_learned_takes_nothing_off():
    seen = [
        Asking(Page("http://e.org/", f"<p>A text of page {number}<div>Home</div>")) for number in range(3)
    ]
    new = Asking(Page("http://e.org/", "<p>Another text<div>Home</div>"))
    shares = new.shares(learned(seen))
    assert shares.pages == 3
    assert shares.segment_share.tolist() == [0, 1]
    assert shares.slot_pages.tolist() == [3, 3]
    assert shares.slot_new.tolist() == [1, 1 / 3]


def test_copies_of_a_page_do_not_count_for_it():
    text = "<p>A long text that the page and its copies have, and that no other page of the site has.</p>"
    site = [
        Asking(Page("http://e.org/", f"{text}<i>{number}</i>"), np.array([1.0, 0.0])) for number in range(4)
    ]
    other = "<p>Page {} says something else, in a text of its own.</p>"
    site += [Asking(Page("http://e.org/", other.format(number)), np.ones(1)) for number in range(2)]
    assert site[0].is_copy(site[3])
    shares = site[0].shares(learned(site))
    assert (shares.pages, shares.segment_share[0]) == (2, 0)
    assert site[4].shares(learned(site)).segment_share[0] == 0
