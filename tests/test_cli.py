"""The command, end to end, as a user runs it."""

import gzip
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import detemplate
from detemplate.cli import main
from detemplate.errors import Stopped
from detemplate.run.stopping import Stop
from tests.support.commands import cli, read_rows, write_rows
from tests.support.documents import all_commands

EXAMPLE = Path(__file__).parents[1] / "examples" / "rustbook"
BASE = "https://doc.rust-lang.org/book/"
MENU = "<nav><a href=/>Home</a> <a href=/news>News</a></nav>"


def page(number, host="site.example"):
    html = f"<title>Page {number}</title>{MENU}<h1>Story {number}</h1><p>Body of story {number}.</p>"
    return {"url": f"http://{host}/{number}", "html": html, "lang": "en"}


@pytest.fixture
def pages(tmp_path):
    return write_rows(tmp_path / "pages.jsonl", [page(number) for number in range(12)])


def test_two_passes_clean_the_first_page_too(pages, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    cli("clean", pages, "--method", "segments", "-o", out)
    rows = read_rows(out)
    assert [row["url"] for row in rows] == [page(number)["url"] for number in range(12)]
    first = rows[0]
    assert list(first) == [
        "url", "site", "title", "author", "published", "modified", "language", "site_name", "canonical_url",
        "description", "image", "page_type", "text", "template_share", "segments", "template_segments", "method", "lang",
    ]  # fmt: skip
    assert first["text"] == "Story 0\n\nBody of story 0."
    assert (first["site"], first["title"], first["method"]) == ("site.example", "Page 0", "segments")
    assert (first["segments"], first["template_segments"]) == (4, 2)
    assert first["template_share"] == pytest.approx(8 / 31, abs=1e-5)
    err = capsys.readouterr().err
    assert "12 pages of 1 site (by host) cleaned by segments in two passes" in err


def test_the_default_method_cleans_the_first_page_of_a_stream(pages, tmp_path, capsys):
    out = tmp_path / "out.jsonl"
    cli("clean", pages, "--stream", "--explain", "-o", out)
    rows = read_rows(out)
    assert {row["method"] for row in rows} == {"auto"}
    assert all("Body of story" in row["text"] for row in rows)
    assert "on 5 of 5 other pages of this site" in rows[5]["removed"][0]["reason"]
    assert "cleaned by auto in one pass" in capsys.readouterr().err


def test_stdin_to_stdout_is_a_stream(pages):
    command = [
        sys.executable, "-m", "detemplate", "clean", "-", "--stream", "--method", "segments", "-o", "-",
    ]  # fmt: skip
    done = subprocess.run(command, input=pages.read_bytes(), capture_output=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["template_segments"] for row in rows] == [0] * 4 + [2] * 8
    assert b"in one pass" in done.stderr


def test_closed_stdout_ends_quietly(tmp_path):
    many = write_rows(tmp_path / "many.jsonl", [page(number) for number in range(800)])
    with subprocess.Popen(
        [sys.executable, "-m", "detemplate", "clean", str(many)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        running.stdout.readline()
        running.stdout.close()
        err = running.stderr.read()
        assert running.wait() == 0
    assert b"Traceback" not in err
    assert b"Exception" not in err


@pytest.mark.parametrize(("text_format", "suffix"), [("text", "txt"), ("markdown", "md"), ("html", "html")])
def test_directory_to_directory(tmp_path, text_format, suffix):
    out = tmp_path / "cleaned"
    code = main(["clean", f"{EXAMPLE}/", "--base-url", BASE, "-f", text_format, "-o", f"{out}/", "-q"])
    assert code == 0
    names = sorted(path.stem for path in EXAMPLE.glob("*.html"))
    assert sorted(path.stem for path in out.glob(f"*.{suffix}")) == names
    assert len(names) == 24
    index = read_rows(out / "index.jsonl")
    assert {row["url"] for row in index} == {f"{BASE}{name}.html" for name in names}
    cleaned = (out / f"ch01-03-hello-cargo.{suffix}").read_text()
    assert "Foreword" not in cleaned  # the sidebar
    assert "Cargo is Rust’s build system" in cleaned


def test_explain_names_text_score_and_reason(pages, tmp_path):
    out = tmp_path / "out.jsonl"
    main(["clean", str(pages), "--method", "segments", "--explain", "-o", str(out), "-q"])
    why = {
        "score": 1.0,
        "reason": "on 12 of 12 pages of this site",
        "causes": [{"cause": "repeated", "weight": 1.0, "pages": 12, "of": 12}],
    }
    assert read_rows(out)[3]["removed"] == [{"text": "Home", **why}, {"text": "News", **why}]


def test_scripts_stay_on_request(tmp_path):
    markup = "<h1>Rain</h1><p onclick=go()>It rained all day, and then the night.</p><script>go()</script>"
    source = write_rows(tmp_path / "in.jsonl", [{"url": "http://site.example/", "html": markup}])
    for flags, kept in (((), False), (("--keep-scripts",), True), (("--sanitize",), False)):
        out = tmp_path / "out.jsonl"
        main(["clean", str(source), "-f", "html", *flags, "-o", str(out), "-q", "--overwrite"])
        html = str(read_rows(out)[0]["html"])
        assert ("onclick" in html, "<script>" in html) == (kept, kept)
        assert html.startswith("<h1>") == ("--sanitize" in flags)


def test_bad_pages_are_recorded_and_the_run_goes_on(tmp_path, capsys):
    rows = [page(number) for number in range(6)]
    rows[1:1] = [
        {"url": "http://site.example/empty", "html": "  "},
        {"url": "http://site.example/big", "html": "<p>" + "x" * 2000},
        {"url": "http://site.example/0", "html": "<p>again"},
        {"url": "http://site.example/none"},
    ]
    source = write_rows(tmp_path / "pages.jsonl", rows)
    with source.open("a") as file:
        file.write("no json\n")
    out, lost, counts = (tmp_path / name for name in ("out.jsonl", "lost.jsonl", "counts.json"))
    arguments = ["--max-page-bytes", "1000", "--rejects", str(lost), "--summary", str(counts), "-o", str(out)]
    cli("clean", source, *arguments)
    assert len(read_rows(out)) == 6
    assert [(row["url"], row["reason"]) for row in read_rows(lost)] == [
        ("http://site.example/empty", "empty"),
        ("http://site.example/big", "too large"),
        ("http://site.example/none", "bad record"),
        ("", "bad record"),
    ]
    summary = json.loads(counts.read_text())
    assert summary["skipped"] == {"bad record": 2, "empty": 1, "too large": 1, "duplicate url": 1}
    assert (summary["pages"], summary["rejected"], summary["passes"]) == (6, 4, 2)
    assert "skipped 5:" in capsys.readouterr().err


def test_pages_in_utf_8_that_declare_another_encoding_are_counted(tmp_path, capsys):
    pages = tmp_path / "pages"
    pages.mkdir()
    for number, charset in enumerate(("iso-8859-1", "utf-8", "windows-1252")):
        html = f"<meta charset={charset}><title>{number}</title><p>Die Größe der Seite {number}"
        (pages / f"{number}.html").write_bytes(html.encode())
    out, counts, saved = (tmp_path / name for name in ("out.jsonl", "counts.json", "saved"))
    arguments = ["clean", str(pages), "--summary", str(counts), "--checkpoint", str(saved), "-o", str(out)]
    cli(*arguments)
    assert [row["text"] for row in read_rows(out)] == [f"Die Größe der Seite {each}" for each in range(3)]
    assert json.loads(counts.read_text())["recoded"] == 2
    assert "2 pages declare another encoding than UTF-8" in capsys.readouterr().err


def test_a_truncated_input_gives_its_whole_pages_and_the_place_of_the_error(tmp_path, capsys):
    text = "".join(json.dumps(page(number)) + "\n" for number in range(500)).encode()
    source = tmp_path / "pages.jsonl.gz"
    source.write_bytes(gzip.compress(text)[:4_000])
    out = tmp_path / "out.jsonl"
    cli("clean", source, "-o", out, code=3)
    assert 50 < len(read_rows(out)) < 500
    err = capsys.readouterr().err
    assert "detemplate: 1 input ended early or could not be read" in err
    assert "1 truncated" in err
    assert f"{source}: the gzip data ends in the middle: broke at byte 4000" in err


def test_slow_pages_are_rejected(pages, tmp_path):
    out, lost = tmp_path / "out.jsonl", tmp_path / "lost.jsonl"
    arguments = ["--max-page-seconds", "1e-9", "--rejects", str(lost), "-o", str(out), "-q"]
    cli("clean", pages, *arguments, "--max-bad", "100", code=3)
    assert read_rows(out) == []
    assert {row["reason"] for row in read_rows(lost)} == {"too slow"}


def test_records_name_their_sites(tmp_path):
    rows = [page(number, host=f"h{number}.example") | {"site": "ours"} for number in range(6)]
    out = tmp_path / "out.jsonl"
    main(["clean", str(write_rows(tmp_path / "in.jsonl", rows)), "-o", str(out), "-q"])
    assert {(row["site"], row["template_segments"]) for row in read_rows(out)} == {("ours", 2)}


def test_sites_by_domain(tmp_path):
    rows = [page(number, host=f"h{number}.example.co.uk") for number in range(6)]
    source, out = write_rows(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    main(["clean", str(source), "--method", "segments", "-o", str(out), "-q"])
    assert {row["template_segments"] for row in read_rows(out)} == {0}
    main(["clean", str(source), "--method", "segments", "--site-by", "domain", "-o", str(out), "-q"])
    assert {(row["site"], row["template_segments"]) for row in read_rows(out)} == {("example.co.uk", 2)}


def test_inspect(tmp_path, printed):
    rows = [
        page(number, host) for host, count in (("a.example", 3), ("b.example", 2)) for number in range(count)
    ]
    rows += [rows[0], {"url": "http://c.example/", "html": ""}]
    source = write_rows(tmp_path / "in.jsonl", rows)
    out = printed("inspect", source, "--top", "1")
    assert "5 pages of 2 sites" in out
    assert "3  a.example" in out
    assert "b.example" not in out
    assert "2  on 1 more site" in out
    assert "1  duplicate url" in out
    counts = json.loads(printed("inspect", source, "--json"))
    assert (counts["pages"], counts["skipped"]) == (5, {"duplicate url": 1, "empty": 1})


def test_methods_lists_every_detector(printed):
    from detemplate.detectors.registry import DETECTORS

    out = printed("methods")
    for name, kind in DETECTORS.items():
        assert f"\n{name}" in f"\n{out}"
        assert kind.paper in out
    assert [entry["name"] for entry in json.loads(printed("methods", "--json"))] == list(DETECTORS)


def every_command():
    """Names of all commands; those of a group with the group's name before them."""
    return [" ".join(names) for names, command in all_commands().items() if not hasattr(command, "commands")]


OLD = {
    "sites": "store show",
    "export": "store export",
    "merge": "store merge",
    "forget": "store forget",
    "mine": "expressions mine",
    "apply": "expressions apply",
    "tables": "graph tables",
    "templates": "graph templates",
    "rank": "graph rank",
    "related": "graph related",
}


@pytest.mark.parametrize(("old", "new"), OLD.items())
def test_old_names_of_commands_work_and_say_the_new_one(old, new, capsys, printed):
    out = printed(*new.split(), "--help")
    cli(old, "--help")
    told = capsys.readouterr()
    assert told.out == out
    assert told.err == f"detemplate: '{old}' is now '{new}'; the old name works for one more release\n"
    assert f"\n  {old} " not in printed("--help")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("st", ["plain,store"]),
        ("store m", ["plain,merge"]),
        ("clean -m sand", ["plain,sandwich"]),
        ("clean --stre", ["plain,--stream"]),
        ("clean in", ["file,in"]),
        ("clean - -o ou", ["file,ou"]),
    ],
)
def test_shells_complete_commands_options_methods_and_files(words, wanted, monkeypatch, capsys):
    typed = f"detemplate {words}"
    monkeypatch.setenv("_DETEMPLATE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    assert main() == 0
    assert capsys.readouterr().out.splitlines() == wanted


@pytest.mark.parametrize("command", ["", *every_command()])
def test_h_is_help_for_every_command(command, printed):
    long = printed(*command.split(), "--help")
    assert printed(*command.split(), "-h") == long
    assert "-h, --help" in long


def test_version(printed):
    assert printed("--version") == f"detemplate {detemplate.__version__}\n"


_UP = """
import sys

from detemplate import __main__ as command

class Told(command.Stop):
    def __enter__(self):
        super().__enter__()
        print("up", flush=True)
        return self

command.Stop = Told
sys.exit(command.main())
"""


def test_a_signal_while_a_class_is_made_ends_the_run():
    class Property:
        def __set_name__(self, owner, name):
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(Stopped) as stopped, Stop():
        type("Made", (), {"told": Property()})
    assert stopped.value.number == signal.SIGTERM


@pytest.mark.parametrize(
    ("number", "delays"), [(signal.SIGINT, (0, 0.06, 0.8)), (signal.SIGTERM, (0.2, 0.4))]
)
@pytest.mark.parametrize("checkpoint", [False, True])
def test_a_signal_at_any_moment_ends_a_run_with_one_line(number, delays, checkpoint, tmp_path):
    """From the first lines of the program on; what the interpreter does before that is its own.

    A run that has ended before the signal ends well.
    """
    pages = tmp_path / "pages.jsonl"
    page = {"html": "<title>a</title><p>" + "Words. " * 300}
    pages.write_text("".join(json.dumps({"url": f"http://e.org/{n}", **page}) + "\n" for n in range(1500)))
    words = ["clean", str(pages), "-o", "out.jsonl", "-m", "segments", "--workers", "1"]
    words += ["--checkpoint", "progress"] if checkpoint else []
    for delay in delays:
        folder = tmp_path / str(delay)
        folder.mkdir()
        run = subprocess.Popen(
            [sys.executable, "-c", _UP, *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert run.stdout.readline() == "up\n"
        time.sleep(delay)
        run.send_signal(number)
        _, said = run.communicate(timeout=60)
        if run.returncode == 0:
            assert delay  # the first one comes before the run has begun
            assert len((folder / "out.jsonl").read_text().splitlines()) == 1500
            continue
        assert run.returncode == 128 + number, said
        last = said.splitlines()[-1]
        assert last.startswith("detemplate: interrupted; "), said
        assert "Traceback" not in said
        assert not (folder / "out.jsonl").exists()
        if (folder / "progress").exists():
            assert last.endswith("run the same command again to go on from progress")
