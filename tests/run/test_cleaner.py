"""`Cleaner` and `clean`: one and two passes, sites, options, results."""

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import detemplate
from detemplate import Cleaner, Page, PageError, Result, UserError, Verdict, clean
from detemplate.detectors.registry import DETECTORS
from detemplate.detectors.state import StateError
from detemplate.errors import MissingExtra
from detemplate.sites.naming import site_of

every_method = pytest.mark.parametrize("method", DETECTORS)


def pages(count, site="e.org"):
    return [
        (f"http://{site}/d/{number}", f"<nav>Home</nav>\n<p>Page {number} of {site}</p>")
        for number in range(count)
    ]


def lines(results):
    return [" ".join(result.text.split()) for result in results]


# Passes.


def with_menu(count):
    """Pages with enough of a menu for every method that needs a site."""
    menu = "\n".join(f"<a href=/{name}>All about our {name}</a>" for name in ("books", "maps", "shops"))
    return [(url, html.replace("Home", menu)) for url, html in pages(count)]


@pytest.mark.parametrize("method", [name for name, kind in DETECTORS.items() if kind.needs == "site"])
def test_pages_that_can_be_iterated_twice_are_cleaned_in_two_passes(method):
    site = with_menu(6)
    wanted = [f"Page {number} of e.org" for number in range(6)]
    assert lines(clean(site, method)) == wanted
    assert lines(clean(tuple(site), method)) == wanted
    assert lines(clean(dict.fromkeys(site).keys(), method)) == wanted

    class Twice:
        def __iter__(self):
            yield from site

    assert lines(clean(Twice(), method)) == wanted


def test_a_stream_is_cleaned_as_it_arrives():
    wanted = [
        f"Home Page {number} of e.org" if number < 4 else f"Page {number} of e.org" for number in range(6)
    ]
    for stream in (iter(pages(6)), (page for page in pages(6)), map(lambda page: page, pages(6))):  # noqa: C417
        assert lines(clean(stream, "segments")) == wanted


def test_a_stream_is_not_read_ahead():
    taken = []

    def source():
        for page in pages(5):
            taken.append(page)
            yield page

    results = clean(source())
    assert not taken
    next(results)
    assert len(taken) == 1


def test_two_passes_keep_what_one_pass_would_forget():
    many = (
        [("http://e.org/x", "<p>menu")] * 5
        + [("http://e.org/x", "<p>other")] * 40
        + [("http://e.org/x", "<p>menu<p>z")]
    )
    options = {"lifetime": 3, "growth": 2}
    assert lines(clean(many, "segments", **options))[-1] == "z"
    assert lines(clean(iter(many), "segments", **options))[-1] == "menu z"


# The object.


def test_learn_clean_and_both():
    cleaner = Cleaner("segments", min_df=2, streaming=False)
    cleaner.learn(pages(1)[0])
    assert lines([cleaner.clean(page) for page in pages(2)]) == [
        "Home Page 0 of e.org",
        "Home Page 1 of e.org",
    ]
    assert lines([cleaner.learn_and_clean(pages(2)[1])]) == ["Page 1 of e.org"]
    assert cleaner._sites["e.org"].pages == 2
    assert cleaner.clean(pages(1)[0]).verdict.explain(0) == "on 2 of 2 pages of this site"
    assert cleaner._sites["e.org"].pages == 2


def test_pages_can_be_parsed_before():
    parsed = [Page(url, html) for url, html in pages(6)]
    assert lines(clean(parsed)) == lines(clean(pages(6)))
    assert lines(clean(iter(parsed))) == lines(clean(iter(pages(6))))
    raw = [(url, html.encode()) for url, html in pages(6)]
    assert lines(clean(raw)) == lines(clean(pages(6)))


def test_sites_by_host_domain_and_directory():
    urls = ["http://a.x.co.uk/d/1", "http://b.x.co.uk/d/2", "http://a.x.co.uk/e/3", "https://A.x.co.uk/d/4"]
    names = {}
    for way in ("host", "domain", "directory"):
        cleaner = Cleaner(site_by=way)
        names[way] = [cleaner.learn_and_clean((url, "<p>x")).site for url in urls]
        assert cleaner.sites == len(set(names[way]))
        assert names[way] == [site_of(url, way) for url in urls]
    assert names == {
        "host": ["a.x.co.uk", "b.x.co.uk", "a.x.co.uk", "a.x.co.uk"],
        "domain": ["x.co.uk"] * 4,
        "directory": ["a.x.co.uk/d/", "b.x.co.uk/d/", "a.x.co.uk/e/", "a.x.co.uk/d/"],
    }


def test_a_page_that_names_its_own_site_is_of_that_one():
    cleaner = Cleaner(site_by="domain")
    assert cleaner.page("http://a.e.org/", "<p>x", site="mine").site == "mine"
    assert cleaner.learn_and_clean(Page("http://a.e.org/", "<p>x", site="mine")).site == "mine"
    assert cleaner.page("http://a.e.org/", "<p>x").site == "e.org"


def test_sites_are_judged_apart():
    mixed = [page for group in zip(pages(4), pages(4, "f.org"), strict=True) for page in group]
    # Four pages of each are too few for what eight together would show.
    assert all("Home" in line for line in lines(clean(mixed, "segments")))
    assert not any("Home" in line for line in lines(clean([*mixed, *pages(5, "g.org")], "segments"))[8:])
    assert not any("Home" in line for line in lines(clean(mixed, "segments", site_by="host", min_df=4)))


def test_threshold():
    site = [("http://e.org/1", "<p><b>half</b> <i>new!</i></p>")] * 1 + [
        ("http://e.org/2", "<p><b>half</b></p>")
    ] * 5
    assert "half" in lines(clean(site, "segments"))[0]
    assert lines(clean(site, "segments", threshold=0.4))[0] == ""
    assert lines(clean(site, "segments", threshold=0.5))[0] == "half new!"
    assert lines(clean(site, "segments", threshold=1))[1] == "half"
    first = next(clean(site, "segments", threshold=0))
    assert first.verdict.threshold == 0
    assert first.verdict.explain(0).startswith("on 6 of 6")


def test_inputs_that_are_no_pages_raise_an_error():
    cleaner = Cleaner()
    for action in (cleaner.learn, cleaner.clean, cleaner.learn_and_clean):
        for html, reason in (("", "empty"), (b"%PDF-1.4", "binary")):
            with pytest.raises(PageError) as caught:
                action(("http://e.org/", html))
            assert caught.value.reason == reason
    assert cleaner.sites == 0
    assert isinstance(caught.value, detemplate.DetemplateError)
    assert not isinstance(caught.value, UserError)


# Results.


def test_result():
    cleaner = Cleaner("segments", min_df=1)
    result = cleaner.learn_and_clean(("http://e.org/1", "<title>T</title><p>four<p>six  ty"))
    assert (result.url, result.site, result.title, result.method) == (
        "http://e.org/1",
        "e.org",
        "T",
        "segments",
    )
    assert (result.segments, result.template_segments, result.chars) == (2, 2, (10, 10))
    assert result.template_share == 1
    why = {
        "score": 1.0,
        "reason": "on 1 of 1 pages of this site",
        "causes": [{"cause": "repeated", "weight": 1.0, "pages": 1, "of": 1}],
    }
    assert result.removed() == [{"text": "four", **why}, {"text": "six ty", **why}]
    assert "<p>" not in result.html
    silent = Cleaner().learn_and_clean(("http://e.org/1", "<img>"))
    assert (silent.template_share, silent.chars, silent.removed()) == (0.0, (0, 0), [])


def test_a_verdict_must_fit_its_page():
    with pytest.raises(ValueError, match="3 segments for a page of 1"):
        Result(Page("u", "<p>x"), Verdict(np.zeros(3, np.float32)), "m")


@pytest.mark.parametrize("method", [name for name, kind in DETECTORS.items() if not kind.streams])
def test_methods_of_two_passes_refuse_a_stream(method):
    with pytest.raises(UserError, match="cannot clean a stream"):
        Cleaner(method)
    with pytest.raises(UserError, match="cannot clean a stream"):
        clean(iter(pages(9)), method)
    assert len(list(clean(pages(9), method))) == 9


# Errors of pages.


BROKEN = [("http://e.org/none", None), ("http://e.org/pdf", b"%PDF-1.4"), ("http://e.org/odd", 5)]


def with_broken():
    site = [*with_menu(6)]
    for number, page in enumerate(BROKEN):
        site.insert(2 * number, page)
    return site


@pytest.mark.parametrize("give", [list, iter])
def test_errors_end_a_run_with_the_url(give):
    with pytest.raises(PageError, match=r"^http://e\.org/none: empty: no markup$") as caught:
        list(clean(give(with_broken()), "segments"))
    assert (caught.value.url, caught.value.reason) == ("http://e.org/none", "empty")
    with pytest.raises(PageError, match=r"^http://e\.org/pdf: binary: "):
        list(clean(give(with_broken()[1:]), "segments", errors="raise"))
    with pytest.raises(PageError, match=r"^http://e\.org/odd: bad record: the markup is int, not text$"):
        list(Cleaner("segments").clean_many(give(BROKEN[2:])))


@pytest.mark.parametrize("give", [list, iter])
def test_pages_with_errors_are_left_out(give):
    wanted = lines(clean(give(with_menu(6)), "segments"))
    assert lines(clean(give(with_broken()), "segments", errors="skip")) == wanted
    told = []
    results = clean(give(with_broken()), "segments", errors=lambda *given: told.append(given))
    assert lines(results) == wanted
    assert [(url, error.reason) for url, error in told] == [
        ("http://e.org/none", "empty"), ("http://e.org/pdf", "binary"), ("http://e.org/odd", "bad record"),
    ]  # fmt: skip


def test_what_is_no_page_is_no_skip():
    for page in ("http://e.org/", ("http://e.org/",), 5, {"url": "http://e.org/", "html": "<p>x"}):
        with pytest.raises(UserError, match="or a pair of URL and markup, not "):
            list(clean([("http://e.org/", "<p>x"), page], errors="skip"))


def test_a_message_is_one_line_whatever_the_url():
    with pytest.raises(PageError) as caught:
        Page("http://e.org/\n\ud800", "")
    assert str(caught.value) == r"'http://e.org/\n\ud800': empty: no markup"


def test_clean_many_is_what_learning_and_cleaning_is():
    site = with_menu(6) + [(f"http://f.org/{number}", f"<p>About {number}") for number in range(3)]
    one, other = Cleaner("segments", streaming=False), Cleaner("segments", streaming=False)
    for page in site:
        other.learn(page)
    assert lines(one.clean_many(site)) == lines([other.clean(page) for page in site])
    assert [result.url for result in one.clean_many(iter(site))] == [url for url, _ in site]
    assert one.sites == 2
    # It goes on from what it has learned, by both calls.
    assert one._sites["e.org"].pages == 12
    assert lines(one.clean_many([with_menu(7)[6]])) == ["Page 6 of e.org"]
    with pytest.raises(UserError, match="cannot clean a stream"):
        list(Cleaner("styletree", streaming=False).clean_many(iter(site)))


@every_method
@pytest.mark.parametrize("memory", [1, 2**30])
def test_a_pickled_cleaner_goes_on_where_it_was(method, memory):
    streaming = DETECTORS[method].streams
    cleaner = Cleaner(method, site_by="directory", threshold=0.4, streaming=streaming, memory=memory)
    site = [*with_menu(6), *pages(6, "f.org"), ("\ud800", "<p>x")]
    for page in site:
        cleaner.learn(page)
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        other = pickle.loads(pickle.dumps(cleaner, protocol))
        assert repr(other) == repr(cleaner)
        for page in site:
            assert other.clean(page).as_dict("html", explain=True) == cleaner.clean(page).as_dict(
                "html", explain=True
            )
    others = [
        copy.learn_and_clean(with_menu(8)[7]).as_dict("text", explain=True) for copy in (cleaner, other)
    ]
    assert others[0] == others[1]
    assert (other._sites._disk is None) == (memory > 1)


@pytest.mark.parametrize(
    "error",
    [
        PageError("empty", "no markup", "http://e.org/"),
        PageError("too slow"),
        UserError("what is wrong; what to do"),
        MissingExtra("mining", "expressions"),
        StateError("damaged"),
    ],
)
def test_errors_pickle(error):
    other = pickle.loads(pickle.dumps(error))
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert vars(other) == vars(error)


def test_results_come_back_from_other_processes():
    site = with_menu(6)
    cleaner = Cleaner("segments", streaming=False)
    for page in site:
        cleaner.learn(page)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(cleaner.clean, site))
    assert [result.removed() for result in results] == [cleaner.clean(page).removed() for page in site]
    assert lines(results) == [f"Page {number} of e.org" for number in range(6)]
