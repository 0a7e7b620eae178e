"""The harness: cells and tables, and an experiment whose rows become files."""

import json
import math
import subprocess
from datetime import UTC, datetime, timedelta

import pytest

from lab.harness import made as of_files
from lab.harness.charts import bar_chart
from lab.harness.experiment import Experiment, Report
from lab.harness.made import Made
from lab.harness.tables import section, table
from lab.labelled.bootstrap import Estimate

pytest.importorskip("matplotlib")


def options(parser):
    parser.add_experiment(pages=3)
    parser.set_defaults(factor=1)


def measure(chosen):
    rows = [
        {"name": name, "share": Estimate(chosen.factor * share, 0.0, 1.0), "per site": {"a": share}}
        for name, share in (("one", 0.25), ("two", math.nan))
    ]
    shown = section(
        "Shares", f"{chosen.pages} pages.", table([("", "name"), ("share", "share", ".0%")], rows)
    )
    chart = bar_chart({"share": {"one": 0.25}}, "share", (4, 2), limit=1)
    return Report("# Toy\n", [shown], rows, {"shares": chart}, {"seed": chosen.seed}, "A note.")


TOY = Experiment("toy", "A toy.", options, measure)


def test_an_experiment_writes_tables_rows_and_charts(tmp_path, capsys):
    out = tmp_path / "deep" / "out"
    assert TOY.main(["--out", str(out), "--pages", "2", "--seed", "7"]) == 0
    names = ["table.md", "table.csv", "results.json", "shares.svg", "shares.png"]
    assert capsys.readouterr().out.splitlines() == [str(out / name) for name in names]
    record = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert record["made"]["command"] == "python -m lab.toy --pages 2 --seed 7"  # wherever it was written
    day = datetime.now(UTC)
    assert record["made"]["day"] in (f"{day:%Y-%m-%d}", f"{day - timedelta(hours=1):%Y-%m-%d}")
    made = Made(**record["made"]).sentence
    assert (out / "table.md").read_text(encoding="utf-8") == (
        f"# Toy\n\nA note.\n\n{made}\n\n## Shares\n\n2 pages.\n\n"
        "|  | share |\n|---|---:|\n| one | 25 % [0 %, 100 %] |\n| two | – |\n"
    )
    assert (out / "table.csv").read_text(encoding="utf-8") == (
        "name,share,share low,share high\none,0.25,0.0,1.0\ntwo,,0.0,1.0\n"
    )
    assert record["seed"] == 7
    assert record["rows"][0] == {"name": "one", "share": [0.25, 0.0, 1.0], "per site": {"a": 0.25}}
    assert record["rows"][1]["share"] == [None, 0.0, 1.0]


def test_results_say_which_code_made_them(tmp_path, monkeypatch):
    def git(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        run = ["git", "-C", str(tmp_path), *identity, *arguments]
        return subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()

    monkeypatch.setattr(of_files, "ROOT", tmp_path)
    assert Made.now("command").commit == ""  # no repository
    git("init", "-q")
    (tmp_path / "lab").mkdir()
    code = tmp_path / "lab" / "code.py"
    code.write_text("1")
    git("add", ".")
    git("commit", "-qm", "one")
    assert Made.now("command").commit == git("rev-parse", "--short=10", "HEAD")
    (tmp_path / "table.md").write_text("a result")
    assert not Made.now("command").commit.endswith("+")
    code.write_text("2")
    assert Made.now("command").commit.endswith("+")
