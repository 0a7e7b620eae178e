"""Commands in a folder that others have filled: modules named like ours and our libraries' are not run."""

import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.support.commands import write_rows

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A folder of pages, and of modules that leave a note when they are run."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "notes").mkdir()
    names = {*sys.stdlib_module_names, *packages_distributions(), "lab", "tests", "sitecustomize"}
    for name in names - {"__main__"}:
        if name.isidentifier():
            (folder / f"{name}.py").write_text(f"open({str(folder / 'notes' / name)!r}, 'w').close(); 1/0\n")
    (folder / "detemplate").mkdir()
    (folder / "detemplate" / "__init__.py").write_text((folder / "re.py").read_text())
    pages = [
        {"url": f"http://e.org/{n}", "html": f"<p>Menu of it all<h1>Day {n}</h1><p>It rained {n} hours."}
        for n in range(6)
    ]
    write_rows(folder / "pages.jsonl", pages)
    (folder / "page.html").write_text(str(pages[0]["html"]))
    (folder / "x.duckdb").write_bytes(bytes(4096))
    return folder


def run(folder, *arguments):
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def notes(folder):
    """Take the notes that were left."""
    found = list((folder / "notes").iterdir())
    for path in found:
        path.unlink()
    return [path.name for path in found]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("clean pages.jsonl --workers 2 -o out.parquet --store store.db", 0),
        ("clean pages.jsonl --method pagelevel -f html --sanitize -o out.warc.gz", 0),
        ("clean x.duckdb -o out.jsonl", 2),
        ("inspect x.duckdb", 2),
        ("explain page.html -o why.html", 0),
        ("report pages.jsonl -o report.html", 0),
        ("graph tables pages.jsonl -o tables/", 0),
        ("expressions mine pages.jsonl -o mined.json", 0),
        ("crawl http://127.0.0.1:9/ --allow-private --retries 0 -o crawl.warc", 3),
    ],
)
def test_no_module_of_the_folder_runs(hostile, line, code):
    done = run(hostile, "-P", "-m", "detemplate", *line.split())  # finds modules as the installed script
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert notes(hostile) == []


def test_a_module_of_the_folder_would_leave_a_note(hostile):
    run(hostile, "-m", "detemplate", "--version")
    assert notes(hostile)


LABORATORY = {
    "benchmarks.support.processes": "apart(abs, -1), list(stream(range, 60, 2))",
    "lab.harness.parallel": "list(results_in_order(pow, 2, [3], 2))",
    "benchmarks.speed": "startup_seconds('import json', runs=1)",
    "benchmarks.workers": "measured(['pages.jsonl'], Path())",
    "benchmarks.crawling": "crawled(SimpleNamespace(proxy='http://127.0.0.1:9'), 'http://127.0.0.1/', ())",
    "benchmarks.soak": "soak(iter(()), _parse(['--pages', '1']))",
}


def test_no_module_of_the_folder_runs_in_the_laboratory(hostile, tmp_path):
    lines = "".join(
        f"    import {module}\n"
        f"    try: eval({line!r}, vars({module}) | globals())\n"
        f"    except Exception as error: print({module!r}, error)\n"
        for module, line in LABORATORY.items()
    )
    program = tmp_path / "program.py"  # Python looks for modules beside it
    program.write_text(
        f"import sys\nfrom types import SimpleNamespace\nsys.path.append({str(ROOT)!r})\n"
        f"if __name__ == '__main__':\n{lines}    print('all of them')\n"
    )
    done = run(hostile, str(program))
    assert done.stdout.endswith("all of them\n"), done.stderr
    assert notes(hostile) == []


def test_processes_of_spark_look_for_no_modules_in_their_folder(spark):
    numbers = spark.sparkContext.parallelize([0, 1], 2)
    assert numbers.map(lambda _: sys.flags.safe_path).collect() == [True, True]
