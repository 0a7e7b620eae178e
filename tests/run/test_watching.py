"""The log of a run, its lines on standard error, and its numbers for Prometheus."""

import re
import socket
import urllib.error
import urllib.request

import pytest

from detemplate.errors import UserError
from detemplate.run import progress as watching
from detemplate.run.progress import Watch
from detemplate.run.summary import Summary
from tests.support.commands import cli, read_rows, write_rows


@pytest.fixture
def crawl(tmp_path):
    rows = [{"url": f"http://e.org/{n}", "html": f"<p>Menu<p>Story {n}" if n != 3 else ""} for n in range(40)]
    return write_rows(tmp_path / "crawl.jsonl", rows)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_log_tells_how_a_run_goes(workers, crawl, tmp_path, monkeypatch, capsys, said):
    monkeypatch.setattr(watching, "SECONDS", 0.0)
    log = tmp_path / "log"
    out = str(tmp_path / "out.jsonl")
    cli("clean", crawl, "-o", out, "-m", "segments", "--log", log, "--workers", workers)
    lines = read_rows(log)
    assert [(line["event"], line["pass"]) for line in lines if line["event"] != "running"] == [
        ("begin", "learning"), ("begin", "cleaning"), ("end", "cleaning"),
    ]  # fmt: skip
    running = [line for line in lines if line["event"] == "running" and line["pass"] == "cleaning"]
    assert [line["pages"] for line in running][-1] == 39
    assert lines[-1]["rejects"] == {"empty": 1}
    assert lines[-1]["sites"] == 1
    assert max(line["memory_bytes"] for line in lines) > 20e6
    assert all(line["slowest"]["url"].startswith("http://e.org/") for line in running if line["slowest"])
    assert any(line["slowest"] for line in running)
    assert "detemplate: cleaning: 39 pages of 1 site, " in capsys.readouterr().err
    assert not said("clean", crawl, "-o", out, "-m", "segments", "-q", "--workers", workers)


def test_prometheus_reads_the_numbers():
    summary = Summary("auto", 1)
    summary.skipped["too slow"] = 2
    with Watch(port=0) as watch:
        watch.begin("cleaning")
        watch.advance(12, 3, summary.skipped)
        watch.end(summary.skipped)
        url = f"http://127.0.0.1:{watch.port}"
        with urllib.request.urlopen(f"{url}/metrics") as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            text = answer.read().decode()
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{url}/")
    for line in text.splitlines():
        assert re.fullmatch(
            r'# (HELP|TYPE) detemplate_\w+ .+|detemplate_\w+(\{reason="[^"]+"\})? [-\d.e]+', line
        )
    assert "\ndetemplate_pages 12\n" in text
    assert '\ndetemplate_skipped{reason="too slow"} 2\n' in text


def test_a_port_in_use_is_an_error(crawl, tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        cli("clean", crawl, "-o", tmp_path / "o.jsonl", "--metrics", port, code=2)
    assert f"cannot serve metrics on port {port}" in capsys.readouterr().err
    with pytest.raises(UserError, match="cannot serve"):
        Watch(port=70_000)


def test_the_memory_for_sites_spills_what_does_not_fit(tmp_path):
    """The output is the same."""
    rows = [{"url": f"http://{n % 9}.org/{n}", "html": f"<p>Menu<p>Story {n}"} for n in range(60)]
    path = write_rows(tmp_path / "crawl.jsonl", rows)
    outputs = []
    for given in ([], ["--memory", "0.02"]):
        out = tmp_path / "out.jsonl"
        cli("clean", path, "-o", out, "-m", "segments", *given)
        outputs.append(out.read_bytes())
    assert outputs[0] == outputs[1]
