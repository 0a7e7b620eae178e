"""Mistakes of a user, in any command: one line says what is wrong, the exit code is 2, and nothing is written."""

import shlex
from pathlib import Path

import pytest

from tests.support.commands import cli
from tests.support.link_crawls import sisters, write
from tests.support.training_sites import site_records, write_jsonl

MENU = "<nav><a href=/>Home</a> <a href=/news>News</a></nav>"
FILES = {
    "bad.jsonl": '{"text": "no page"}\n', "gold.jsonl": '{"url": "http://e.org/0", "text": "a"}\n', "urls.txt": "http://a.org/\n",
    "page.html": "<p>x", "empty.html": "", "pdf.html": "%PDF-1.4", "two.jsonl": '{"url": "u", "html": "<p>x"}\n' * 2,
    "expressions.txt": "Home News\n", "bad.txt": "(?:^|\\s)a\\s+b(?:\\s|$)\n(a\n", "text.duckdb": "no database", "full/file": "x",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pages, sites, a crawl as tables, and files that are none of these."""
    made = tmp_path_factory.mktemp("mistakes")
    pages = [{"url": f"http://e.org/{n}", "html": f"{MENU}<h1>Story {n}</h1><p>Body {n}."} for n in range(12)]
    write_jsonl(made / "pages.jsonl", pages)
    sites = ("a.org", "b.org", "c.org", "docs-de", "docs-fr")
    write_jsonl(made / "sites.jsonl", [record for site in sites for record in site_records(site, 10)])
    write(made / "crawl", sisters())
    (made / "full").mkdir()
    for name, text in FILES.items():
        (made / name).write_text(text)
    return made


MISTAKES = """
frobnicate                                               | frobnicate
clean                                                    | INPUT
clean no/such.jsonl                                      | no/such.jsonl
clean pages.jsonl -o no/such/out.jsonl                   | no/such
clean pages.jsonl -o out.docx                            | out.docx
clean pages.jsonl -m magic                               | magic | segments
clean pages.jsonl -f pdf                                 | pdf | markdown
clean pages.jsonl -m segments --set min_df               | min_df
clean pages.jsonl -m segments --set speed=9              | speed | min_df
clean pages.jsonl -m segments --set min_df=0             | min_df | at least 1
clean pages.jsonl --threshold 7                          | threshold
clean pages.jsonl --keep-scripts                         | only HTML has scripts to keep
clean pages.jsonl --sanitize                             | only HTML has tags to sanitize
clean pages.jsonl --sanitize --keep-scripts -f html      | sanitized HTML has no scripts
clean pages.jsonl --site-by planet                       | planet | domain
clean pages.jsonl --max-page-bytes 0                     | byte
clean pages.jsonl --max-page-seconds 0                   | seconds
clean pages.jsonl --max-page-memory 1000                 | the memory for a page must be at least
clean pages.jsonl --workers -1                           | --workers
clean pages.jsonl --summary no/such/s.json               | no/such
clean pages.jsonl --rejects no/such/r.jsonl              | no/such
clean pages.jsonl --no-such-option                       | --no-such-option
clean pages.jsonl --tables html                          | --tables
clean pages.jsonl -o x.jsonl --metadata all              | unknown metadata 'all' (choose from basic, none)
clean pages.jsonl --sample 2                             | --sample
clean pages.jsonl --sample half                          | --sample
clean pages.jsonl --limit 0                              | --limit
clean pages.jsonl --max-bad 101                          | --max-bad
clean pages.jsonl --versions newest                      | --versions
clean pages.jsonl --max-page lines=5                     | 'lines=5' is none of bytes=…, seconds=…, memory=…
clean pages.jsonl --max-page 5                           | '5' is none of bytes=…
clean pages.jsonl --max-page bytes=much                  | 'much' is no size: write it like 32MiB, 2GB or 1000000
clean pages.jsonl --max-page seconds=soon                | 'soon' is not a valid float
clean pages.jsonl --column date=x                        | 'date=x' is none of url=…, html=…, id=…
clean pages.jsonl --render html=nice                     | 'nice' is none of scripts, sanitized
clean pages.jsonl --render links=all                     | --render links=all: 'all' is not one of
clean pages.jsonl --log metrics=many                     | --log metrics=many: 'many' is not a valid integer
clean pages.jsonl --log reject=s.json                    | is none of summary=…, rejects=…, skips=…, progress=…
clean pages.jsonl --memory '1 parsec'                    | '1 parsec' is no size
clean s3://bucket/crawl.warc.gz                          | is an address, and inputs are files: download it, or pipe it to -
learn https://a.org/page.html --store s.db               | is an address, and inputs are files
inspect no/such.warc                                     | no/such.warc
compare pages.jsonl -m auto                              | a comparison needs two different methods
compare pages.jsonl -m auto -m auto                      | a comparison needs two different methods
compare pages.jsonl -m auto -m magic                     | unknown method 'magic'
compare pages.jsonl -m auto -m segments -o c.pdf         | its name must end in .html or .jsonl
compare pages.jsonl -m auto -m segments --gold none      | cannot read the gold none
compare pages.jsonl -m auto -m segments --gold bad.jsonl | line 1 of bad.jsonl is no gold
compare pages.jsonl -m auto -m segments --gold gold.jsonl -o gold.jsonl | would replace an input
compare pages.jsonl -m auto -m segments -o pages.jsonl   | would replace an input
extract page.html -f pdf                                 | unknown format 'pdf'
extract page.html -f text,md                             | text and markdown are several texts: name one, or make them
extract page.html --explain                              | only JSON says what was removed
extract page.html -f html --metadata basic               | HTML has its metadata in its head
extract page.html --sanitize                             | only HTML has tags to sanitize
extract page.html --keep p[                              | keep: invalid CSS selector
extract page.html --threshold 2                          | must be between 0 and 1
extract page.html -o page.html                           | would replace an input
extract two.jsonl                                        | holds several pages: say which with --url
extract two.jsonl --url v                                | none of them is v
extract s3://bucket/page.html                            | is an address, and inputs are files
expressions mine pages.jsonl                             | --output
expressions mine pages.jsonl -o e.xml                    | e.xml | .json or .txt
expressions mine pages.jsonl -o none/e.json              | none
expressions mine pages.jsonl -o e.json --on dom          | text or html | 'dom'
expressions mine pages.jsonl -o e.json --site-by planet  | planet
expressions mine pages.jsonl -o e.json --token [         | token
expressions mine pages.jsonl -o e.json --token a+b+      | --separator
expressions mine pages.jsonl -o e.json --mutable no.toml | no.toml
expressions mine pages.jsonl -o e.json --cut 0           | --cut
expressions mine pages.jsonl -o e.json --collections 2.5 | --collections
expressions mine pages.jsonl -o e.json --min-documents 0 | min_documents
expressions mine pages.jsonl -o e.json --plot p.gif      | p.gif | .svg or .png
expressions mine pages.jsonl -o e.json --max-page-seconds 0 | seconds
expressions apply expressions.txt pages.jsonl -o o.jsonl --on pdf | not on 'pdf'
expressions apply expressions.txt pages.jsonl -o o.jsonl --whose mine | choose from auto, own, all
expressions apply expressions.txt pages.jsonl -o o.jsonl --min-sliver -1 | must not be negative
expressions apply expressions.txt pages.jsonl -o o.jsonl --show -1 | must not be negative
expressions apply expressions.txt pages.jsonl -o o.jsonl --max-page-seconds 0 | above 0 seconds
expressions apply expressions.txt pages.jsonl -o o.jsonl --site-by page | unknown way to name sites
expressions apply bad.txt pages.jsonl -o o.jsonl         | bad.txt, line 2
expressions apply missing.json pages.jsonl -o o.jsonl    | missing.json
graph rank crawl coffee                                  | matches 'coffee'
graph rank crawl !                                       | has no words
graph rank crawl java -c page-ft                         | no configuration 'page-ft'
graph rank crawl java --templates stored                 | no table 'template_pagelets'
graph rank crawl java -c page-fnm --templates all        | take one of local, stored
graph rank crawl java --top 0                            | see 'detemplate graph rank --help'
graph rank missing java                                  | there is no missing
graph rank full java                                     | no table 'pages'
graph related http://nowhere.example/ crawl              | no page http://nowhere.example/
graph related http://sun.example/java crawl --within site | take one of pagelet, page
graph templates nowhere                                  | there is no nowhere
graph templates full                                     | detemplate graph tables
graph templates text.duckdb                              | is no directory of Parquet tables
graph templates crawl --algorithm best                   | choose local or global
graph templates crawl -o found.txt                       | has to end in
graph templates crawl --memory much                      | memory much
graph templates crawl --temp /nowhere                    | cannot work in
graph templates crawl --min-pages 1                      | min-pages
crawl ftp://a.org/ -o c.warc                             | no address of a page
crawl a.org -o c.zip                                     | a crawl writes .warc or .warc.gz, not c.zip
crawl a.org -o missing/c.warc                            | there is no directory
crawl a.org -o c.warc --scope planet                     | choose from host, domain, directory, any
crawl a.org -o c.warc --format html                      | --clean
crawl a.org -o c.warc --whole-pages                      | --focus
crawl a.org -o c.warc --distill                          | add --focus
crawl a.org -o c.warc --focus @missing                   | cannot read the examples
crawl a.org -o c.warc --clean - --checkpoint d           | name it
crawl a.org -o c.warc --clean c.jsonl --method shingles  | cannot clean a stream
crawl @urls.txt -o urls.txt                              | would replace an input
crawl @missing.txt -o c.warc                             | cannot read the list
crawl a.org -o c.warc --checkpoint full                  | is no checkpoint
spark clean pages.jsonl -o out --metadata much           | unknown metadata
spark clean pages.jsonl -o out --conf nothing            | is no setting
spark clean pages.jsonl -o out --max-bad x               | is no number
spark clean pages.jsonl -o out --buckets 0               | the number of buckets must be at least 1
spark clean pages.jsonl -o out --max-page-memory 5       | the memory for a page must be at least
train sites.jsonl -o m.pickle                            | must end in .json
train sites.jsonl -o m.json --theta 1                    | theta must be
train sites.jsonl -o m.json --share 2                    | share of HTML
train sites.jsonl -o m.json --equality loose             | unknown equality
train sites.jsonl -o m.json --min-pages 11               | no site has 11 pages
train sites.jsonl -o m.json --layout missing.parquet     | there is no file missing.parquet
train sites.jsonl -o m.json --site-by planet             | unknown way to name sites
train sites.jsonl -o m.json -q --min-pages 10 --family docs-* --folds 5 | 4 families of sites cannot be 5 folds
report pages.jsonl -o out.pdf                            | must end in .html
report - -o out.html                                     | reads its input twice
explain pages.jsonl -o out.pdf                           | must end in .html
explain pages.jsonl --url http://nowhere/ -o out.html    | has no page 'http://nowhere/'
explain pages.jsonl --store s.db -m auto -o out.html     | --store names the method
"""
"""A command a line, and behind it words that its message has."""


def contents(folder: Path) -> dict[Path, bytes]:
    """Give what the files of a folder hold; the lock of a checkpoint is none of them."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}


@pytest.mark.parametrize(
    "line", MISTAKES.strip().splitlines(), ids=lambda line: line.partition(" |")[0].strip()
)
def test_a_mistake_is_one_line_and_leaves_nothing(line, folder, monkeypatch, capfd):
    monkeypatch.chdir(folder)
    before = contents(folder)
    command, *words = line.split(" | ")
    cli(*shlex.split(command), code=2)
    out, err = capfd.readouterr()
    assert err.startswith("detemplate: ")
    assert err.count("\n") == 1
    assert all(word.strip() in err for word in words), err
    assert not out
    assert contents(folder) == before


@pytest.mark.parametrize(("name", "reason"), [("empty.html", "holds no page: empty"), ("pdf.html", "binary")])
def test_a_file_without_a_page(name, reason, folder, capsys):
    cli("extract", folder / name, code=3)
    err = capsys.readouterr().err
    assert (reason in err, err.count("\n")) == (True, 1)
