"""``detemplate explain``: the file in a real browser, with tame pages and hostile ones."""

import socket
from pathlib import Path

import pytest

from detemplate.report.htmlfile import script_json
from tests.support.commands import cli, data_of, write_rows

BOOK = Path(__file__).parents[2] / "examples" / "rustbook"
BASE = "https://doc.rust-lang.org/book/"
PAGE = ("--url", f"{BASE}ch01-01-installation.html", "--base-url", BASE)

HOSTILE = """<!DOCTYPE html><html><head><title>a</title></script><script>top.owned=1</script>
<meta http-equiv=refresh content="0;url=http://127.0.0.1:9/refresh"><base href="http://127.0.0.1:9/" target=_top>
<link rel=stylesheet href=http://127.0.0.1:9/a.css><link rel=dns-prefetch href=//127.0.0.1:9>
<style>@import "http://127.0.0.1:9/b.css"; body{background:u\\72l(http://127.0.0.1:9/c.png)}
@font-face{font-family:x;src:url("http://127.0.0.1:9/f.woff")} *{font-family:x}
header,#tip,aside,main{display:none!important} p{display:block!important}</style>
<style>p{color:red}</style></head>
<body onload="top.owned=1" style="background:url('http://127.0.0.1:9/d.png')" background=http://127.0.0.1:9/e.png>
<p id=why>]]></script><script>parent.owned=1</script><img src=http://127.0.0.1:9/i.png onerror="top.owned=1">
&lt;/script&gt;&lt;script&gt;top.owned=1&lt;/script&gt; <!-- --!><script>top.owned=1</script> --> words {{ 7*7 }}</p>
<dt-seg i=0>not ours</dt-seg><p data-dt-seg=0>nor this</p>
<svg><a xlink:href="javascript:top.owned=1"><text>drawn</text></a><use href="http://127.0.0.1:9/s.svg#a"/>
<image href="http://127.0.0.1:9/x.png"/><script>top.owned=1</script><style>*{fill:url(http://127.0.0.1:9/u)}</style></svg>
<iframe src=http://127.0.0.1:9/frame srcdoc="<script>top.owned=1</script>"></iframe>
<object data=http://127.0.0.1:9/o>no</object><embed src=http://127.0.0.1:9/m><video src=http://127.0.0.1:9/v poster=http://127.0.0.1:9/p>v</video>
<form action=http://127.0.0.1:9/form><input type=image src=http://127.0.0.1:9/n><button formaction=javascript:top.owned=1>Go</button></form>
<a href="http://127.0.0.1:9/away" target=_top ping=http://127.0.0.1:9/ping>leave</a> <a href="javascript:top.owned=1">run</a>
<select><option>one<option>two</select><textarea></textarea><xmp><b>raw</b></xmp><math><mtext>m</mtext></math>
<template><p>never</p></template><noscript><p>none</p></noscript>
\u2028 \u202e turned \x00"""


@pytest.fixture(scope="module")
def why(tmp_path_factory):
    out = tmp_path_factory.mktemp("why") / "why.html"
    cli("explain", BOOK, *PAGE, "--site", BOOK, "-m", "auto", "-m", "pagelevel", "-o", out, "-q")
    return out


def until(page, holds):
    """Wait until an expression holds. Playwright's own way evaluates text in the page, which the policy forbids."""
    for _ in range(200):
        if page.evaluate(f"Boolean({holds})"):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never holds: {holds}")


def marked(page, attribute):
    return page.evaluate(
        f"document.getElementById('frame0').contentDocument.querySelectorAll('[{attribute}]').length"
    )


def test_a_page_is_tinted_and_the_slider_moves_the_threshold(why, opened):
    data = data_of(why)
    auto = data["methods"][0]
    window = opened(why)
    page = window.page
    page.wait_for_selector("#texts button")
    goes = sum(auto["template"])
    assert 50 < goes < len(auto["scores"]) == len(data["texts"])
    assert marked(page, "data-dt=template") == goes
    assert f"{goes} of {len(data['texts'])} texts go" in page.inner_text("#sum")
    # By keyboard: the end of the slider removes nothing, its beginning nearly all.
    page.focus("#threshold")
    page.keyboard.press("End")
    until(page, "document.getElementById('sum').textContent.includes(': 0 of')")
    assert marked(page, "data-dt=template") == 0
    page.keyboard.press("Home")
    positive = sum(score > 0 for score in auto["scores"])
    until(page, f"document.getElementById('sum').textContent.includes(': {positive} of')")
    page.click("#reset")
    until(page, f"document.getElementById('sum').textContent.includes(': {goes} of')")
    assert window.quiet(why)


def test_three_panes(why, opened):
    window = opened(why)
    page, frame = window.page, window.page.frame_locator("#frame0")
    page.wait_for_selector("#texts button")
    menu, text = frame.get_by_text("Foreword").first, frame.get_by_text("rustup").first

    def background(of):
        return of.evaluate("node => getComputedStyle(node.closest('dt-seg') ?? node).backgroundColor")

    tinted = background(menu), background(text)
    assert len({*tinted, "rgba(0, 0, 0, 0)"}) == 3
    page.check("[name=view][value=original]", force=True)
    assert background(menu) == background(text) == "rgba(0, 0, 0, 0)"
    page.focus("[name=view][value=original]")
    page.keyboard.press("ArrowRight")
    assert (background(menu), background(text)) == tinted
    page.keyboard.press("ArrowRight")
    assert not menu.is_visible()
    assert text.is_visible()
    assert window.quiet(why)


def test_a_text_says_why(why, opened):
    data, window = data_of(why), opened(why)
    page, frame = window.page, window.page.frame_locator("#frame0")
    page.wait_for_selector("#texts button")
    auto = data["methods"][0]
    number = data["texts"].index("Foreword")
    reason = auto["reasons"][auto["reason"][number]]
    assert "same text on 23 of 23 other pages of this site" in reason["text"]
    node = frame.get_by_text("Foreword").first
    node.hover()
    page.wait_for_selector("#tip:not([hidden])")
    assert reason["text"] in page.inner_text("#tip")
    node.click()
    panel = page.inner_text("#why")
    assert "Foreword" in panel
    assert reason["text"] in panel
    assert data["paths"][number] in panel
    assert "pages 23, of 23" in panel
    # The list does the same by keyboard.
    page.focus("#texts [aria-current]")
    page.keyboard.press("ArrowDown")
    assert data["texts"][number + 1] in page.inner_text("#why blockquote")
    assert frame.locator("[data-dt-chosen]").inner_text() == data["texts"][number + 1]
    assert window.quiet(why)


def test_two_methods_side_by_side(why, opened):
    data, window = data_of(why), opened(why)
    page = window.page
    page.wait_for_selector("#texts button")
    one, two = (each["template"] for each in data["methods"])
    differs = sum(a != b for a, b in zip(one, two, strict=True))
    assert differs > 0
    page.select_option("#beside", "1")
    until(page, "document.getElementById('frame1').contentDocument?.querySelector('[data-dt]')")
    assert f"pagelevel disagrees on {differs} text" in page.inner_text("#sum")
    assert marked(page, "data-dt-differs") == differs
    # The one that is shown is not offered beside itself.
    offered = (
        "[...document.getElementById('beside').options].filter(each => !each.disabled).map(each => each.text)"
    )
    assert page.evaluate(offered) == ["nothing", "pagelevel"]
    page.select_option("#which", "differs")
    assert page.locator("#texts button").count() == differs
    page.locator("#texts button").first.click()
    assert "pagelevel: " in page.inner_text("#why")
    page.select_option("#which", "all")
    # Each has a threshold of its own, which says whose it is.
    second = page.get_by_role("slider", name="Threshold of pagelevel, beside it")
    second.focus()
    page.keyboard.press("End")
    until(page, f"document.getElementById('sum').textContent.includes('disagrees on {sum(one)} text')")
    assert page.inner_text("#value1") == "1.00"
    assert page.inner_text("#value") == f"{data['methods'][0]['threshold']:.2f}"
    assert ": 0 of" in page.inner_text("#head1")
    assert f": {sum(one)} of" in page.inner_text("#head0")
    page.get_by_role("slider", name="Threshold of auto", exact=True).focus()
    page.keyboard.press("End")
    until(page, "document.getElementById('sum').textContent.includes('disagrees on 0 texts')")
    page.click("#reset")
    until(page, f"document.getElementById('sum').textContent.includes('disagrees on {differs} text')")
    page.select_option("#method", "1")  # they change places
    assert f"auto disagrees on {differs} text" in page.inner_text("#sum")
    assert page.evaluate(offered) == ["nothing", "auto"]
    assert page.get_by_role("slider", name="Threshold of pagelevel", exact=True).is_visible()
    second = page.get_by_role("slider", name="Threshold of auto, beside it")
    assert second.is_visible()
    page.select_option("#beside", "")
    assert not second.is_visible()
    assert window.quiet(why)


def test_a_hostile_page_runs_nothing_and_loads_nothing(tmp_path, opened):
    source, out = tmp_path / "hostile.html", tmp_path / "why.html"
    source.write_text(HOSTILE, encoding="utf-8")
    cli("explain", source, "-o", out, "-q")
    assert "127.0.0.1" not in out.read_text(encoding="utf-8")
    window = opened(out)
    page = window.page
    page.wait_for_selector("#texts button")
    frame = page.frame_locator("#frame0")
    for link in ("leave", "run", "Go"):
        frame.get_by_text(link, exact=True).click(timeout=3000)
    page.wait_for_timeout(200)
    assert page.evaluate("window.owned") is None
    assert page.is_visible("header")
    assert page.is_visible("aside")
    assert frame.locator("p").first.is_visible()
    data = data_of(out)
    assert "words {{ 7*7 }}" in " ".join(data["texts"])
    # Every segment is marked once, and nothing else is.
    numbers = page.evaluate(
        "[...document.getElementById('frame0').contentDocument.querySelectorAll('dt-seg[i],[data-dt-seg]')]"
        ".flatMap(each => (each.getAttribute('i') ?? each.getAttribute('data-dt-seg')).split(' ').map(Number))"
    )
    assert numbers == list(range(len(data["texts"])))
    assert window.quiet(out)


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark")])
def test_it_is_accessible(why, opened, faults, width, scheme):
    page = opened(why, width, scheme).page
    page.wait_for_selector("#texts button")
    page.select_option("#beside", "1")
    page.locator("#texts button").first.click()
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_policy_alone_stops_scripts_and_requests(tmp_path, why, opened):
    """If something were left in the page, the frame and the file's policy still stop it."""
    data = data_of(why)
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = f"http://127.0.0.1:{server.getsockname()[1]}"
        left = f"<img src='{place}/x.png' onerror='top.owned=1'><script>top.owned=1</script><p>words</p>"
        broken = tmp_path / "broken.html"
        written = why.read_text(encoding="utf-8")
        assert script_json(data["frame"]) in written
        broken.write_text(written.replace(script_json(data["frame"]), script_json(left)), encoding="utf-8")
        window = opened(broken)
        until(window.page, "document.getElementById('frame0').contentDocument.querySelector('p')")
        window.page.wait_for_timeout(200)
        assert window.page.evaluate("window.owned") is None
        assert any("Content Security Policy" in said for said in window.said)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):  # nobody has connected
            server.accept()


NEAR_PAGES = [
    {
        "url": f"http://e.org/{number}",
        "html": f"<nav>Home</nav><p>Number {number} has words of its own.</p>"
        + "<i>sometimes</i>" * (number % 2),
    }
    for number in range(9)
]


@pytest.fixture
def near(tmp_path):
    """A page by a method that has scored one text near its threshold: it is on 4 of 9 pages."""
    pages, out = tmp_path / "pages.jsonl", tmp_path / "near.html"
    write_rows(pages, NEAR_PAGES)
    words = ["explain", str(pages), "--url", "http://e.org/1", "--site", str(pages), "-m", "sitelevel"]
    cli(*words, "--threshold", "0.5", "-o", out, "-q")
    return out


def test_it_opens_on_what_was_near_the_threshold(near, why, opened):
    data, page = data_of(near), opened(near).page
    page.wait_for_selector("#texts button")
    scores = data["methods"][0]["scores"]
    close = [text for text, score in zip(data["texts"], scores, strict=True) if abs(score - 0.5) < 0.1]
    assert close == ["sometimes"]
    assert page.input_value("#which") == "near"
    assert page.locator("#texts button").count() == 1
    assert page.inner_text("#why blockquote") == "sometimes"
    page = opened(why).page  # nothing is near: all texts, and the nearest is chosen
    page.wait_for_selector("#texts button")
    scores = data_of(why)["methods"][0]["scores"]
    assert not any(abs(score - 0.5) < 0.1 for score in scores)
    assert page.input_value("#which") == "all"
    assert "none near the threshold" in page.inner_text("#count")
    nearest = min(range(len(scores)), key=lambda number: abs(scores[number] - 0.5))
    assert page.get_attribute("#texts [aria-current]", "data-number") == str(nearest)


def explained(*words):
    cli("explain", *words, "-m", "segments", "-q")
    return words[words.index("-o") + 1]


def test_a_persons_word(tmp_path, capsys):
    """What --keep and --drop select stays and goes with every method; rules that select nothing are named."""
    page, out = tmp_path / "page.html", tmp_path / "why.html"
    page.write_text("<nav>Home</nav><p>A saved page has words of its own.")
    words = ("--keep", "nav", "--drop", "p", "--drop", ".none", "-m", "auto", "-m", "segments")
    cli("explain", page, *words, "-o", out)
    for method in data_of(out)["methods"]:
        assert method["template"] == [False, True]
        assert [each["causes"][0][0] for each in method["reasons"]] == ["kept", "dropped"]
    assert "nothing on the page is selected by --drop .none" in capsys.readouterr().err


def test_a_page_without_a_url_is_of_the_only_site_there_is(tmp_path, said):
    page, out = tmp_path / "page.html", tmp_path / "why.html"
    page.write_text("<nav>Home</nav><p>A saved page has words of its own.")
    pages, two, store = tmp_path / "pages.jsonl", tmp_path / "two.jsonl", tmp_path / "s.db"
    write_rows(pages, NEAR_PAGES)
    other = [{**each, "url": each["url"].replace("e.org", "f.org")} for each in NEAR_PAGES]
    write_rows(two, [*NEAR_PAGES, *other])
    explained(page, "--site", pages, "-o", out)
    assert (data_of(out)["methods"][0]["pages"], data_of(out)["methods"][0]["template"][0]) == (9, True)
    cli("learn", pages, "--store", store, "-m", "segments", "-q")
    cli("explain", page, "--store", store, "-o", out, "-q")
    assert data_of(out)["methods"][0]["pages"] == 9
    # Of several sites, its URL says which one; a site that is not known is said.
    for words, told in (
        (["--site", two], "--site has pages of 2 sites: e.org, f.org; name its URL with --url"),
        (["--site", two, "--url", "http://g.org/"], "'g.org', and --site has pages of e.org, f.org only"),
        (["--store", store, "--url", "http://g.org/"], "does not know the page's site 'g.org'"),
        (
            ["--store", store, "--site-by", "domain"],
            "was learned with --site-by host: leave --site-by domain out",
        ),
    ):
        assert told in said("explain", page, *words, "-o", out, "-q", code=2)
    explained(page, "--site", two, "--url", "http://f.org/x", "-o", out)
    assert data_of(out)["methods"][0]["pages"] == 9
    assert '<div class="url">http://f.org/x</div>' in out.read_text()


def test_on_a_phone_the_reason_is_on_the_screen(why, opened):
    page = opened(why, 390).page
    page.wait_for_selector("#texts button")
    for _ in range(2):
        box = page.locator("#why .reason").first.bounding_box()
        assert box is not None
        assert 0 <= box["y"] < 800 - box["height"]
        assert 0 <= box["x"] < 390 - box["width"] + 1
        page.mouse.wheel(0, 700)
        page.wait_for_timeout(100)
