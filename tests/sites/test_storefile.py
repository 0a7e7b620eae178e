"""What is learned today cleans tomorrow: a cleaner that is saved and loaded goes on as if nothing had been."""

import json
import os
import pickle
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
import zstandard
from hypothesis import given, settings, strategies as st

from detemplate import Page, UserError
from detemplate.detectors.registry import DETECTORS
from detemplate.detectors.state import pack
from detemplate.detectors.templatefile import KnownTemplate, TemplateFile, write_template_file
from detemplate.run.cleaner import Engine
from detemplate.sites.naming import site_name
from detemplate.sites.storefile import StoreFile, StoreWriter
from detemplate.sites.storetables import FORMAT, SiteRow
from tests.support.helpers import made_page
from tests.support.sink_helpers import names

every_method = pytest.mark.parametrize("method", DETECTORS)


def interleaved(count, sites=3):
    """Make the pages of several sites, mixed; some have words that are on few pages of their site."""
    return [
        made_page(
            number, site=f"s{number * 7 % sites}.org", extra="<p>Seasonal words</p>" if number % 5 < 2 else ""
        )
        for number in range(count)
    ]


def facts(results):
    """Everything that users see of results."""
    return [result.as_dict(("text", "html"), explain=True) for result in results]


def cleaned(cleaner, pages, *, streaming):
    if streaming:
        return facts([cleaner.learn_and_clean(page) for page in pages])
    for page in pages:
        cleaner.learn(page)
    return facts([cleaner.clean(page) for page in pages])


def states(cleaner, pages):
    return {page.site: cleaner.detector(page.site).to_bytes() for page in pages}


@every_method
@settings(max_examples=2)
@given(
    cut=st.integers(0, 24),
    sites=st.integers(1, 6),
    memory=st.sampled_from([0, 20_000, 2**30]),
    streaming=st.booleans(),
)
def test_a_loaded_cleaner_goes_on_as_the_saved_one(method, cut, sites, memory, streaming, tmp_path_factory):
    streaming = streaming and DETECTORS[method].streams
    pages = interleaved(24, sites)
    path = tmp_path_factory.mktemp("state") / "x.state"
    saved = Engine(method, streaming=streaming, memory=memory)
    cleaned(saved, pages[:cut], streaming=streaming)
    saved.save(path)
    loaded = Engine.load(path, memory=memory)
    assert loaded.sites == saved.sites
    assert cleaned(loaded, pages[cut:], streaming=streaming) == cleaned(
        saved, pages[cut:], streaming=streaming
    )
    assert states(loaded, pages) == states(saved, pages)
    loaded.save(path)  # over the file that it reads
    again = Engine.load(path)
    assert states(again, pages) == states(saved, pages)
    for cleaner in (saved, loaded, again):
        cleaner.close()
    assert names(path.parent) == ["x.state"]


@pytest.fixture
def state(tmp_path):
    """The state of three sites with twenty pages."""
    path = tmp_path / "x.state"
    cleaner = Engine("segments", site_by="host", min_df=2, threshold=0.25)
    cleaned(cleaner, interleaved(20), streaming=True)
    cleaner.save(path)
    return path


def test_settings_are_kept(tmp_path):
    path = tmp_path / "x.state"
    cleaner = Engine(
        "segments", site_by="domain", threshold=0.25, streaming=False, min_df="2", lifetime="inf"
    )
    cleaner.learn(("http://a.e.co.uk/", "<p>x"))
    cleaner.save(path)
    loaded = Engine.load(path)
    assert (loaded.method, loaded.site_by, loaded.sites) == ("segments", "domain", 1)
    assert loaded.detector("e.co.uk").pages == 1
    kept = StoreFile(str(path)).settings
    assert kept.options == {
        "min_df": 2, "ratio": 0.7, "lifetime": "inf", "growth": 100.0, "forget": "rare", "max_segments": 4_000_000,
    }  # fmt: skip
    assert (kept.threshold, kept.streaming) == (0.25, False)
    # What a later run may ask for:
    again = Engine.load(
        path, method="segments", site_by="domain", threshold=0.75, streaming=True, lifetime="inf"
    )
    assert again.clean(("http://a.e.co.uk/", "<p>x")).verdict.threshold == 0.75


def test_only_what_is_asked_for_is_read(state, tmp_path):
    """Damage to one site's state is found when that site is asked for, and when all are copied."""
    with sqlite3.connect(state) as file:
        (data,) = file.execute("SELECT state FROM states WHERE name = 's1.org'").fetchone()
        file.execute(
            "UPDATE states SET state = ? WHERE name = 's1.org'", (data[:-1] + bytes([data[-1] ^ 1]),)
        )
    file.close()
    before = state.read_bytes()
    loaded = Engine.load(state)
    assert (loaded.sites, loaded.used_sites) == (3, 0)
    assert loaded.detector("s0.org").pages
    assert (loaded.sites, loaded.used_sites) == (3, 1)
    for action in (lambda: loaded.detector("s1.org"), lambda: loaded.save(tmp_path / "y.state")):
        with pytest.raises(
            UserError, match=r"cannot be used: site s1\.org does not match its hash.*; put a copy"
        ):
            action()
    loaded.close()
    assert state.read_bytes() == before
    assert names(state.parent) == ["x.state"]


def test_hostile_names_of_sites(tmp_path):
    hostile = ["a'b", "\ud800", "\\ud800", "\x00", "a\x00b", "", "x" * 1_000, "漢字", "a" + "\U0001f600"]
    cleaner = Engine("segments", min_df=2)
    for name in hostile:
        cleaner.learn(Page("u", f"<p>{len(name)}", site=name))
    cleaner.save(tmp_path / "x.state")
    loaded = Engine.load(tmp_path / "x.state")
    assert loaded.sites == len(hostile)
    assert [loaded.detector(name).pages for name in hostile] == [1] * len(hostile)
    assert {site_name(row.name) for row in StoreFile(str(tmp_path / "x.state")).rows()} == set(hostile)


def test_a_name_with_odd_characters_and_a_link(tmp_path, state):
    odd = tmp_path / "a?b#c%20 é.state"
    odd.symlink_to(state)
    cleaner = Engine.load(odd)
    cleaner.learn(made_page(99, site="s0.org"))
    cleaner.save(odd)
    assert odd.is_symlink()
    assert Engine.load(state).detector("s0.org").pages == cleaner.detector("s0.org").pages


# What is no state file, or no whole one.


def refused(path):
    with pytest.raises(UserError) as caught:
        Engine.load(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_what_is_no_state_file(tmp_path):
    assert "No such file" in refused(tmp_path / "none")
    assert "is no store of detemplate" in refused(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    assert "is no store of detemplate" in refused(tmp_path / "fifo")
    for number, data in enumerate((b"", b"x", b"x" * 10_000, b"SQLite format 3\x00", b"PK\x03\x04" * 999)):
        path = tmp_path / str(number)
        path.write_bytes(data)
        assert ("is no store of detemplate" if data else "is empty, as") in refused(path)
        if data:
            with pytest.raises(UserError, match="is no store of detemplate"):
                Engine().save(path)
            assert path.read_bytes() == data
    with sqlite3.connect(tmp_path / "other") as file:
        file.execute("CREATE TABLE sites (name, state)")
    file.close()
    before = (tmp_path / "other").read_bytes()
    assert "is no store of detemplate" in refused(tmp_path / "other")
    with pytest.raises(UserError, match="is no store of detemplate"):
        Engine().save(tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TABLE more (x)",
        "CREATE INDEX i ON sites (pages)",
        "ALTER TABLE sites ADD COLUMN x",
        "DROP TABLE meta",
        "ALTER TABLE sites RENAME TO s; CREATE VIEW sites AS SELECT * FROM s",
        "CREATE TRIGGER t AFTER DELETE ON sites BEGIN DELETE FROM meta; END",
    ],
)
def test_other_tables_are_refused(state, change):
    file = sqlite3.connect(state)
    file.executescript(change)
    file.close()
    assert "it has other tables than a store" in refused(state)


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM sites WHERE name = 's1.org'",
        "UPDATE sites SET name = 's9.org' WHERE name = 's1.org'",
        "UPDATE sites SET pages = 'x' WHERE name = 's1.org'",
        "INSERT INTO sites SELECT bucket, 's1.org/', pages, first, last, size, hash FROM sites",
        "UPDATE sites SET bucket = 0 WHERE name = 's1.org'",
        "UPDATE sites SET last = '2001-01-01T00:00:00Z' WHERE name = 's1.org'",
        "UPDATE states SET state = zeroblob(length(state)) WHERE name = 's1.org'",
        "UPDATE states SET state = CAST(state AS TEXT) WHERE name = 's1.org'",
        "DELETE FROM states WHERE name = 's1.org'",
        "UPDATE meta SET value = '\"auto\"' WHERE key = 'method'",
        "DELETE FROM meta WHERE key = 'hash'",
        "DELETE FROM meta WHERE key = 'digests'",
        "DELETE FROM meta",
        "INSERT INTO meta VALUES ('x', zeroblob(2000000))",
    ],
)
def test_changed_contents_are_refused(state, change):
    with sqlite3.connect(state) as file:
        file.execute(change)
    file.close()
    with pytest.raises(
        UserError, match=r"cannot be used: (its|(the state of )?site s1\.org|the state) "
    ) as caught:
        Engine.load(state).detector("s1.org")
    assert "\n" not in str(caught.value)


def stored(path, state):
    """Put bytes in place of the state of a site."""
    with sqlite3.connect(path) as file:
        file.execute("UPDATE states SET state = ? WHERE name = 's1.org'", (state,))
    file.close()


def test_a_state_that_unfolds_to_more_than_is_plausible_is_not_read(state):
    """A few bytes can say that they are a state of a gigabyte."""
    huge = zstandard.ZstdCompressor(level=1).compress(bytes(1 << 27))
    stored(state, huge)
    store = StoreFile(str(state))
    row = SiteRow("s1.org", 7, "", "", 1 << 27, 0)
    with pytest.raises(UserError, match=f"a state of {len(huge)} bytes would unfold to {1 << 27}"):
        store.state(row)


@pytest.mark.parametrize("other", [1, FORMAT - 1, FORMAT + 1])
def test_other_formats_are_refused(state, other):
    with closing(sqlite3.connect(state)) as file:
        file.execute(f"PRAGMA user_version = {other}")
    message = refused(state)
    assert f"has format {other}, and this version of detemplate reads format {FORMAT}" in message
    with pytest.raises(UserError, match=f"has format {other}"):
        StoreWriter(str(state))


def put(path, *sites):
    """Write states, whatever they are, into a store."""
    with StoreWriter(str(path)) as store:
        for name, pages, state in sites:
            store.put(SiteRow.of(name, pages, state), state)
        assert store.settings is not None
        store.finish(store.settings)


def test_a_state_of_another_version_of_a_method_is_refused(state):
    known = StoreFile(str(state)).settings.options
    put(state, ("s0.org", 1, pack("segments", 99, {"options": {**known, "lifetime": float("inf")}}, {})))
    with pytest.raises(
        UserError, match=r"state is of segments version 99, not of segments version 1|options"
    ):
        Engine.load(state).detector("s0.org")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A state, and what a cleaner that goes on from it gives."""
    path = tmp_path_factory.mktemp("saved") / "x.state"
    with Engine("sandwich") as cleaner:
        cleaned(cleaner, interleaved(12), streaming=True)
        cleaner.save(path)
    loaded = Engine.load(path)
    return path, facts([loaded.clean(page) for page in interleaved(12)])


@given(data=st.data())
def test_damage_is_refused_or_changes_nothing(saved, data):
    file, expected = saved
    pages, whole, path = interleaved(12), file.read_bytes(), file.with_name("damaged.state")
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.one_of(st.integers(0, len(whole) - 1), st.integers(0, 200)))
        damaged[at] ^= data.draw(st.integers(1, 255))
    path.write_bytes(damaged[: data.draw(st.sampled_from([len(whole), len(whole) // 2, len(whole) - 1]))])
    try:
        loaded = Engine.load(path)
        got = facts([loaded.clean(page) for page in pages])
    except UserError:
        return
    assert got == expected


def test_a_file_that_an_option_names_must_be_the_same(tmp_path):
    def write_templates(*shingles):
        path = tmp_path / "known.json"
        with path.open("wb") as file:
            write_template_file(file, TemplateFile("local", 3, 5, 4), map(KnownTemplate, shingles))
        return path

    known, path = write_templates(1, 2), tmp_path / "x.state"
    cleaner = Engine("pagelets", templates=str(known))
    cleaner.learn(made_page(1))
    cleaner.save(path)
    assert Engine.load(path).sites == 1
    write_templates(1, 3)
    assert f"was learned with another templates than {known} holds now" in refused(path)
    known.unlink()
    with pytest.raises(UserError, match=r"the store needs the file .*known\.json, which is not there"):
        Engine.load(path)
    write_templates(1, 2)
    assert Engine.load(path).detector("e.org").pages == 1


# Writing.


def test_a_store_that_another_run_wrote_meanwhile_is_left_alone(state):
    loaded = Engine.load(state)
    loaded.learn(made_page(1, site="s0.org"))
    Engine("auto").save(state)
    with pytest.raises(UserError, match="was written by another run meanwhile"):
        loaded.save(state)
    loaded.close()
    with Engine.load(state) as other:
        assert other.method == "auto"
    assert names(state.parent) == ["x.state"]


@pytest.mark.parametrize("limit", [0, 20_000])
def test_a_disk_that_is_full_leaves_the_old_file(state, limit):
    before = state.read_bytes()
    code = f"""
import resource
from detemplate import UserError
from detemplate.run.cleaner import Engine
cleaner = Engine.load({str(state)!r})
for n in range(200):
    cleaner.learn((f"http://n{{n}}.org/", "<p>" + "<p>".join(str(n * k) for k in range(50))))
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
try:
    cleaner.save({str(state)!r})
except UserError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert f"cannot write {state}" in done.stdout
    assert state.read_bytes() == before
    assert names(state.parent) == ["x.state"]


def test_the_file_is_plain_sqlite(state):
    """What docs/store.md says of the tables."""
    file = sqlite3.connect(state)
    sites = file.execute(
        "SELECT name, pages, size > 100, length(state) < size, first LIKE '20%Z', last LIKE '20%Z' "
        "FROM sites JOIN states USING (bucket, name) ORDER BY name"
    )
    assert sites.fetchall() == [
        ("s0.org", 7, 1, 1, 1, 1),
        ("s1.org", 7, 1, 1, 1, 1),
        ("s2.org", 6, 1, 1, 1, 1),
    ]
    meta = {key: json.loads(value) for key, value in file.execute("SELECT * FROM meta WHERE key <> 'hash'")}
    assert (meta["method"], meta["site_by"], meta["threshold"]) == ("segments", "host", 0.25)
    assert meta["options"]["min_df"] == 2
    assert (meta["sites"], meta["commits"]) == (3, 1)
    file.close()


def test_a_state_is_stored_compressed_and_cannot_be_cut(state):
    with sqlite3.connect(state) as file:
        query = "SELECT length(state), size, state FROM states JOIN sites USING (name) WHERE name = 's1.org'"
        length, size, data = file.execute(query).fetchone()
    file.close()
    assert length < size
    stored(state, data[:-9])
    store = StoreFile(str(state))
    row = store.row("s1.org")
    assert row is not None
    with pytest.raises(UserError, match="cannot be unfolded"):
        store.state(row)


def test_pickles_and_threads(state):
    """A pickled cleaner goes on with the same state file, if that is the same still."""
    loaded = Engine.load(state, memory=0)
    pages = interleaved(30)
    for page in pages[:4]:
        loaded.learn(page)
    pickled = pickle.dumps(loaded)
    again = pickle.loads(pickled)
    assert (again.sites, again.used_sites) == (loaded.sites, loaded.used_sites) == (3, 3)
    with ThreadPoolExecutor(1) as other:
        got = other.submit(cleaned, again, pages[4:], streaming=True).result()
    assert got == cleaned(loaded, pages[4:], streaming=True)
    loaded.save(state)
    with pytest.raises(UserError, match="has changed since the cleaner that reads it was pickled"):
        pickle.loads(pickled)
    unpickled = pickle.loads(pickle.dumps(loaded))
    assert unpickled.detector("s0.org").pages == loaded.detector("s0.org").pages
