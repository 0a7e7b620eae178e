"""The command ``detemplate spark clean``, which joins the running session."""

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.support.sparkruns import from_interface, spark_rows
from tests.support.commands import cli, read_rows
from tests.support.spark_inputs import write_lines


def job_names(spark):
    """Return the names of all jobs as Spark's interface shows them, the latest first, without repetitions."""
    names = [str(job.get("description")) for job in from_interface(spark, "jobs")]
    return [name for name, after in zip(names, ["", *names], strict=False) if name != after]


def test_the_command(spark, tmp_path, capsys):
    pages = [
        (f"http://a.example/{n}", f"<nav>Home</nav><p>Number {n} <a href=/x>more {n}</a>.") for n in range(4)
    ]
    source = write_lines(tmp_path / "pages.jsonl", pages)
    with Path(source).open("a") as file:
        file.write("not JSON\n")
    out, told = tmp_path / "out", tmp_path / "told.json"
    command = [
        "spark", "clean", source, "-o", str(out), "-m", "segments", "--set", "min_df=3", "-f", "md,text",
    ]  # fmt: skip
    cli(*command, "--metadata", "none", "--buckets", "1", "--summary", told)
    shown = capsys.readouterr().err
    assert "cleaned by segments in two passes" in shown
    assert "[2/5] learning 1 files" in shown
    assert json.loads(told.read_text())["pages"] == 4
    shown_jobs = job_names(spark)
    assert shown_jobs[:7] == [
        "detemplate: rejects",
        "detemplate: cleaned: 4 pages",
        "detemplate: cleaning 1 files (part 1 of 1)",
        "detemplate: merged: 1 states of 1 sites",
        "detemplate: merging",
        "detemplate: learned: 4 pages, 1 bad record",
        "detemplate: learning 1 files (part 1 of 1)",
    ]
    tables = from_interface(spark, "sql?details=true&length=1000")
    [last] = [each for each in tables if "cleaning 1 files" in each["description"]][-1:]
    rows = {node["nodeName"]: node["metrics"] for node in last["nodes"]}["MapInArrow"]
    assert {"name": "number of output rows", "value": "4"} in rows
    rows = spark_rows(out)
    assert [row["text"] for row in rows] == [f"Number {n} more {n}." for n in range(4)]
    assert rows[0]["markdown"] == "Number 0 [more 0](http://a.example/x)."
    assert "author" not in rows[0]
    assert [path.name for path in out.glob("bucket=*")] == ["bucket=0"]
    cli(*command, code=2)
    assert "--overwrite" in capsys.readouterr().err


def test_its_options_are_those_of_clean(spark, tmp_path):
    table = "<table><tr><th>Size<th>Price<tr><td>Large<td>9</table>"
    page = (
        "<script>go()</script><nav>Home</nav><p>Number {0} <a href=/x>more {0}</a> "
        f"<img src=/i.png alt='a picture'></p>{table}"
        "<p class=note>Mind the umbrella.</p>"
    )
    rules = tmp_path / "rules"
    rules.write_text(".note\n")
    source = tmp_path / "pages.data"
    with source.open("w") as file:
        for number in range(4):
            row = {"where": f"http://a.example/{number}", "what": page.format(number)}
            file.write(json.dumps(row) + "\n")
        file.write(json.dumps(row) + "\n")
        file.write(json.dumps({"what": "<p>without an address", "name": "seven"}) + "\n")
        file.write(json.dumps({"where": "http://a.example/large", "what": "<p>" + "x" * 3000}) + "\n")
    # Each of these changes what comes out.
    given = {
        "--method": "segments", "--format": "html,markdown,text", "--links": "none", "--images": "alt",
        "--tables": "tsv", "--threshold": "0.9", "--html-column": "what", "--id-column": "name",
        "--input-format": "jsonl", "--max-page-bytes": "2000", "--site-by": "domain", "--versions": "keep",
        "--drop": f"@{rules}", "--keep": "nav",
    }  # fmt: skip
    words = [word for pair in given.items() for word in pair]
    words += ["--keep-scripts", "--explain", "--max-bad", "90"]
    out, rows = tmp_path / "out", tmp_path / "rows.jsonl"
    cli("spark", "clean", source, "-o", out, "--buckets", "1", "-q", *words)
    cli("clean", source, "-o", rows, "-q", "--workers", "0", *words)
    alone = read_rows(rows)
    there = spark_rows(out)
    assert [row["url"] for row in there] == [row["url"] for row in alone]
    for name in ("html", "markdown", "text", "template_share", "site"):
        assert [row[name] for row in there] == [row[name] for row in alone], name
    assert "go()" in there[0]["html"]
    assert "](" not in there[0]["markdown"]
    assert "umbrella" not in there[0]["text"]
    assert "you said so: keep nav" in str(there[0])
    assert "a picture" in there[0]["text"]
    assert len(there) == 6


def test_spark_submit(java, tmp_path):
    """The script of the documents, under the spark-submit that comes with PySpark."""
    import pyspark

    script = tmp_path / "clean.py"
    script.write_text("from detemplate.cli import main\nraise SystemExit(main())\n")
    pages = [(f"http://a.example/{n}", f"<nav>Home</nav><p>Number {n}.") for n in range(4)]
    source = write_lines(tmp_path / "pages.jsonl", pages)
    command = [
        str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--master", "local[1]", "--driver-memory", "1g",
        "--conf", "spark.sql.shuffle.partitions=1", "--conf", "spark.ui.enabled=false",
        "--conf", "spark.sql.codegen.wholeStage=false", "--conf", "spark.sql.adaptive.enabled=false",
        "--conf", "spark.sql.codegen.factoryMode=NO_CODEGEN",
        "--driver-java-options", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        str(script), "spark", "clean", source, "-o", str(tmp_path / "out"), "-m", "segments", "--set", "min_df=3",
        "--buckets", "1", "--versions", "keep",
    ]  # fmt: skip
    python = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    ran = subprocess.run(
        command, env=os.environ | python, capture_output=True, text=True, timeout=400, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "cleaned by segments in two passes" in ran.stdout + ran.stderr  # Spark joins what Python prints
    assert [row["text"] for row in spark_rows(tmp_path / "out")] == [f"Number {n}." for n in range(4)]


def test_a_java_that_does_not_answer(tmp_path):
    """It is given up: PySpark alone would wait for it without end."""
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\nexec sleep 4\n")
    java.chmod(0o755)
    script = "from detemplate.spark.session import session; session(master='local[1]', start_seconds=1)"
    ran = subprocess.run(
        [sys.executable, "-c", script], env=os.environ | {"JAVA_HOME": str(tmp_path)}, capture_output=True, text=True,
        timeout=100, check=False,
    )  # fmt: skip
    assert "UserError: Spark does not start: Java has not answered for 1 s" in ran.stderr
