"""Versions of a page: which of the records with one URL are taken."""

import json
from collections import defaultdict

import pytest
from hypothesis import given, strategies as st

from detemplate.detectors.registry import DETECTORS
from detemplate.io.record import Record, Skip
from detemplate.io.sources.base import SelectedSource
from detemplate.run.reader import Versions, replaced_records
from tests.support.commands import cli


class Source(list[Record | Skip]):
    """Items in memory."""

    rereadable = True
    total_bytes = 100
    bytes_read = 7


def taken(items, versions):
    """Give the places of the records that are taken, and the reasons of skips."""
    found = []
    chosen = Versions(SelectedSource(Source(items), versions=versions))
    first, again = list(chosen), list(chosen)
    assert first == again
    for place, item in enumerate(first):
        found.append(item.reason if isinstance(item, Skip) else place)
        assert item is items[place] or (isinstance(item, Skip) and item.url == items[place].url)
    return found


@given(st.lists(st.integers(0, 6), max_size=40), st.integers(1, 9))
def test_each_choice_as_a_dictionary_makes_it(numbers, block):
    items = [
        Skip("u4", "not html") if number == 6 else Record("" if number == 5 else f"u{number}", str(place))
        for place, number in enumerate(numbers)
    ]
    places = defaultdict(list)
    for place, item in enumerate(items):
        places[item.url if isinstance(item, Record) and item.url else place].append(place)
    for versions, at in (("keep", None), ("first", 0), ("last", -1)):
        wanted = {one[at] for one in places.values()} if at is not None else set(range(len(items)))
        assert taken(items, versions) == [
            item.reason if isinstance(item, Skip) else place if place in wanted else "duplicate url"
            for place, item in enumerate(items)
        ]
    # Beyond a block nothing is promised; within it, whatever comes again is found, and nothing else.
    named = [item.url for item in items if isinstance(item, Record) and item.url]
    bits = replaced_records(items, block)
    for place, url in enumerate(named):
        told = bool(bits[place // 8] >> place % 8 & 1)
        if url in named[place + 1 : place + 1 + block]:
            assert told
        assert not told or url in named[place + 1 :]


def lines(path, pages):
    path.write_text("".join(json.dumps({"url": url, "html": html}) + "\n" for url, html in pages))
    return str(path)


def versions_of(url, *days):
    menu = "<ul><li>Weather and tides today</li><li>Letters to the editor</li></ul>"
    return [
        (url, f"<title>{url}</title>{menu}<h1>News of {day}</h1><p>On {day} it rained on {day}.</p>")
        for day in days
    ]


DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def texts(path):
    return [json.loads(line)["text"] for line in path.read_text().splitlines()]


@pytest.fixture
def pages(tmp_path):
    """Two pages of a site, six versions of each."""
    mixed = zip(versions_of("http://a.org/1", *DAYS), versions_of("http://a.org/2", *DAYS), strict=True)
    return lines(tmp_path / "pages.jsonl", [page for both in mixed for page in both])


def test_clean_takes_the_versions_that_are_asked_for(pages, tmp_path):
    out = tmp_path / "out.jsonl"
    for versions, days in (("keep", DAYS), ("first", DAYS[:1]), ("last", DAYS[-1:])):
        wanted = [day for day in days for _ in "12"]
        found = set()
        for more in ([], ["--stream"], ["--workers", "2"], ["--checkpoint", str(tmp_path / versions)]):
            command = ["clean", pages, "-m", "segments", "--versions", versions, "-q", "-o", str(out)]
            cli(*command, *(more if "--workers" in more else ["--workers", "0", *more]))
            assert [next(day for day in DAYS if day in text) for text in texts(out)] == wanted
            if more != ["--stream"]:
                found.add(out.read_bytes())
        assert len(found) == 1
    # Versions of a page teach what is its template.
    cli("clean", pages, "-m", "segments", "--versions", "keep", "-q", "-o", out)
    assert not any("Weather" in text for text in texts(out))


@pytest.mark.parametrize("method", sorted({*DETECTORS} - {"auto"}))
def test_every_method_takes_all_versions(method, pages, tmp_path):
    out = tmp_path / "out.jsonl"
    command = ["clean", pages, "-m", method, "--versions", "keep", "--workers", "0", "-q", "-o", str(out)]
    cli(*command)
    assert len(texts(out)) == 12


def test_standard_input_has_no_last_version(pages, tmp_path, capsys, monkeypatch):
    with open(pages, encoding="utf-8") as file:  # noqa: PTH123
        monkeypatch.setattr("sys.stdin", file)
        cli("clean", "-", "--versions", "last", "-o", tmp_path / "x.jsonl", code=2)
    assert "--versions last reads the input twice" in capsys.readouterr().err
    assert not (tmp_path / "x.jsonl").exists()


def test_other_commands_take_the_versions_that_are_asked_for(tmp_path, capsys, printed):
    """One page, as its versions are in an archive: all that these share is template."""
    path = lines(tmp_path / "page.jsonl", versions_of("http://a.org/", *DAYS))
    mined, out, store = (str(tmp_path / name) for name in ("x.json", "out.jsonl", "x.db"))
    found = {}
    for versions in ("first", "keep"):
        cli("expressions", "mine", path, "--on", "html", "--versions", versions, "-o", mined)
        found[versions] = capsys.readouterr().err
        assert f"{1 if versions == 'first' else 6} page" in printed("inspect", path, "--versions", versions)
        cli("learn", path, "-m", "segments", "--store", store, "--versions", versions)
        capsys.readouterr()
        shown = json.loads(printed("store", "show", store, "a.org", "--json"))
        assert shown["pages"] == (1 if versions == "first" else 7)
    assert "5 duplicate url" in found["first"]
    assert "duplicate" not in found["keep"]
    for versions, days in (("keep", DAYS), ("first", DAYS[:1]), ("last", DAYS[-1:])):
        command = ["expressions", "apply", mined, path, "--versions", versions, "-q", "-o", out]
        cli(*command, "--on", "text")
        assert [next(day for day in DAYS if day in text) for text in texts(tmp_path / "out.jsonl")] == list(
            days
        )
    tables = str(tmp_path / "tables") + "/"
    cli("graph", "tables", path, "--versions", "last", "-o", tables, "-q")
