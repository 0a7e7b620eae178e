"""Sites for training: real ones as the detector sees them, and made-up ones within what can be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detemplate.detectors.auto.detector import Auto, Look
from detemplate.detectors.auto.options import AutoOptions
from detemplate.detectors.auto.sitekeys import BASE, UNKNOWN, SiteKeys
from detemplate.features.segment import LEVELS
from detemplate.page.page import Page
from detemplate.training.auto import sitecases
from detemplate.training.auto.examples import CONTENT, Example, deal
from detemplate.training.auto.sitecases import Case, drawn_case, seen_shares
from tests.support.auto_sites import article_page, example_of, pages, tiny_model

MODEL = tiny_model()
SITE_PAGES, OWN, SHARE, TEXT = range(4)
GROUP = BASE.index("group share level 0")
SLOT_SHARE, SLOT_PAGES, VOTE, NEWS = (
    BASE.index(f"slot {name}") for name in ("share", "pages", "content", "news")
)


def look(page: Page) -> Look:
    return Look.at(page, MODEL)


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "tiny.model"
    path.write_bytes(MODEL.to_bytes())
    return str(path)


# Real sites.


def detector_shares(target: Page, others: list[Page], model_file: str) -> np.ndarray:
    """Let the detector learn, and ask what it then gives its second look."""
    asked: list[np.ndarray] = []
    detector = Auto(AutoOptions(model=model_file))
    for page in (target, *others):
        detector.learn(page)
    judge = detector._judge

    def noted(page, model, seen, counts, count):
        asked.append(seen.keys.shares(counts, max(count, 0)))
        return judge(page, model, seen, counts, count)

    detector._judge = noted  # type: ignore[method-assign]
    detector.score(target)
    return asked[0]


@given(st.lists(pages, min_size=1, max_size=6))
@settings(max_examples=60)
def test_seen_shares_are_what_the_detector_sees(model_file, given_pages):
    target, *others = given_pages
    got = seen_shares(look(target).keys, [look(page).keys for page in others])
    np.testing.assert_array_equal(got, detector_shares(target, others, model_file))


def test_seen_shares_of_a_site_with_copies(model_file):
    given_pages = [article_page("a.org", number)[0] for number in (0, 1, 2, 0, 1, 3)]
    got = seen_shares(look(given_pages[0]).keys, [look(page).keys for page in given_pages[1:]])
    assert (got[:, SITE_PAGES] == 3).all()
    np.testing.assert_array_equal(got, detector_shares(given_pages[0], given_pages[1:], model_file))


def test_a_page_that_does_not_vote_takes_no_vote_away():
    """All other pages vote for the slot."""
    keys = []
    for number in range(4):
        page = Page(f"http://e.org/{number}", f"<p>some text number {number}</p>")
        seen = look(page)
        keys.append(SiteKeys.of(page, seen.features, seen.around, np.array([float(number > 0)])))
    assert seen_shares(keys[0], keys[1:])[:, VOTE].tolist() == [1.0]


# Made-up sites.


def labelled(host: str, number: int, **given: object) -> Example:
    page, text = article_page(host, number)
    return example_of(page, text, number, **given)


@pytest.fixture(scope="module")
def donors() -> list[Case]:
    """Pages of real sites, in two folds."""
    found = []
    for fold, site in enumerate(("a.org", "b.org")):
        examples = [labelled(site, number, site=True, fold=fold) for number in range(8)]
        keys = [look(example.page).keys for example in examples]
        for number, example in enumerate(examples):
            for seen in (1, 3, 7):
                others = (keys[:number] + keys[number + 1 :])[:seen]
                found.append(Case(example, seen_shares(keys[number], others)))
    return found


@pytest.fixture(scope="module")
def odd_donors(donors: list[Case]) -> list[Case]:
    """The same, with content that is on all other pages and template that is on none."""
    found = []
    for example, shares in donors:
        others, content = shares[0, SITE_PAGES], example.label == CONTENT
        odd = shares.copy()
        for share, pages_of in ((SHARE, OWN), (SLOT_SHARE, SLOT_PAGES)):
            odd[:, share] = content
            odd[:, pages_of] = others * content
        odd[:, VOTE] = odd[:, NEWS] = np.where(content, 1.0, UNKNOWN)
        odd[:, TEXT] = content
        found.append(Case(example, odd))
    return found


def drawn(example: Example, donors: list[Case], seed: int) -> Case | None:
    return drawn_case(example, look(example.page), donors, np.random.default_rng(seed))


@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_made_up_evidence_is_within_what_can_be(donors, odd_donors, seed, odd):
    example = labelled("c.org", seed, fold=seed % 2)
    case = drawn(example, odd_donors if odd else donors, seed)
    assert case is not None
    assert case.example is example
    shares = case.shares
    assert shares.shape == (len(example.page.segments), len(BASE))
    others = shares[0, SITE_PAGES]
    assert others in {1, 3, 7}
    assert (shares[:, SITE_PAGES] == others).all()
    for column in (OWN, SLOT_PAGES):
        assert (shares[:, column] == np.round(shares[:, column])).all()
        assert ((shares[:, column] >= 0) & (shares[:, column] <= others)).all()
    for column in (SHARE, TEXT, SLOT_SHARE, *range(GROUP, GROUP + LEVELS)):
        assert ((shares[:, column] >= 0) & (shares[:, column] <= 1)).all()
    np.testing.assert_allclose(shares[:, SHARE], shares[:, OWN] / others)
    # What is on a page with its path is there with its text.
    assert (shares[:, TEXT] >= shares[:, SHARE]).all()
    votes = shares[:, VOTE]
    assert (((votes >= 0) & (votes <= 1)) | (votes == UNKNOWN)).all()
    assert ((votes == UNKNOWN) == (shares[:, SLOT_PAGES] == 0)).all()
    template = example.label != CONTENT
    assert (shares[template, SLOT_PAGES] >= shares[template, OWN]).all()


@pytest.mark.parametrize("seed", range(6))
def test_a_group_is_on_as_many_pages_as_the_rarest_of_what_it_holds(donors, seed):
    example = labelled("c.org", seed)
    seen, shares = look(example.page), drawn(example, donors, seed).shares
    groups = seen.features.groups
    for level in range(LEVELS):
        for i, group in enumerate(groups[:, level].tolist()):
            held = (groups == group).any(axis=1)
            wanted = shares[held, SHARE].min() if group >= 0 else 0
            assert shares[i, GROUP + level] == wanted


def test_a_group_is_on_as_many_pages_from_wherever_it_is_seen(donors):
    """A group is the nearest of some texts and farther from those in groups inside of it."""
    example = labelled("c.org", 0)
    groups = look(example.page).features.groups
    for seed in range(20):
        shares = drawn(example, donors, seed).shares[:, GROUP : GROUP + LEVELS]
        for group in set(groups[groups >= 0].tolist()):
            assert len(set(shares[groups == group].tolist())) == 1


def test_news_are_known_where_the_slot_is(odd_donors):
    """As the detector has it: no share of no pages."""
    for seed in range(10):
        shares = drawn(labelled("c.org", seed), odd_donors, seed).shares
        assert ((shares[:, NEWS] == UNKNOWN) == (shares[:, SLOT_PAGES] == 0)).all()


@pytest.mark.parametrize("seed", range(6))
def test_content_of_clean_cases_is_on_no_other_page(odd_donors, seed, monkeypatch):
    """Labels, and what is quoted, excepted: both are short."""
    monkeypatch.setattr(sitecases, "_CLEAN", 1.0)
    example = labelled("c.org", seed)
    shares, words = drawn(example, odd_donors, seed).shares, look(example.page).features.words
    content = example.label == CONTENT
    assert content.sum() >= 4
    assert (shares[content & (words > 25), OWN:SLOT_SHARE] == 0).all()
    assert (shares[content & (words > 25)][:, SHARE] == 0).all()


def test_content_that_is_not_clean_is_that_of_a_donor(donors, monkeypatch):
    monkeypatch.setattr(sitecases, "_CLEAN", 0.0)
    example = labelled("c.org", 0)
    content = example.label == CONTENT
    lent = [
        shares[donor.label == CONTENT][:, [SITE_PAGES, OWN, SHARE, TEXT]].tolist()
        for donor, shares in donors
        if donor.fold == example.fold
    ]
    for seed in range(10):
        own = drawn(example, donors, seed).shares[content][:, [SITE_PAGES, OWN, SHARE, TEXT]].tolist()
        assert any(all(row in rows for row in own) for rows in lent)


def test_only_donors_of_the_same_fold_lend(donors):
    """What the second look learns of one fold must not have been seen in another."""
    example = labelled("c.org", 0, fold=7)
    assert drawn(example, donors, 0) is None
    by_fold = {1: [case for case in donors if case.example.fold == 1]}
    example = labelled("c.org", 0, fold=1)
    assert drawn(example, by_fold[1], 0) is not None


def test_template_is_of_several_kinds(donors):
    """Over many draws some of it is on all pages, some on none, some in between."""
    example = labelled("c.org", 0)
    template = example.label != CONTENT
    shares = np.concatenate([drawn(example, donors, seed).shares[template, SHARE] for seed in range(40)])
    assert (shares == 1).mean() > 0.2
    assert (shares == 0).mean() > 0.05
    assert ((shares > 0) & (shares < 1)).mean() > 0.05


def test_slots_of_what_is_new_tell_nothing(donors):
    """New template stands in slots like those of real content, as new content does: no number gives it away."""
    example = labelled("c.org", 0)
    real = {
        tuple(row)
        for donor, shares in donors
        if donor.fold == example.fold
        for row in shares[donor.label == CONTENT][:, [SLOT_SHARE, SLOT_PAGES, NEWS]].tolist()
    }
    slot = look(example.page).around.slot
    kinds = set()
    for seed in range(60):
        shares = drawn(example, donors, seed).shares
        new = shares[:, OWN] == 0
        for number, row in enumerate(shares[:, [SLOT_SHARE, SLOT_PAGES, NEWS]].tolist()):
            if new[number]:
                assert tuple(row) in real
                kinds.add((bool(example.label[number] == CONTENT), row[2] == 1))
        for number in set(slot.tolist()):
            assert (
                len(np.unique(shares[new & (slot == number)][:, [SLOT_SHARE, SLOT_PAGES, NEWS]], axis=0)) < 2
            )
    # Something new on every page is in slots of both.
    assert {(True, True), (False, True)} <= kinds


def test_votes_are_counts_of_pages(donors):
    """On whole pages; a slot of which the first look is sure is mostly voted for, or against."""
    example = labelled("c.org", 0)
    seen = look(example.page)
    mean = seen.around.over_slots(seen.content)
    likely, unlikely = [], []
    for seed in range(60):
        shares = drawn(example, donors, seed).shares
        known = shares[:, VOTE] != UNKNOWN
        # One share a slot, of as many pages as its most frequent segment says.
        for number in set(seen.around.slot.tolist()):
            own = known & (seen.around.slot == number)
            if own.any():
                assert len(np.unique(shares[own, VOTE])) == 1
                votes = shares[own, VOTE][0] * shares[own, SLOT_PAGES].max()
                assert votes == pytest.approx(round(votes))
        likely += shares[known & (mean > 0.6), VOTE].tolist()
        unlikely += shares[known & (mean < 0.4), VOTE].tolist()
    assert np.mean(likely) > 0.5 > np.mean(unlikely)


def test_the_seed_decides(donors):
    example = labelled("c.org", 0)
    np.testing.assert_array_equal(drawn(example, donors, 5).shares, drawn(example, donors, 5).shares)
    assert any(
        drawn(example, donors, 5).shares.tolist() != drawn(example, donors, seed).shares.tolist()
        for seed in (6, 7, 8)
    )


@pytest.mark.parametrize("label", [0, 1, -1])
@pytest.mark.parametrize("html", ["one text", "<p>one</p><div><p>two of them</p></div>"])
def test_pages_of_one_kind(donors, label, html):
    page = Page("http://c.org/", html)
    count = len(page.segments)
    example = Example(page, "c.org", np.full(count, label, np.int8), np.full(count, 2, np.int64), 0)
    for seed in range(5):
        assert np.isfinite(drawn(example, donors, seed).shares).all()


def test_the_page_lends_nothing_of_itself(donors):
    """Donors stay as they were."""
    before = [shares.copy() for _, shares in donors]
    for seed in range(5):
        drawn(labelled("c.org", seed), donors, seed)
    for shares, (_, now) in zip(before, donors, strict=True):
        np.testing.assert_array_equal(shares, now)


# Folds.

SOME_PAGE = Page("http://e.org/", "<p>x")


def placed(families: list[tuple[int, bool]]) -> list[Example]:
    nothing = np.zeros(1, np.int8), np.ones(1, np.int64)
    return [
        Example(SOME_PAGE, f"family {family}", *nothing, number, site=site)
        for number, (family, site) in enumerate(families)
    ]


def folds_of(examples: list[Example], folds: int, seed: int) -> dict[str, set[int]]:
    deal(examples, folds, seed)
    dealt: dict[str, set[int]] = {}
    for example in examples:
        assert 0 <= example.fold < folds
        dealt.setdefault(example.family, set()).add(example.fold)
    return dealt


@given(st.lists(st.integers(0, 19), min_size=1, max_size=30), st.integers(2, 5), st.integers(0, 9))
def test_families_are_never_split(families, folds, seed):
    examples = placed([(family, family % 2 == 0) for family in families])
    assert all(len(found) == 1 for found in folds_of(examples, folds, seed).values())


def test_families_of_sites_and_of_single_pages_are_never_split():
    families = [(family, site) for family in range(9) for site in (False, True)]
    assert all(len(found) == 1 for seed in range(5) for found in folds_of(placed(families), 3, seed).values())


@given(st.integers(1, 40), st.integers(2, 6), st.booleans(), st.integers(0, 5))
def test_folds_have_about_as_many_families_each(count, folds, site, seed):
    examples = placed([(family, site) for family in range(count)])
    deal(examples, folds, seed)
    sizes = np.bincount([example.fold for example in examples], minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    again = placed([(family, site) for family in range(count)])
    deal(again, folds, seed)
    assert [example.fold for example in again] == [example.fold for example in examples]
