"""Files of format 1, which versions before wrote: they are read, and upgraded when a run writes them."""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from detemplate import Cleaner, UserError
from detemplate.cli import main
from detemplate.detectors.registry import DETECTORS
from detemplate.sites.settings import Settings
from detemplate.sites.storefile import StoreFile
from detemplate.sites.storetables import FORMAT, hash_of, hex_of, meta_hash
from tests.support.helpers import made_page
from tests.support.sink_helpers import names

if TYPE_CHECKING:
    from pathlib import Path

    from detemplate import Page


def pages(count: int) -> list[Page]:
    return [made_page(number, site=f"s{number % 3}.org") for number in range(count)]


def write_format_one(path: Path, cleaner: Cleaner, sites: list[str]) -> None:
    """Write a file as versions before format 2 wrote them."""
    settings = Settings.of(
        cleaner.method, cleaner._options, site_by=cleaner.site_by, streaming=True, threshold=0.25
    )
    with sqlite3.connect(path, isolation_level=None) as file:
        for pragma in ("journal_mode = OFF", "synchronous = OFF"):
            file.execute(f"PRAGMA {pragma}")
        file.execute("BEGIN")
        file.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
        file.execute(
            "CREATE TABLE sites (name PRIMARY KEY, pages INTEGER NOT NULL, learnt TEXT NOT NULL, "
            "hash INTEGER NOT NULL, state BLOB NOT NULL) WITHOUT ROWID"
        )
        digest = 0
        for name in sites:
            detector, learnt = cleaner.detector(name), "2026-01-02T03:04:05Z"
            state = detector.to_bytes()
            row = (name, detector.pages, learnt, hash_of(name, detector.pages, learnt, state))
            file.execute("INSERT INTO sites VALUES (?, ?, ?, ?, ?)", (*row, state))
            digest ^= hash_of(*row)
        values: dict[str, Any] = {name: getattr(settings, name) for name in Settings.__slots__}
        meta = {key: json.dumps(value) for key, value in {**values, "digest": hex_of(digest)}.items()}
        meta["hash"] = meta_hash(meta)
        file.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        file.execute("COMMIT")
        file.execute(f"PRAGMA application_id = {int.from_bytes(b'dtpl', 'big')}")
        file.execute("PRAGMA user_version = 1")
    file.close()


SITES = ["s0.org", "s1.org", "s2.org"]


@pytest.fixture(params=[name for name, kind in DETECTORS.items() if kind.streams])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Cleaner]:
    """A file of format 1, and the cleaner whose sites it holds."""
    cleaner = Cleaner(request.param, threshold=0.25)
    for page in pages(20):
        cleaner.learn(page)
    write_format_one(tmp_path / "x.state", cleaner, SITES)
    return tmp_path / "x.state", cleaner


def test_it_is_read_and_left_alone(old: tuple[Path, Cleaner]) -> None:
    path, cleaner = old
    before = path.read_bytes()
    with Cleaner.load(path) as loaded:
        assert loaded.sites == 3
        assert [loaded.detector(site).to_bytes() for site in SITES] == [
            cleaner.detector(site).to_bytes() for site in SITES
        ]
        assert loaded.clean(made_page(99, site="s0.org")).verdict.threshold == 0.25
    assert path.read_bytes() == before
    assert names(path.parent) == ["x.state"]


def test_a_run_upgrades_it(old: tuple[Path, Cleaner]) -> None:
    path, cleaner = old
    with Cleaner.load(path) as loaded:
        loaded.learn(made_page(99, site="s0.org"))
        cleaner.learn(made_page(99, site="s0.org"))
        loaded.save(path)
    assert names(path.parent) == ["x.state"]
    with sqlite3.connect(path) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (FORMAT,)
    file.close()
    with Cleaner.load(path) as again:
        assert [again.detector(site).to_bytes() for site in SITES] == [
            cleaner.detector(site).to_bytes() for site in SITES
        ]
    row = StoreFile(str(path)).row("s1.org")
    assert row is not None
    assert (row.pages, row.first, row.last) == (7, "2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z")


def test_a_run_that_fails_leaves_its_contents(old: tuple[Path, Cleaner], tmp_path: Path) -> None:
    path, _ = old
    (tmp_path / "empty.jsonl").touch()
    command = ["clean", str(tmp_path / "empty.jsonl"), "--store", str(path), "-o", str(tmp_path / "one.md")]
    assert main(command) == 2
    with sqlite3.connect(path) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (1,)
        assert file.execute("SELECT count(*), sum(pages) FROM sites").fetchone() == (3, 20)
    file.close()
    assert Cleaner.load(path).sites == 3


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM sites WHERE name = 's1.org'",
        "UPDATE sites SET pages = 99 WHERE name = 's1.org'",
        "UPDATE sites SET state = zeroblob(length(state)) WHERE name = 's1.org'",
        "UPDATE meta SET value = '\"auto\"' WHERE key = 'method'",
        "CREATE TABLE more (x)",
    ],
)
def test_damage_is_refused(tmp_path: Path, change: str) -> None:
    cleaner = Cleaner("segments")
    for page in pages(20):
        cleaner.learn(page)
    path = tmp_path / "x.state"
    write_format_one(path, cleaner, SITES)
    with sqlite3.connect(path) as file:
        file.execute(change)
    file.close()
    for action in (lambda: Cleaner.load(path), lambda: cleaner.save(path)):
        with pytest.raises(UserError, match="cannot be used: ") as caught:
            action()
        assert "\n" not in str(caught.value)
