"""Co-citation against a count over the made pages."""

from collections import Counter, defaultdict

from hypothesis import assume, given, strategies as st

from detemplate.links.cocitation import related
from tests.support.helpers import slow_oracle
from tests.support.link_crawls import Made, Part, crawls, in_memory, keys


def citing(pages, url, key):
    """Give the pages that cite a page, one of each content: the one with the least key."""
    found = [page for page in pages if url in page.loose or any(url in part.links for part in page.parts)]
    kept = {}
    for page in sorted(found, key=lambda page: key[page.url]):
        kept.setdefault(page.text or page.url, page)
    return list(kept.values())


def expected(pages, url, within, templates, stored):
    sources = citing(pages, url, keys(pages))
    holders = defaultdict(set)
    for page in sources:
        for part in page.parts:
            holders[part.text].add(page.url)
    counts = Counter()
    for page in sources:
        units = []
        for at, part in enumerate(page.parts):
            recurs = bool(part.text) and len(holders[part.text]) > 1
            template = {"none": False, "local": recurs, "stored": (page.url, at) in stored}[templates]
            units.append([] if template else part.links)
        if within == "page":
            units = [[*page.loose, *(link for unit in units for link in unit)]]
        for unit in units:
            if url in unit:
                counts.update(set(unit) - {url})
    return counts


@slow_oracle
@given(
    crawls(),
    st.sampled_from(["http://a.example/0", "http://b.example/1", "http://e.example/"]),
    st.sampled_from(["pagelet", "page"]),
    st.sampled_from(["local", "stored", "none"]),
    st.randoms(use_true_random=False),
)
def test_counts(pages, url, within, templates, random):
    assume(url in keys(pages))
    places = [(page.url, at) for page in pages for at in range(len(page.parts))]
    stored = [place for place in places if random.random() < 0.4]
    crawl = in_memory(pages, stored)
    found = related(crawl, url, within=within, templates=templates, top=None)
    assert {one.url: one.count for one in found} == expected(pages, url, within, templates, stored)
    assert found == sorted(found, key=lambda one: (-one.count, one.url))
    assert related(crawl, url, within=within, templates=templates, top=2) == found[:2]
    weighted = related(crawl, url, within="weighted", templates=templates, weight=5, top=None)
    sums = expected(pages, url, "page", templates, stored)
    closer = expected(pages, url, "pagelet", templates, stored)
    assert {one.url: one.count for one in weighted} == {at: sums[at] + 4 * closer[at] for at in sums}
    assert weighted == sorted(weighted, key=lambda one: (-one.count, one.url))
    titles = {page.url: page.title for page in pages}
    assert all(one.title == titles.get(one.url, "") for one in found)


def test_a_popular_page_in_the_footer_is_not_related():
    footer = Part("Best viewed with our browser", ["http://browser.example/", "http://ads.example/"])
    topics = Part("Tea", ["http://tea.example/", "http://pot.example/"])
    pages = [
        Made(f"http://h{n}.example/", [Part(f"On tea {n}", topics.links), Part(f"Else {n}", ["http://x.example/"]), footer])
        for n in range(3)
    ]  # fmt: skip
    crawl = in_memory(pages)

    def urls(**options):
        return [one.url for one in related(crawl, "http://tea.example/", **options)]

    assert urls() == ["http://pot.example/"]
    assert urls(within="page") == ["http://pot.example/", "http://x.example/"]
    assert len(urls(within="page", templates="none")) == 4
    for weight, count in ((None, 9), (1, 3), (2, 6)):
        found = related(crawl, "http://tea.example/", within="weighted", weight=weight)
        assert [(one.url[7:10], one.count) for one in found] == [("pot", count), ("x.e", 3)]
    assert related(crawl, "http://browser.example/") == []
    assert [one.url for one in related(crawl, "http://browser.example/", templates="none")] == [
        "http://ads.example/"
    ]
    assert related(crawl, "HTTP://tea.example:80/#top") == related(crawl, "http://tea.example/")
