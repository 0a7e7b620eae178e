import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from detemplate.errors import MissingExtra, PageError, UserError
from detemplate.page.page import Page
from lab.layouts.browser import BrowserSettings, LayoutBrowser, find_chromium
from lab.layouts.guard import group_memory, kill_group

PLAIN = "<body style='margin:0'><p style='margin:0;width:300px;height:50px'>text</p><div hidden>x</div>"


def page(html, url="http://e.org/"):
    return Page(url, html)


def named(made, tag):
    begin = f"<{tag}".encode()
    return next(
        r for r in range(len(made.columns)) if made.canonical[made.columns.start[r] :].startswith(begin)
    )


def box(made, layout, tag):
    row = named(made, tag)
    return [float(side[row]) for side in (layout.left, layout.top, layout.width, layout.height)]


def test_boxes_are_where_the_style_says_and_scripts_do_not_run(browser):
    made = page(PLAIN)
    layout = browser.layout(made)
    assert box(made, layout, "p") == [0, 0, 300, 50]
    assert box(made, layout, "div") == [0, 0, 0, 0]
    assert layout.area[made.segments[0]] > 0
    assert layout.area[made.segments[1]] == 0
    assert layout.page_width == 1024
    # Misnested formatting, foster parents, text around tables: the stamps still find their rows.
    made = page("<p>a<b>b<p>c</b>d<table>e<tr><td>f</table>g<a>h<div>i</a>j")
    layout = browser.layout(made)
    assert (layout.area[made.segments] > 0).all()
    made = page(
        "<body><noscript><p>no</noscript><script>document.write('<div style=height:5000px>')</script><h1>x</h1>"
    )
    layout = browser.layout(made)
    assert layout.page_height == 768
    assert box(made, layout, "h1")[1] < 30


def test_nothing_is_fetched_and_nothing_leads_away(browser, tmp_path):
    import http.server

    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/css")
            self.end_headers()
            self.wfile.write(b"p { width: 123px }")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        html = (
            f"<meta http-equiv=refresh content='0;url={base}/away'><link rel=stylesheet href={base}/x.css>"
            f"<link rel=stylesheet href=/relative.css><p>x</p><img src={base}/x.png><iframe src={base}/frame>"
        )
        made = page(html, f"{base}/page")
        layout = browser.layout(made)
        assert box(made, layout, "p")[2] == 1008
        time.sleep(0.2)
        assert asked == []
        browser.stop()  # one driver at a time
        with LayoutBrowser(BrowserSettings(seconds=30, allow_network=True, allow_private=True)) as online:
            layout = online.layout(made)
        server.shutdown()
    assert box(made, layout, "p")[2] == 123
    assert {"/x.css", "/relative.css", "/frame"} <= set(asked)
    assert "/away" not in asked


def test_a_killed_browser_is_replaced(browser):
    made = page(PLAIN)
    first = browser.layout(made)
    assert browser.process is not None
    os.killpg(browser.process, signal.SIGKILL)
    assert np.array_equal(browser.layout(made).width, first.width)
    # Killed in the middle of a page.
    slow = page("<table><tr><td>" * 2500 + "x")
    killer = threading.Timer(0.4, kill_group, (browser.process,))
    killer.start()
    layout = browser.layout(slow)
    killer.join()
    assert len(layout) == len(slow.columns)


def test_an_answer_that_comes_too_late_costs_its_page_alone(chromium, monkeypatch):
    """What a browser that was ended has sent before is not taken, and the next page gets another browser."""
    with LayoutBrowser(BrowserSettings(seconds=4)) as browser:
        send = browser._session.send

        def late(name, *given):
            answer = send(name, *given)
            if name.startswith("DOMSnapshot"):
                time.sleep(5)
            return answer

        monkeypatch.setattr(browser._session, "send", late)
        with pytest.raises(PageError, match="took over 4 s"):
            browser.layout(page(PLAIN))
        assert browser.process is None
    with LayoutBrowser(BrowserSettings(seconds=30)) as browser:
        assert browser.layout(page(PLAIN)).area.any()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_a_page_that_takes_too_much_memory_is_given_up_and_no_process_is_left(chromium):
    with LayoutBrowser() as idle:
        assert idle.process is not None
        idle.layout(page(PLAIN))
        group = idle.process
        held = group_memory(group)
    assert held > 20 << 20
    assert idle.process is None
    assert group_memory(group) == 0  # no process is left
    with (
        LayoutBrowser(BrowserSettings(seconds=60, memory=held + (30 << 20))) as browser,
        pytest.raises(PageError, match=r"the browser took .* MiB, allowed are"),
    ):
        browser.layout(page("<p>hello <b>world</b></p>\n" * 80_000))


def test_what_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("DETEMPLATE_CHROMIUM", raising=False)
    with pytest.raises(UserError, match="apt install chromium"):
        find_chromium()
    monkeypatch.setenv("DETEMPLATE_CHROMIUM", str(tmp_path / "nothing"))
    with pytest.raises(UserError, match=r"names .*nothing', which is no program"):
        find_chromium()
    program = tmp_path / "browser"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setenv("DETEMPLATE_CHROMIUM", str(program))
    assert find_chromium() == str(program)
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(
        MissingExtra, match=r"rendering pages needs an extra: .* -m pip install 'detemplate\[lab\]'"
    ):
        LayoutBrowser()
