"""Made pages have the words of the content and of the template, and no others."""

from __future__ import annotations

from collections import Counter

import pytest

from detemplate.page.page import Page
from lab.labelled.metrics import visible_text
from lab.labelled.words import words
from lab.transplant.pages import list_of_titles, read_parts, transplant
from tests.support.made_sites import TEST_SITES, TRAIN_SITES


@pytest.fixture(scope="module")
def parts(made_sites):
    return read_parts([], made_sites)


def test_templates_are_of_test_sites_and_contents_of_training_sites(parts):
    assert set(parts.templates) == set(TEST_SITES)
    assert set(parts.contents) == set(TRAIN_SITES)
    for content in (content for of_site in parts.contents.values() for content in of_site):
        assert content.words[0] == "title"
        assert len(content.words) == 93
        assert "menu" not in content.words
        assert "<script" not in content.html


def test_the_truth_is_exact(parts):
    for templates, content in zip(parts.templates.values(), parts.contents["lent"], strict=False):
        for template in templates:
            made = transplant(template, content)
            shown = Counter(words(visible_text(made.html)))
            assert shown == Counter(content.words) + Counter(made.template_words)
            assert "posted" in made.template_words  # excluded inside the container
            assert "menu" in made.template_words
            assert "more" not in shown  # the second container is gone
            assert Page(made.url, made.html).title == content.title
            old = set(words(visible_text(template.html))) - set(made.template_words)
            assert not old & set(shown) - set(content.words)


def test_a_block_of_titles_is_template(parts):
    template, content = parts.templates["red"][0], parts.contents["lent"][0]
    block = list_of_titles("Popular", ["One & two", "<b>three"])
    made = transplant(template, content, block)
    without = transplant(template, content)
    added = Counter(made.template_words) - Counter(without.template_words)
    assert added == Counter(["popular", "one", "two", "b", "three"])
