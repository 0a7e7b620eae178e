"""One writer, many readers, and runs that are killed."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from itertools import takewhile
from pathlib import Path

import pytest

from detemplate import UserError
from detemplate.cli import main
from detemplate.run.cleaner import Engine
from detemplate.sites.storefile import StoreFile, StoreWriter, is_store
from tests.support.forked import Forked
from tests.support.helpers import made_page
from tests.support.sink_helpers import names


@pytest.fixture
def store(tmp_path):
    """A store of three sites with seven pages each."""
    with Engine("segments", min_df=2) as cleaner:
        for number in range(21):
            cleaner.learn(made_page(number, site=f"s{number % 3}.org"))
        cleaner.save(tmp_path / "x.db")
    return tmp_path / "x.db"


def pages_of(path):
    """Read the pages of each site, and check all that a store can be checked for."""
    with closing(StoreFile(str(path))) as file:
        for row in file.rows():
            file.restored(row, file.state(row))
            file.history(row.name)
        return {row.name: row.pages for row in file.rows()}


SEVEN = {"s0.org": 7, "s1.org": 7, "s2.org": 7}


def test_a_second_writer_is_refused_at_its_start(store, tmp_path):
    """Also in another process, also where the store is being made, and the first one goes on."""
    code = "import sys; from detemplate.cli import main; sys.exit(main(sys.argv[1:]))"
    crawl = tmp_path / "a.jsonl"
    crawl.write_text('{"url": "http://s0.org/", "html": "<p>x"}\n')
    for path in (store, tmp_path / "new.db"):
        with StoreWriter(str(path)) as first:
            with pytest.raises(
                UserError, match=r"is being written by another run; wait until that has ended"
            ):
                StoreWriter(str(path))
            command = ["learn", str(crawl), "--store", str(path)]
            done = subprocess.run(
                [sys.executable, "-c", code, *command], capture_output=True, text=True, check=False
            )
            assert done.returncode == 2
            assert done.stderr.count("\n") == 1
            assert f"{path} is being written by another run" in done.stderr
            with Engine("segments", min_df=2) as cleaner:
                cleaner.learn(made_page(1, site="new.org"))
                cleaner.write_sites(first)
        assert pages_of(path) == {"new.org": 1}
    StoreWriter(str(store)).abort()
    assert names(tmp_path) == ["a.jsonl", "new.db", "x.db"]


def test_readers_see_what_was_there_when_they_opened(store):
    """Before, while and after a run writes; the reader that was there first, too."""
    early, frozen = StoreFile(str(store)), Engine.load(store)
    with Engine.load(store) as cleaner:
        cleaner.learn(made_page(99, site="s0.org"))
        cleaner.learn(made_page(99, site="new.org"))
        with StoreWriter(str(store)) as writer:
            cleaner.write_sites(writer)
            assert pages_of(store) == SEVEN
            assert early.pages("s0.org") == 7
        assert pages_of(store) == {**SEVEN, "s0.org": 8, "new.org": 1}
    assert (early.pages("s0.org"), early.pages("new.org"), early.sites) == (7, 0, 3)
    assert frozen.detector("s0.org").pages == 7
    early.refresh()
    assert (early.pages("s0.org"), early.pages("new.org"), early.sites) == (8, 1, 4)
    early.close()
    frozen.close()
    assert names(store.parent) == ["x.db"]


def grown(path, after):
    """Learn 400 sites in a process that kills itself when it has written so many of them; return its exit code."""

    def work():
        put, count = StoreWriter.put, 0

        def counted(self, *row):
            nonlocal count
            put(self, *row)
            count += 1
            if count == 1:
                self._file.execute("PRAGMA cache_size = 5")  # what does not fit is written at once
            if count == after:
                os.kill(os.getpid(), signal.SIGKILL)

        StoreWriter.put = counted
        cleaner = Engine.load(path) if is_store(str(path)) else Engine("segments", min_df=2)
        for number in range(400):
            text = "<p>".join(str(number * k) for k in range(60))
            cleaner.learn((f"http://n{number}.org/", f"<p>{text}"))
        cleaner.save(path)
        return 0

    return Forked(work, path.parent).wait().code


@pytest.mark.parametrize("after", [150, 400])
def test_a_run_that_is_killed_leaves_the_store_as_it_was(store, after):
    new = store.with_name("new.db")
    for path in (store, new):
        assert grown(path, after) == -signal.SIGKILL
    assert pages_of(store) == SEVEN
    with pytest.raises(UserError, match="is empty, as a run that is killed leaves a new store"):
        StoreFile(str(new))
    with StoreWriter(str(new)), pytest.raises(UserError, match="is being made by a run that has not ended"):
        StoreFile(str(new))
    grown(new, 150)
    for path, expected in ((store, SEVEN), (new, {})):  # and the same run goes on
        assert grown(path, 0) == 0
        assert pages_of(path) == {**expected, **{f"n{number}.org": 1 for number in range(400)}}
    assert names(store.parent) == ["new.db", "x.db"]


def test_kills_at_any_moment(store, tmp_path):
    """Of a whole run: the store is as before, or has learned all pages; the run can be repeated."""
    crawl = tmp_path / "a.jsonl"
    with crawl.open("w") as file:
        for number in range(60):
            file.write(f'{{"url": "http://s{number % 3}.org/{number}", "html": "<p>Menu<p>{number}"}}\n')
    command = ["learn", str(crawl), "--store", str(store), "-q"]
    begun = time.perf_counter()
    assert Forked(lambda: main(command), tmp_path).wait().code == 0
    whole = time.perf_counter() - begun
    rng, pages = random.Random(1), 27
    for _ in range(10):
        running = Forked(lambda: main(command), tmp_path)
        if running.ended(rng.uniform(0.2, 1.05) * whole) is None:
            running.send(signal.SIGKILL)
            running.wait()
        found = pages_of(store)
        assert found.keys() == SEVEN.keys()
        assert set(found.values()) in ({pages}, {pages + 20})
        pages = found["s0.org"]


def test_a_store_in_a_directory_that_cannot_be_written(store):
    if os.getuid() != 0:
        store.parent.chmod(0o555)
    code = f"""
import os
from detemplate.detectors.segments import Segments
from detemplate.sites.storefile import (StoreFile)
from detemplate.sites.storefile import (StoreWriter)
os.chdir({str(store.parent)!r})
if os.getuid() == 0:
    os.setuid(65534)
print(sorted(row.pages for row in StoreFile("x.db").rows()))
try:
    StoreWriter("x.db")
except Exception as error:
    print(error)
"""
    temporary = Path(tempfile.gettempdir())
    for folder in takewhile(lambda folder: folder != temporary, store.parents):
        if os.getuid() == 0:
            folder.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    store.parent.chmod(0o755)
    assert done.stderr == ""
    assert done.stdout.startswith("[7, 7, 7]\n")
    assert "cannot write x.db: " in done.stdout
    assert names(store.parent) == ["x.db"]


def test_places_that_cannot_hold_a_store(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    for path, message in (
        (tmp_path / "no" / "x.db", "there is no directory"),
        (tmp_path, "it is a directory"),
        (tmp_path / "fifo", "it is not a regular file"),
    ):
        with pytest.raises(UserError, match=message):
            StoreWriter(str(path))
