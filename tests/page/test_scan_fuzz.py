import random

import numpy as np
import pytest
import turbohtml
from hypothesis import given, settings, strategies as st

from benchmarks import fuzz_scan
from benchmarks.support.fuzzing import mutated
from detemplate.page.scan import scan
from tests.support.soup import HARD, soups


def check(data):
    """Scan; columns must be consistent. Tell whether the scan gave columns."""
    found = scan(data)
    if found is None:
        return False
    assert fuzz_scan.broken_rule(found, len(data)) is None, data
    return True


def serialised(html):
    return turbohtml.parse(html, positions=False).serialize().encode()


@pytest.mark.parametrize("html", [html for html in HARD if len(html) < 200])
def test_cut_off_anywhere(html):
    text = serialised(html)
    for stop in range(len(text)):
        check(text[:stop])
        check(text[stop:])


@pytest.mark.parametrize("html", [html for html in HARD if len(html) < 80])
def test_one_byte_lost_or_changed_anywhere(html):
    text = serialised(html)
    for at in range(len(text)):
        check(text[:at] + text[at + 1 :])
        for byte in b'<>/"= &-\x00\xe2\xff':
            check(text[:at] + bytes([byte]) + text[at + 1 :])


@given(soups, st.integers(0, 2**32))
@settings(max_examples=200)
def test_damaged_soup(html, seed):
    check(mutated(random.Random(seed), serialised(html)))


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 31, 32, 33, 63, 64, 65])
def test_texts_of_all_lengths_around_the_word_sizes(size):
    for letter in ("x", " ", "é", "漢", "😀", "&amp;", "x ", " x", "\t"):
        text = (letter * size).encode()
        check(text)
        check(text[:-1])
        check(b"<p>" + text + b"</p>")
        check(b"<p>" + text[:-1])


@pytest.mark.parametrize(
    "text",
    [
        b"<", b"</", b"</>", b"<>", b"<!", b"<!-", b"<!--", b"<!-->", b"<!--->", b"<!---", b"<?", b"<?>", b"<!>", b"<a",
        b"<a ", b"<a b", b"<a b=", b'<a b="', b'<a b="c', b'<a b="c"', b"<a b='c'></a>", b"<a b=c></a>", b"</a>",
        b"<a></b>", b"<a></a", b"<a></a></a>", b"<a><b></a></b>", b"<script>", b"<script><", b"<script></script",
        b"<script><!--<script></script>", b"<xmp></xm", b"<xmp></xmp", b"<plaintext></plaintext>", b"<br></br>", b"< a></ a>",
    ],
)  # fmt: skip
def test_what_does_not_nest_or_is_cut_off_is_refused_or_read(text):
    read = check(text)
    assert read is (text in (b"<!-->", b"<!--->", b"<?>", b"<!>"))


def test_only_bytes_and_not_too_many():
    with pytest.raises(TypeError):
        scan(bytearray(b"<p></p>"))
    assert len(scan(b"")) == 0
    assert np.array_equal(scan(b"x").start, [0])
