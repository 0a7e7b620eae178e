"""Partials: unique, locked, removed after a kill, and on the disk before they take their names."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from detemplate.errors import UserError
from detemplate.files import partial
from detemplate.files.atomic import AtomicDirectory, AtomicFile


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def killed(code, *arguments):
    """Run code in another process that kills itself."""
    begin = (
        "import os, signal, sys; from detemplate.files import atomic, partial\n"
        "def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", begin + code, *map(str, arguments)], check=False)
    assert done.returncode == -signal.SIGKILL


def test_two_processes_of_one_id_write_two_files(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 1)  # as in two containers
    target = str(tmp_path / "x.jsonl")
    first = AtomicFile(target)
    first.file.write(b"first")
    with pytest.raises(UserError, match="another run is writing it"):
        AtomicFile(target)
    first.close()
    second = AtomicFile(target)
    assert second.path != first.path
    second.file.write(b"second")
    second.close()
    assert Path(target).read_bytes() == b"second"
    assert names(tmp_path) == ["x.jsonl"]


@pytest.mark.parametrize("kind", ["AtomicFile", "AtomicDirectory"])
def test_the_next_run_removes_what_a_killed_one_has_left(tmp_path, kind):
    target = tmp_path / "x"
    killed(f"o = atomic.{kind}(sys.argv[1]); open(f'{{o.path}}.wal', 'w'); die()", target)
    assert len(names(tmp_path)) == 2
    output = getattr(sys.modules["detemplate.files.atomic"], kind)(str(target))
    assert names(tmp_path) == [output.path.name]
    output.abort()
    assert names(tmp_path) == []


@pytest.mark.parametrize("exchanges", [True, False])
def test_a_kill_while_a_directory_is_replaced_hides_neither(tmp_path, exchanges):
    """Of two renames, the process is killed after the first."""
    target = tmp_path / "x"
    target.mkdir()
    (target / "old").touch()
    code = """
new = atomic.AtomicDirectory(sys.argv[1], overwrite=True)
(new.path / "new").touch()
"""
    if exchanges:
        killed(code + "partial._remove_tree = die\nnew.close()", target)
        assert names(target) == ["new"]
    else:
        code += "partial._library = lambda: None\nrename = partial.os.rename\n"
        code += "type(new.path).rename = lambda a, b: die() if a == new.path else rename(a, b)\n"
        killed(code + "new.close()", target)
        assert not target.exists()
    # The old directory has its name again, or the new one has it: it is not replaced without --overwrite.
    with pytest.raises(UserError, match="not empty"):
        AtomicDirectory(str(target))
    assert names(target) == ["new" if exchanges else "old"]
    assert names(tmp_path) == ["x"]


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    target = tmp_path / "x"
    calls = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda opened: (calls.append(target.exists()), fsync(opened)))
    file = AtomicFile(str(target))
    file.file.write(b"x" * 100)
    file.close()
    assert calls == [False, True]  # the file; then its directory


def test_a_file_system_without_locks(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(partial.fcntl, "flock", refused)
    files = [AtomicFile(str(tmp_path / "x")) for _ in range(2)]
    for number, file in enumerate(files):
        file.file.write(b"%d" % number)
        file.close()
    assert (tmp_path / "x").read_bytes() == b"1"
    assert names(tmp_path) == ["x"]
