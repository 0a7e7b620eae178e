"""Site shares for training: real ones as the detector sees them, synthetic ones within what can be."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from detemplate.detectors.auto.detector import Auto
from detemplate.detectors.auto.model import AutoOptions
from detemplate.detectors.auto.site import SiteShares
from detemplate.detectors.auto.stages import PageStage
from detemplate.page.page import Page
from lab.auto.examples import Example, assign_folds
from lab.auto.siteexamples import SitePage, real_shares
from tests.support.auto_sites import pages, tiny_model

MODEL = tiny_model()


def page_stage(page):
    return PageStage.run(page, MODEL.vocabulary, MODEL.page)


def site_page(page, stage=None):
    return SitePage.of(page, stage or page_stage(page))


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "tiny.model"
    path.write_bytes(MODEL.to_bytes())
    return str(path)


def detector_shares(target, others, model_file):
    """Let the detector learn; give what its site stage then gets."""
    detector = Auto(AutoOptions(model=model_file))
    for page in (target, *others):
        detector.learn(page)
    asked = detector.ask(target)
    answer = detector.answer(asked.query)
    if answer is None:
        return SiteShares.unknown(0, len(target.segments))
    return SiteShares.of(asked.query, answer, asked.kept.stage.around.group)


def assert_equal(got, wanted):
    assert got.pages == wanted.pages
    np.testing.assert_array_equal(got.table, wanted.table)


@given(st.lists(pages, min_size=1, max_size=6))
@settings(max_examples=60)
def test_real_shares_are_what_the_detector_sees(model_file, given_pages):
    target, *others = given_pages
    got = real_shares(site_page(target), [site_page(page) for page in others])
    assert_equal(got, detector_shares(target, others, model_file))


@given(st.lists(st.integers(0, 19), min_size=1, max_size=30), st.integers(2, 5), st.integers(0, 9))
def test_families_are_never_split(families, folds, seed):
    page, nothing = Page("http://e.org/", "<p>x"), (np.zeros(1, np.int8), np.ones(1, np.int64))
    examples = [Example(page, str(each), *nothing, 0, site=each % 2 == 0) for each in families]
    assign_folds(examples, folds, seed)
    assert all(0 <= example.fold < folds for example in examples)
    assert len({(example.family, example.fold) for example in examples}) == len(set(families))
