"""``detemplate clean --state``: a run over A, then over B, as one run over both."""

import json
import os

import pytest

from detemplate import Cleaner
from detemplate.cli import main
from detemplate.detectors.registry import DETECTORS
from detemplate.run.cleaner import Engine
from tests.support.commands import cli, read_rows
from tests.support.forked import Forked
from tests.support.helpers import made_page
from tests.support.sink_helpers import names


def write(path, numbers, sites=2):
    pages = [made_page(number, site=f"s{number % sites}.org", extra=f"<p>{number % 3}") for number in numbers]
    lines = [json.dumps({"url": page.url, "html": page.canonical.decode()}) + "\n" for page in pages]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def days(tmp_path):
    """Pages of two days, and of both."""
    return (
        write(tmp_path / "a.jsonl", range(15)),
        write(tmp_path / "b.jsonl", range(15, 30)),
        write(tmp_path / "ab.jsonl", range(30)),
    )


def clean(*arguments):
    cli("clean", *arguments, "-q")


@pytest.mark.parametrize("method", [name for name, kind in DETECTORS.items() if kind.streams])
def test_in_one_pass_two_runs_give_what_one_gives(days, tmp_path, method):
    a, b, both = days
    state, options = tmp_path / "x.state", ("--stream", "--explain", "-m", method)
    clean(both, *options, "-o", tmp_path / "both.out.jsonl")
    clean(a, *options, "--store", state, "-o", tmp_path / "a.out.jsonl")
    clean(b, "--stream", "--explain", "--store", state, "-o", tmp_path / "b.out.jsonl")
    parts = (tmp_path / "a.out.jsonl").read_bytes() + (tmp_path / "b.out.jsonl").read_bytes()
    assert parts == (tmp_path / "both.out.jsonl").read_bytes()


@pytest.mark.parametrize("method", DETECTORS)
def test_in_two_passes_the_second_run_gives_what_one_gives_of_its_pages(days, tmp_path, method):
    a, b, both = days
    state = tmp_path / "x.state"
    clean(both, "--explain", "-m", method, "-o", tmp_path / "both.out.jsonl")
    clean(a, "--explain", "-m", method, "--store", state, "-o", tmp_path / "a.out.jsonl")
    clean(b, "--explain", "--store", state, "-o", tmp_path / "b.out.jsonl")
    lines = (tmp_path / "both.out.jsonl").read_bytes().splitlines()
    assert (tmp_path / "b.out.jsonl").read_bytes().splitlines() == lines[15:]


@pytest.mark.parametrize("method", DETECTORS)
def test_a_frozen_run_learns_nothing(days, tmp_path, method):
    """Each page by itself, whatever its neighbours, and also from a pipe."""
    a, b, _ = days
    state = tmp_path / "x.state"
    clean(a, "-m", method, "--store", state, "-o", tmp_path / "a.out.jsonl")
    before = state.read_bytes()
    clean(b, "--store", state, "--frozen", "-o", tmp_path / "b.out.jsonl")
    assert state.read_bytes() == before
    loaded = Cleaner.load(state)
    pages = read_rows(b)
    rows = read_rows(tmp_path / "b.out.jsonl")
    assert [row["text"] for row in rows] == [loaded.clean((page["url"], page["html"])).text for page in pages]
    assert not any("About us" in row["text"] for row in rows)


def test_settings_come_from_the_file(days, tmp_path):
    a, b, _ = days
    state, out = tmp_path / "x.state", tmp_path / "o.jsonl"
    given = ("-m", "segments", "--set", "min_df=3", "--site-by", "domain", "--threshold", "1")
    clean(a, *given, "--store", state, "-o", out)
    clean(b, "--store", state, "-o", out)
    rows = read_rows(out)
    assert {(row["method"], row["template_segments"]) for row in rows} == {("segments", 0)}
    clean(b, *given, "--store", state, "-o", out)  # the same again contradicts nothing
    clean(b, "--store", state, "--threshold", "0.5", "-o", out)
    rows = read_rows(out)
    assert all(row["template_segments"] for row in rows)


@pytest.mark.parametrize("first", [True, False], ids=["no state before", "a state before"])
def test_a_run_that_fails_leaves_the_state_as_it_was(days, tmp_path, capsys, first, monkeypatch, said):
    a, b, _ = days
    state = tmp_path / "x.state"
    if not first:
        clean(a, "--store", state, "-o", tmp_path / "a.out.jsonl")
    before, there = state.read_bytes() if not first else None, names(tmp_path)
    for stream in ((), ("--stream",)):
        assert "is a second one" in said(
            "clean", b, *stream, "--store", state, "-o", tmp_path / "one.md", code=2
        )
        with monkeypatch.context() as patch:
            patch.setattr(
                Engine, "write_sites", lambda _self, _file: (_ for _ in ()).throw(KeyboardInterrupt)
            )
            arguments = [str(b), *stream, "--store", str(state), "-o", str(tmp_path / "o.jsonl")]
            cli("clean", *arguments, code=130)
            capsys.readouterr()
        reader, writer = os.pipe()
        os.close(reader)
        arguments = ["clean", str(b), *stream, "--store", str(state)]
        unread = Forked(lambda words=arguments: main(words), tmp_path, stdout=writer).wait()
        os.close(writer)
        assert (unread.code, unread.err) == (0, "")
        assert (state.read_bytes() if state.exists() else None) == before
        assert names(tmp_path) == there


def test_an_output_that_fails_at_its_end_leaves_the_state_as_it_was(days, tmp_path, said):
    """No page is learned whose output did not appear."""
    a, _, _ = days
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    message = said("clean", empty, "--store", tmp_path / "x.state", "-o", tmp_path / "one.md", code=3)
    assert "no page to write" in message
    assert not (tmp_path / "x.state").exists()
    clean(a, "--store", tmp_path / "x.state", "-o", tmp_path / "o.jsonl")
    assert (tmp_path / "x.state").exists()
