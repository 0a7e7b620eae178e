"""``detemplate learn``, ``sites``, ``export``, ``merge`` and ``forget``, on real files."""

import io
import json
import shutil
import sqlite3
import sys
from contextlib import closing

import pytest

from detemplate import Cleaner
from detemplate.detectors.registry import DETECTORS
from detemplate.sites.learner import SiteLearner
from detemplate.sites.storefile import StoreFile
from tests.support.commands import cli, read_rows, write_rows
from tests.support.helpers import made_page
from tests.support.warc_fixtures import http, record


def write(path, numbers, sites=2, extra=""):
    pages = [made_page(number, site=f"s{number % sites}.org", extra=extra) for number in numbers]
    lines = [
        json.dumps({"url": f"http://{page.site}/{number}", "html": page.canonical.decode()}) + "\n"
        for number, page in zip(numbers, pages, strict=True)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return str(path)


def states(path):
    with closing(StoreFile(str(path))) as file:
        return {row.name: (row.pages, file.state(row)) for row in file.rows()}


def history(path, site):
    with closing(StoreFile(str(path))) as file:
        row = file.row(site)
        return file.history(row.name)


# learn


@pytest.mark.parametrize("method", DETECTORS)
def test_learning_and_cleaning_give_the_same_store(tmp_path, method):
    """A run that learns teaches what the first pass of a run that cleans teaches."""
    pages = write(tmp_path / "a.jsonl", range(50))
    cli("learn", pages, "--store", tmp_path / "learned.db", "-m", method, "-q")
    cli("clean", pages, "--store", tmp_path / "cleaned.db", "-m", method, "-q", "-o", tmp_path / "o.jsonl")
    assert states(tmp_path / "learned.db") == states(tmp_path / "cleaned.db")
    cli("clean", pages, "--store", tmp_path / "learned.db", "--frozen", "-q", "-o", tmp_path / "frozen.jsonl")
    assert (tmp_path / "frozen.jsonl").read_bytes() == (tmp_path / "o.jsonl").read_bytes()


def test_learning_goes_on(tmp_path, capsys):
    both = write(tmp_path / "ab.jsonl", range(30))
    a, b = write(tmp_path / "a.jsonl", range(15)), write(tmp_path / "b.jsonl", range(15, 30))
    cli("learn", both, "--store", tmp_path / "one.db", "-q")
    cli("learn", a, "--store", tmp_path / "two.db", "-q")
    cli("learn", b, "--store", tmp_path / "two.db", "--summary", tmp_path / "summary.json")
    assert "15 pages of 2 sites learned by auto, " in capsys.readouterr().err
    assert states(tmp_path / "one.db") == states(tmp_path / "two.db")
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary.pop("seconds") > 0
    assert summary == {
        "method": "auto", "pages": 15, "sites": 2, "looks": 0, "skipped": {}, "rejected": 0, "broken": [],
        "nameless": 0,
    }  # fmt: skip
    cli("learn", a, b, "--store", tmp_path / "three.db", "-q")
    assert states(tmp_path / "three.db") == states(tmp_path / "one.db")


def test_the_options_of_learning(tmp_path, capsys, monkeypatch, said):
    pages, store = write(tmp_path / "a.jsonl", range(12)), tmp_path / "x.db"
    cli(
        "learn",
        pages,
        "--store",
        store,
        *["-m", "segments", "--set", "min_df=3", "--site-by", "directory", "-q"],
    )
    with Cleaner.load(store) as loaded:
        assert (loaded.method, loaded.site_by, loaded.sites) == ("segments", "directory", 2)
        assert {str(name) for name in states(store)} == {"s0.org/", "s1.org/"}
    with (tmp_path / "a.jsonl").open("ab") as file:
        file.write(b'{"url": "http://s0.org/bad", "html": ""}\n')
    cli(
        "learn",
        pages,
        "--store",
        tmp_path / "y.db",
        "--rejects",
        tmp_path / "r.jsonl",
        "--max-page-bytes",
        9999,
    )
    assert "skipped 1: 1 empty" in capsys.readouterr().err
    assert json.loads((tmp_path / "r.jsonl").read_text())["url"] == "http://s0.org/bad"
    cli("learn", pages, "--store", tmp_path / "z.db", "--limit", 3, "-q")
    assert sum(count for count, _ in states(tmp_path / "z.db").values()) == 3
    slow = said("learn", pages, "--store", tmp_path / "none.db", "--max-page-seconds", 1e-9, code=3)
    assert " of them: too slow" in slow
    data = (tmp_path / "a.jsonl").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    cli("learn", "-", "--store", tmp_path / "pipe.db", "-m", "styletree", "-q")  # no method needs two passes
    assert sum(count for count, _ in states(tmp_path / "pipe.db").values()) == 12
    assert not (tmp_path / "none.db").exists()


# sites


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folder of two runs: in January three sites, in May one of them after a redesign."""
    folder = tmp_path_factory.mktemp("runs")
    first, second = write(folder / "a.jsonl", range(240), 3), folder / "b.jsonl"
    lines = [
        {
            "url": f"http://s0.org/new{n}",
            "html": f"<main><b>Fresh menu</b><i>More</i><article>Story {n}</article>",
        }
        for n in range(40)
    ]
    write_rows(second, lines)
    store = ("--store", folder / "templates.db", "-m", "segments")
    with pytest.MonkeyPatch.context() as patch:
        for pages, moment in ((first, "1767225600"), (second, "1777593600")):
            patch.setenv("SOURCE_DATE_EPOCH", moment)
            cli("clean", pages, *store, "-q", "-o", folder / "o.jsonl")
    return folder


@pytest.fixture
def store(runs, tmp_path, monkeypatch):
    """The store of these runs, in a folder of its own."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1777593600")
    shutil.copytree(runs, tmp_path, dirs_exist_ok=True)
    return tmp_path / "templates.db"


def test_the_list_of_sites(store, printed):
    lines = printed("store", "show", store).splitlines()
    assert lines[0].startswith("280 pages of 3 sites learned by segments, ")
    assert [line.split()[:2] + line.split()[4:] for line in lines[1:]] == [
        ["120", "pages", "2026-01-01", "–", "2026-05-01", "s0.org"],
        ["80", "pages", "2026-01-01", "–", "2026-01-01", "s1.org"],
        ["80", "pages", "2026-01-01", "–", "2026-01-01", "s2.org"],
    ]
    lines = printed("store", "show", store, "--top", 1).splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["s0.org", "sites"]
    assert "160 pages on 2 more sites" in lines[2]


def test_a_site(store, printed):
    told = printed("store", "show", store, "s0.org")
    assert told.startswith("s0.org: 120 pages learned by segments, ")
    assert "2026-01-01 – 2026-05-01" in told.splitlines()[0]
    assert "redesigned 2026-05-01: of a page's templates 100% were known before, 0% after; gone: " in told
    assert "About us" in told.split("gone: ")[1].splitlines()[0]
    assert "40 pages  since 2026-05-01, last 2026-05-01  Fresh menu" in told
    assert told == printed("store", "show", store, "http://s0.org/some/page")
    few = printed("store", "show", store, "s1.org", "--top", 1)
    assert "redesigned" not in few
    assert few.count("since ") == 1
    found = json.loads(printed("store", "show", store, "s0.org", "--json"))
    assert (found["site"], found["pages"], found["seen"]) == ("s0.org", 120, 120)
    assert [point["pages"] for point in found["points"]] == [80, 40]
    assert found["redesigns"][0]["date"] == "2026-05-01T00:00:00Z"
    assert {
        "text": "Fresh menu",
        "pages": 40,
        "first": "2026-05-01T00:00:00Z",
        "last": "2026-05-01T00:00:00Z",
    } in found["templates"]
    assert 0 < found["template_share"] < 1


def test_a_site_without_a_history(tmp_path, printed):
    with Cleaner("segments") as cleaner:
        cleaner.learn(made_page(1))
        cleaner.save(tmp_path / "python.db")
    assert "no history: none of its pages was cleaned" in printed(
        "store", "show", tmp_path / "python.db", "e.org"
    )


def test_what_sites_prints_does_nothing_to_a_terminal(tmp_path, said, printed):
    evil = "s\x1b[31m\x07.org"
    lines = [
        {"url": f"http://a/{n}", "site": evil, "html": f"<p>Red \u009b31m menu \u202e &#x7f;<p>Story {n}"}
        for n in range(12)
    ]
    write_rows(tmp_path / "a.jsonl", lines)
    store = tmp_path / "x.db"
    cli("clean", tmp_path / "a.jsonl", "--store", store, "-m", "segments", "-q", "-o", tmp_path / "o.jsonl")
    for told in (printed("store", "show", store), printed("store", "show", store, evil)):
        assert all(one.isprintable() or one == "\n" for one in told)
        assert "s\\x1b[31m\\x07.org" in told
    assert "\\u202e" in told
    assert all(one.isprintable() or one == "\n" for one in said("store", "show", store, "\x1b[31m", code=2))


def test_dates_are_those_of_the_records(tmp_path, printed):
    """A WARC says when a page was fetched."""
    data = b"".join(
        record(http(made_page(number).canonical), url=f"http://e.org/{number}").replace(
            b"WARC-Date: 2020-02-03", f"WARC-Date: 2019-03-{number + 1:02}".encode()
        )
        for number in range(12)
    )
    (tmp_path / "a.warc").write_bytes(data)
    cli("clean", tmp_path / "a.warc", "--store", tmp_path / "x.db", "-q", "-o", tmp_path / "o.jsonl")
    found = json.loads(printed("store", "show", tmp_path / "x.db", "e.org", "--json"))
    [point] = found["points"]
    assert (point["first"], point["last"]) == ("2019-03-01T04:05:06Z", "2019-03-12T04:05:06Z")


def test_export(store, tmp_path, said, printed):
    assert "3 sites written" in said("store", "export", store, "-o", tmp_path / "t.jsonl")
    rows = read_rows(tmp_path / "t.jsonl")
    assert {row["site"]: row["pages"] for row in rows} == {"s0.org": 120, "s1.org": 80, "s2.org": 80}
    for row in rows:
        assert row == json.loads(printed("store", "show", store, row["site"], "--json"))
    cli("store", "export", store, "s1.org", "-o", tmp_path / "one.jsonl", "-q")
    assert json.loads((tmp_path / "one.jsonl").read_text())["site"] == "s1.org"


# merge


@pytest.mark.parametrize("method", [name for name, kind in DETECTORS.items() if kind.merges])
def test_merging_is_learning_one_after_the_other(tmp_path, method):
    """Sites of both stores are merged by the method, as Detector.merge does; others are copied."""
    a, b = write(tmp_path / "a.jsonl", range(30), 2), write(tmp_path / "b.jsonl", range(30, 60), 3)
    one, two, both = tmp_path / "one.db", tmp_path / "two.db", tmp_path / "both.db"
    cli("learn", a, "--store", one, "-m", method, "-q")
    cli("learn", b, "--store", two, "-m", method, "-q")
    before = one.read_bytes(), two.read_bytes()
    cli("store", "merge", one, two, "-o", both, "-q")
    assert (one.read_bytes(), two.read_bytes()) == before
    kind, ones, twos, merged = SiteLearner, states(one), states(two), states(both)
    assert {name: pages for name, (pages, _) in merged.items()} == {"s0.org": 25, "s1.org": 25, "s2.org": 10}
    for name in ("s0.org", "s1.org"):
        joined = kind.from_bytes(ones[name][1]).merge(kind.from_bytes(twos[name][1]))
        assert merged[name][1] == joined.to_bytes()
    assert merged["s2.org"] == twos["s2.org"]


def test_histories_are_merged(tmp_path, said):
    for name, numbers, sites in (("a", range(30), 2), ("b", range(30, 60), 3), ("c", range(60, 70), 1)):
        pages = write(tmp_path / f"{name}.jsonl", numbers, sites)
        options = ("--store", tmp_path / f"{name}.db", "-m", "segments", "-q", "-o", tmp_path / "o.jsonl")
        cli("clean", pages, *options)
    stores = [tmp_path / f"{name}.db" for name in "abc"]
    assert f"3 sites in {tmp_path / 'all.db'}" in said("store", "merge", *stores, "-o", tmp_path / "all.db")
    assert [history(tmp_path / "all.db", f"s{n}.org").pages for n in range(3)] == [35, 25, 10]
    about = {one.text: one.pages for one in history(tmp_path / "all.db", "s0.org").texts()}["About us"]
    assert about == sum(
        {one.text: one.pages for one in history(store, "s0.org").texts()}["About us"] for store in stores
    )


def test_what_cannot_be_merged(tmp_path, said):
    a, b = write(tmp_path / "a.jsonl", range(12), 1), write(tmp_path / "b.jsonl", range(12), 2)
    options = {
        "plain": (), "other": ("-m", "segments"), "set": ("-m", "segments", "--set", "min_df=3"),
        "by": ("--site-by", "domain"),
    }  # fmt: skip
    for name, option in options.items():
        cli("learn", a, "--store", tmp_path / f"{name}.db", *option, "-q")
    out = tmp_path / "out.db"

    def refused(*stores):
        message = said("store", "merge", *[tmp_path / f"{store}.db" for store in stores], "-o", out, code=2)
        assert not out.exists()
        return message

    assert "was learned with method=auto" in refused("plain", "other")
    assert "with min_df=" in refused("other", "set")
    assert "only stores of the same settings can be merged" in refused("plain", "by")
    if not DETECTORS["auto"].merges:
        cli("learn", b, "--store", tmp_path / "two.db", "-q")
        assert "method auto cannot merge what two runs learned of one site, and " in refused("plain", "two")
        cli("store", "forget", tmp_path / "two.db", "s0.org", "-q")
        cli("store", "merge", tmp_path / "plain.db", tmp_path / "two.db", "-o", out, "-q")
        assert set(states(out)) == {"s0.org", "s1.org"}


def test_forget(store, tmp_path, said):
    kept = states(store)
    size = store.stat().st_size
    assert f"1 site left in {store}" in said("store", "forget", store, "s0.org", "http://s1.org/1", "s0.org")
    assert states(store) == {"s2.org": kept["s2.org"]}
    assert "has no site 's0.org'" in said("store", "show", store, "s0.org", code=2)
    assert b"Fresh menu" not in store.read_bytes()
    pages = write(tmp_path / "more.jsonl", range(30), 2)
    cli("learn", pages, "--store", store, "-q")
    assert states(store)["s0.org"][0] == 15  # begins anew
    assert store.stat().st_size <= size
    with sqlite3.connect(store) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert file.execute("SELECT count(*) FROM histories WHERE name = 's0.org'").fetchone() == (0,)
    file.close()


def test_damage_leaves_no_export(store, tmp_path, said):
    with sqlite3.connect(store) as file:
        file.execute("UPDATE histories SET history = replace(history, 'More', 'Less')")
    file.close()
    assert "does not match its hash" in said("store", "export", store, "-o", tmp_path / "t.jsonl", code=2)
    assert "does not match its hash" in said("store", "show", store, "s0.org", code=2)
    assert not (tmp_path / "t.jsonl").exists()
