"""Pagelets that recur: the local and the global algorithm against the paper's steps."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from detemplate.algorithms.linkedgroups import linked_group_sizes
from detemplate.detectors.pagelets import Pagelets, PageletsOptions
from detemplate.detectors.registry import factory
from detemplate.detectors.templatefile import KnownTemplate, TemplateFile, write_template_file
from detemplate.errors import UserError
from detemplate.page.page import Page
from detemplate.page.pagelets import pagelet_of, pagelet_shingles, pagelets
from detemplate.run.cleaner import Cleaner
from tests.support.helpers import made_page, taught, texts


def page(name, menu="", body="", links=""):
    """Make a page with a menu of three links, a list of links of its own, and a body."""
    entries = "".join(f"<li><a href='#'>{menu} entry {at}</a>" for at in range(3)) if menu else ""
    own = "".join(f"<li><a href='/{one}'>{name}{at}</a>" for at, one in enumerate([*links, name, name, name]))
    return Page(
        f"http://e.org/{name}",
        f"<ul>{entries}</ul><ol>{own}</ol><p>{body or f'the body of {name} alone'}</p>",
    )


def learned(*pages, **options):
    return taught(Pagelets(PageletsOptions(**options)), pages)


def removed(detector, one):
    """Name the removed parts: m for the menu, o for the page's own links, b for the body."""
    template = detector.score(one).template
    gone = {text for text, out in zip(texts(one), template, strict=True) if out}
    kinds = {"m": "entry", "b": "body"}
    return "".join(kind for kind, word in kinds.items() if any(word in text for text in gone))


def test_local_two_pages_share_it():
    one, two, three = page("a", "menu"), page("b", "menu"), page("c", "other menu")
    detector = learned(one, two, three)
    assert [removed(detector, each) for each in (one, two, three)] == ["m", "m", ""]
    assert removed(detector, page("d", "menu")) == "m"
    verdict = detector.score(one)
    assert verdict.explain(0) == "in a pagelet that 2 of 3 pages have"
    assert verdict.scores[0] == 0.5
    assert verdict.scores[-1] == np.float32(1 / 3)


def test_local_duplicates_of_a_page_are_one_page():
    one = page("a", "menu")
    copy = Page("http://mirror.org/a", one.source)
    assert removed(learned(one, copy), one) == ""
    assert removed(learned(one, copy, page("b", "menu")), one) == "m"


def test_global_needs_links_among_the_pages():
    def site(**links):
        return [page(name, "menu", links=to) for name, to in links.items()]

    def gone(pages):
        detector = learned(*pages, algorithm="global")
        return [removed(detector, each) for each in pages]

    assert gone(site(a="", b="", c="")) == ["", "", ""]
    assert gone(site(a="b", b="", c="")) == ["m", "m", ""]
    assert gone(site(a="b", b="", c="b")) == ["m", "m", "m"]
    # A page without the menu connects no pages.
    between = page("z", links="ab")
    assert gone([*site(a="z", b="z"), between]) == ["", "", ""]
    # Pages that no links connect share no template, although other pages with the shingle do.
    pages = site(a="b", b="", c="d", d="", e="")
    assert gone(pages) == ["m", "m", "m", "m", ""]
    verdict = learned(*pages, algorithm="global").score(pages[0])
    assert verdict.explain(0) == "in a pagelet that 2 linked of 5 pages have"


def test_global_is_not_for_streams():
    with pytest.raises(UserError, match="stream"):
        factory("pagelets", {"algorithm": "global"}, streaming=True)
    assert factory("pagelets", {"algorithm": "global"}, streaming=False)().pages == 0
    with pytest.raises(UserError, match="stream"):
        Cleaner("pagelets", algorithm="global")


NAMES = "abcdef"
sites = st.lists(
    st.tuples(
        st.sampled_from(NAMES), st.sampled_from(["", "one menu", "two menu"]), st.text(NAMES, max_size=3)
    ),
    max_size=10,
)


@given(sites)
def test_global_equals_components_made_by_hand(site):
    """A page that is learned again adds its links and its menu."""
    detector = learned(*(page(name, menu, links=links) for name, menu, links in site), algorithm="global")
    menus = sorted({(name, menu) for name, menu, _ in site if menu})
    number = {"one menu": 0, "two menu": 1}
    items = np.array([number[menu] for _, menu in menus], np.int64)
    owners = np.array([NAMES.index(name) for name, _ in menus], np.int64)
    ends = [(NAMES.index(name), NAMES.index(to)) for name, _, links in site for to in links]
    sources, targets = np.array(ends, np.int64).reshape(-1, 2).T
    for (name, menu), size in zip(
        menus, linked_group_sizes(items, owners, sources, targets).tolist(), strict=True
    ):
        assert removed(detector, page(name, menu)) == ("m" if size > 1 else "")


def known_file(path, pages, **settings):
    """Write a template file with one shingle: the first page's pagelet of most segments."""
    made = PageletsOptions(**settings)
    page = pages[0]
    rows = pagelets(page, made.k)
    shingles, nonempty = pagelet_shingles(page, rows, width=made.width, sketch=made.sketch)
    holder = pagelet_of(page, rows, page.segments)
    place = int(np.argmax(np.bincount(holder[holder >= 0], minlength=len(rows)) * nonempty))
    with path.open("wb") as file:
        settings = TemplateFile("local", made.k, made.width, made.sketch)
        write_template_file(file, settings, [KnownTemplate(int(shingles[place]))])
    return shingles[place]


def test_known_templates_need_no_learning(tmp_path):
    page = made_page(1)
    path = tmp_path / "known.json"
    shingle = known_file(path, [page], width=3)
    options = Pagelets.options({"templates": str(path)}, streaming=True)
    assert (options.width, options.algorithm) == (3, "known")
    plain = Pagelets(PageletsOptions(width=3)).score(page)
    assert not plain.template.any()
    detector = Pagelets(options)
    verdict = detector.score(page)
    rows = pagelets(page, options.k)
    shingles, _ = pagelet_shingles(page, rows, width=3, sketch=options.sketch)
    expected = np.isin(pagelet_of(page, rows, page.segments), np.flatnonzero(shingles == shingle))
    assert expected.any()
    assert not expected.all()
    assert (verdict.template == expected).all()
    assert "known template" in verdict.explain(int(np.argmax(expected)))
    assert (Pagelets.from_bytes(detector.to_bytes()).score(page).scores == verdict.scores).all()


def test_pages_are_learned_beside_known_templates_if_that_is_asked_for(tmp_path):
    path = tmp_path / "known.json"
    known_file(path, [made_page(1)])
    removed = []
    for asked in ({}, {"algorithm": "local"}):
        detector = Pagelets(Pagelets.options({"templates": str(path), **asked}, streaming=True))
        for at in range(3):
            detector.learn(made_page(at))
        assert detector.pages == 3
        removed.append(int(detector.score(made_page(1)).template.sum()))
    assert 0 < removed[0] < removed[1]
    with pytest.raises(UserError, match="unless option templates"):
        PageletsOptions(algorithm="known")


def test_a_template_file_must_fit(tmp_path):
    path = tmp_path / "known.json"
    known_file(path, [made_page(1)], width=3)
    with pytest.raises(UserError, match="option width=4 is out of range: it must be 3, as in"):
        Pagelets.options({"templates": str(path), "width": 4}, streaming=False)
    with pytest.raises(UserError, match="cannot read"):
        Pagelets.options({"templates": str(tmp_path / "none.json")}, streaming=False)


def test_text_between_pagelets_is_in_none():
    body = "<ul><li><a href=/1>1</a><li><a href=/2>2</a><li><a href=/3>3</a></ul>loose text"
    pages = [Page(f"http://e.org/{at}", f"{body}<p>{at} is its number") for at in range(3)]
    verdict = learned(*pages).score(pages[0])
    assert verdict.template.tolist() == [True, True, True, False, False]
    assert verdict.explain(3) == "in no pagelet: its element holds several"
