"""What runs say: nothing goes wrong unseen."""

import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

import detemplate
from tests.support.commands import cli, write_rows


def rows(count, host="e.org"):
    text = "<nav>Home and maps and more</nav><p>It rained for a long time, on page number"
    return [{"url": f"http://{host}/{n}", "html": f"{text} {n}"} for n in range(count)]


def test_no_urls(tmp_path, said):
    nameless = write_rows(
        tmp_path / "a.jsonl", [{"address": row["url"], "html": row["html"]} for row in rows(6)]
    )
    command = ["clean", nameless, "-o", str(tmp_path / "out.jsonl"), "--summary", str(tmp_path / "s.json")]
    line = "no URL is known of 6 pages, so all pages of an input are one site: name the column or key with --url-"
    assert line in said(*command)
    assert json.loads((tmp_path / "s.json").read_text())["nameless"] == 6
    assert "no URL is known" not in said(*command, "--url-column", "address")
    assert line in said("learn", nameless, "--store", str(tmp_path / "s.db"))
    sites = write_rows(tmp_path / "b.jsonl", [{"site": "e", "html": row["html"]} for row in rows(6)])
    assert "no URL is known" not in said("clean", sites, "-o", str(tmp_path / "out.jsonl"))


def test_no_urls_in_a_table():
    frame = pd.DataFrame(rows(3)).drop(columns="url")
    with pytest.warns(UserWarning, match="no column is known to hold URLs, so all pages are one site"):
        detemplate.clean(frame)


def test_a_store_that_knows_none_of_the_sites(tmp_path, said):
    store, out = str(tmp_path / "s.db"), ["-o", str(tmp_path / "out.jsonl")]
    known = write_rows(tmp_path / "a.jsonl", [row for n in range(7) for row in rows(3, f"known{n}.org")])
    cli("learn", known, "--store", store, "-q")
    others = write_rows(tmp_path / "b.jsonl", [*rows(3, "one.net"), *rows(2, "two.net")])
    told = said("clean", others, *out, "--store", store, "--frozen", "--summary", str(tmp_path / "x"))
    assert f"{store} knows none of these 2 sites, such as one.net; it knows known" in told
    assert told.count("known") == 5 + told.count("unknown") + 0
    assert "one.net" in json.loads((tmp_path / "x").read_text())["notes"][0]
    assert "such as one.net; it knows" in said("clean", others, *out, "--store", store)
    assert "it knows" not in said("clean", others, *out, "--store", store), "they are known by now"
    some = write_rows(tmp_path / "c.jsonl", [*rows(3, "three.net"), *rows(1, "known1.org")])
    assert "it knows" not in said("clean", some, *out, "--store", store, "--frozen")


@pytest.mark.parametrize(
    ("method", "alone"), [("sandwich", 3), ("segments", 1), ("auto", 0), ("pagelevel", 0)]
)
@pytest.mark.parametrize("workers", ["0", "1"])
def test_pages_without_a_peer(tmp_path, method, alone, workers, said):
    pages = [*rows(4), {"url": "http://alone.org/", "html": "<p>Rain"}]
    pages += [{"url": f"http://e.org/{n}/x/y", "html": "<p>Snow"} for n in ("a", "b")]
    given = write_rows(tmp_path / "a.jsonl", pages)
    command = ["clean", given, "-o", str(tmp_path / "o.jsonl"), "-m", method, "--workers", workers]
    told = said(*command, "--summary", str(tmp_path / "s.json"))
    pages_have = "page has" if alone == 1 else "pages have"
    assert (f"{alone} {pages_have} no other page of the site, which" in told) == (alone > 0), told
    assert json.loads((tmp_path / "s.json").read_text())["peerless"] == alone


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", "", "no page was read: 'detemplate inspect' shows what the input has"),
        (
            "a.html",
            "",
            "no page could be read: the only record is bad; empty (no markup); check how the pages",
        ),
        ("a.jsonl", '{"url": "u", "html": ""}', "name the column or key that holds HTML with --html-column"),
    ],
)
def test_no_page(tmp_path, name, content, message, said):
    (tmp_path / name).write_text(content)
    for command in (
        ["clean", "-o", str(tmp_path / "out.jsonl")],
        ["learn", "--store", str(tmp_path / "s.db")],
    ):
        told = said(command[0], str(tmp_path / name), *command[1:], "-q", code=3)
        assert message in told
        assert told.count("\n") == 1
    (tmp_path / "files").mkdir()
    (tmp_path / "files/x.png").write_bytes(b"\x89PNG")
    told = said("clean", str(tmp_path / "files"), "-o", str(tmp_path / "out.md"), "-q", code=3)
    assert "no page to write" in told


def test_arc_files_on_standard_input_are_refused(tmp_path):
    (tmp_path / "old.arc").write_bytes(b"filedesc://old.arc 0.0.0.0 20010101000000 text/plain 77\n")
    line = f"{sys.executable} -m detemplate clean - < {tmp_path}/old.arc"
    run = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert "standard input is an ARC file" in run.stderr
    assert run.returncode == 2


def stopped(tmp_path, *output):
    """Stop a run over a pipe when some pages are written; give what it says."""
    command = [sys.executable, "-m", "detemplate", "clean", "-", *output, "-m", "segments", "--workers", "0"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    )
    process.stdin.write("".join(json.dumps(row) + "\n" for row in rows(300)).encode())
    process.stdin.flush()
    if "-" in output:
        assert process.stdout.readline()
    else:
        late = time.monotonic() + 60
        while time.monotonic() < late and not any(path.stat().st_size for path in tmp_path.glob(".out*")):
            time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    return error.decode()


def test_a_stopped_run_says_what_is_written(tmp_path):
    assert "what was cleaned until then is written: " in stopped(tmp_path, "-o", "-")
    assert "that were cleaned are in out.jsonl.partial" in stopped(tmp_path, "-o", "out.jsonl")
    assert os.listdir(tmp_path) == ["out.jsonl.partial"]  # noqa: PTH208
    # The next run that is finished needs it no more.
    cli("clean", write_rows(tmp_path / "in.jsonl", rows(3)), "-o", tmp_path / "out.jsonl", "-q")
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "out.jsonl"}


def test_what_is_one_site_is_said(tmp_path, said):
    given = write_rows(tmp_path / "a.jsonl", [*rows(3), *rows(3, "www.e.org")])
    out = ["-o", str(tmp_path / "out.jsonl")]
    assert "6 pages of 2 sites (by host) cleaned by auto" in said("clean", given, *out)
    by_domain = said("clean", given, *out, "--site-by", "domain")
    assert "6 pages of 1 site (by domain) cleaned by auto" in by_domain


def test_a_directory_that_was_kept_goes(tmp_path):
    kept = tmp_path / "out.partial"
    kept.mkdir()
    (kept / "index.jsonl").touch()
    given = write_rows(tmp_path / "in.jsonl", rows(3))
    cli("clean", given, "-o", f"{tmp_path}/out/", "-q")
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "out"}
