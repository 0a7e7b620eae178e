"""Files of expressions: written, read back, and refused with the line of what is wrong."""

import io
import json

import pytest
from hypothesis import given, strategies as st

from detemplate.errors import UserError
from detemplate.expressions.charsets import escape
from detemplate.expressions.files import (
    Collection,
    Expression,
    Expressions,
    pattern_of,
    read,
    write_json,
    write_txt,
)
from detemplate.expressions.mutable import default_mutables

TOKENS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\f"), min_size=1, max_size=5
)
NUMBER = default_mutables()[11].expression


def expressions(rows):
    found = tuple(
        Expression(pattern_of(pieces, r"\s+"), tuple(pieces), 5, 4, 1, f"site {number}")
        for number, pieces in enumerate(rows)
    )
    made = (Collection("site 0", 9, 1000, 70, 4, len(found)), Collection("", 0, 0, 0, None, 0))
    return Expressions(r"\S+", r"\s+", default_mutables(), found, made)


def written(path, content, write=write_json):
    file = io.BytesIO()
    write(content, file)
    path.write_bytes(file.getvalue())
    return path


@given(
    rows=st.lists(
        st.lists(st.one_of(TOKENS.map(escape), st.just(NUMBER)), min_size=1, max_size=5), max_size=5
    )
)
def test_json_comes_back(tmp_path_factory, rows):
    content = expressions(rows)
    path = written(tmp_path_factory.mktemp("json") / "e.json", content)
    back = read(path)
    assert back.expressions == content.expressions
    assert back.collections == content.collections
    assert (back.token, back.separator, back.documents) == (r"\S+", r"\s+", 9)
    assert [(m.name, m.expression) for m in back.mutables] == [
        (m.name, m.expression) for m in default_mutables()
    ]
    lines = path.read_bytes().split(b"\n")
    for each in content.expressions:  # one a line
        wanted = json.dumps(each.pattern, ensure_ascii=False).encode()
        assert any(line.startswith(b'{"pattern": ' + wanted) for line in lines)


@given(rows=st.lists(st.lists(TOKENS.map(escape), min_size=1, max_size=5), max_size=5))
def test_text_comes_back(tmp_path_factory, rows):
    content = expressions(rows)
    back = read(written(tmp_path_factory.mktemp("txt") / "e.txt", content, write_txt))
    assert [(e.pattern, e.pieces) for e in back.expressions] == list(
        {e.pattern: (e.pattern, e.pieces) for e in content.expressions}.values()
    )


def test_text_by_hand(tmp_path):
    path = tmp_path / "own.txt"
    path.write_bytes(
        b"\xef\xbb\xbf# mine\r\n\r\n  read\\s+more  \r\n\\#[0-9]+\n# token: x+\n(?:^|\\s)a\\s+b(?:\\s|$)"
    )
    back = read(path)
    assert [(e.pattern, e.pieces) for e in back.expressions] == [
        (r"read\s+more", None), (r"\#[0-9]+", None), (r"(?:^|\s)a\s+b(?:\s|$)", ("a", "b")),
    ]  # fmt: skip
    assert back.token == r"\S+"


WRONG = [
    ("(a+)+b", "exponentially"),
    ("a**", "invalid"),
    ("x*", "empty string"),
    (r"(?:^|\s).*\s+more(?:\s|$)", "two endless repeats"),
    (r"(?:^|\s) +\s+more(?:\s|$)", "two endless repeats"),
    (r"(?:^|\s)(a+)+\s+more(?:\s|$)", "exponentially"),
    ("(?=a)b", "not every engine"),
]


@pytest.mark.parametrize(("pattern", "words"), WRONG)
def test_wrong_expressions_are_refused_with_their_line(tmp_path, pattern, words):
    path = tmp_path / "own.txt"
    path.write_text(f"# mine\nread\n\n{pattern}\nmore\n")
    with pytest.raises(UserError) as caught:
        read(path)
    assert f"{path}, line 4: " in str(caught.value)
    assert words in str(caught.value)


def test_unreadable_files(tmp_path):
    with pytest.raises(UserError, match="cannot read"):
        read(tmp_path / "none.json")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="UTF-8"):
        read(tmp_path / "bytes.txt")
