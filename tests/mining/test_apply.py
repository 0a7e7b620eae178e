"""Removal of template expressions from sources, by the function and by the command."""

import json
import re

import pyarrow.parquet as pq
import pytest

from detemplate.expressions.files import Expression, Expressions, pattern_of, write_json
from detemplate.mining.apply import Matchers
from tests.support.commands import cli, read_rows

MENU = "<nav><a href=/>Home</a> <a href=/news>Latest news</a> <a href=/about>About us all</a></nav>"


def expression(text, collection=""):
    pieces = tuple(map(re.escape, text.split()))
    return Expression(pattern_of(pieces, r"\s+"), pieces, 9, 9, 1, collection)


def expressions(*several):
    return Expressions(r"\S+", r"\s+", (), several)


def write(path, *several):
    with path.open("wb") as file:
        write_json(expressions(*several), file)
    return str(path)


def page(number, host="site.example"):
    html = f"<title>Page {number}</title>{MENU}<h1>Story {number}</h1><p>Body of <b>story</b> {number}.</p>"
    return {"url": f"http://{host}/{number}", "html": html, "lang": "en"}


@pytest.fixture
def pages(tmp_path):
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(page(number)) + "\n" for number in range(3)))
    return str(path)


@pytest.fixture
def menu(tmp_path):
    return write(tmp_path / "menu.json", expression("Home Latest news About us all"))


def test_text_is_what_is_left_of_the_visible_text(pages, menu, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    cli("expressions", "apply", menu, pages, "-o", out)
    first = read_rows(out)[0]
    assert first == {
        "url": "http://site.example/0", "site": "site.example", "title": "Page 0",
        "text": "Story 0\nBody of story 0.", "template_share": pytest.approx(29 / 54, abs=1e-6),
        "segments": 7, "template_segments": 3, "method": "expressions", "lang": "en",
    }  # fmt: skip
    err = capsys.readouterr().err
    assert "3 pages of 1 site cleaned by expressions in one pass" in err
    assert "9 of 21 segments" in err


def test_markup_is_cleaned_as_it_came(pages, tmp_path):
    links = write(tmp_path / "links.json", expression("<a href=/news>Latest news</a>"))
    out = tmp_path / "out.jsonl"
    cli("expressions", "apply", links, pages, "--on", "html", "-o", out, "-q")
    assert read_rows(out)[1]["html"] == page(1)["html"].replace(" <a href=/news>Latest news</a> ", " ")


def test_plain_text_is_cleaned_as_is(menu, tmp_path, capsys):
    (tmp_path / "a.txt").write_text("Home Latest news\nAbout us all\n\n<b>News</b> of the day\n")
    (tmp_path / "empty.txt").write_text("  \n")
    out = tmp_path / "out.jsonl"
    inputs = [str(tmp_path / "a.txt"), str(tmp_path / "empty.txt")]
    cli("expressions", "apply", menu, *inputs, "-o", out, "--base-url", "http://e.org/")
    (row,) = read_rows(out)
    assert row["text"] == "<b>News</b> of the day\n"
    assert (row["url"], row["segments"], row["template_segments"]) == ("http://e.org/a.txt", 3, 2)
    assert "skipped 1: 1 empty" in capsys.readouterr().err


def test_what_was_removed_is_explained(pages, menu, tmp_path):
    out = tmp_path / "out.parquet"
    cli("expressions", "apply", menu, pages, "-o", out, "-q", "--explain")
    (removed,) = pq.read_table(out)["removed"].to_pylist()[0]
    assert removed["text"] == "Home Latest news About us all"
    assert removed["reason"].startswith(r"matches (?:^|\s)Home\s+Latest")
    [cause] = json.loads(removed["causes"])
    assert (cause["cause"], cause["weight"], cause["share"]) == ("expression", 1.0, 1.0)
    assert cause["expression"] in removed["reason"]


def test_reasons_belong_to_their_pieces(tmp_path):
    path = write(tmp_path / "e.json", *map(expression, ["a b", "b c", "x y", "c"]))
    (tmp_path / "t.txt").write_text("a b c and x y and b c")
    out = tmp_path / "out.jsonl"
    arguments = [
        "expressions",
        "apply",
        path,
        str(tmp_path / "t.txt"),
        "--min-sliver",
        "0",
        "--explain",
        "-q",
        "-o",
        str(out),
    ]
    cli(*arguments)
    removed = [
        (each["text"], re.findall(r"\|\\s\)(.*?)\(\?:", each["reason"]))
        for each in read_rows(out)[0]["removed"]
    ]
    assert removed == [("a b c", [r"a\s+b", r"b\s+c"]), ("x y", [r"x\s+y"]), ("b c", [r"b\s+c"])]
    causes = [each["causes"] for each in read_rows(out)[0]["removed"]]
    assert [[(each["weight"], each["share"], each["pages"]) for each in one] for one in causes] == [
        [(0.5, 0.6, 9), (0.5, 0.6, 9)], [(1.0, 1.0, 9)], [(1.0, 1.0, 9)],
    ]  # fmt: skip
    # Without the expressions that are named, the piece stays.
    named = {each["expression"] for each in causes[1]}
    others = [each for each in map(expression, ["a b", "b c", "x y", "c"]) if each.pattern not in named]
    write(tmp_path / "e.json", *others)
    cli(*arguments, "--overwrite")
    assert [each["text"] for each in read_rows(out)[0]["removed"]] == ["a b c", "b c"]


def test_locality_can_be_set(pages, tmp_path):
    parts = write(tmp_path / "e.json", expression("Home Latest"), expression("us all"))
    out = tmp_path / "out.jsonl"
    for settings, left in (
        ([], "Home Latest news\nAbout us all"),
        (["--min-sliver", "0"], "news\nAbout"),
        (["--merge-gap", "20"], ""),
    ):
        cli("expressions", "apply", parts, pages, *settings, "-o", out, "-q")
        text = read_rows(out)[0]["text"].replace(" ", "\n").split()
        assert text == (left + " Story 0 Body of story 0.").split()


def test_the_run_reports_the_most_removed_texts_and_writes_a_summary(pages, menu, tmp_path, capsys):
    summary = tmp_path / "s.json"
    cli("expressions", "apply", menu, pages, "--show", "1", "--summary", summary, "-o", f"{tmp_path}/o/")
    counts = json.loads(summary.read_text())
    assert counts["removed"] == {"Home Latest news About us all": 3}
    assert (counts["method"], counts["pages"], counts["passes"]) == ("expressions", 3, 1)
    assert "3 × Home Latest news About us all" in capsys.readouterr().err


def test_a_page_that_takes_too_long_is_lost_alone(pages, tmp_path):
    pytest.importorskip("re2")
    own = tmp_path / "own.txt"
    own.write_text("S.*\n")
    out, rejects = tmp_path / "out.jsonl", tmp_path / "rejects.jsonl"
    path = tmp_path / "slow.jsonl"
    slow = {"url": "http://e.org/slow", "html": "<p>" + "S" * 200_000}
    path.write_text(json.dumps(slow) + "\n" + json.dumps(page(1)) + "\n")
    arguments = ["expressions", "apply", str(own), str(path), "-o", str(out), "--rejects", str(rejects), "-q"]
    cli(*arguments, "--max-page-seconds", "0.5")
    assert [row["reason"] for row in read_rows(rejects)] == ["too slow"]
    assert [row["url"] for row in read_rows(out)] == ["http://site.example/1"]


def test_a_site_gets_its_own_expressions_or_all():
    one, two, free = expression("one", "one.example"), expression("two", "two.example"), expression("free")
    several = expressions(one, two, free)
    auto, own, every = (Matchers(several, whose) for whose in ("auto", "own", "all"))
    assert auto["one.example"].expressions == own["one.example"].expressions == (one, free)
    assert auto["other.example"].expressions == every["one.example"].expressions == (one, two, free)
    assert own["other.example"].expressions == (free,)
    assert auto["other.example"] is auto["another.example"]
    assert own["other.example"] is own["another.example"]
