"""``detemplate extract``: one page to standard output."""

import gzip
import io
import json
import subprocess
import sys

import pytest

import detemplate
from detemplate.cli import main
from tests.support.commands import cli, write_rows
from tests.support.forked import Forked

PAGE = (
    '<title>Rain</title><meta name=author content="Ann Lee"><nav><a href=/>Home</a> <a href=/maps>Maps</a></nav>'
    "<main><h1>Rain</h1><p>It rained all day, and <a href=/n>in the night</a> it rained even more than before. "
    "<img src=r.png alt=Rain><p class=note>Mind the umbrella.<table><tr><th>day<th>mm<tr><td>1<td>20</table></main>"
    "<div class=comments><p class=comment>First comment.</div><footer>Copyright 2024</footer>"
)
TEXT = detemplate.extract(PAGE)


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    return str(path)


def test_the_text_of_a_file_and_of_standard_input(page, monkeypatch, printed):
    assert "Mind the umbrella." in TEXT
    assert "Maps" not in TEXT
    assert printed("extract", page) == TEXT + "\n"
    for start in ("", "\ufeff", "Hello, ", "<!-- a comment -->"):
        for data in ((start + PAGE).encode(), gzip.compress((start + PAGE).encode())):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
            assert "Mind the umbrella.\n" in printed("extract", "-")


def test_formats(page, printed):
    assert printed("extract", page, "-f", "md").startswith("# Rain\n\nIt rained")
    assert "<h1>Rain</h1>" in printed("extract", page, "--format", "html")
    row = json.loads(printed("extract", page, "-f", "json"))
    assert (row["text"], row["title"], row["author"]) == (TEXT, "Rain", "Ann Lee")
    row = json.loads(printed("extract", page, "-f", "json,md,html", "--explain"))
    assert "text" not in row
    assert row["markdown"].startswith("# Rain")
    assert "<h1>" in row["html"]
    assert [each["text"] for each in row["removed"]][:2] == ["Home", "Maps"]


@pytest.mark.parametrize(
    ("arguments", "there", "gone"),
    [
        (["--url", "https://example.org/a/b", "-f", "md"], "(https://example.org/n)", "(/n)"),
        (["--metadata", "basic"], 'author: "Ann Lee"', "Maps"),
        (["-f", "json", "--metadata", "none"], '"title": "Rain"', "Ann Lee"),
        (["--threshold", "1"], "Maps", "!"),
        (["--threshold", "0"], "", "Maps"),
        (["--drop", ".note"], "in the night", "umbrella"),
        (["--keep", "nav"], "Home Maps", "Copyright"),
        (["--links", "inline"], "(/n)", "[/n]"),
        (["--images", "alt"], "Rain", "r.png"),
        (["--tables", "none"], "night", "20"),
        (["-f", "html", "--sanitize"], "<h1>Rain</h1>", "<head>"),
        (["-m", "segments"], "Maps", "!"),
        (["-m", "pagelevel"], "in the night", "It rained"),
    ],
)
def test_options(page, arguments, there, gone, printed):
    out = printed("extract", page, *arguments)
    assert there in out
    assert gone not in out


def test_rules_that_select_nothing(page, said):
    rules = ["--keep", "nav", "--drop", ".nowhere"]
    assert "nothing on the page is selected by --drop .nowhere\n" in said("extract", page, *rules)
    assert said("extract", page, *rules, "-q") == ""


def test_comments(tmp_path, printed):
    path = tmp_path / "post.html"
    prose = (
        "<p>" + "It rained in the old town, and nobody had seen such a rain before in all their lives. " * 4
    )
    said = "<p>I remember that day well, for we all stood at the window and watched how the water rose. " * 3
    path.write_text(
        f"<title>Rain</title><article><h1>Rain</h1>{prose}</article><section class=comments>{said}</section>"
    )
    assert "I remember" in printed("extract", str(path))
    assert "I remember" not in printed("extract", str(path), "--comments", "drop")
    assert "I remember" not in printed("extract", str(path), "--set", "comments=drop")
    assert "I remember" not in detemplate.extract(path.read_text(), comments="drop")


def test_an_output(page, tmp_path, printed):
    out = tmp_path / "page.txt"
    assert printed("extract", page, "-o", str(out)) == ""
    assert out.read_text() == TEXT + "\n"
    assert printed("extract", page, "-o", "/dev/null") == ""


def test_a_store_judges_by_the_site(tmp_path, capsys, printed):
    store, site = str(tmp_path / "a.db"), tmp_path / "site.jsonl"
    rows = [
        {"url": f"http://e.org/{n}", "html": f"<p>A long sentence on every page of this site.<p>Page {n}"}
        for n in range(9)
    ]
    write_rows(site, rows)
    cli("learn", site, "--store", store, "-m", "segments", "-q")
    one = tmp_path / "one.html"
    one.write_text(str(rows[3]["html"]))
    capsys.readouterr()
    assert printed("extract", str(one), "--url", "http://e.org/new", "--store", store) == "Page 3\n"
    cli("extract", one, "--url", "http://other.org/", "--store", store)
    out, err = capsys.readouterr()
    assert "every page" in out
    assert f"{store} does not know other.org; it knows e.org" in err
    with pytest.warns(UserWarning, match="does not know other.org"):
        detemplate.extract(str(rows[3]["html"]), url="http://other.org/", store=store)
    assert detemplate.extract(str(rows[3]["html"]), url="http://e.org/", store=store) == "Page 3"
    # Of several pages, the one with this URL.
    assert printed("extract", str(site), "--url", "http://e.org/5", "--store", store) == "Page 5\n"


def test_text_and_markdown_of_a_run_to_standard_output(page, tmp_path, printed):
    assert printed("clean", page, "--output-format", "text", "-q") == TEXT + "\n"
    other = tmp_path / "other.html"
    other.write_text("<h1>Snow</h1><p>It snowed.")
    command = ["clean", page, str(other), "--output-format", "markdown", "--metadata", "none", "-q"]
    out = printed(*command)
    assert out.startswith("# Rain\n")
    assert out.endswith("\n\n# Snow\n\nIt snowed.\n")
    assert printed(*command[:-2], "basic", "-q", "-o", "/dev/stdout").count("\n---\n") == 4 - 1


@pytest.mark.parametrize("name", ["/dev/stdout", "-"])
def test_names_of_standard_output(page, tmp_path, name):
    """Also where it leads to a file, which is not replaced."""
    out = tmp_path / "out"
    out.write_text("before\n")
    with out.open("a") as stream:
        run = Forked(lambda: main(["clean", page, "-q", "-o", name]), tmp_path, stdout=stream.fileno())
        assert run.wait().code == 0
    before, row = out.read_text().splitlines()
    assert before == "before"
    assert json.loads(row)["text"] == TEXT


def test_streams_are_outputs(page, tmp_path):
    null = ["-o", "/dev/null", "--rejects", "/dev/null", "--summary", "/dev/null"]
    cli("clean", page, "-q", *null)
    cli("clean", page, "-q", "-o", "/dev/full", code=2)
    line = f"{sys.executable} -m detemplate clean {page} -q -o >(cat > {tmp_path}/piped) && sleep 0.2"
    subprocess.run(["bash", "-c", line], check=True)
    assert json.loads((tmp_path / "piped").read_text())["text"] == TEXT


def test_a_reader_that_stops_is_a_normal_end(page):
    line = f"{sys.executable} -m detemplate extract {page} | head -c 1"
    run = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, text=True, check=True
    )
    assert (run.stdout, run.stderr) == (TEXT[0], "")
