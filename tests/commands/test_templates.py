"""The command ``templates``, and the file that it writes for cleaning."""

import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from detemplate.cli import main
from detemplate.detectors.templatefile import read_template_file
from detemplate.errors import UserError
from tests.support.commands import cli, read_rows, write_rows
from tests.support.table_crawls import sister_sites, stored


@pytest.fixture
def crawl_path(tmp_path):
    return sister_sites((2, 3)).write(tmp_path / "a [1] 'crawl'")


def test_command_writes_every_format(crawl_path, tmp_path):
    base = ["graph", "templates", str(crawl_path), "--quiet"]
    first = {
        "template_id": 1,
        "pagelet_shingle": 77,
        "pages": 4,
        "pagelets": 4,
        "hosts": 2,
        "examples": ["http://a.example/1", "http://b.example/3", "http://a.example/2"],
        "text": "text of 77, page 1, 0",
    }
    for kind in ("json", "jsonl", "csv", "parquet"):
        cli(*base, "-o", tmp_path / f"found.{kind}")
    rows = json.loads((tmp_path / "found.json").read_text())
    assert [row["pages"] for row in rows] == [4, 2]
    assert rows[0] == first
    assert read_rows(tmp_path / "found.jsonl") == rows
    assert pq.read_table(tmp_path / "found.parquet").to_pylist() == rows
    with (tmp_path / "found.csv").open(newline="") as file:
        listed = list(csv.DictReader(file))
    assert listed[0] == {name: str(value) for name, value in first.items()} | {
        "examples": " ".join(first["examples"])
    }
    assert len(listed) == 2
    top = tmp_path / "top.json"
    cli(*base, "-a", "local", "--top", "1", "-o", top)
    assert [row["pages"] for row in json.loads(top.read_text())] == [6]


def test_command_shows_a_table(crawl_path, capsys, printed):
    cli("graph", "templates", crawl_path)
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "        4 pages      2 hosts  text of 77, page 1, 0",
        "                               http://a.example/1",
        "        2 pages      1 host   text of 77, page 5, 0",
        "                               http://c.example/5",
    ]
    assert err == ("2 templates (global): 6 of 12 pagelets, on 6 of 6 pages, with 4 of 4 links\n")
    assert printed("graph", "templates", crawl_path, "--min-pages", "5") == ""


def test_command_saves_into_the_crawl(crawl_path, tmp_path):
    base = ["graph", "templates", str(crawl_path), "--quiet", "-o", str(tmp_path / "t.json")]
    before = sorted(path for path in tmp_path.rglob("*") if not path.match("t.json"))
    cli(*base)
    assert sorted(path for path in tmp_path.rglob("*") if not path.match("t.json")) == before
    cli(*base, "--save")
    assert stored(crawl_path, "SELECT * FROM templates") == [(1, 77, 4, 4, 2), (2, 77, 2, 2, 1)]
    # The other algorithm's result takes the first one's place; the crawl's own tables stay.
    cli(*base, "--save", "--algorithm", "local")
    assert stored(crawl_path, "SELECT * FROM templates") == [(1, 77, 6, 6, 3)]
    members = "SELECT template_id, page_key, pagelet_serial FROM template_pagelets"
    assert stored(crawl_path, members) == [(1, page, 0) for page in range(1, 7)]
    cli(*base, "--algorithm", "global")


GOOD = [{"version": 2, "algorithm": "global", "k": 3, "width": 5, "sketch": 4}]
GOOD.append({"shingle": 1, "pages": [1], "linked": []})


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b"\xff\x00", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b"[]", "not a JSON object"),
        ([{**GOOD[0], "version": 1}], "version is 1"),
        ([{**GOOD[0], "algorithm": "best"}], "algorithm is 'best'"),
        ([{**GOOD[0], "k": 0}], "k is 0"),
        ([{**GOOD[0], "width": "5"}], "width is '5'"),
        ([{**GOOD[0], "sketch": None}], "sketch is None"),
        ([GOOD[0], {**GOOD[1], "shingle": True}], "not all integers"),
        ([GOOD[0], {**GOOD[1], "pages": [1.5]}], "not all integers"),
        ([GOOD[0], {**GOOD[1], "linked": [2**63]}], "64-bit"),
        ([GOOD[0], {"pages": [1], "linked": []}], "not all integers"),
        ([GOOD[0], {"shingle": 1, "pages": "1"}], "lacks pages"),
        ([*GOOD, [1]], "not a JSON object"),
    ],
)
def test_template_files_that_are_none(tmp_path, content, why):
    path = tmp_path / "known.json"
    lines = [json.dumps(line) for line in content] if isinstance(content, list) else []
    path.write_bytes(content if isinstance(content, bytes) else "\n".join(lines).encode())
    with pytest.raises(UserError, match=why):
        read_template_file(path)
    with pytest.raises(UserError, match="cannot read"):
        read_template_file(tmp_path / "missing.json")


@pytest.mark.parametrize(("k", "told"), [("4", None), ("four", "k is 'four'")])
def test_settings_that_the_crawl_states(tmp_path, capsys, k, told):
    crawl = sister_sites().write(tmp_path / "crawl")
    (crawl / "crawl_info").mkdir()
    info = pa.table({"key": ["k", "width", "made by"], "value": [k, "7", "hand"]})
    pq.write_table(info, crawl / "crawl_info" / "0.parquet")
    states = tmp_path / "known.json"
    code = main(["graph", "templates", str(crawl), "--states", str(states), "-q"])
    if told is None:
        found = read_template_file(states)
        assert (code, found.k, found.width, found.sketch) == (0, 4, 7, 4)
    else:
        assert code == 2
        assert told in capsys.readouterr().err
        assert not states.exists()


def test_cleaning_removes_what_definition_4_calls_template(tmp_path):
    """One list on two sites: the pages of a.org link to each other, those of b.org to no page that has it."""
    items = "".join(f'<li><a href="http://c.org/{at}">Shop number {at} of the town</a>' for at in range(5))

    def page(url, *links):
        own = " ".join(f"{url[7:]} says word {at}." for at in range(30))
        ways = "".join(f'<p>{own} <a href="{link}">on</a></p>' for link in links)
        return {"url": url, "html": f"<body><ul>{items}</ul><div><p>{own}</p>{ways}</div></body>"}

    crawl = [
        page("http://a.org/1", "/2", "/new"),
        page("http://a.org/2", "/1"),
        page("http://b.org/1", "http://c.org/x"),
        page("http://b.org/2"),
    ]
    later = [
        *crawl,
        page("http://a.org/new"),
        page("http://d.org/", "http://a.org/2"),
        page("http://d.org/x"),
    ]
    for name, pages in (("crawl", crawl), ("later", later)):
        write_rows(tmp_path / f"{name}.jsonl", pages)
    tables, states, out = (f"{tmp_path}/{name}" for name in ("crawl/", "known.json", "out.jsonl"))
    cli("graph", "tables", tmp_path / "crawl.jsonl", "-o", tables, "-q")
    cli("graph", "templates", tables, "-a", "global", "--save", "--states", states, "-q")
    for more in (["--stream"], ["--workers", "2"]):
        arguments = [str(tmp_path / "later.jsonl"), "--method", "pagelets", "--set", f"templates={states}"]
        cli("clean", *arguments, *more, "-o", out, "-q")
        with open(out, encoding="utf-8") as file:  # noqa: PTH123
            cleaned = [(row["url"], "Shop number 3" in row["text"]) for row in map(json.loads, file)]
        assert cleaned == [
            ("http://a.org/1", False),
            ("http://a.org/2", False),
            ("http://b.org/1", True),
            ("http://b.org/2", True),
            ("http://a.org/new", False),  # a page of the template links to it
            ("http://d.org/", False),  # it links to one
            ("http://d.org/x", True),
        ]
