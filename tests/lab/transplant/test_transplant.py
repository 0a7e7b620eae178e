"""Made pages have the words of the content and of the template, and no others."""

from collections import Counter

import pytest

from detemplate.page.page import Page
from lab.labelled.metrics import visible_text
from lab.labelled.words import words
from lab.transplant.pages import read_parts, transplant


@pytest.fixture(scope="module")
def parts(made_sites):
    return read_parts([], made_sites)


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
