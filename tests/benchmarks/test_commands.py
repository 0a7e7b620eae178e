"""The benchmark commands, on made data."""

import gc
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import memory, mining, quality, rendering, speed, store, templates, workers
from benchmarks.support.leftout import unseeing_method, unseeing_models
from detemplate.detectors.auto.model import model_of
from detemplate.errors import UserError
from tests.support.commands import cli


def write_fold(path, left_out):
    """Write the shipped model as one that says what it has not seen; `w*` is a family."""
    about = {"families": ["w*"]} if left_out is None else {"families": ["w*"], "left out": left_out}
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(replace(model_of(""), about=about).to_bytes())


@pytest.fixture
def quality_options(measured, tmp_path):
    files = {"--out": "q.md", "--json": "q.json", "--peer-scores": "peers.json", "--floors": "floors.json"}
    return [part for name, file in files.items() for part in (name, str(tmp_path / file))]


def test_quality_measures_everything(quality_options, tmp_path):
    assert quality.main([*quality_options, "--methods", "segments", "--peers", "turbohtml"]) == 0
    figures = json.loads((tmp_path / "q.json").read_text())
    [ours, peer] = sorted(figures, key=lambda name: name != "segments")
    assert ours == "segments"
    assert peer.startswith("turbohtml ")
    assert figures[ours]["wcxb-dev"]["pages"] == 4
    assert figures[ours]["sites"]["sites"] == 2
    assert "| segments |" in (tmp_path / "q.md").read_text()
    assert set(json.loads((tmp_path / "peers.json").read_text())) > {"wcxb-dev", "sites/blog", "swde-22"}


def test_families_are_scored_by_models_that_have_not_seen_them(quality_options, tmp_path):
    options = ["--methods", "none", "--peers", "none", "--jobs", "1", "--left-out", str(tmp_path / "folds")]
    options = [*quality_options, *options]
    with pytest.raises(UserError, match=r"no \*.model in "):
        quality.main(options)
    write_fold(tmp_path / "folds" / "0.model", ["a", "b"])
    write_fold(tmp_path / "folds" / "1.model", ["c", "w*"])
    folds = unseeing_models(tmp_path / "folds")
    chosen = {site: Path(unseeing_method(folds, site).options[0][1]).stem for site in ("a", "c", "blog")}
    assert chosen == {"a": "0", "c": "1", "blog": "0"}  # nobody has learned from the last one
    assert quality.main(options) == 0
    [(label, figures)] = json.loads((tmp_path / "q.json").read_text()).items()
    assert label == "auto, families left out"
    trained_on = {"wcxb-dev", "daniel-train", "magic-forum", "harvest-forums", "recipes-train"}
    assert set(figures) > {*trained_on, "sites", "sites/train", "sites/test", "records-train"}
    assert not set(figures) & {"products", "chaos"}
    section = (tmp_path / "q.md").read_text().partition("## Families left out")[2]
    assert section.splitlines()[7].startswith("| sites | ")


def test_gate_of_the_command(quality_options, tmp_path, capsys):
    options = [*quality_options, "--methods", "segments", "--peers", "none", "--jobs", "1"]
    assert quality.main([*options, "--update-floors"]) == 0
    assert quality.main([*options, "--check"]) == 0
    path = tmp_path / "floors.json"
    measured = path.read_text()
    higher = json.loads(measured)
    higher["segments"]["sites/test"]["kept"] = 1.5
    path.write_text(json.dumps(higher))
    assert quality.main([*options, "--check"]) == 1
    assert "segments sites/test kept: " in capsys.readouterr().err
    assert quality.main([*options, "--update-floors"]) == 1
    assert json.loads(path.read_text())["segments"]["sites/test"]["kept"] == 1.5
    assert "only --lower-floors lowers a floor" in capsys.readouterr().err
    assert quality.main([*options, "--lower-floors"]) == 0
    assert path.read_text() == measured


def test_the_gate_measures_what_has_floors(quality_options, tmp_path, monkeypatch):
    options = ["--methods", "segments", "--peers", "none", "--jobs", "1", "--check"]
    assert quality.main([*quality_options, *options]) == 0
    [figures] = json.loads((tmp_path / "q.json").read_text()).values()
    assert set(figures) > {"chaos", "swde-22", "sites/wiki", "sites/test"}
    assert not set(figures) & {"wcxb-dev", "sites/blog", "sites/train"}
    monkeypatch.setattr(quality, "RESULTS", tmp_path / "results")
    assert quality.main([*quality_options[4:], *options]) == 0
    assert not (tmp_path / "results").exists()


def test_memory(tmp_path):
    assert memory.main(["--pages", "30", "--out", str(tmp_path / "m.md")]) == 0
    rows = [line.split("|") for line in (tmp_path / "m.md").read_text().splitlines() if line.startswith("| ")]
    assert [row[1].strip() for row in rows[1:]] == [str(n) for n in range(0, 31, 3)]
    assert all(float(row[2]) > 1 for row in rows[1:])
    assert all(float(row[3]) > 0 for row in rows[2:])


def test_store(tmp_path):
    out = str(tmp_path / "s.md")
    assert store.main(["--keys", "4000", "--sites", "40", "--folder", str(tmp_path), "--out", out]) == 0
    report = (tmp_path / "s.md").read_text()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in report.splitlines() if "| " in line]
    sizes, times = rows[1:3], rows[4:6]
    assert [row[0] for row in sizes] == [row[0] for row in times] == ["segments", "auto"]
    assert all(int(row[1].replace(",", "")) >= 4000 and row[2] == "40" for row in sizes)
    assert all(float(row[4]) > float(row[5]) > 8 for row in sizes)
    assert report.count("10⁹ keys × ") == 2
    assert [path.name for path in tmp_path.iterdir()] == ["s.md"]


def test_speed(measured, tmp_path, monkeypatch):
    gc.collect()
    gc.freeze()  # before each timing, garbage is looked for: not among what all tests of this process have left
    monkeypatch.setattr(speed, "startup_seconds", lambda *_: 0.1)
    options = ["--peers", "turbohtml", "--pages", "3", "--site", "blog", "--rounds", "1"]
    assert speed.main([*options, "--out", str(tmp_path / "s.md")]) == 0
    report = (tmp_path / "s.md").read_text()
    assert report.count("| turbohtml parse | ") == 2
    assert report.count("| segments | ") == report.count("| segments, page by page | ") == 2
    assert report.count("| segments, and metadata | ") == 2
    assert "import detemplate < 0.25 s CPU" in report


def test_rendering(measured, tmp_path):
    options = ["--sets", "sites", "--pages", "3", "--method", "segments", "--rounds", "1"]
    assert rendering.main([*options, "--out", str(tmp_path / "r.md")]) == 0
    assert "| sites | 3 |" in (tmp_path / "r.md").read_text()


def test_mining(measured, tmp_path):
    assert mining.main(["--megabytes", "1", "--out", str(tmp_path / "m.md")]) == 0
    report = (tmp_path / "m.md").read_text()
    assert "| 1 | " in report
    with pytest.raises(UserError, match="--megabytes must be whole numbers"):
        mining.main(["--megabytes", "0"])


def test_templates(tmp_path):
    out = tmp_path / "t.md"
    assert templates.main(["--pages", "1000", "--chain", "50", "--out", str(out)]) == 0
    report = out.read_text()
    assert "| templates, as made |" in report
    assert "| shuffled |" in report


def test_workers(measured, monkeypatch, tmp_path):
    timed = workers.measured([str(measured / "sites" / "blog" / "pages.jsonl.zst"), "-q"], tmp_path)
    assert min(timed.seconds, timed.owner, timed.peak) > 0
    monkeypatch.setattr(workers, "measured", measured_here)
    options = ["--pages", "6", "--workers", "1", "--rounds", "1", "--method", "segments"]
    assert workers.main([*options, "--out", str(tmp_path / "w.md")]) == 0
    rows = [line.split(" | ")[:2] for line in (tmp_path / "w.md").read_text().splitlines()]
    kinds = [f"| {crawl} sites" if crawl == "many" else "| one site" for crawl in ("one", "many")]
    assert [row for row in rows if row[0] in kinds] == [
        [kind, passes] for kind in kinds for passes in ("two passes", "one pass")
    ]


def measured_here(arguments, folder):
    """Clean without a process of its own, whose start takes long."""
    start = time.perf_counter()
    cli("clean", *arguments, "-o", folder / "out.jsonl")
    many = "page.jsonl" not in arguments[0]
    return workers.Timing(time.perf_counter() - start, 1 + many, 2 + many, 1)


def test_the_gate_compares_auto_with_single_pages(quality_options, tmp_path, capsys):
    options = ["--methods", "auto", "--peers", "none", "--sets", "chaos,daniel-test", "--jobs", "1"]
    quality.main([*quality_options, *options, "--check"])
    lines = capsys.readouterr().err.splitlines()
    compared = [line for line in lines if line.endswith(" by the page alone")]
    assert [line.partition(" f1: ")[0] for line in compared] == ["daniel-test"]
    figures = json.loads((tmp_path / "q.json").read_text())
    assert {name: set(of_one) for name, of_one in figures.items()} == {
        name: {"chaos", "daniel-test", "daniel-test/el", "daniel-test/zh"}
        for name in ("auto", "auto evidence=page")
    }
    rows = (tmp_path / "q.md").read_text().partition("## auto: titles")[2].splitlines()
    [chaos, whole] = [line for line in rows if line.startswith(("| chaos ", "| daniel-test "))]
    assert chaos.startswith("| chaos | 1 | 1 | 0.0000 | 0.0000 | 0.0000 |  |")
    assert whole.startswith("| daniel-test | 2 | 1 | ")
    assert whole.split("|")[7].strip()[0] in "+-"
