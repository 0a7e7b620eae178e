"""``detemplate expressions mine``, end to end."""

import json
import re
from pathlib import Path

import pytest

from detemplate.errors import UserError
from detemplate.expressions.files import read
from detemplate.io.sources.open import open_sources
from detemplate.mining.run import MiningJob, mine
from tests.support.commands import cli, write_rows

pytest.importorskip("pydivsufsort")


def page(number, host):
    words = " ".join(f"w{(number * 31 + each * number) % 211}" for each in range(30))
    html = (
        f"<title>Page {number}</title><nav><a href=/>{host} home</a> <a href=/n>News room</a></nav>"
        f"<p>Posted on {number % 28 + 1} May 20{number % 90 + 10} by</p><p>w{number} as much as "
        f"x{number} {words}</p><footer>Copyright of {host} 2007 &amp; later</footer>"
    )
    return {"url": f"http://{host}/{number}", "html": html}


@pytest.fixture
def sites(tmp_path):
    """Four sites, their pages interleaved."""
    rows = [page(number, f"s{site}.example") for number in range(20) for site in range(4)]
    return write_rows(tmp_path / "pages.jsonl", rows)


def test_sites_are_mined_apart_and_idioms_dropped(sites, tmp_path, capsys):
    out = tmp_path / "e.json"
    cli("expressions", "mine", sites, "-o", out)
    found = read(out)
    assert [(each.name, each.documents, each.cut is not None) for each in found.collections] == [
        (f"s{site}.example", 20, True) for site in range(4)
    ]
    assert found.documents == 80
    patterns = {(each.collection, each.pattern) for each in found.expressions}
    assert any(site == "s1.example" and "s1\\.example\\s+home" in pattern for site, pattern in patterns)
    assert not any("as\\s+much\\s+as" in pattern for _, pattern in patterns)  # all sites have it
    assert all(each.collections < 3 for each in found.expressions)
    weights = [(-e.documents, -len(e.pieces), e.pattern, e.collection) for e in found.expressions]
    assert weights == sorted(weights)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("s0.example: 20 documents, ")
    assert "idioms dropped) from 80 documents of 4 sites in" in lines[-1]
    assert sum(each.expressions for each in found.collections) == len(found.expressions)


def test_the_second_level_can_be_set(sites, tmp_path):
    out = tmp_path / "e.json"
    cli("expressions", "mine", sites, "-o", out, "-q", "--collections", "5")
    idioms = [each for each in read(out).expressions if "as\\s+much\\s+as" in each.pattern]
    assert [each.collections for each in idioms] == [4] * 4
    assert all(each.documents == 20 for each in idioms)


def test_html_is_mined_as_it_came(sites, tmp_path):
    out = tmp_path / "e.txt"
    cli("expressions", "mine", sites, "-o", out, "--on", "html", "-q")
    patterns = [each.pattern for each in read(out).expressions]
    assert any("<a\\s+href=/n>News\\s+room</a></nav><p>Posted\\s+on" in pattern for pattern in patterns)
    html = str(page(999, "s1.example")["html"])
    assert any(re.search(pattern, html, re.ASCII) for pattern in patterns)


def test_plain_text(tmp_path, capsys):
    for number in range(12):
        text = f"<b> Permanent link | {number} May 2007 | c{number} d{number} read more"
        (tmp_path / f"{number}.txt").write_text(text)
    out = tmp_path / "out.txt"
    command = ["expressions", "mine", str(tmp_path / "*.txt"), "-o", str(out)]
    cli(*command)
    cli("expressions", "mine", tmp_path, "--input-format", "text", "-o", tmp_path / "again.json", "-q")
    patterns = {each.pattern for each in read(out).expressions}
    assert r"(?:^|\s)read\s+more(?:\s|$)" in patterns
    assert any(
        pattern.startswith(r"(?:^|\s)<b>\s+Permanent\s+link\s+\|\s+[,.]*[0-9]") for pattern in patterns
    )
    assert "12 documents of 1 site" in capsys.readouterr().err


def test_tokens_separators_and_mutables_of_ones_own(sites, tmp_path):
    own = tmp_path / "own.toml"
    own.write_text("[[mutable]]\nname = 'word'\nexpression = 'w[0-9]+'\n")
    out = tmp_path / "e.json"
    options = ["--token", "[0-9A-Za-z]+", "--mutable", str(own), "--cut", "90%", "--min-documents", "3"]
    cli("expressions", "mine", sites, "-o", out, "-q", *options)
    found = read(out)
    assert found.separator == "[^0-9A-Za-z]+"
    assert found.mutables[0].expression == "w[0-9]+"
    assert any("w[0-9]+" in (each.pieces or ()) for each in found.expressions)
    assert {each.cut for each in found.collections} == {18}
    assert all(each.documents >= 18 for each in found.expressions)
    cli("expressions", "mine", sites, "-o", out, "-q", "--mutable", "none")
    assert read(out).mutables == ()


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_plot_shows_every_site(sites, tmp_path, suffix):
    pytest.importorskip("matplotlib")
    plot = tmp_path / f"plot.{suffix}"
    cli("expressions", "mine", sites, "-o", tmp_path / "e.json", "--plot", plot, "-q")
    data = plot.read_bytes()
    if suffix == "png":
        assert data.startswith(b"\x89PNG")
    else:
        assert all(f"s{site}.example: 20 documents, template from".encode() in data for site in range(4))


def test_hostile_inputs(tmp_path, said):
    rows = [
        {"url": "http://a/1", "html": ""},
        {"url": "http://a/2", "html": "\x00" * 500},
        {"url": "http://a/3", "html": "<p>" * 5000 + "a b"},
        {"url": "http://a/4", "html": "\ud800 a b \x0b c"},
        {"url": "http://a/4", "html": "twice"},
        {"url": "http://a/5", "html": "x" * 5000 + " y" * 5000},
    ]
    path = write_rows(tmp_path / "pages.jsonl", rows)
    for on in ("text", "html"):
        out = tmp_path / f"{on}.json"
        assert "1 duplicate url" in said("expressions", "mine", path, "-o", out, "--on", on)
        read(out)


def test_memory_is_bounded(sites):
    with pytest.raises(UserError, match="need more than 0 MB"):
        mine(open_sources([str(sites)]), MiningJob(memory=10_000))


def test_a_session_number_in_a_menu(tmp_path):
    """The motive of the thesis's section 3.3: links that change each time a page is accessed."""
    pages = [
        {
            "url": f"http://x.org/{number}",
            "html": f"<p>w{number} x{number * 7} <ul>\n"
            f'<li><a href="http://x.org/home?sid={number * 7919}">Home</a> </li>\n'
            f'<li><a href="/news?sid={number * 104729}&amp;a=1">News</a> </li> </ul> <p>y{number} z{number}',
        }
        for number in range(12)
    ]
    path, mined, out = (str(tmp_path / name) for name in ("pages.jsonl", "mined.json", "out.jsonl"))
    write_rows(tmp_path / "pages.jsonl", pages)
    cli("expressions", "mine", path, "--on", "html", "-o", mined, "-q")
    [found] = read(mined).expressions
    assert found.documents == 12
    assert 'href="https?://' in found.pattern
    assert ">Home</a>" in found.pattern
    assert 'href="/news\\?sid=' in found.pattern
    assert all(re.search(found.pattern, page["html"], re.ASCII) for page in pages)
    cli("expressions", "apply", mined, path, "--on", "html", "-o", out, "-q")
    for number, line in enumerate(Path(out).read_text().splitlines()):
        assert json.loads(line)["html"] == f"<p>w{number} x{number * 7} <p>y{number} z{number}"


def test_a_pattern_of_several_tokens(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(
        "[[mutable]]\nname = 'reader'\nexpression = '[A-Z][a-z]+ [A-Z][a-z]+|nobody at all'\n"
        "examples = ['Ann Lee', 'nobody at all']\n"
    )
    names = ["Ann Lee", "Bob Ray", "nobody at all", "Eve Poe", "Tom Fox", "Ida Orr"]
    for number, name in enumerate(names):
        (tmp_path / f"{number}.txt").write_text(f"one{number} last comment by ({name}) read more two{number}")
    mined, out = str(tmp_path / "mined.json"), str(tmp_path / "out.jsonl")
    cli("expressions", "mine", tmp_path / "*.txt", "--mutable", own, "-o", mined, "-q")
    [found] = read(mined).expressions
    assert (found.documents, found.pieces) == (6, None)
    assert r"\s+\((?:[A-Z][a-z]+ [A-Z][a-z]+|nobody at all)\)\s+read" in found.pattern
    cli("expressions", "apply", mined, tmp_path / "*.txt", "-o", out, "-q")
    left = sorted(json.loads(line)["text"] for line in Path(out).read_text().splitlines())
    assert left == [f"one{number} two{number}" for number in range(6)]
