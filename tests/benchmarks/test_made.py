"""Pages made of frames and prose: what is in them, and the command on small ones."""

import json

from benchmarks import made
from tests.support.auto_sites import article_page
from tests.support.made_sets import write_set


def records(site, count):
    pages, gold = [], []
    for number in range(count):
        page, text = article_page(site, number)
        pages.append({"id": str(number), "url": page.url, "site": site, "html": page.canonical.decode()})
        gold.append({"id": str(number), "type": "x", "text": text})
    return pages, gold


def test_the_command(tmp_path, monkeypatch, capsys):
    data = tmp_path / "data"
    write_set(data / "sites" / "manual", *records("manual", 4))
    (data / "sites" / "sites.json").write_text(json.dumps([{"site": "manual", "part": "test"}]))
    for number in range(4):
        write_set(data / f"prose{number}", *records(f"prose{number}.org", 6))
    monkeypatch.setenv("DETEMPLATE_DATA", str(data))
    for name, value in {
        "PROSE": [f"prose{number}" for number in range(4)], "PAGES": 3, "BOOKS": 1, "LONG": (8,), "BOOK": 12,
        "BLOCKS": (4, 2),
    }.items():  # fmt: skip
        monkeypatch.setattr(made, name, value)
    options = ["--out", str(tmp_path / "m.md"), "--floors", str(tmp_path / "floors.json")]
    assert made.main([*options, "--update-floors"]) == 0
    rows = [line.split("|")[1:-1] for line in (tmp_path / "m.md").read_text().splitlines() if line[:1] == "|"]
    assert [[cell.strip() for cell in row[:4]] for row in rows[2:]] == [
        ["8 paragraphs", "3", "1", "24"],
        ["8 paragraphs, page alone", "3", "1", "24"],
        ["small block", "3", "1", "6"],
        ["small block, page alone", "3", "1", "6"],
        ["books", "1", "1", "12"],
        ["repeated sentence", "3", "1", "3"],
    ]
    floors = json.loads((tmp_path / "floors.json").read_text())
    assert set(floors["auto"]["books"]) == {"pages", "kept"}
    assert set(floors["auto"]["repeated sentence"]) == {"pages", "removed"}
    assert made.main([*options, "--check"]) == 0
    floors["auto"]["books"]["kept"] = 1.5
    (tmp_path / "floors.json").write_text(json.dumps(floors))
    assert made.main([*options, "--check"]) == 1
    assert "auto books kept: " in capsys.readouterr().err
