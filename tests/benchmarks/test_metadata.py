"""The benchmark of metadata, on made pages."""

import pytest

from benchmarks import metadata
from benchmarks.metadata import HALVES
from tests.support.made_sets import page, write_set


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Two sets: eight titles of which every second is another, and one page with all fields."""
    folder = tmp_path / "data"
    bodies = [f"<title>Story number {n} of eight | Made News</title>" for n in range(8)]
    pages = [page(n, "a.example", body) for n, body in enumerate(bodies)]
    gold = [
        {"id": str(n), "type": "article", "text": "", "title": f"Story number {n - n % 2} of eight!"}
        for n in range(8)
    ]
    write_set(folder / "wcxb-dev", pages, gold)
    meta = {"title": "Otters", "author": "Lee, Ann", "published": "2024-05-31T10:00:00Z", "site": ""}
    body = "<h1>Otters</h1><p class=byline>By Ann Lee</p><time datetime=2024-05-31>"
    write_set(
        folder / "structure" / "defuddle",
        [page(0, "a.example", body)],
        [{"id": "0", "type": "x", "text": "", "lang": "en", "meta": meta}],
    )
    monkeypatch.setenv("DETEMPLATE_DATA", str(folder))
    (folder / "sites").mkdir()
    (folder / "sites" / "sites.json").write_text("[]")
    return folder


def test_the_report_has_a_row_for_each_field(data, tmp_path):
    out = tmp_path / "m.md"
    options = ["--peers", "none", "--pages", "2", "--rounds", "1", "--out", str(out)]
    assert metadata.main([*options, "--sets", "wcxb-dev,structure/defuddle"]) == 0
    report = out.read_text()
    [row] = [line for line in report.splitlines() if line.startswith("| wcxb-dev, title |")]
    cells = [cell.strip() for cell in row.split("|")[2:-1]]
    pages = [int(cells[0]), int(cells[3])]
    right = [float(cells[1]), float(cells[4])]
    assert sum(pages) == 8
    assert sum(n * share for n, share in zip(pages, right, strict=True)) == pytest.approx(4, abs=0.02)
    assert "| structure/defuddle, site_name | 0 | – | – | 0 | – | – |" in report
    assert "× the parse" in report
    assert all(half in report for half in HALVES)
