"""Progress bars: what they show, and where they show nothing."""

import sys

import pytest

from detemplate.report.terminal import TerminalProgress, step_progress, terminal_progress


def test_steps_are_lines_where_standard_error_is_no_terminal(capsys):
    with step_progress(3, lines=True) as show:
        show("first")
        show("third", 3)
        show("one more")
    assert capsys.readouterr().err == "[1/3] first\n[3/3] third\n[4/3] one more\n"


def test_steps_show_nothing_there_unless_asked_for(capsys):
    with step_progress(3) as show:
        show("first")
        show("second", 2)
    assert capsys.readouterr().err == ""


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def test_steps_are_a_bar_on_a_terminal(terminal, monkeypatch):
    updates = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, **what: updates.append(what))
    with step_progress(2) as show:
        show("first")
        show("second", 2)
    assert updates == [{"description": "first", "completed": 1}, {"description": "second", "completed": 2}]


def test_a_run_has_a_bar_only_where_somebody_sees_it(terminal, monkeypatch):
    assert isinstance(terminal_progress(quiet=False), TerminalProgress)
    assert terminal_progress(quiet=True) is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    assert terminal_progress(quiet=False) is None


def test_a_bar_counts_the_pages_of_each_pass(monkeypatch):
    updates = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, **what: updates.append(what))
    bar = TerminalProgress()
    bar.advance(1, 1, 1)  # before any pass: nothing to show
    for doing in ("learning", "cleaning"):
        bar.begin(doing, 100)
        bar.advance(1600, 2, 50)
    bar.end()
    assert [update["completed"] for update in updates] == [50, 50]
    assert all(update["counts"].startswith("1,600 pages  ") for update in updates)
    assert all(update["counts"].endswith("/s  2 sites") for update in updates)
