from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st

from detemplate.errors import UserError
from detemplate.layout.layout import estimated_layout
from detemplate.page import tags
from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.page import Page
from tests.oracles.flow import Flow
from tests.support.soup import HARD, parsed, soups


def page(html):
    return Page("http://e.org/", html)


def laid(html, width=1024):
    made = page(html)
    return made, estimated_layout(made, width=width)


def row_of(made, text):
    return next(int(row) for row in made.segments if made.text_of(int(row)) == text)


def box(made, layout, text):
    row = row_of(made, text)
    return tuple(float(side[row]) for side in (layout.left, layout.top, layout.width, layout.height))


def check(made, layout, width=1024):
    """Check the guarantees of the estimate, and each box by the oracle."""
    sides = (layout.left, layout.top, layout.width, layout.height)
    for side in sides:
        assert side.dtype == np.float32
        assert len(side) == len(layout) == len(made.columns)
        assert np.isfinite(side).all()
        assert (side >= 0).all()
    kind = made.columns.kind
    seen = layout.area > 0
    assert not seen[(kind != ELEMENT) & (kind != TEXT)].any()
    for row in np.flatnonzero(seen & (kind == TEXT)):
        assert layout.height[row] >= 1
    assert layout.page_width >= width
    bottom = (layout.top + layout.height)[seen]
    assert layout.page_height >= bottom.max(initial=0)
    wanted = np.zeros((4, len(made.columns)))
    for row, sides_of_row in Flow(made, width).boxes.items():
        wanted[:, row] = sides_of_row
    assert np.allclose(sides, wanted, rtol=1e-6, atol=1e-3)
    again = estimated_layout(made, width=width)
    assert all(
        np.array_equal(side, other)
        for side, other in zip(sides, (again.left, again.top, again.width, again.height), strict=True)
    )


@pytest.mark.parametrize("html", [html for html in HARD if html.strip()])
def test_hard_pages(html):
    check(*laid(html))


STYLES = st.sampled_from(
    [
        "",
        " hidden",
        " style='display: NONE'",
        " style='color:red; Display : none !important'",
        " style='visibility:hidden'",
        " style='background:none'",
        " style=\"font:'display:none'\"",
        " data-x='>' hidden=''",
        " title=hidden aria-hidden=true",
        " colspan=3 width=50",
    ]
)
TAGS = st.sampled_from([name for name in tags.NAMES if name not in ("", "plaintext")])
TEXTS = st.sampled_from(["", "x", "some words here ", "漢字かな " * 5, "long " * 60, " a\n\n b &amp; c\n"])


@st.composite
def styled(draw):
    parts = []
    for _ in range(draw(st.integers(1, 12))):
        parts.append(f"<{draw(TAGS)}{draw(STYLES)}{draw(STYLES)}>{draw(TEXTS)}")
        if draw(st.booleans()):
            parts.append(f"</{draw(TAGS)}>")
    return "".join(parts)


@given(soups | styled(), st.sampled_from([64, 320.5, 1024]))
@example("<table><tr><td hidden>a<td>b<script></script><td>c <table><tr><th>d</table></table>", 320.5)
@example("<b>a <i>" + "long " * 60 + "</i></b><br><br><hr>z<img><img>", 64)
def test_any_page_has_boxes(html, width):
    made = parsed(html)
    assume(made is not None)
    check(made, estimated_layout(made, width=width), width)


def test_blocks_stack_and_texts_flow():
    made, layout = laid("<h1>Head</h1><p>First <b>bold</b> tail<br>Below</p><p>Second</p>")
    head, first, bold, tail, below, second = (
        box(made, layout, text) for text in ("Head", "First", "bold", "tail", "Below", "Second")
    )
    assert head[1] + head[3] <= first[1]
    assert first[1] == bold[1] == tail[1]
    assert first[0] < bold[0] < tail[0]
    assert first[0] + first[2] <= bold[0]
    assert first[1] + first[3] == below[1]
    assert below[1] + below[3] == second[1]


def test_long_texts_wrap():
    made, layout = laid("<p>" + "word " * 1000 + "<p>after")
    row = int(made.segments[0])
    lines = 4999 * 7 / 1024
    assert lines * 18 <= layout.height[row] <= (lines + 1) * 18
    assert layout.width[row] == 1024
    assert layout.top[int(made.segments[1])] == layout.top[row] + layout.height[row]
    narrow = estimated_layout(made, width=300)
    assert narrow.height[row] > 3 * layout.height[row]


def test_a_short_text_moves_to_the_next_line_as_a_whole():
    made, layout = laid(f"<p><b>{'x' * 140}</b><i>{'y' * 20}</i>")
    _, moved = made.segments
    assert (layout.left[moved], layout.top[moved], layout.width[moved]) == (0, 18, 140)


def test_cells_stand_side_by_side_and_share_the_width():
    long = "word " * 100
    made, layout = laid(f"<table><tr><td>menu<td>{long}<tr><td>below<td>it</table>after")
    menu, text, below, it, after = (
        box(made, layout, t) for t in ("menu", long.strip(), "below", "it", "after")
    )
    assert menu[1] == text[1]
    assert menu[0] + menu[2] <= text[0]
    assert text[2] > 10 * menu[2]
    assert text[1] + text[3] == below[1] == it[1] < after[1]
    # A row with room for its texts is as wide as they are.
    assert it[0] == 5 * 7 + 28
    assert it[2] == 2 * 7


def test_replaced_elements_have_a_size_by_their_tag():
    made, layout = laid("<p>a<img width=900 height=900><p>b<iframe></iframe><p><select><option>x</select>y")
    sizes = {
        made.canonical[made.columns.start[r] :][:4]: (layout.width[r], layout.height[r])
        for r in range(len(made.columns))
    }
    assert (sizes[b"<img"], sizes[b"<ifr"], sizes[b"<sel"]) == ((24, 24), (300, 150), (150, 20))
    assert box(made, layout, "b")[1] == 24
    assert box(made, layout, "y") == (153.5, 174, 7, 18)


@pytest.mark.parametrize(
    "hide",
    [
        "<div hidden>{}</div>",
        "<div style='color: red; DISPLAY : none !important'>{}</div>",
        "<div style='visibility: hidden'>{}</div>",
        "<noscript>{}</noscript>",
        "<template>{}</template>",
    ],
)
def test_what_is_hidden_has_no_box(hide):
    inner = "<p>gone <b>too</b></p>"
    made, layout = laid("<body>" + hide.format(inner) + "<p>here")
    plain = laid("<p>here")
    for row in range(len(made.columns)):
        if made.canonical[made.columns.start[row] :].startswith((b"<p>gone", b"gone", b"<b>", b"too")):
            assert layout.area[row] == layout.left[row] == layout.top[row] == 0
    assert layout.top[row_of(made, "here")] == plain[1].top[row_of(plain[0], "here")]


@pytest.mark.parametrize("width", [0, -1, float("nan"), float("inf"), 63, 10**6])
def test_widths_that_no_window_has(width):
    with pytest.raises(UserError, match="the width must be"):
        estimated_layout(page("x"), width=width)


def test_columns_of_another_page_are_refused():
    made = page("<p>some <b>words</b></p>" * 9)
    with pytest.raises(ValueError, match="the columns do not describe this text"):
        estimated_layout(SimpleNamespace(canonical=b"<p>", columns=made.columns))
