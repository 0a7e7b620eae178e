"""Buttons beside blocks of code: which lines go."""

import pytest

from detemplate.output.text import to_markdown, to_text
from detemplate.page.page import Page


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # All that stand in a row go, on both sides, around two elements at most.
        ("<div><button>a</button><pre>x</pre><button>b</button> <button>c</button></div>", "x"),
        ("<figure><div><pre>x</pre></div><div>py <button>b</button></div></figure>", "x"),
        ("<div><figure><div><pre>x</pre></div></figure><button>b</button></div>", "x"),
        ("<div><div><div><div><pre>x</pre></div></div></div><button>b</button></div>", "x\n\nb"),
        ("<div><pre>x</pre><!-- c --><button>b</button></div>", "x"),
        # A table of code, whose first cell numbers its lines; no other table.
        ("<div><table><tr><td>1\n2<td><pre>x\ny</pre></table><button>b</button></div>", "x\ny"),
        ("<pre>x</pre><p>y<div><table><tr><td>a<td>c</table><button>b</button></div>", "x\n\ny\n\na\tc\n\nb"),
        # Short code stays, beside other code that has a button, too.
        (
            "<div><div><pre>ls</pre><button>b</button></div><div><pre>cd x</pre><button>b</button></div></div>",
            "ls\n\ncd x",
        ),
        # A line that is long, has many parts or no button stays; so does one of an element with many parts.
        (f"<div><pre>x</pre><div>{'w' * 39}<button>b</button></div></div>", "x"),
        (f"<div><pre>x</pre><div>{'w' * 40}<button>b</button></div></div>", "x\n\n" + "w" * 40 + "b"),
        (f"<div><pre>x</pre><div>y{'<i></i>' * 5}<button>b</button></div></div>", "x"),
        (f"<div><pre>x</pre><div>y{'<i></i>' * 6}<button>b</button></div></div>", "x\n\nyb"),
        ("<div><pre>x</pre><div>y</div></div>", "x\n\ny"),
        (f"<div><div>{'<i></i>' * 6}<pre>x</pre></div><button>b</button></div>", "x"),
        (f"<div><div>{'<i></i>' * 7}<pre>x</pre></div><button>b</button></div>", "x\n\nb"),
    ],
)
def test_lines_with_buttons(html, expected):
    assert to_text(Page("u", html), []) == expected


def test_markdown_has_no_line_with_a_button():
    page = Page("u", "<p>a<div><div>Terminal <button>Copy</button></div><pre>ls</pre></div>")
    assert to_markdown(page, []) == "a\n\n```\nls\n```"
