"""One page, one file."""

import json

import pytest

from detemplate.errors import UserError
from detemplate.io.sinks.open import open_sink
from tests.support.commands import cli
from tests.support.sink_helpers import names, record, row

FORMATS = {"x.txt": "text", "x.md": "markdown", "x.html": "html"}


@pytest.mark.parametrize(("name", "text_format"), FORMATS.items())
def test_a_second_page_is_an_error_and_nothing_appears(tmp_path, name, text_format):
    def two() -> None:
        with open_sink(str(tmp_path / name), format=text_format) as sink:
            sink.write(row(1, text_format), record())
            sink.write(row(2, text_format), record())

    with pytest.raises(
        UserError, match=r"holds one page, and http://e\.org/2 is a second one: name a directory"
    ):
        two()
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("one.md", [], "# Title\n\nWords **bold**"),
        ("one.md", ["-f", "md"], "# Title\n\nWords **bold**"),
        ("one.md", ["-f", "markdown"], "# Title\n\nWords **bold**"),
        ("one.txt", ["-f", "txt"], "Title\n\nWords bold"),
        ("one.txt", [], "Title\n\nWords bold"),
        ("one.html", [], "<h1>Title</h1><p>Words <b>bold</b></p>"),
    ],
)
def test_the_command(tmp_path, name, arguments, text):
    source = tmp_path / "in.html"
    source.write_text("<h1>Title</h1><p>Words <b>bold</b></p>")
    cli("clean", source, "-o", tmp_path / name, "-q", *arguments)
    assert text in (tmp_path / name).read_text()
    assert names(tmp_path) == sorted(["in.html", name])


def test_the_command_refuses_more_than_one_page(tmp_path, capsys):
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps({"url": f"u{n}", "html": "<p>x"}) + "\n" for n in range(2)))
    for stream in ((), ("--stream",)):
        cli("clean", source, *stream, "-o", tmp_path / "one.md", code=2)
        assert "one.md holds one page, and u1 is a second one" in capsys.readouterr().err
    assert names(tmp_path) == ["in.jsonl"]
