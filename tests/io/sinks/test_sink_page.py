"""One page, one file."""

import pytest

from tests.support.commands import cli
from tests.support.sink_helpers import names


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
