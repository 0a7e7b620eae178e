"""Method auto with the model of the package: what other pages of the site may change, and what not."""

import random
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.detectors.auto.detector import Auto
from detemplate.detectors.auto.model import AutoOptions
from detemplate.detectors.auto.rules import FieldFeatures, fields
from detemplate.detectors.auto.site import SiteShares
from detemplate.page.page import Page
from tests.support.auto_sites import (
    article,
    article_page,
    framed,
    pages,
    sentences,
    tiny_model,
    words,
    written,
)
from tests.support.helpers import texts

SITE = "news.example.org"


def auto(**options):
    return Auto(AutoOptions(**options))


def learned(given_pages, **options):
    detector = auto(**options)
    for page in given_pages:
        detector.learn(page)
    return detector


def kept(detector, page):
    verdict = detector.score(page)
    return [text for text, gone in zip(texts(page), verdict.template, strict=True) if not gone]


def shown(detector, page):
    return "\n".join(kept(detector, page))


def score_of(detector, page, wanted):
    scores = detector.score(page).scores.tolist()
    return [score for score, text in zip(scores, texts(page), strict=True) if text in wanted]


@pytest.fixture(scope="module")
def site():
    """Twelve pages with the same frame and an article each."""
    return [(page, text.split("\n")) for page, text in (article_page(SITE, n) for n in range(12))]


@pytest.fixture(scope="module")
def menu(site):
    """Texts that all of these pages show."""
    return set.intersection(*(set(texts(page)) for page, _ in site))


# A site of articles.


def test_the_menu_is_more_of_a_template_once_the_site_has_been_seen(site, menu):
    detector = learned(page for page, _ in site)
    for page, _ in site:
        alone, seen = (score_of(each, page, menu) for each in (auto(), detector))
        assert np.mean(seen) >= np.mean(alone)
        assert min(seen) > 0.5
    alone, seen = (
        np.mean([np.mean(score_of(each, page, menu)) for page, _ in site]) for each in (auto(), detector)
    )
    assert seen > alone


def test_articles_stay(site, menu):
    detector = learned(page for page, _ in site)
    for page, paragraphs in site:
        assert set(paragraphs) <= set(kept(detector, page))
        assert not menu & set(kept(detector, page))


def test_in_one_pass_articles_stay_and_the_menu_goes(site, menu):
    detector = auto()
    for number, (page, paragraphs) in enumerate(site):
        template = detector.learn_and_score(page).template
        stay = {text for text, gone in zip(texts(page), template, strict=True) if not gone}
        assert set(paragraphs) <= stay
        if number >= 3:
            assert not menu & stay


# What comes again, and is no template.


def test_mirrors_keep_their_content(site):
    mirrors = [
        Page(page.url.replace(SITE, "mirror." + SITE), page.canonical.decode(), site=SITE) for page, _ in site
    ]
    detector = learned([page for page, _ in site] + mirrors)
    for (_, paragraphs), mirror in zip(site, mirrors, strict=True):
        assert set(paragraphs) <= set(kept(detector, mirror))


def test_printer_versions_keep_their_content(site):
    versions = []
    for page, paragraphs in site:
        plain = "".join(f"<p>{text}</p>" for text in paragraphs[1:])
        html = f"<html><body><h2>{paragraphs[0]}</h2><div class=print>{plain}</div><p>Printed from {SITE}</p></body></html>"
        versions.append(Page(page.url + "?print=1", html, site=SITE))
    detector = learned(
        each for (page, _), version in zip(site, versions, strict=True) for each in (page, version)
    )
    for (page, paragraphs), version in zip(site, versions, strict=True):
        for each in (page, version):
            assert set(paragraphs[1:]) <= set(kept(detector, each))


def test_variants_of_a_product_keep_their_description():
    draw = random.Random(5)
    name, description = article(draw, 3)
    variants = [
        Page(
            f"http://shop.example.org/item?colour={colour}",
            framed(
                "shop.example.org",
                f"{name} {colour}",
                written(f"{name} {colour}", [*description, f"Colour: {colour}"]),
            ),
        )
        for colour in ("red", "green", "blue", "black", "white")
    ]
    detector = learned(variants)
    for page in variants:
        assert set(description) <= set(kept(detector, page))
    streamed = auto()
    for page in variants:
        template = streamed.learn_and_score(page).template
        assert set(description) <= {
            text for text, gone in zip(texts(page), template, strict=True) if not gone
        }


def test_archives_that_repeat_teasers_cost_the_articles_nothing(site):
    archives = []
    for start in range(0, 12, 4):
        teasers = "".join(
            f'<div class="post"><h2><a href="{page.url}">{paragraphs[0]}</a></h2><p>{paragraphs[1]}</p></div>'
            for page, paragraphs in site[start : start + 4]
        )
        html = framed(SITE, "Archive", f"<h1>Archive {start}</h1>{teasers}")
        archives.append(Page(f"http://{SITE}/archive/{start}", html))
    for order in ([*archives, *(page for page, _ in site)], [*(page for page, _ in site), *archives]):
        detector = learned(order)
        for page, paragraphs in site:
            assert set(paragraphs) <= set(kept(detector, page))


INVITATION = "Sign up for our weekly letter and never again miss a story of ours."


@pytest.mark.parametrize(("having", "stays"), [(12, False), (7, False), (3, True)])
def test_a_sentence_inside_the_articles_of_most_pages_goes(site, having, stays):
    made = [
        Page(page.url, page.canonical.decode().replace("</p>", f"</p><p>{INVITATION}</p>", number < having))
        for number, (page, _) in enumerate(site)
    ]
    detector = learned(made)
    for page, (_, paragraphs) in zip(made[:having], site, strict=False):
        stay = kept(detector, page)
        assert set(paragraphs) <= set(stay)
        assert (INVITATION in stay) is stays
    if not stays:
        verdict = detector.score(made[0])
        (cause,) = verdict.causes(texts(made[0]).index(INVITATION))
        assert (cause.code, cause.values) == ("repeated", {"pages": having - 1, "of": 11})


# Records.


@pytest.fixture(scope="module")
def shop():
    """Pages of products: a name, a price and a number in places of their own, and next to no prose."""
    found = []
    for number in range(12):
        draw = random.Random(f"shop {number}")
        name, price, maker = (
            words(draw, 3).capitalize(),
            f"$ {number * 7 + 3}.95",
            words(draw, 1).capitalize(),
        )
        html = framed(
            "shop.example.org",
            name,
            f'<div class="product"><h1 class="name">{name}</h1><table><tr><td class="label">Price</td>'
            f'<td class="price">{price}</td></tr><tr><td class="label">Maker</td><td class="maker">{maker}</td></tr>'
            f'</table><p class="text">{sentences(draw, 2)}</p></div>',
        )
        found.append((Page(f"http://shop.example.org/{number}", html), [name, price, maker]))
    return found


def test_records_keep_what_is_new_in_its_place(shop):
    detector = learned((page for page, _ in shop), keep="records")
    frame = set.intersection(*(set(texts(page)) for page, _ in shop))
    for page, values in shop:
        stay = set(kept(detector, page))
        assert set(values) <= stay
        # What all pages say is not new.
        assert not {"Home", "Copyright shop.example.org, all rights reserved"} & stay
        assert frame & stay <= {"Price", "Maker"}  # labels may stay with their values


def test_fields_are_kept_by_default_once_the_site_shows_them(shop):
    """With four other pages a price is known for one; nothing of the frame is."""
    given_pages = [page for page, _ in shop]
    for seen in (5, 12):
        detector = learned(given_pages[:seen])
        for page, values in shop[:seen]:
            stay = set(kept(detector, page))
            assert set(values) <= stay
            assert not {"Home", "Copyright shop.example.org, all rights reserved"} & stay


@pytest.mark.parametrize(
    ("words", "record"),
    [
        ([2, 3, 5], True),
        ([2, 3, 6], False),  # a by-line, a day and a lead
        ([2, 3, 5, 9], True),  # and a description
        ([2, 3, 5, 5, 9, 20], False),  # four short values beside two slots of sentences
        ([2] * 6 + [9, 20], True),
    ],
)
def test_a_record_is_told_by_what_its_slots_hold_on_the_site(words, record):
    shares = SiteShares.unknown(10, len(words))
    shares.table[:] = 0
    for column in (shares.slot_share, shares.slot_new, shares.slot_variety):
        column[:] = 1
    shares.slot_pages[:] = 10
    here = np.full(len(words), 7)  # on this page all are alike, and longer
    slots, none, likely = np.arange(len(words)), np.zeros(len(words), np.bool_), np.full(len(words), 0.5)
    known = FieldFeatures(shares, slots, np.array(words, float), np.ones(len(words)), none, here, likely)
    assert fields(known, records=False).tolist() == [record] * len(words)
    assert fields(known, records=True).all()


def test_a_field_outside_of_the_content():
    """Four numbers in a box after each page's text: fields once four other pages are known."""
    given_pages, values = [], []
    names = ["Far", "Time", "Climb", "Stops"]
    for number in range(8):
        draw = random.Random(f"field {number}")
        own = [
            f"{number * 37 + 11} km", f"{number * 13 + 5} min", f"{number * 57 + 80} m up", f"{number * 3 + 2} stops"
        ]  # fmt: skip
        html = (
            '<div class="nav"><ul><li><a href="/">Home</a><li><a href="/b">About us</a></ul></div>'
            '<div class="text">'
            + "".join(f"<p>{sentences(draw, 3)}</p>" for _ in range(3))
            + '</div><div class="side"><table>'
            + "".join(
                f'<tr><td>{name}<td class="{name}">{value}' for name, value in zip(names, own, strict=True)
            )
            + "</table></div>"
        )
        given_pages.append(Page(f"http://fields.example.org/{number}", html))
        values.append(own)
    frame = {"Home", "About us", *names}
    for seen in (1, 4, 5, 8):
        detector = learned(given_pages[:seen])
        for page, own in list(zip(given_pages, values, strict=True))[:seen]:
            assert {*frame, *own} & set(kept(detector, page)) == (set(own) if seen > 4 else set())
            if seen > 4:
                [cause] = detector.score(page).causes(texts(page).index(own[0]))
                assert (cause.code, cause.weight) == ("field", -1)


def test_articles_that_come_and_go_below_the_pages_own_are_template():
    """Each page shows two of eight other articles in full; where it says nothing itself, they are its list."""
    draw = random.Random("more")
    others = [[sentences(draw, 2) for _ in range(4)] for _ in range(8)]
    own = [[sentences(draw, 3) for _ in range(5)] for _ in range(14)]

    def page(number, paragraphs):
        shown = [others[number % 8], others[(number * 3 + 1) % 8]]
        html = "<div class=body>" + "".join(f"<p>{text}" for text in paragraphs) + "</div>"
        for texts_below in shown:
            html += "<div class=more>" + "".join(f"<p>{text}" for text in texts_below) + "</div>"
        return Page(f"http://news.example.org/{number}", html), {text for each in shown for text in each}

    given_pages = [page(number, paragraphs) for number, paragraphs in enumerate(own)]
    listing, listed = page(14, [])
    detector = learned([*(one for one, _ in given_pages), listing])
    for (one, below), paragraphs in zip(given_pages, own, strict=True):
        stay = set(kept(detector, one))
        assert set(paragraphs) <= stay
        assert not below & stay
    assert listed <= set(kept(detector, listing))


def titled(number):
    """A page whose title stands in its head, among links."""
    draw = random.Random(f"title {number}")
    title, name = words(draw, 5).capitalize(), words(draw, 2)
    html = (
        f'<title>{title} - The Site</title><div class="nav"><ul><li><a href="/">The Site</a><li><a href="/a">{name}'
        f'</a><li>{title}</ul></div><div class="text">'
        + "".join(f"<p>{sentences(draw, 5)}</p>" for _ in range(6))
        + f'</div><div class="more"><ul><li><a href="/x">{title}</a><li><a href="/y">{name}</a></ul></div>'
    )
    return Page(f"http://titled.example.org/{number}", html), title


@pytest.mark.parametrize("seen", [0, 1, 6])
def test_a_title_is_kept_where_it_stands_before_the_text(seen):
    given_pages = [titled(number) for number in range(6)]
    detector = learned(page for page, _ in given_pages[:seen])
    for page, title in given_pages:
        verdict = detector.score(page)
        places = [number for number, text in enumerate(texts(page)) if text == title]
        assert [bool(verdict.template[number]) for number in places] == [False, True]
    judged = learned((page for page, _ in given_pages[:1]), title="judge")
    page, title = given_pages[0]
    assert title not in kept(judged, page)
    assert "title" in learned([page]).score(page).explain(places[0])
    assert "title" not in judged.score(page).explain(places[0])


def test_a_title_that_all_pages_have_is_the_sites():
    given_pages = []
    for number in range(5):
        draw = random.Random(f"same {number}")
        text = "".join(f"<p>{sentences(draw, 5)}</p>" for _ in range(6))
        html = f'<title>The Same Site</title><div class="nav"><a href="/">The Same Site</a></div><div>{text}</div>'
        given_pages.append(Page(f"http://same.example.org/{number}", html))
    detector = learned(given_pages)
    for page in given_pages:
        assert "The Same Site" not in kept(detector, page)


def test_copies_count_for_other_pages_and_not_for_the_page_itself(site):
    first, second = site[0][0], site[1][0]
    thrice, once = learned([first] * 3), learned([first])
    assert thrice.pages == 3
    assert kept(thrice, first) == kept(once, first)
    assert pages_known(thrice, first) == 0
    assert pages_known(thrice, second) == 3


def pages_known(detector, page):
    """Give the number of other pages that the verdict on a page is based on."""
    return detector.score(page).explain.steps.pages


# Merging, reasons, bounds.


def test_reasons(site, menu):
    page = site[0][0]
    given_pages = [each for each, _ in site]
    known = texts(page)
    verdict = learned(given_pages).score(page)
    for index, text in enumerate(known):
        assert "\n" not in verdict.explain(index)
        causes = {cause.code: cause for cause in verdict.causes(index)}
        assert 1 <= len(causes) <= 2
        if text in menu:
            assert (causes["repeated"].values["pages"], causes["repeated"].values["of"]) == (11, 11)
            assert "same text on 11 of 11 other pages of this site" in verdict.explain(index)
    assert "other page" not in auto().score(page).explain(0)


@given(pages, st.integers(0, 3))
def test_something_of_what_a_page_shows_is_kept(page, times):
    detector = learned([page] * times)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for verdict in (detector.score(page), detector.learn_and_score(page)):
            assert len(verdict) == len(page.segments)
            assert ((verdict.scores >= 0) & (verdict.scores <= 1)).all()
            assert not verdict.template.all()


def test_pages_of_nothing_but_a_menu_keep_something():
    given_pages = [Page(f"http://{SITE}/{n}", framed(SITE, "x", "")) for n in range(5)]
    detector = learned(given_pages)
    for page in given_pages:
        assert kept(detector, page)


def test_another_model(tmp_path, site):
    path = tmp_path / "tiny.model"
    path.write_bytes(tiny_model().to_bytes())
    detector = learned((page for page, _ in site), model=str(path))
    page, paragraphs = site[0]
    assert set(paragraphs[1:]) <= set(kept(detector, page))
    assert detector.score(page).scores.tolist() != auto().score(page).scores.tolist()
    assert (
        Auto.from_bytes(detector.to_bytes()).score(page).scores.tolist()
        == detector.score(page).scores.tolist()
    )


@pytest.mark.parametrize("data", [True, False])
def test_the_offer_of_the_pages_own_product_stays(data):
    about = (
        '{"@context": "https://schema.org", "@type": "Product", "name": "Garden chair", "sku": "GC-4711", '
        '"offers": {"@type": "Offer", "price": "129.90", "priceCurrency": "EUR"}}'
    )
    script = f'<script type="application/ld+json">{about}</script>' if data else ""
    text = "".join(f"<p>{sentences(random.Random(number), 3)}" for number in range(4))
    page = Page(
        "http://shop.org/chair",
        f"<title>Garden chair</title>{script}<nav><a href=/>Home</a></nav><main><h1>Garden chair</h1>{text}</main>"
        "<aside><ul><li><a href=/cart>Cart</a><li><span>129.90</span><li><a href=/x>SKU: GC-4711</a></ul></aside>",
    )
    found = kept(auto(), page)
    assert ("129.90" in found, "SKU: GC-4711" in found) == (data, data)
    assert "Cart" not in found


def test_what_a_page_states_stays_unless_other_pages_have_it():
    """A list of short texts in links, like a menu: the data say that it is the page's own."""

    def page(number, item, *, data=True):
        stated = f'{{"@type": "Recipe", "recipeIngredient": ["{item} of flour", "{item} of salt", "an egg"]}}'
        script = f'<script type="application/ld+json">{stated}</script>' if data else ""
        text = "".join(f"<p>{sentences(random.Random(10 * number + at), 3)}" for at in range(4))
        shown = "".join(
            f"<li><a href=/{name}>{name}</a>" for name in (f"{item} of flour", f"{item} of salt", "eggs")
        )
        return Page(
            f"http://food.org/{number}",
            f"<title>Bread {number}</title>{script}<nav><a href=/>Home</a></nav><main><h1>Bread {number}</h1>{text}</main>"
            f"<aside><ul>{shown}</ul></aside><footer><a href=/cart>Cart</a></footer>",
        )

    own = [f"{number} g" for number in range(5)]
    pages = [page(number, item) for number, item in enumerate(own)]
    found = kept(learned(pages), pages[2])
    assert {"2 g of flour", "2 g of salt"} <= set(found)
    assert "Cart" not in found
    assert "eggs" in kept(auto(), pages[2])  # the rest of a list that is stated
    assert "2 g of flour" not in kept(auto(), page(2, own[2], data=False))
    same = [page(number, "9 g") for number in range(5)]
    assert "9 g of flour" not in kept(learned(same), same[2])


def test_a_shown_price_stays_unless_other_pages_have_it():
    """No data name the price. One that stands on all pages is the site's."""

    def page(number, price):
        text = "".join(f"<p>{sentences(random.Random(10 * number + at), 3)}" for at in range(4))
        return Page(
            f"http://shop.org/{number}",
            f"<title>Chair {number}</title><nav><a href=/>Home</a></nav><main><h1>Chair {number}</h1>{text}</main>"
            f"<aside><ul><li><a href=/cart>Cart</a><li><span>Price: {price}</span></ul></aside>",
        )

    same = [page(number, "$5.00") for number in range(6)]
    own = [page(number, f"${number}7.00") for number in range(6)]
    assert all("Price: $5.00" not in kept(learned(same), one) for one in same)
    assert all(f"Price: ${number}7.00" in kept(learned(own), one) for number, one in enumerate(own))
    assert "Price: $5.00" in kept(learned(same[:3]), same[0])


def test_the_heading_of_a_section_that_stays():
    """A manual has the same headings on all pages."""

    def page(number):
        draw = random.Random(number)
        sections = "".join(
            f'<h3 class="menu navigation"><a href="/help/#{number}">{name}</a></h3><p>{sentences(draw, 2)}</p>'
            for number, name in enumerate(("Parameters", "Return value", "Notes"))
        )
        menu = "<nav><h3>Links</h3><ul><li><a href=/>Home</a><li><a href=/a>About</a></ul></nav>"
        return Page(
            f"http://doc.org/{number}",
            f"<title>f{number} function</title>{menu}<h1>f{number} function</h1>{sections}",
        )

    pages = [page(number) for number in range(8)]
    detector = learned(pages)
    for one in pages:
        found = kept(detector, one)
        assert {"Parameters", "Return value", "Notes"} <= set(found)
        assert not {"Links", "Home"} & set(found)
    verdict = detector.score(pages[0])
    texts = [pages[0].segment_text(number) for number in range(len(pages[0].segments))]
    reasons = [verdict.explain(texts.index(name)) for name in ("Parameters", "Return value", "Notes")]
    assert "the heading of a section that stays" in reasons


def test_records_need_other_pages(shop):
    """One page by itself shows no places."""
    page = shop[0][0]
    for detector in (
        auto(keep="records"),
        learned([page], keep="records"),
        auto(keep="records", evidence="page"),
    ):
        assert detector.score(page).scores.tolist() == auto().score(page).scores.tolist()


def test_judging_each_page_by_itself(site):
    page = site[0][0]
    given_pages = [each for each, _ in site]
    first = auto(evidence="page").score(page).scores.tolist()
    detector = learned(given_pages, evidence="page")
    assert detector.pages == 12
    assert detector.score(page).scores.tolist() == first
    assert detector.learn_and_score(page).scores.tolist() == first
    # Nothing is kept of any page.
    assert len(detector.to_bytes()) == len(auto(evidence="page").to_bytes()) + len("13") - len("0")
    # So does the first page that a site shows.
    assert auto().score(page).scores.tolist() == first
    assert auto().learn_and_score(page).scores.tolist() == first


def test_more_keys_than_may_be_kept(site):
    small = learned((page for page, _ in site), max_keys=40)
    assert len(small.to_bytes()) < 40 * (16 + 72) + 1500
    for page, _ in site:
        assert kept(small, page)
