"""Training of auto: folds do not see their families."""

import numpy as np
import pytest

from detemplate.page.page import Page
from lab.auto import train as training
from lab.auto.examples import Example, assign_folds
from lab.auto.train import train_auto
from lab.labelled.segmentlabels import CONTENT, UNTOLD
from tests.support.auto_sites import article_page, example_of

SINGLE, SITES, EACH = 15, 6, 4


def example_set():
    """Sites of one page, sites of four; of each of these one page is there for its site's sake only."""
    found = []
    for name in range(SINGLE):
        page, text = article_page(f"single{name}.org", 0)
        found.append(example_of(page, text, len(found)))
    for name in range(SITES):
        for number in range(EACH):
            page, text = article_page(f"site{name}.org", number)
            weight = 0.5 if number else 0.0
            found.append(example_of(page, text, len(found), site=True, weight=weight))
    return found


def trained(examples, seed=0, folds=3):
    progress = []
    return train_auto(
        examples, folds=folds, seed=seed, about={"made": "here"}, tell=progress.append
    ), progress


@pytest.mark.usefixtures("small")
def test_what_no_value_tells_of_is_labelled_by_what_other_pages_taught(monkeypatch):
    examples = example_set()
    valued = examples[0]
    gold = valued.label.copy()
    assert (gold == CONTENT).sum() > 1
    value = int(np.flatnonzero(gold == CONTENT)[0])
    valued.said = np.arange(len(gold)) == value
    valued.label[:] = np.where(valued.said, CONTENT, UNTOLD)
    asked = []
    page_forest = training._page_forest
    monkeypatch.setattr(
        training, "_page_forest", lambda chosen, *rest: (asked.append(chosen), page_forest(chosen, *rest))[1]
    )
    assign_folds(examples, 3, 0)
    training._label_untold(examples, 3, 0)
    assert [valued in chosen for chosen in asked] == [False]
    told = valued.label != UNTOLD
    assert told.sum() > 1
    assert (valued.label[told] == gold[told]).mean() > 0.8
    asked.clear()
    training._label_untold(examples[1:], 3, 0)
    assert not asked  # no page has values alone


@pytest.mark.usefixtures("small")
def test_a_fold_is_judged_by_forests_that_have_not_seen_its_families(monkeypatch):
    examples = example_set()
    # Of one page nothing is known: its segments are neutral, or of no words. No row is learned from it.
    page = Page("http://odd.org/", "<p>***</p><p>some comment</p>")
    nothing = Example(page, "odd.org", np.full(2, -1, np.int8), np.array([0, 2]), len(examples))
    examples.append(nothing)
    grown = []
    page_forest, site_forest = training._page_forest, training._site_forest

    def noted(chosen, folds, seed):
        made = page_forest(chosen, folds, seed)
        grown.append(({example.family for example in chosen}, made[1]))
        return made

    def noted_site(site_examples, tables, chosen, seed):
        made = site_forest(site_examples, tables, chosen, seed)
        grown.append(({site_examples[number].example.family for number in chosen}, made))
        return made

    monkeypatch.setattr(training, "_page_forest", noted)
    monkeypatch.setattr(training, "_site_forest", noted_site)
    model, unseeing = trained(examples)[0]
    assert len(grown) == 8
    for fold, other in enumerate(unseeing):
        own = {example.family for example in examples if example.fold == fold}
        assert own
        for families, forest in (grown[fold], grown[3 + fold]):
            assert not own & families
            assert forest in {other.page, other.site}
    for families, forest in grown[6:]:
        assert families == {example.family for example in examples}
        assert forest in {model.page, model.site}
    assert all(example.page_content is not None for example in examples)
    assert len(nothing.page_content) == 2
