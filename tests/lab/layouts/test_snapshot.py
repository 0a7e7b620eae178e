from detemplate.page.page import Page
from lab.layouts.snapshot import stamped


def page(html):
    return Page("http://e.org/", html)


def test_a_page_cannot_lead_away_nor_load_frames():
    html = "<meta http-equiv=Refresh content='0;url=http://a/'><head class='a>b'><meta charset=utf-8><iframe src=http://a/>"
    made = page(html)
    written = stamped(made)
    assert written.count(b'http-equiv="none" http-equiv="Refresh"') == 1
    assert b'src="about:blank" src="http://a/"' in written
    assert b'src="about:blank"' not in stamped(made, frames=True)
