"""``detemplate compare``: on made sites where two methods differ in what is known."""

import json
import re

import pytest

from detemplate.cli import main
from tests.support.commands import read_rows, write_rows

HOSTS = ("one.example", "two.example")
PAGES = 6
RARE = "Seen on two pages"


def rows():
    """Two sites: both have a menu; one has a text on two of its pages, which only one method removes."""
    found = []
    for host in HOSTS:
        for number in range(PAGES):
            rare = f"<p>{RARE}</p>" if host == HOSTS[0] and number < 2 else ""
            html = f"<nav>Home  and\nnews</nav><p>Story {number} of {host} is told here.</p>{rare}"
            found.append({"id": f"{host}-{number}", "url": f"http://{host}/{number}", "html": html})
    return found


@pytest.fixture
def pages(tmp_path):
    return write_rows(tmp_path / "pages.jsonl", rows())


def compare(pages, *words):
    return main(["compare", str(pages), "-m", "segments", "-m", "sitelevel", *map(str, words), "-q"])


def test_agreement_of_sites_pages_and_texts(pages, capsys):
    """``sitelevel`` removes what is on two of six pages; ``segments`` does, if so few are enough."""
    assert compare(pages) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"12 pages of 2 sites: the methods agree on \d\d\.\d% of the text", lines[0])
    assert [line.split()[:2] for line in lines[1:3]] == [["segments", "removes"], ["sitelevel", "removes"]]
    assert lines[3] == "sites, least agreement first:"
    assert "one.example (6 pages; segments " in lines[4]
    assert lines[5].startswith("  100.0%  two.example (6 pages; ")
    assert lines[6] == "pages, least agreement first:"
    assert [line.split()[1] for line in lines[7:9]] == ["http://one.example/0", "http://one.example/1"]
    assert lines[9] == "texts on which they differ, on most pages first:"
    assert lines[10] == f"       2 × sitelevel removes; segments keeps: {RARE}"
    assert len(lines) == 11
    assert compare(pages, "--set", "min_df=2") == 0  # then they agree
    out = capsys.readouterr().out
    assert "agree on 100.0% of the text" in out
    assert "texts on which they differ" not in out


def test_json_lines(pages, tmp_path):
    out = tmp_path / "compared.jsonl"
    assert compare(pages, "-o", out) == 0
    found = read_rows(out)
    assert [row["url"] for row in found] == [row["url"] for row in rows()]
    first, last = found[0], found[-1]
    assert first["differences"] == [{"text": RARE, "removed": {"segments": False, "sitelevel": True}}]
    total = len("Home and news") + len("Story 0 of one.example is told here.") + len(RARE)
    assert first["agreement"] == pytest.approx(1 - len(RARE) / total, abs=1e-6)
    assert first["template_share"]["sitelevel"] - first["template_share"]["segments"] == pytest.approx(
        len(RARE) / total, abs=1e-5
    )
    assert (last["agreement"], last["differences"]) == (1.0, [])
    assert "gold" not in first


@pytest.mark.parametrize("key", ["id", "url"])
def test_against_gold(key, pages, tmp_path, capsys):
    """A gold that has the rare text: the method that keeps it is right. By ids, or by URLs."""
    gold, out = tmp_path / "gold.jsonl", tmp_path / "compared.jsonl"
    text = f"Story 0 of one.example is told here.\n\n{RARE}"
    gold.write_text(
        json.dumps({key: rows()[0][key], "text": text})
        + "\n\n"
        + json.dumps({key: "nothing", "text": "a"})
        + "\n"
    )
    assert compare(pages, "--gold", gold, "-o", out) == 0
    printed = capsys.readouterr().out
    found = json.loads(out.read_text().splitlines()[0])["gold"]
    right, words = 8, 12
    assert found["segments"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert found["sitelevel"]["recall"] == pytest.approx(right / words, abs=1e-6)
    assert found["sitelevel"]["precision"] == 1.0
    assert re.search(r"segments +removes .*F1 1.000  precision 1.000  recall 1.000", printed)
    assert "gold of 1 of 12 pages; rows of the gold without a page: 1" in printed


def test_a_file_for_a_browser(pages, tmp_path):
    out = tmp_path / "compared.html"
    rough = pages.read_text().replace(RARE, "<b>&lt;script&gt;</b>")
    pages.write_text(rough)
    assert compare(pages, "-o", out) == 0
    html = out.read_text()
    assert "segments and sitelevel, compared" in html
    assert "script-src" not in html
    assert html.count("<details") == 2  # pages on which they agree are not shown
    assert '<td class="kept">&lt;script&gt;</td>' in html
    assert "<script" not in html


def test_options(pages, tmp_path, capsys):
    assert compare(pages, "--top", "0") == 0
    assert "http://one.example/0" not in capsys.readouterr().out
    assert compare(pages, "--site-by", "domain", "--limit", "7") == 0
    assert "7 pages of 2 sites" in capsys.readouterr().out
    assert compare(pages, "--max-page-bytes", "80") == 0
    assert "2 too large" in capsys.readouterr().out
    assert compare(pages, "--max-page-seconds", "0.0000001", "--max-bad", "100") == 3
    capsys.readouterr()
    for keep, drop, removed in (("nav", "p", "74."), ("nav, p", "b", "0.0%")):  # a person's word is for both
        assert compare(pages, "--keep", keep, "--drop", drop) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[2][: len(removed)] for line in lines[1:3]] == [removed, removed]
        idle = "nothing on any page is selected by --drop b"
        assert (lines[-1] == idle) == (drop == "b")
