"""Front matter: valid YAML, whatever the values hold."""

import pytest
import yaml
from hypothesis import given, strategies as st

from detemplate.io.sinks.files import front_matter
from detemplate.io.sinks.out import METADATA
from tests.support.sink_helpers import row, written

EMPTY = dict.fromkeys(METADATA)


def read(text):
    first, block, rest = text.split("---\n", 2)
    assert (first, rest) == ("", "\n")
    return yaml.safe_load(block)


@given(st.text(min_size=1))
def test_any_text_is_valid(value):
    text = front_matter({**EMPTY, "url": value, "title": "t", "author": value})
    assert read(text.encode("utf-8").decode())["author"] == value.encode("utf-16", "surrogatepass").decode(
        "utf-16", "replace"
    )


@pytest.mark.parametrize(("format_", "suffix", "begins"), [("markdown", ".md", "---\ntitle: "), ("text", ".txt", "Text"), ("html", ".html", "Text")])  # fmt: skip
def test_only_markdown_files_begin_with_it(tmp_path, format_, suffix, begins):
    result = (
        {key: value for key, value in row(1).items() if key != "text"}
        | EMPTY
        | {"title": "T", format_: "Text", "author": "Ann"}
    )
    written(f"{tmp_path}/out/", result, text_format=format_)
    [file] = (tmp_path / "out").rglob(f"*{suffix}")
    assert file.read_text().startswith(begins)
    assert file.read_text().endswith("Text")
