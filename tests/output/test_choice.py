"""Keep and drop: a person's own word beats every score."""

import json
import pickle

import pytest

import detemplate
from detemplate import Cleaner, UserError
from tests.support.commands import cli, read_rows, write_rows

MENU = "<nav><a href=/>Home</a> <a href=/maps>Maps</a> <a href=/about>About us</a></nav>"
PAGE = (
    f"<title>Rain</title>{MENU}<main><h1>Rain</h1><p>It rained all day, and in the night it rained even more.</p>"
    "<div class=share>Share this <img src=share.png></div><p class=note>Mind the umbrella.</p></main>"
    "<footer>Copyright <span class=imprint>Imprint</span><img class=seal src=seal.png></footer>"
)


def site():
    """Six pages, each with a story of its own."""
    told = "It rained all day, and in the night it rained even more."
    stories = [
        "The harbour was closed, because fog hid every lamp on the long pier.",
        "Nobody had seen the old clock run backwards before that evening in June.",
        "Seven boats came home with empty nets, and their crews went to bed.",
        "A letter from the city said that the bridge would open to trains at last.",
        "Children built towers of sand, which the next wave took away again.",
        "The baker sold all his bread by noon, and shut the shop for the fair.",
    ]
    pages = [PAGE.replace("Rain", f"Rain {n}").replace(told, each) for n, each in enumerate(stories)]
    return [{"url": f"https://example.org/{n}", "html": page} for n, page in enumerate(pages)]


def text(**given):
    return detemplate.extract(PAGE, url="https://www.example.org/rain", **given)


def html(**given):
    return detemplate.extract(PAGE, url="https://www.example.org/rain", format="html", **given)


def test_keep_and_drop():
    assert "Maps" not in text()
    assert "Home Maps About us" in text(keep="nav")
    assert "Imprint" in text(keep=[".imprint", ".nothing"])
    assert "Copyright" not in text(keep=".imprint")
    assert "umbrella" not in text(drop=".note")
    assert text(drop="p, h1, .share") == ""


@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0])
def test_they_hold_whatever_the_threshold(threshold):
    found = text(keep="nav", drop=".note", threshold=threshold)
    assert "Maps" in found
    assert "umbrella" not in found
    assert ("It rained" in found) == (threshold > 0)
    if threshold == 1:
        assert "Copyright" in found


def test_the_inner_element_decides_and_of_one_element_keep():
    inner = text(drop="main", keep=".note")
    assert "umbrella" in inner
    assert "rained" not in inner
    assert "Share" not in text(keep="main", drop=".share")
    assert "umbrella" in text(keep=".note", drop=".note")
    assert "rained" in text(drop="body", keep="main > p, h1")


def test_elements_without_text():
    assert "share.png" not in html(drop=".share")
    assert "share.png" not in html(drop="img")
    assert "seal.png" not in html()
    assert "seal.png" in html(keep=".seal")
    assert "<footer>" in html(keep=".seal")
    assert "Copyright" not in html(keep=".seal")
    assert "<title>Rain</title>" in html(drop="html")
    assert html(drop="html").endswith("</head><body></body></html>")
    assert "<main>" not in html(drop="main", keep="nav")


def test_rules_of_hosts():
    for rule in ("example.org##.note", "www.example.org##.note", "e.net, Example.org##.note"):
        assert "umbrella" not in text(drop=rule), rule
    for rule in ("ample.org##.note", "www.example.com##.note", "a.www.example.org##.note"):
        assert "umbrella" in text(drop=rule), rule


def test_a_file_of_rules(tmp_path):
    file = tmp_path / "rules.txt"
    file.write_text("! what we never want\n\nexample.org##.note\n.share\n  example.com##h1\n")
    found = text(drop=f"@{file}")
    assert "umbrella" not in found
    assert "Rain" in found
    file.write_text("p[\n")
    with pytest.raises(UserError, match=r"rules\.txt, line 1: invalid CSS selector .*; write it like"):
        text(drop=f"@{file}")
    with pytest.raises(UserError, match=r"cannot read .*nowhere"):
        text(drop=f"@{tmp_path}/nowhere")


@pytest.mark.parametrize("wrong", ["p[", "", "..x", "p::before", "example.org##"])
def test_what_is_no_selector(wrong):
    with pytest.raises(UserError, match="invalid CSS selector"):
        Cleaner(drop=[wrong])


def test_the_option_of_auto_is_not_taken_for_css():
    with pytest.raises(UserError, match=r"write options=\{'keep': 'records'\}"):
        Cleaner(keep="records")
    with pytest.raises(UserError, match="keep is CSS, or @FILE, not int"):
        Cleaner(keep=[5])
    assert Cleaner(options={"keep": "records"}, keep=".note")._options == {"keep": "records"}


def test_the_reasons():
    [result] = detemplate.clean([("https://example.org/", PAGE)], drop=".note", keep=".imprint", explain=True)
    row = result.as_dict()
    removed = {each["text"]: each for each in row["removed"]}
    assert removed["Mind the umbrella."] == {
        "text": "Mind the umbrella.",
        "score": 1.0,
        "reason": "you said so: drop .note",
        "causes": [{"cause": "dropped", "weight": 1.0, "selector": ".note"}],
    }
    [kept] = row["kept"]
    assert (kept["text"], kept["reason"]) == ("Imprint", "you said so: keep .imprint")
    assert "kept" not in Cleaner().clean(("https://example.org/", PAGE)).as_dict(explain=True)
    copy = pickle.loads(pickle.dumps(result))
    assert copy.as_dict() == row
    assert copy.html == result.html


@pytest.mark.parametrize(("workers", "name"), [("0", "out.jsonl"), ("2", "out.parquet")])
def test_the_command(tmp_path, workers, name):
    source, out = tmp_path / "in.jsonl", tmp_path / name
    write_rows(source, site())
    command = [
        "clean", str(source), "-o", str(out), "-q", "--workers", workers, "--explain", "-f", "text,html",
    ]  # fmt: skip
    cli(*command, "--drop", ".note", "--drop", "h1", "--keep", "example.org##.seal", "--keep", "nav")
    if name.endswith("jsonl"):
        found = read_rows(out)
    else:
        import pyarrow.parquet as pq

        found = pq.read_table(out).to_pylist()
    assert len(found) == 6
    for row in found:
        assert "umbrella" not in row["text"]
        assert not row["text"].startswith("Rain")
        assert "seal.png" in row["html"]
        assert "Maps" in row["text"]
        assert "you said so: keep nav" in str(row["kept"])
        assert "you said so: drop .note" in str(row["removed"])


def test_a_checkpoint_is_of_its_rules(tmp_path, said):
    source, rules = tmp_path / "in.jsonl", tmp_path / "rules"
    source.write_text(json.dumps({"url": "https://example.org/", "html": PAGE}))
    command = [
        "clean", str(source), "-o", str(tmp_path / "o.jsonl"), "--checkpoint", str(tmp_path / "c"), "-q",
    ]  # fmt: skip
    command += ["--drop", f"@{rules}"]
    rules.write_text(".note\n")
    cli(*command)
    assert "this run is finished" in said(*command)
    rules.write_text(".share\n")
    cli(*command)
    assert "umbrella" in (tmp_path / "o.jsonl").read_text()


@pytest.mark.parametrize("workers", ["0", "1"])
def test_rules_that_select_nothing_are_said(tmp_path, workers, said):
    source, out = tmp_path / "in.jsonl", str(tmp_path / "o.jsonl")
    source.write_text(json.dumps({"url": "https://example.org/", "html": PAGE}))
    command = ["clean", str(source), "-o", out, "--workers", workers, "--drop", ".note", "--keep", ".note"]
    told = said(*command, "--drop", ".nte", "--keep", "example.com##p")
    assert "nothing on any page is selected by --drop .nte, --keep example.com##p\n" in told
    assert "selected" not in said(*command)
