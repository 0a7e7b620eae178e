import json
import os

import pytest
from hypothesis import given, strategies as st

from detemplate.io.record import Record, SourceRef
from detemplate.io.sinks.files import Names
from detemplate.io.sinks.open import open_sink
from tests.support.commands import read_rows
from tests.support.sink_helpers import EVIL, row, written


def write(output, items, text_format="text"):
    with open_sink(f"{output}/", format=text_format) as sink:
        for number, (url, relative) in enumerate(items):
            sink.write(
                row(number, text_format) | {"url": url},
                Record(url, "", source=SourceRef("in", relative=relative)),
            )
    index = read_rows(output / "index.jsonl")
    assert [item["url"] for item in index] == [url for url, _ in items]
    inside = output.resolve()
    for number, item in enumerate(index):
        path = output / item["path"]
        assert path.resolve().is_relative_to(inside)
        assert path.read_text() == f"Text é {number}\n"
    files = [path for path in output.rglob("*") if path.is_file()]
    assert len(files) == len(items) + 1
    assert len({str(path).casefold() for path in files}) == len(files)
    return index


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://e.org/", "e.org/index.txt"),
        ("http://e.org", "e.org/index.txt"),
        ("https://E.org/a/b.html", "e.org/a/b.txt"),
        ("https://e.org/a/b.PHP", "e.org/a/b.txt"),
        ("https://e.org/a/", "e.org/a/index.txt"),
        ("https://e.org/v1.2", "e.org/v1.2.txt"),
        ("https://u:p@e.org:8080/a", "e.org_8080/a.txt"),
        ("https://e.org/a?q=1&r=a%2Fb", "e.org/a_q=1&r=a_b.txt"),
        ("https://e.org/a?q=../../x", "e.org/a_q=.._.._x.txt"),
        ("https://e.org/%C3%A9 x", "e.org/é x.txt"),
        ("https://e.org/../../etc/passwd", "e.org/_/_/etc/passwd.txt"),
        ("https://e.org/%2e%2e/%2e%2e%2fx", "e.org/_/_._x.txt"),
        ("https://e.org//a//b", "e.org/a/b.txt"),
        ("https://../x", "_/x.txt"),
        ("https://e.org/.htaccess", "e.org/_htaccess.txt"),
        ("https://e.org/a\0b\n", "e.org/a_b.txt"),
        ("https://e.org/a\\..\\b", "e.org/a_.._b.txt"),
        ("file:///home/me/x.html", "file/home/me/x.txt"),
        ("urn:isbn:1", "urn/isbn_1.txt"),
        ("x", "other/x.txt"),
        ("http://[broken/a", "other/http_/[broken/a.txt"),
        (EVIL, "other/a_b.txt"),
    ],
)
def test_paths_of_urls(tmp_path, url, path):
    assert Names(".txt", reserved="index.jsonl").name(url, None) == path
    if url != EVIL:
        write(tmp_path / "out", [(url, None)])


def test_files_keep_their_paths(tmp_path):
    items = ["index.html", "a/b.htm", "a/b.html.gz", "a/c.php?id=3", "no-suffix", "a.b/.hidden", "../x.html"]
    index = write(tmp_path / "out", [(f"file:///{name}", name) for name in items], "markdown")
    assert [item["path"] for item in index if "~" not in item["path"]] == [
        "index.md", "a/b.md", "a/c.php_id=3.md", "no-suffix.md", "a.b/_hidden.md", "_/x.md",
    ]  # fmt: skip


def test_names_that_collide(tmp_path):
    urls = [
        "http://e.org/a", "http://e.org/A", "http://e.org/a.html", "http://e.org/a", "http://e.org/a",
        "http://e.org/a.txt/b", "http://e.org/c.txt/d", "http://e.org/c", "http://e.org/C.TXT/e",
        "http://index.jsonl/x",
    ]  # fmt: skip
    index = write(tmp_path / "out", [(url, None) for url in urls])
    assert index[0]["path"] == "e.org/a.txt"
    assert index[5]["path"] == "e.org/a.txt~d/b.txt"
    assert index[9]["path"] == "index.jsonl~d/x.txt"


@pytest.mark.parametrize(
    "url",
    [
        "http://e.org/" + "x" * 5000,
        "http://e.org/" + "é" * 2500,
        "http://" + "h" * 3000 + "/",
        "http://e.org/" + "a/" * 3000 + "b",
        "http://e.org/" + ("y" * 190 + "/") * 30,
        "http://e.org/?" + "q=%F0%9F%98%80&" * 500,
    ],
)
def test_names_that_are_too_long(tmp_path, url):
    index = write(tmp_path / "out", [(url, None), (url + "z", None), (url, None)])
    assert all(len(part.encode()) <= 250 for item in index for part in item["path"].split("/"))


PARTS = st.sampled_from(
    ["a", "A", "a.txt", "a.html", "..", ".", "", "%2e%2e", "%2F", "%00", "b", "a~d", "index.jsonl", "?a"]
)
URLS = (
    st.builds(lambda host, parts: f"http://{host}/" + "/".join(parts), PARTS, st.lists(PARTS, max_size=4))
    | st.text()
)


@given(
    st.lists(st.tuples(URLS, st.none() | st.lists(PARTS.filter(bool), min_size=1).map("/".join)), max_size=30)
)
def test_no_path_meets_another(items):
    names = Names(".txt", reserved="index.jsonl")
    files = [names.name(url, relative) for url, relative in items]
    folded = [path.casefold() for path in files] + ["index.jsonl"]
    assert len(set(folded)) == len(folded)
    for path in files:
        path.encode("utf-8")
        assert path.endswith(".txt")
        assert os.path.normpath(path) == path
        assert not path.startswith(("/", ".."))
        above = [path.casefold().rsplit("/", n)[0] for n in range(1, path.count("/") + 1)]
        assert not set(above) & set(folded)


def test_the_index(tmp_path):
    written(f"{tmp_path}/out/", row(1, "html", path="/mine", title_=EVIL), text_format="html")
    (item,) = map(json.loads, (tmp_path / "out" / "index.jsonl").read_text().splitlines())
    expected = {key: value for key, value in row(1).items() if key != "text"}
    assert item == {**expected, "title_": EVIL, "carried_path": "/mine", "path": "e.org/1.html"}
