import numpy as np
import pytest
from hypothesis import assume, example, given, strategies as st

from detemplate.errors import UserError
from detemplate.layout.layout import estimated_layout
from detemplate.page import tags
from detemplate.page.columns import ELEMENT, TEXT
from detemplate.page.page import Page
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
    """Check the guarantees of the estimate."""
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
        " style='color:red; Width : 40% ;height:30px'",
        " style='position:absolute;width:12.5px'",
        " style=\"font:'a;b';width:99999px;width:1em\"",
        " width=50",
        " width=120%",
        " height=0",
        " width=30 height=20px",
        " colspan=3",
        " colspan=70",
        " colspan=x",
        " open",
        " type=HIDDEN",
        " dir=rtl",
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
@example("<table><tr><td colspan=64>a<td colspan=2>b<td>c</table>", 320.5)
@example("<pre>a\n\n<b>x</b>\n<i>y</i>\n</pre>z", 64)
def test_any_page_has_boxes(html, width):
    made = parsed(html)
    assume(made is not None)
    check(made, estimated_layout(made, width=width), width)


def test_blocks_stack_and_texts_flow():
    made, layout = laid("<h1>Head</h1><p>First <b>bold</b> tail</p><p>Second</p>")
    head, first, bold, tail, second = (
        box(made, layout, text) for text in ("Head", "First", "bold", "tail", "Second")
    )
    assert head[3] > first[3]
    assert head[1] + head[3] < first[1]
    assert first[1] == bold[1] == tail[1]
    assert first[0] < bold[0] < tail[0]
    assert first[0] + first[2] <= bold[0]
    assert first[1] + first[3] < second[1]


def test_long_texts_wrap():
    made, layout = laid("<p>" + "word " * 1000 + "<p>after")
    row = int(made.segments[0])
    lines = 4999 * 7 / 1008
    assert lines * 18 <= layout.height[row] <= 1.1 * (lines + 1) * 18
    assert layout.width[row] == 1008
    assert layout.top[int(made.segments[1])] >= layout.top[row] + layout.height[row]
    narrow = estimated_layout(made, width=300)
    assert narrow.height[row] > 3 * layout.height[row]


def test_cjk_is_twice_as_wide():
    made, layout = laid("<p>abcdef<p>漢字かな漢字")
    first, second = made.segments
    assert layout.width[second] == 2 * layout.width[first] > 0


def test_cells_stand_side_by_side_and_share_the_width():
    long = "word " * 100
    made, layout = laid(f"<table><tr><td>menu<td>{long}<tr><td colspan=2>below</table>after")
    menu, text, below, after = (box(made, layout, t) for t in ("menu", long.strip(), "below", "after"))
    assert menu[1] == text[1]
    assert menu[0] + menu[2] < text[0]
    assert text[2] > 10 * menu[2]
    assert text[1] + text[3] < below[1] < after[1]
    cells = [
        row
        for row in range(len(made.columns))
        if made.canonical[made.columns.start[row] :].startswith(b"<td")
    ]
    assert layout.height[cells[0]] == layout.height[cells[1]] > text[3]


def test_sizes_that_are_stated_count():
    made, layout = laid("<img width=300 height=100><div style='width:50%;height:70px'>x</div><p>y")
    names = {made.canonical[made.columns.start[r] :][:4]: r for r in range(len(made.columns))}
    image, div = names[b"<img"], names[b"<div"]
    assert (layout.width[image], layout.height[image]) == (300, 100)
    assert (layout.width[div], layout.height[div]) == (504, 70)
    assert layout.top[row_of(made, "y")] >= layout.top[div] + 70


@pytest.mark.parametrize(
    "hide",
    [
        "<div hidden>{}</div>",
        "<div style='color: red; DISPLAY : none !important'>{}</div>",
        "<details><summary>s</summary>{}</details>",
        "<dialog>{}</dialog>",
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
    if "summary" not in hide:
        assert layout.top[row_of(made, "here")] == plain[1].top[row_of(plain[0], "here")]


def test_what_is_out_of_the_flow_moves_nothing():
    made, layout = laid("<p>a</p><div style='position:fixed'>menu</div><p>b</p>")
    other, plain = laid("<p>a</p><p>b</p>")
    assert layout.top[row_of(made, "b")] == plain.top[row_of(other, "b")]
    assert layout.area[row_of(made, "menu")] > 0


def test_right_to_left_pages_are_mirrored():
    made, layout = laid("<html dir=rtl><ul><li>abc</ul>")
    other, plain = laid("<ul><li>abc</ul>")
    mirrored = 1024 - box(other, plain, "abc")[0] - box(other, plain, "abc")[2]
    assert box(made, layout, "abc")[0] == mirrored


def test_preformatted_text_keeps_its_lines():
    made, layout = laid("<pre>a\nb\n\nc</pre>")
    assert layout.height[made.segments[0]] == pytest.approx(4 * 18 * 0.83)
    made, layout = laid("<pre><b>a</b>\n<b>b</b>\n\n<b>c</b></pre>")
    tops = layout.top[made.segments]
    assert np.allclose(np.diff(tops), [18 * 0.83, 2 * 18 * 0.83])


@pytest.mark.parametrize("width", [0, -1, float("nan"), float("inf"), 63, 10**6])
def test_widths_that_no_window_has(width):
    with pytest.raises(UserError, match="the width must be"):
        estimated_layout(page("x"), width=width)
