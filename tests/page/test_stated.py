"""Ingredients, steps, questions and answers that a page's own data state."""

import json

import pytest

from detemplate.page.page import Page
from detemplate.page.stated import stated_segments

FLOUR, SALT, MIX = "200 g of flour", "salt", "Mix flour and salt. Bake."
RECIPE = {
    "@type": "Recipe",
    "recipeIngredient": [FLOUR, SALT],
    "recipeInstructions": [{"@type": "HowToStep", "text": MIX}],
}
QUESTION = {"@type": "Question", "name": "Is it free?", "acceptedAnswer": {"text": "<p>Yes, it&nbsp;is.</p>"}}


def found(body, *data):
    scripts = "".join(f'<script type="application/ld+json">{json.dumps(each)}</script>' for each in data)
    page = Page("http://e.org/", f"<title>x</title>{scripts}<body>{body}")
    stated = stated_segments(page)
    return None if stated is None else [page.segment_text(number) for number in stated.nonzero()[0]]


@pytest.mark.parametrize(("body", "data", "wanted"), [
    ("<li>200 g of flour<li>Login", RECIPE, [FLOUR]),
    ("<li>200 G of  Flour<li>Login", RECIPE, ["200 G of Flour"]),
    ("<li><b>200</b><i>▢</i><u>g</u><s>of flour</s>", RECIPE, ["200", "g", "of flour"]),
    ("<li>200 g of flour<li>salt<p>Mix flour and salt.<p>Bake.<p>salt", RECIPE,
     [FLOUR, SALT, "Mix flour and salt."]),
    ("<p>salt", RECIPE, []),
    ("<p>Take 200 g of flour, or more than that if you want to feed your friends, too", RECIPE, []),
    ("<li>200 g of flour", {"@graph": [{"@type": "WebPage"}, RECIPE]}, [FLOUR]),
    ("<li>200 g of flour", {"@type": ["Thing", "https://schema.org/Recipe"], **{k: v for k, v in RECIPE.items() if k[0] != "@"}}, [FLOUR]),
    ("<li>200 g of flour", {"@type": "ItemList", "itemListElement": [RECIPE]}, None),
    ("<li>200 g of flour", {**RECIPE, "@type": "Thing"}, None),
    ("<p>Is it free?<p>Yes, it is.", {"@type": "FAQPage", "mainEntity": [QUESTION]}, ["Is it free?", "Yes, it is."]),
    ("<p>Is it free?<p>Yes, it is.", {"@type": "QAPage", "mainEntity": [QUESTION]}, None),
    ("<p>Turn it off and on", {"@type": "HowTo", "step": [{"itemListElement": [{"text": "Turn it off and on"}]}]},
     ["Turn it off and on"]),
    ("<p>Best bread ever<li>200 g of flour", {**RECIPE, "description": "Best bread ever"}, [FLOUR]),
    ("<li>200 g of flour", {"@type": "Recipe", "recipeIngredient": FLOUR}, [FLOUR]),
    ("<li>200 g of flour", {"@type": "Recipe", "recipeIngredient": 7}, []),
])  # fmt: skip
def test_what_json_states(body, data, wanted):
    assert found(body, data) == wanted


def test_what_microdata_mark():
    body = "<div itemtype=https://schema.org/Recipe><li itemprop=recipeIngredient>1 <b>egg</b><li>more</div>"
    assert found(body) == ["1", "egg"]
    assert found(body.replace("recipeIngredient", "name")) is None
    assert found('<p>&lt;li itemprop="recipeIngredient"&gt;') is None
