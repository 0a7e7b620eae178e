import gzip

import pytest
import zstandard

from detemplate.errors import UserError
from detemplate.io.record import Record, Skip
from detemplate.io.sources.http_body import looks_like_html
from detemplate.io.sources.open import open_sources
from tests.support.io_helpers import read, records, skips

PAGE = b"<!DOCTYPE html><p>x"


@pytest.fixture
def site(tmp_path):
    root = tmp_path / "site"
    files = {
        "index.html": PAGE,
        "b/z.HTM": b"no markup at all",
        "b/a b%é.xhtml": PAGE,
        "a.html/deep.html.gz": gzip.compress(PAGE),
        "view.php?id=3": PAGE,
        "source.php": b"<?php echo 1;",
        "no-suffix": b"\n <!-- hi --> <HTML>",
        "style.css": b"a { }",
        "pages.csv.gz": b"a,b",
        "empty.html": b"",
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def test_a_directory(site):
    result = read(site)
    assert [(item.source.relative, type(item)) for item in result if item.source] == [
        ("a.html/deep.html.gz", Record),
        ("b/a b%é.xhtml", Record),
        ("b/z.HTM", Record),
        ("empty.html", Record),
        ("index.html", Record),
        ("no-suffix", Record),
        ("pages.csv.gz", Skip),
        ("source.php", Skip),
        ("style.css", Skip),
        ("view.php?id=3", Record),
    ]
    assert {(skip.reason, skip.rejected) for skip in skips(result)} == {("not html", False)}
    assert "name the file itself" in skips(result)[0].detail
    pages = {item.source.relative: item for item in records(result) if item.source}
    assert pages["a.html/deep.html.gz"].html == PAGE
    assert pages["empty.html"].html == b""
    assert pages["b/a b%é.xhtml"].url == site.as_uri() + "/b/a%20b%25%C3%A9.xhtml"
    assert pages["b/z.HTM"].source.path == str(site / "b/z.HTM")


@pytest.mark.parametrize("base", ["https://e.org/x", "https://e.org/x/"])
def test_base_url(site, base):
    urls = [item.url for item in open_sources([str(site)], base_url=base, max_page_bytes=100)]
    assert "https://e.org/x/view.php%3Fid%3D3" in urls
    (page,) = open_sources([str(site / "b/z.HTM")], base_url=base, max_page_bytes=100)
    assert page.url == "https://e.org/x/z.HTM"
    named = [str(site / "b/z.HTM"), str(site / "index.html")]
    assert [item.url for item in open_sources(named, base_url=base, max_page_bytes=100)] == [
        "https://e.org/x/b/z.HTM",
        "https://e.org/x/index.html",
    ]
    with pytest.raises(UserError, match="no absolute URL"):
        open_sources([str(site)], base_url="e.org", max_page_bytes=100)


def test_links_are_followed_once(site):
    before = len(read(site))
    (site / "loop").symlink_to(site)
    (site / "b" / "up").symlink_to("..")
    (site / "dead.html").symlink_to("nowhere")
    (site / "me.html").symlink_to("me.html")
    elsewhere = site.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "more.html").write_bytes(PAGE)
    (site / "one").symlink_to(elsewhere)
    (site / "two").symlink_to(elsewhere)
    result = read(site)
    assert len(result) == before + 3
    assert [item.source.relative for item in result if item.source and "more" in item.url] == [
        "one/more.html"
    ]
    unreadable = {
        item.source.relative for item in skips(result) if item.source and item.reason == "unreadable"
    }
    assert unreadable == {"dead.html", "me.html"}


@pytest.mark.usefixtures("unprivileged")
def test_what_cannot_be_read(site):
    (site / "index.html").chmod(0)
    (site / "b").chmod(0)
    unreadable = [skip for skip in skips(read(site)) if skip.reason == "unreadable"]
    assert [skip.source.relative for skip in unreadable if skip.source] == ["b/", "index.html"]
    assert all(skip.rejected for skip in unreadable)
    with pytest.raises(UserError, match=r"cannot read .*index.html: Permission denied"):
        read(site / "index.html")
    (site / "b").chmod(0o755)


def test_files_that_are_too_large(tmp_path):
    bomb = b"<p>" + bytes(50 << 20)
    for name, content in {
        "a.html": PAGE,
        "b.html": PAGE + b"!",
        "c.html.gz": gzip.compress(bomb),
        "d.html.zst": zstandard.compress(bomb),
        "e.html.gz": gzip.compress(PAGE)[:-9],
    }.items():
        (tmp_path / name).write_bytes(content)
    first, *rest = read(tmp_path, limit=len(PAGE))
    assert isinstance(first, Record)
    assert [(skip.reason, skip.rejected) for skip in skips(rest)] == [
        ("too large", True),
        ("too large", True),
        ("too large", True),
        ("truncated", True),
    ]


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b"<!doctype HTML>", True),
        (b"\xef\xbb\xbf\r\n<html>", True),
        ("<html>".encode("utf-16"), True),
        ("<html>".encode("utf-16-le"), True),
        (b"<!-- a --><!-- b -->\n<body class=x>", True),
        (b"<!-- " + b"long " * 1000, True),
        (b'<?xml version="1.0"?><!DOCTYPE html PUBLIC ""><html>', True),
        (b'<?xml version="1.0"?><rss>', False),
        (b"<svg>", False),
        (b"<article-list>", False),
        (b"<p>hello", True),
        (b"<pre>", False),
        (b"hello <p>", False),
        (b"%PDF", False),
        (b"", False),
    ],
)
def test_what_looks_like_html(start, expected):
    assert looks_like_html(start) is expected


@pytest.mark.parametrize(
    "comment",
    [
        "<!--\n Page saved with SingleFile \n url: https://e.org/a?b=1 \n saved date: Mon Jan 01 2024\n-->",
        "<!-- saved from url=(0020)https://e.org/a?b=1 -->",
    ],
)
def test_saved_pages_say_their_url(tmp_path, comment):
    """SingleFile and browsers write a page's URL into it."""
    path = tmp_path / "Some title (1_2_2024).html"
    path.write_text(f"<!DOCTYPE html> <html lang=en>{comment}<p>text")
    for base in (None, "https://other.example/"):
        (item,) = open_sources([str(path)], base_url=base)
        assert item.url == "https://e.org/a?b=1"
    assert [item.url for item in open_sources([str(tmp_path)])] == ["https://e.org/a?b=1"]
    path.write_text(f"<p>{'x' * 9000}{comment}")
    assert read(path)[0].url.startswith("file:")
    path.write_text(f"<p>{comment.replace('https://e', 'javascript:e')}")
    assert read(path)[0].url.startswith("file:")
    path.rename(path.with_suffix(".txt"))
    (item,) = open_sources([str(path.with_suffix(".txt"))], text=True)
    assert item.url.startswith("file:")


def test_a_mirror_of_hosts(tmp_path):
    """Folders as wget -r makes them: each host is a site of its own."""
    names = [
        "docs.example.org/index.html",
        "www.example.co.uk/a b/view.php?id=3&x=y",
        "127.0.0.1:8080/x.html",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_bytes(PAGE)
    (tmp_path / "wget.log").write_text("log")
    (tmp_path / ".cache").mkdir()
    found = records(read(tmp_path))
    assert [item.url for item in found] == [
        "https://127.0.0.1:8080/x.html",
        "https://docs.example.org/index.html",
        "https://www.example.co.uk/a%20b/view.php?id=3&x=y",
    ]
    assert [item.source.relative for item in found if item.source] == sorted(names)
    based = records(open_sources([str(tmp_path)], base_url="https://e.org/"))
    assert based[1].url == "https://e.org/docs.example.org/index.html"


@pytest.mark.parametrize(
    "other", ["notes/x.html", "v1.2/x.html", "index.html", "node.js/x.html", "co.uk/x.html"]
)
def test_other_directories_are_no_mirrors(tmp_path, other):
    for name in ("example.org/index.html", other):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(PAGE)
    assert all(item.url.startswith("file:") for item in read(tmp_path))


def test_xhtml_by_its_suffix(tmp_path):
    for name, media_type in (("a.xhtml", "application/xhtml+xml"), ("b.html", None)):
        (tmp_path / name).write_bytes(PAGE)
        (item,) = records(read(tmp_path / name))
        assert item.media_type == media_type
