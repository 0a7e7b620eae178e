"""``detemplate report``: what it counts, and the file in a real browser."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import example, given

from detemplate.page.page import Page
from detemplate.report.htmlfile import sanitised_html
from tests.support.commands import cli, data_of, write_rows
from tests.support.doc_inputs import SITES, _article
from tests.support.soup import soups

PAGES = 30
BREAK = "</script><script>top.owned=1</script>"


def write_pages(path):
    """Write pages of two sites, one of them with an empty page, a page of menus, and names that break out."""
    rows = [
        {"url": f"https://{site.host}/{'ab'[n % 2]}/{n}.html", "html": _article(site, n)}
        for site in SITES[:2]
        for n in range(PAGES if site is SITES[0] else 10)
    ]
    host = SITES[0].host
    rows.append(
        {"url": f"https://{host}/bare?{BREAK}", "html": "<p>Only this once, and nothing around it.</p>"}
    )
    rows.append({"url": "https://" + host + "/x", "html": ""})
    rows.append({"url": f"https://evil{BREAK}/x", "html": f"<title>{BREAK}</title><p>words {BREAK}"})
    write_rows(path, rows)
    return path


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    out = folder / "report.html"
    pages = write_pages(folder / "pages.jsonl")
    cli("report", pages, "-o", out, "-q", "--workers", "0")
    return out


def test_what_a_report_counts(reported):
    data = data_of(reported)
    sites = {each["site"]: each for each in data["sites"]}
    one = sites[SITES[0].host]
    assert (one["pages"], sites[SITES[1].host]["pages"]) == (PAGES + 1, 10)
    assert sum(one["shares"]) == PAGES + 1
    assert one["growth"][-1][0] == PAGES + 1
    assert one["none"]["urls"] == [f"https://{SITES[0].host}/bare?{BREAK}"]
    named = {each["name"]: each["pages"] for each in one["directories"]}
    assert named == {f"{SITES[0].host}/a/": 15, f"{SITES[0].host}/b/": 15, f"{SITES[0].host}/": 1}
    menu = next(card for card in one["cards"] if SITES[0].name in card["text"])
    assert PAGES - 1 <= menu["pages"] <= PAGES
    assert SITES[0].name in menu["html"]
    assert one["cut"] is not None
    assert sum(each["template"] for each in one["frequencies"] if each["low"] >= one["cut"]) > 5
    assert "empty" in re.sub(r"<script.*", "", reported.read_text(), flags=re.S)  # a reject and its reason


def test_a_report_of_a_store(reported, tmp_path, opened):
    """It has what the report of the pages has: counts are equal, those of texts where all are in the samples."""
    store, out, pages = tmp_path / "s.db", tmp_path / "report.html", reported.parent / "pages.jsonl"
    cli("clean", pages, "--store", store, "-o", tmp_path / "o.jsonl", "-q")
    cli("report", store, "-o", out, "-q", "--title", "My store")
    data, direct = data_of(out), data_of(reported)
    assert data["store"] is True
    assert len(data["sites"]) == len(direct["sites"]) == 3
    assert [each["sampled"] > 0 for each in data["sites"]] == [True, False, False]
    for here, there in zip(data["sites"], direct["sites"], strict=True):
        same = ["site", "pages", "shares", "none", "only", "redesigns"]
        for one, two in zip(here["directories"], there["directories"], strict=True):
            assert (one["name"], one["pages"]) == (two["name"], two["pages"])
            assert one["share"] == pytest.approx(two["share"], abs=0.002)
        if here["sampled"]:
            assert here["growth"][-1][1:] == pytest.approx(there["growth"][-1][1:], rel=0.2)
        else:
            same += ["frequencies", "cut"]
        assert {name: here[name] for name in same} == {name: there[name] for name in same}
        assert (here["counted"], here["lost"]) == (here["pages"], 0)
        assert here["share"] == pytest.approx(there["share"], abs=1e-4)
        if here["sampled"]:
            continue
        assert here["growth"][-1] == there["growth"][-1]
        texts = {pages: texts for pages, *texts in there["growth"]}
        assert all(texts[pages] == each for pages, *each in here["growth"])
    window = opened(out)
    assert "Templates of My store" in window.page.inner_text("h1")
    assert "keeps counts and no pages" in window.page.inner_text("header")
    assert window.page.locator("#site .charts svg").count() >= 3
    cards = data["sites"][0]["cards"]
    lines = [each["text"] for each in cards if each["texts"] == 1 and len(each["text"].split()) <= 3]
    assert window.page.locator(".card").count() == len(cards) - len(lines) > 0
    assert window.page.locator(".lines li").count() == len(lines) > 0
    assert window.quiet(out)


def test_the_title_is_the_sites_and_only_what_is_known_is_shown(tmp_path, opened):
    """Of one site, without dates: no path, no column of dates or redesigns; all cards are there at once."""
    pages, out = tmp_path / "pages.jsonl", tmp_path / "out.html"
    menu = "<nav>" + "".join(f"<a href=/{n}>Part {n} of all the parts</a> " for n in range(9)) + "</nav>"
    rows = [
        {
            "url": f"http://e.org/{n}",
            "html": f"{menu}<p>{f'Page {n} tells things. ' * 20}</p><aside>  Top\n </aside>",
        }
        for n in range(9)
    ]
    write_rows(pages, rows)
    cli("report", pages, "-o", out, "-m", "segments", "-q")
    page = opened(out).page
    assert page.inner_text("h1") == "Templates of e.org"
    assert page.title() == "Templates of e.org"
    shown = page.evaluate(
        "[...document.querySelectorAll('#index th')].filter(th => !th.hidden).map(th => th.textContent)"
    )
    assert shown == ["Site", "Pages", "Template"]
    assert page.locator("#index tbody td").count() == 3
    assert page.evaluate("[...document.querySelectorAll('.card iframe')].every(each => each.srcdoc)")
    assert [each.inner_text() for each in page.locator(".lines li").all()] == ["Top (on 9 of 9 pages)"]
    assert page.locator(".card").count() == 1
    assert "redesign" not in page.inner_text("#site")
    two = tmp_path / "two.jsonl"
    other = [{**row, "url": row["url"].replace("e.org", "f.org")} for row in rows]
    write_rows(two, [*rows, *other])
    cli("report", two, "-o", out, "-m", "segments", "-q")
    assert opened(out).page.inner_text("h1") == "Templates of e.org, f.org"


def test_a_report_in_a_browser(reported, opened, faults):
    data, window = data_of(reported), opened(reported)
    page = window.page
    page.wait_for_selector(".card iframe[srcdoc]")
    assert page.locator("#index tbody tr").count() == len(data["sites"]) == 3
    names = [row.split("\t")[0] for row in page.inner_text("#index tbody").splitlines() if row.strip()]
    page.focus("[data-sort=site]")
    page.keyboard.press("Enter")
    assert page.get_attribute("#index th:first-child", "aria-sort") == "ascending"
    ordered = [row.split("\t")[0] for row in page.inner_text("#index tbody").splitlines() if row.strip()]
    assert ordered == sorted(names) != names
    page.get_by_role("button", name=SITES[1].host).click()
    assert SITES[1].host in page.inner_text("#site h2")
    assert page.locator("#site svg").count() >= 3
    assert page.evaluate("window.owned") is None
    assert faults(page) == []
    assert window.quiet(reported)


def test_errors_are_one_line(tmp_path, capfd, monkeypatch):
    pages = write_pages(tmp_path / "pages.jsonl")
    out = str(tmp_path / "out.html")

    def fails(*arguments):
        cli(*arguments, code=2)
        [line] = capfd.readouterr().err.splitlines()
        return line

    assert "too slow" in fails("explain", str(pages), "--max-page-seconds", "0.0000001", "-o", out)
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"url": "http://other/", "html": "<p>a"}) + "\n")
    assert "and --site has pages of other only" in fails(
        "explain", str(pages), "--site", str(other), "-o", out
    )
    assert not Path(out).exists()
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    assert "detemplate[report]" in fails("report", str(pages), "-o", out)
    assert "detemplate[report]" in fails("explain", str(pages), "-o", out)


def test_options_of_explain(tmp_path):
    pages, out, store = write_pages(tmp_path / "pages.jsonl"), tmp_path / "why.html", tmp_path / "s.db"
    url = f"https://{SITES[0].host}/b/5.html"

    def methods(*options):
        cli("explain", pages, "--url", url, "-o", out, "-q", *options)
        return data_of(out)["methods"]

    assert [each["name"] for each in methods()] == ["auto", "pagelevel"]
    site = ("--site", str(pages))
    assert [(each["name"], each["pages"]) for each in methods(*site)] == [
        ("auto", PAGES + 1),
        ("segments", PAGES + 1),
    ]
    [one] = methods(*site, "-m", "segments", "--set", "min_df=40")
    [two] = methods(*site, "-m", "segments", "--threshold", "0.2")
    assert (sum(one["template"]), two["threshold"]) == (0, 0.2)
    assert sum(two["template"]) > 0
    assert methods(*site, "--site-by", "directory")[0]["pages"] == PAGES // 2
    cli("learn", pages, "--store", store, "-q")
    assert [(each["name"], each["pages"]) for each in methods("--store", str(store))] == [
        ("auto", PAGES + 1),
        ("pagelevel", 0),
    ]


def test_options_of_report(tmp_path):
    pages, out = write_pages(tmp_path / "pages.jsonl"), tmp_path / "report.html"

    def sites(*options):
        cli("report", pages, "-o", out, "-q", "--workers", "0", *options)
        return {each["site"]: each for each in data_of(out)["sites"]}

    host = SITES[0].host
    assert set(sites("--site-by", "directory")) >= {f"{host}/a/", f"{host}/b/"}
    assert sites("--limit", "7")[host]["pages"] == 7
    some = sites("-m", "segments", "--set", "min_df=3")[host]["share"]
    none = sites("-m", "segments", "--set", "min_df=40")[host]["share"]
    assert some > none == 0
    assert "judged by <b>segments</b>" in out.read_text()


INERT = {"script", "iframe", "object", "embed", "link", "base", "noscript", "template"}


@given(soups)
@example("<script></script><x<script></script>")
@example("<select href=/a>word")
def test_inert_pages_hold_no_scripts_and_all_segments(soup):
    if re.search(rf"(?is)<(?:svg|math).*<(?:{'|'.join(INERT)})", soup):
        return  # in a drawing these are elements like others, and are left out with their segments
    try:
        page = Page("http://e.org/", soup)
    except Exception:  # noqa: BLE001  # what is no page is not shown
        return
    written = re.sub(
        r"(?s)<style>.*?</style>", "", sanitised_html(page, "")
    )  # it holds text, whatever it looks like
    names = {
        name.lower() for name in re.findall(r"</?([A-Za-z][^\s/>]*)", written)
    }  # of x<script> it is the whole
    assert names.isdisjoint(INERT)
    assert not re.search(r"<meta http", written, re.IGNORECASE)
    found = re.findall(r'<dt-seg i="(\d+)"|data-dt-seg="([\d ]+)"', written)
    numbers = sorted(int(each) for pair in found for text in pair for each in text.split())
    assert numbers == list(range(len(page.segments)))
